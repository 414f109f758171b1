//! `tenfold devices`: what models can run on.

use serde_json::{Value, json};

use super::to_text;
use crate::args::DevicesArgs;
use crate::table::{Align, Table};

/// Lists the devices.
pub(crate) fn run(args: &DevicesArgs) -> String {
    let devices = tenfold::devices();
    if args.json {
        let list: Vec<Value> = devices
            .iter()
            .map(|device| json!({ "name": device.name, "kind": device.kind, "detail": device.detail }))
            .collect();
        return to_text(&json!({ "devices": list }));
    }
    let mut table = Table::new([
        ("device", Align::Left),
        ("kind", Align::Left),
        ("detail", Align::Left),
    ]);
    for device in devices {
        table.row([device.name, device.kind, device.detail]);
    }
    table.render(0)
}
