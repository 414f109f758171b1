//! Host storage, TypedTensor, Tensor and borrowed views; no arithmetic beyond fill, cast and copy.
