//! Where, when and of what something was measured: the head of every table and record.

use serde_json::{Value, json};

use super::machine::{self, Machine};
use crate::failure::Failure;
use crate::process;

/// What has to be known to compare a measurement with another.
#[derive(Debug)]
pub(crate) struct Circumstances {
    pub(crate) date: String,
    /// The commit that was measured.
    pub(crate) commit: String,
    pub(crate) machine: Machine,
    /// The load average at the start.
    pub(crate) load_average: Option<f64>,
    /// Names and versions of what ran, in the order of the columns.
    pub(crate) versions: Vec<(&'static str, String)>,
}

impl Circumstances {
    /// Those of this moment: call it when everything is built and measuring begins.
    pub(crate) fn now(versions: Vec<(&'static str, String)>) -> Result<Self, Failure> {
        Ok(Self {
            date: machine::today(),
            commit: commit()?,
            machine: Machine::this(),
            load_average: machine::load_average(),
            versions,
        })
    }

    /// Two lines.
    pub(crate) fn markdown(&self) -> String {
        let versions = self.versions.iter();
        let versions: Vec<String> = versions
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        let load = self
            .load_average
            .map_or("unknown".into(), |load| format!("{load:.2}"));
        format!(
            "{} cores of {}, {}; {}; commit {}; load average {load} at the start.\n{}.\n",
            self.machine.cores,
            self.machine.cpu,
            self.machine.system,
            self.date,
            self.commit,
            versions.join(", ")
        )
    }

    /// The fields of a record, to which what was measured is added.
    pub(crate) fn json(&self) -> serde_json::Map<String, Value> {
        let versions = self.versions.iter();
        let versions: serde_json::Map<String, Value> = versions
            .map(|(name, version)| ((*name).to_owned(), json!(version)))
            .collect();
        let mut fields = serde_json::Map::new();
        fields.insert("date".into(), json!(self.date));
        fields.insert("commit".into(), json!(self.commit));
        fields.insert(
            "machine".into(),
            json!({
                "cpu": self.machine.cpu,
                "cores": self.machine.cores,
                "system": self.machine.system,
            }),
        );
        fields.insert("load_average_at_start".into(), json!(self.load_average));
        fields.insert("versions".into(), versions.into());
        fields
    }

    /// Prints a warning where others are at work.
    pub(crate) fn warn_of_load(&self) {
        if let Some(load) = self.load_average
            && load > 0.5 * self.machine.cores as f64
        {
            println!(
                "warning: the load average is {load:.2} on {} cores: others are at work and times will not repeat",
                self.machine.cores
            );
        }
    }

    /// The name of the record's file, of which `kind` is a part.
    pub(crate) fn file_name(&self, kind: &str) -> String {
        format!("{}-{}{kind}.json", self.date, self.machine.slug())
    }
}

/// The commit of the working tree, marked where files differ from it; records are no source.
fn commit() -> Result<String, Failure> {
    let mut head = process::program("git", &["rev-parse", "--short=12", "HEAD"])?;
    let Ok(head) = process::output(&mut head, "") else {
        return Ok("unknown".into());
    };
    let mut status = process::program("git", &["status", "--porcelain", "--untracked-files=no"])?;
    status.args(["--", ".", ":(exclude)benches/record"]);
    let clean = process::output(&mut status, "")?.trim().is_empty();
    let mark = if clean { "" } else { " with changes" };
    Ok(format!("{}{mark}", head.trim()))
}
