//! ggml's element types by number.
//!
//! Source: `ggml_type` and the block structures of ggml's `ggml-common.h`; `GGML_QUANT_SIZES` of the Python package `gguf`
//! 0.19 says the same.

use tensor_core::DType;

use crate::entry::{BlockFormat, ElementFormat};

const fn block(name: &'static str, block_elements: usize, block_bytes: usize) -> ElementFormat {
    ElementFormat::Block(BlockFormat {
        name,
        block_elements,
        block_bytes,
    })
}

/// Number, elements and bytes; numbers that are missing were given up by ggml.
const TYPES: [(u32, ElementFormat); 34] = [
    (0, ElementFormat::DType(DType::F32)),
    (1, ElementFormat::DType(DType::F16)),
    (2, block("Q4_0", 32, 18)),
    (3, block("Q4_1", 32, 20)),
    (6, block("Q5_0", 32, 22)),
    (7, block("Q5_1", 32, 24)),
    (8, block("Q8_0", 32, 34)),
    (9, block("Q8_1", 32, 36)),
    (10, block("Q2_K", 256, 84)),
    (11, block("Q3_K", 256, 110)),
    (12, block("Q4_K", 256, 144)),
    (13, block("Q5_K", 256, 176)),
    (14, block("Q6_K", 256, 210)),
    (15, block("Q8_K", 256, 292)),
    (16, block("IQ2_XXS", 256, 66)),
    (17, block("IQ2_XS", 256, 74)),
    (18, block("IQ3_XXS", 256, 98)),
    (19, block("IQ1_S", 256, 50)),
    (20, block("IQ4_NL", 32, 18)),
    (21, block("IQ3_S", 256, 110)),
    (22, block("IQ2_S", 256, 82)),
    (23, block("IQ4_XS", 256, 136)),
    (24, ElementFormat::DType(DType::I8)),
    (25, ElementFormat::DType(DType::I16)),
    (26, ElementFormat::DType(DType::I32)),
    (27, ElementFormat::DType(DType::I64)),
    (28, ElementFormat::DType(DType::F64)),
    (29, block("IQ1_M", 256, 56)),
    (30, ElementFormat::DType(DType::BF16)),
    (34, block("TQ1_0", 256, 54)),
    (35, block("TQ2_0", 256, 66)),
    (39, block("MXFP4", 32, 17)),
    (40, block("NVFP4", 64, 36)),
    (41, block("Q1_0", 128, 18)),
];

/// The type with ggml's number `code`.
pub(super) fn format(code: u32) -> Option<ElementFormat> {
    let row = TYPES.iter().find(|(known, _)| *known == code)?;
    Some(row.1)
}
