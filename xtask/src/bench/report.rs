//! What was measured, as tables for people and as JSON for programs.
//!
//! A ratio is the peer's time divided by ours: above 1 Tenfold is faster. A peer with a wrong answer is marked and
//! never the best; one that failed is named with its reason below the tables, as is one that was not measured.

use serde_json::{Value, json};

use super::circumstances::Circumstances;
use super::measure::{Group, Numbers, Row, Settings, TOLERANCE};
use super::peers::{Missing, OURS, Ready};
use super::statistics::three_digits;
use super::table::Table;

/// Everything that is told.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) circumstances: Circumstances,
    pub(crate) settings: Settings,
    pub(crate) missing: Vec<Missing>,
    pub(crate) groups: Vec<Group>,
}

/// Names and versions of peers.
pub(crate) fn versions(peers: &[Ready]) -> Vec<(&'static str, String)> {
    let pair = |ready: &Ready| (ready.peer.name, ready.version.clone());
    peers.iter().map(pair).collect()
}

impl Report {
    /// The tables and what has to be known to read them, in Markdown.
    pub(crate) fn markdown(&self) -> String {
        format!(
            "{}\n{}\n{}{}",
            self.circumstances.markdown(),
            self.times().markdown(),
            self.details().markdown(),
            self.notes()
        )
    }

    /// One row per group: the median times and the ratios.
    fn times(&self) -> Table {
        let names: Vec<&str> = self
            .circumstances
            .versions
            .iter()
            .map(|(name, _)| *name)
            .collect();
        let mut columns = vec!["model", "threads"];
        columns.extend(&names);
        columns.extend(["best peer", "others' cores"]);
        let mut table = Table::new(&columns);
        for group in &self.groups {
            let ours = group.ours();
            let mut cells = vec![group.case.title.to_owned(), group.threads.to_string()];
            cells.extend(group.rows.iter().map(|row| time_cell(row, ours)));
            cells.push(
                group
                    .best()
                    .zip(ours)
                    .map_or("-".into(), |((name, best), ours)| {
                        format!("{}× {name}", ratio(best, ours))
                    }),
            );
            cells.push(
                group
                    .others
                    .map_or("-".into(), |cores| format!("{cores:.2}")),
            );
            table.row(cells);
        }
        table
    }

    /// One row per peer and group: everything else.
    fn details(&self) -> Table {
        let mut table = Table::new(&[
            "model",
            "threads",
            "peer",
            "median ms",
            "p10..p90 ms",
            "min ms",
            "runs",
            "load ms",
            "compile ms",
            "first run ms",
            "to first answer ms",
            "peak MiB",
            "error",
        ]);
        for group in &self.groups {
            for row in &group.rows {
                if let Ok(numbers) = &row.numbers {
                    let mut cells = vec![group.case.title.to_owned(), group.threads.to_string()];
                    cells.push(row.peer.to_owned());
                    cells.extend(detail_cells(numbers));
                    table.row(cells);
                }
            }
        }
        table
    }

    /// What failed, was wrong or was not measured; one line each.
    fn notes(&self) -> String {
        let mut notes = String::new();
        for group in &self.groups {
            let place = format!("{}, {} threads", group.case.title, group.threads);
            for row in &group.rows {
                match &row.numbers {
                    Err(reason) => {
                        notes.push_str(&format!("- {} failed on {place}: {reason}\n", row.peer));
                    }
                    Ok(numbers) if !numbers.right() => notes.push_str(&format!(
                        "- {} is WRONG on {place}: {:.1e} from the golden output\n",
                        row.peer, numbers.error
                    )),
                    Ok(_) => {}
                }
            }
        }
        for Missing { name, reason } in &self.missing {
            notes.push_str(&format!("- {name} was not measured: {reason}\n"));
        }
        if notes.is_empty() {
            notes
        } else {
            format!("\n{notes}")
        }
    }

    /// Everything as JSON.
    pub(crate) fn json(&self) -> Value {
        let mut fields = self.circumstances.json();
        let missing = self.missing.iter();
        let missing: Vec<Value> = missing
            .map(|peer| json!({ "peer": peer.name, "reason": peer.reason }))
            .collect();
        fields.insert(
            "settings".into(),
            json!({
                "rounds": self.settings.rounds,
                "starts": self.settings.starts,
                "tolerance": TOLERANCE,
            }),
        );
        fields.insert("not_measured".into(), missing.into());
        fields.insert(
            "results".into(),
            self.groups.iter().map(Group::json).collect(),
        );
        fields.into()
    }

    /// The last line: what is missing from the tables, which must not be overlooked.
    pub(crate) fn left_out(&self) -> String {
        let missing = self.missing.iter();
        let mut parts: Vec<String> = missing
            .map(|peer| format!("{} (not measured: {})", peer.name, peer.reason))
            .collect();
        for name in self.circumstances.versions.iter().map(|(name, _)| *name) {
            let rows = || self.groups.iter().flat_map(|group| &group.rows);
            let of_peer = || rows().filter(|row| row.peer == name);
            let failed = of_peer().filter(|row| row.numbers.is_err()).count();
            let wrong = |row: &&Row| row.numbers.as_ref().is_ok_and(|numbers| !numbers.right());
            let wrong = of_peer().filter(wrong).count();
            if failed + wrong > 0 {
                parts.push(format!("{name} ({failed} failed, {wrong} wrong)"));
            }
        }
        if parts.is_empty() {
            "nothing".into()
        } else {
            parts.join(", ")
        }
    }

    /// Whether we ourselves gave a right answer everywhere.
    pub(crate) fn ours_is_right(&self) -> bool {
        let rows = self.groups.iter().flat_map(|group| &group.rows);
        let mut ours = rows.filter(|row| row.peer == OURS);
        ours.all(|row| row.numbers.as_ref().is_ok_and(Numbers::right))
    }
}

impl Group {
    /// Our median time.
    fn ours(&self) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.peer == OURS)?;
        Some(row.numbers.as_ref().ok()?.run.median)
    }

    /// The fastest of the others whose answer is right.
    fn best(&self) -> Option<(&'static str, f64)> {
        let others = self.rows.iter().filter(|row| row.peer != OURS);
        let right = others.filter_map(|row| {
            let numbers = row.numbers.as_ref().ok()?;
            numbers.right().then_some((row.peer, numbers.run.median))
        });
        right.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn json(&self) -> Value {
        let best = self.best();
        let ratio = |time: f64| self.ours().map(|ours| time / ours);
        let row = |row: &Row| match &row.numbers {
            Err(reason) => json!({ "peer": row.peer, "failed": reason }),
            Ok(numbers) => json!({
                "peer": row.peer,
                "run_ms": {
                    "median": numbers.run.median,
                    "p10": numbers.run.p10,
                    "p90": numbers.run.p90,
                    "min": numbers.run.min,
                    "count": numbers.run.count,
                },
                "times_ours": ratio(numbers.run.median),
                "load_ms": numbers.load,
                "compile_ms": numbers.compile,
                "first_run_ms": numbers.first_run,
                "to_first_answer_ms": numbers.to_first_answer,
                "peak_mib": numbers.peak_mib,
                "error": numbers.error,
                "right": numbers.right(),
            }),
        };
        json!({
            "case": self.case.name,
            "model": self.case.title,
            "threads": self.threads,
            "cores_used_by_others": self.others,
            "best_peer": best.map(|(name, time)| json!({ "peer": name, "times_ours": ratio(time) })),
            "peers": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

/// A median time, for the others with the ratio to ours.
fn time_cell(row: &Row, ours: Option<f64>) -> String {
    let Ok(numbers) = &row.numbers else {
        return "failed".into();
    };
    let time = three_digits(numbers.run.median);
    let mark = if numbers.right() { "" } else { "WRONG " };
    match ours {
        Some(ours) if row.peer != OURS => {
            format!("{mark}{time} ({}×)", ratio(numbers.run.median, ours))
        }
        _ => format!("{mark}{time}"),
    }
}

fn detail_cells(numbers: &Numbers) -> [String; 10] {
    [
        three_digits(numbers.run.median),
        format!(
            "{}..{}",
            three_digits(numbers.run.p10),
            three_digits(numbers.run.p90)
        ),
        three_digits(numbers.run.min),
        numbers.run.count.to_string(),
        three_digits(numbers.load),
        numbers.compile.map_or("-".into(), three_digits),
        three_digits(numbers.first_run),
        three_digits(numbers.to_first_answer),
        numbers.peak_mib.map_or("-".into(), three_digits),
        format!("{:.1e}", numbers.error),
    ]
}

/// How many times our time the peer takes.
fn ratio(peer: f64, ours: f64) -> String {
    format!("{:.2}", peer / ours)
}

#[cfg(test)]
mod tests;
