//! The command as programs and people meet it: the built binary on small models, its tables, JSON, files and exit codes.
//!
//! The models are in `data/`; `make_models.py` there made them and shows what they compute. Expected values are worked
//! out by hand from that. Files of tensors are written by each test into a folder of its own.

mod command {
    mod bench;
    mod convert;
    mod errors;
    mod files;
    mod inspect;
    mod run;
    pub(crate) mod tenfold;
    mod tensor;
}
