//! The op table, typed values, inference, verifier and text form of a graph; executes nothing.
