//! Rows that have run: the names that an expression stands for, its text, what it gave and what it should give.

use std::collections::BTreeMap;

use tenfold::graph::Dim;
use tenfold::prelude::*;

/// The expressions by name.
#[derive(Default)]
pub(crate) struct Rows(BTreeMap<&'static str, &'static str>);

impl Rows {
    /// Adds a row. An expected text that ends with `..` is the beginning.
    pub(crate) fn add(
        &mut self,
        names: &[&'static str],
        code: &'static str,
        got: &impl Look,
        want: &str,
    ) {
        let got = got.look();
        let same = match want.strip_suffix("..") {
            Some(begin) => got.starts_with(begin),
            None => got == want,
        };
        assert!(same, "{names:?}: {code} gives {got:?}, expected {want:?}");
        for name in names {
            assert!(self.0.insert(name, code).is_none(), "{name} has two rows");
        }
    }

    pub(crate) fn into_compiled(self) -> BTreeMap<&'static str, &'static str> {
        self.0
    }
}

/// `row!(rows, [names], expression, expected)`, or with `=> what` after an expression that changes `what`.
macro_rules! row {
    ($rows:ident, [$($name:literal),+], $code:expr, $want:expr) => {
        $rows.add(&[$($name),+], stringify!($code), &$code, $want)
    };
    ($rows:ident, [$($name:literal),+], $code:expr => $after:expr, $want:expr) => {{
        let () = $code;
        $rows.add(&[$($name),+], stringify!($code), &$after, $want)
    }};
}
pub(crate) use row;

/// Anything as one line of text.
pub(crate) trait Look {
    fn look(&self) -> String;
}

/// At most four decimals, and none that are 0.
fn number(x: f64) -> String {
    let text = format!("{x:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

impl Look for Tensor {
    fn look(&self) -> String {
        let elements = self.cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
        let elements: Vec<String> = elements.into_iter().map(number).collect();
        format!("{}{:?} {}", self.dtype(), self.shape(), elements.join(" "))
    }
}

impl Look for Value {
    fn look(&self) -> String {
        match self.tensor() {
            Ok(tensor) => tensor.view().unwrap().to_contiguous().unwrap().look(),
            Err(_) => self.to_string(),
        }
    }
}

impl Look for Outputs {
    fn look(&self) -> String {
        self.iter().next().unwrap().1.look()
    }
}

impl Look for Func {
    fn look(&self) -> String {
        self.name()
    }
}

impl Look for CompiledFunction {
    fn look(&self) -> String {
        format!("compiled for {}", self.device())
    }
}

impl Look for Option<&str> {
    fn look(&self) -> String {
        self.unwrap_or_default().to_owned()
    }
}

macro_rules! displayed {
    ($($Type:ty),+) => {
        $(impl Look for $Type {
            fn look(&self) -> String {
                self.to_string()
            }
        })+
    };
}

displayed!(bool, f32, usize, u64, DType, Dim, &str);
