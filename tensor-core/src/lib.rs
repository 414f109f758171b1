//! dtype tags, scalar traits, promotion, rank, shape, strides and validated layouts; owns no storage.
