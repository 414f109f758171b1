//! Tables and numbers for people.
//!
//! Columns are separated by two spaces and as wide as their widest cell; text is left-aligned, numbers are right-aligned.
//! No line ends with a space. Control characters, which names from files may have, are shown as escapes.

use std::fmt::Write as _;

/// How the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells under a line of headings.
#[derive(Debug)]
pub(crate) struct Table {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new<const N: usize>(columns: [(&str, Align); N]) -> Self {
        Self {
            aligns: columns.iter().map(|(_, align)| *align).collect(),
            rows: vec![columns.iter().map(|(name, _)| (*name).to_owned()).collect()],
        }
    }

    /// A table without headings.
    pub(crate) fn without_headings<const N: usize>(aligns: [Align; N]) -> Self {
        Self {
            aligns: aligns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.aligns.len(), "each row has a cell for each column");
        self.rows.push(cells.into_iter().map(visible).collect());
    }

    /// The lines, each behind `indent` spaces and with a line feed at its end.
    pub(crate) fn render(&self, indent: usize) -> String {
        let width_of = |column: usize| {
            let cells = self
                .rows
                .iter()
                .map(|row| row.get(column).map_or(0, |cell| cell.chars().count()));
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.aligns.len()).map(width_of).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for ((cell, width), align) in row.iter().zip(&widths).zip(&self.aligns) {
                // Writing to a string cannot fail.
                let _infallible = match align {
                    Align::Left => write!(line, "{cell:<width$}  "),
                    Align::Right => write!(line, "{cell:>width$}  "),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// The text without anything that moves a terminal's cursor.
pub(crate) fn visible(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            out.extend(letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    out
}

/// A value with at most six significant digits: plain where that is short, else with an exponent.
pub(crate) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    if value.fract() == 0.0 && magnitude < 1e9 {
        return format!("{value:.0}");
    }
    if (1e-4..1e6).contains(&magnitude) {
        let decimals = (5.0 - magnitude.log10().floor()).max(0.0) as usize;
        let text = format!("{value:.decimals$}");
        return if decimals == 0 {
            text
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
    }
    format!("{value:.4e}")
}

/// A value, or a dash where there is none.
pub(crate) fn number_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

/// A size with its unit: bytes up to 1023, then KiB, MiB, GiB with one decimal.
pub(crate) fn bytes(size: u64) -> String {
    let mut value = size as f64;
    if size < 1024 {
        return format!("{size} bytes");
    }
    for unit in ["KiB", "MiB"] {
        value /= 1024.0;
        if value < 1024.0 {
            return format!("{value:.1} {unit}");
        }
    }
    format!("{:.1} GiB", value / 1024.0)
}

/// A whole number with a comma before each group of three digits.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many there are of a thing: `1 tensor`, `2 tensors`.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(count))
}

/// A duration in milliseconds.
pub(crate) fn milliseconds(value: f64) -> String {
    format!("{value:.3} ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_end_clean() {
        let mut table = Table::new([
            ("name", Align::Left),
            ("n", Align::Right),
            ("text", Align::Left),
        ]);
        table.row(["a".into(), "10".into(), "é".into()]);
        table.row(["long name".into(), "7".into(), String::new()]);
        let expect = "  name        n  text\n  a          10  é\n  long name   7\n";
        assert_eq!(table.render(2), expect);
    }

    #[test]
    fn control_characters_are_escaped() {
        let mut table = Table::without_headings([Align::Left]);
        table.row(["a\x1b[31m\nb".into()]);
        assert_eq!(table.render(0), "a\\u{1b}[31m\\nb\n");
    }

    #[test]
    fn numbers_are_short() {
        for (value, expect) in [
            (0.0, "0"),
            (-3.0, "-3"),
            (123_456_789.0, "123456789"),
            (0.755_256_1, "0.755256"),
            (0.004_672_9, "0.0046729"),
            (4.5, "4.5"),
            (100_000.5, "100000"),
            (999_999.9, "1000000"),
            (0.1 + 0.2, "0.3"),
            (12.345_678, "12.3457"),
            (-123_456.78, "-123457"),
            (1.5e-7, "1.5000e-7"),
            (2.5e12, "2.5000e12"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), expect);
        }
        assert_eq!(number_or_dash(None), "-");
    }

    #[test]
    fn sizes_and_counts_are_readable() {
        for (size, expect) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (1_572_864, "1.5 MiB"),
            (3 << 30, "3.0 GiB"),
        ] {
            assert_eq!(bytes(size), expect);
        }
        for (value, expect) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(value), expect);
        }
        assert_eq!(milliseconds(1.23456), "1.235 ms");
        for (count, expect) in [(0, "0 things"), (1, "1 thing"), (1000, "1,000 things")] {
            assert_eq!(counted(count, "thing"), expect);
        }
    }
}
