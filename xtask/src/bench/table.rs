//! Tables in Markdown, padded so that they are as readable in a terminal.

/// A table: the first column is words, aligned left, all others are numbers, aligned right.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with the names of its columns.
    pub(crate) fn new(columns: &[&str]) -> Self {
        let head = columns.iter().map(|&name| name.to_owned()).collect();
        Self { rows: vec![head] }
    }

    /// Adds a row of as many cells as there are columns.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.rows[0].len(), "a cell per column");
        let escaped = cells.iter().map(|cell| cell.replace('|', "\\|"));
        self.rows.push(escaped.collect());
    }

    /// The table as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    text.push_str(&format!("| {cell:<width$} |"));
                } else {
                    text.push_str(&format!(" {cell:>width$} |"));
                }
            }
            text.push('\n');
            if number == 0 {
                text.push_str(&rule(&widths));
            }
        }
        text
    }
}

/// The line below the head, which also says how columns are aligned.
fn rule(widths: &[usize]) -> String {
    let mut text = String::new();
    for (column, &width) in widths.iter().enumerate() {
        if column == 0 {
            text.push_str(&format!("|:{}|", "-".repeat(width + 1)));
        } else {
            text.push_str(&format!("{}:|", "-".repeat(width + 1)));
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_padded_to_the_widest() {
        let mut table = Table::new(&["model", "ms"]);
        table.row(vec!["a".into(), "12.5 ×".into()]);
        table.row(vec!["recognition".into(), "a|b".into()]);
        assert_eq!(
            table.markdown(),
            "\
| model       |     ms |
|:------------|-------:|
| a           | 12.5 × |
| recognition |   a\\|b |
"
        );
    }
}
