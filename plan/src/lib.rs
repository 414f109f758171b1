//! The compiled form every executor reads (steps, buffers, constants) and the Backend trait; no passes, no devices.
