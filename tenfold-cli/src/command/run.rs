//! `tenfold run`: one run with its outputs, or the text of a stage.

use serde_json::{Value, json};
use tenfold::{Dump, DumpOptions, DumpWhen, Model, Origin, Outputs, Stage, Tensor};
use tensor_io::npz::{self, Compression};

use super::{Ready, compile, to_text};
use crate::args::{DumpWhenArg, RunArgs, StageArg};
use crate::failure::Failure;
use crate::feeds::Feeds;
use crate::statistics::{peak_rss_bytes, timed};
use crate::table::{Align, Table, bytes, milliseconds, number_or_dash};
use crate::target::TargetArg;

/// Runs the model once, writes its outputs if asked, and says what came out.
pub(crate) fn run(args: &RunArgs) -> Result<String, Failure> {
    if let Some(stage) = args.emit {
        return emit(args, stage);
    }
    let ready = Ready::new(&args.model, args.device, &args.feeds)?;
    let dump = dump(args, &ready)?;
    let (outputs, run_ms) = timed(|| ready.function.run(&ready.feeds.as_refs()));
    let outputs = outputs?;
    if let Some(file) = &args.outputs {
        let named: Vec<(&str, &Tensor)> = outputs.iter().collect();
        npz::write(file, &named, Compression::Stored)?;
    }
    Ok(if args.json {
        let mut text = json!({
            "model": args.model.display().to_string(),
            "device": ready.function.device(),
            "threads": ready.function.threads(),
            "load_ms": ready.load_ms,
            "compile_ms": ready.compile_ms,
            "run_ms": run_ms,
            "planned_peak_bytes": ready.specialisation.planned_peak_bytes(),
            "peak_rss_bytes": peak_rss_bytes(),
            "outputs": outputs.iter().map(describe).collect::<Result<Vec<_>, _>>()?,
        });
        if let Some(dump) = &dump {
            text["dump"] = describe_dump(dump);
        }
        to_text(&text)
    } else {
        let times = format!(
            "{}; load {}, compile {}, run {}; planned peak {}\n",
            ready.place(),
            milliseconds(ready.load_ms),
            milliseconds(ready.compile_ms),
            milliseconds(run_ms),
            bytes(ready.specialisation.planned_peak_bytes() as u64),
        );
        let dumped = dump.map_or_else(String::new, |dump| dump_lines(args, &dump));
        table(&outputs)? + &dumped + &times
    })
}

/// The intermediate values, written if there are any, or `None` if nobody asked.
fn dump(args: &RunArgs, ready: &Ready) -> Result<Option<Dump>, Failure> {
    let Some(target) = &args.dump else {
        return Ok(None);
    };
    let options = DumpOptions {
        when: match args.dump_when {
            DumpWhenArg::Always => DumpWhen::Always,
            DumpWhenArg::Abnormal => DumpWhen::Abnormal,
            DumpWhenArg::Nan => DumpWhen::Nan,
        },
        names: args.dump_names.clone(),
    };
    let dump = ready.function.dump(&ready.feeds.as_refs(), &options)?;
    if dump.values().len() > 0 {
        dump.save(&target.path)?;
    }
    Ok(Some(dump))
}

fn describe_dump(dump: &Dump) -> Value {
    let origin = |origin: &Origin| {
        json!({
            "name": origin.name,
            "node": origin.node,
            "op": origin.op,
            "inputs": origin.inputs,
            "dtype": origin.dtype.to_string(),
            "shape": origin.shape,
            "nan_count": origin.nan_count,
            "inf_count": origin.inf_count,
        })
    };
    json!({
        "looked_at": dump.looked_at(),
        "first_nan": dump.first_nan().map(origin),
        "first_infinite": dump.first_infinite().map(origin),
        "values": dump.values().map(|(value, _)| origin(value)).collect::<Vec<_>>(),
    })
}

/// What was dumped, for people.
fn dump_lines(args: &RunArgs, dump: &Dump) -> String {
    let mut text = String::new();
    for (what, first) in [
        ("NaN", dump.first_nan()),
        ("infinity", dump.first_infinite()),
    ] {
        if let Some(first) = first {
            text += &format!("the first {what} is in {first}\n");
        }
    }
    let (kept, of) = (dump.values().len(), dump.looked_at());
    let file = args.dump.as_ref().map(TargetArg::name).unwrap_or_default();
    text + &if kept == 0 {
        format!("{file} was not written: none of {of} values is to be dumped\n")
    } else {
        format!("{file}: {kept} values of {of} that were looked at\n")
    }
}

/// One output as JSON. NaN and infinities, which JSON lacks, are null and counted beside it.
fn describe((name, tensor): (&str, &Tensor)) -> Result<Value, Failure> {
    let summary = tensor.summary().map_err(tenfold::Error::from)?;
    Ok(json!({
        "name": name,
        "dtype": tensor.dtype().to_string(),
        "shape": tensor.shape(),
        "min": summary.min,
        "max": summary.max,
        "mean": summary.mean,
        "nan_count": summary.nan_count,
        "inf_count": summary.inf_count,
    }))
}

/// One row for each output. The column of NaN is only there when something is to be seen in it.
fn table(outputs: &Outputs) -> Result<String, Failure> {
    let mut table = Table::new([
        ("output", Align::Left),
        ("dtype", Align::Left),
        ("shape", Align::Left),
        ("min", Align::Right),
        ("max", Align::Right),
        ("mean", Align::Right),
    ]);
    let mut notes = String::new();
    for (name, tensor) in outputs.iter() {
        let summary = tensor.summary().map_err(tenfold::Error::from)?;
        table.row([
            name.to_owned(),
            tensor.dtype().to_string(),
            format!("{:?}", tensor.shape()),
            number_or_dash(summary.min),
            number_or_dash(summary.max),
            number_or_dash(summary.mean),
        ]);
        if summary.nan_count + summary.inf_count > 0 {
            notes += &format!(
                "{name} has {} NaN and {} infinite elements of {}\n",
                summary.nan_count, summary.inf_count, summary.count
            );
        }
    }
    Ok(table.render(0) + &notes)
}

/// The text of a stage. The first two exist without shapes, the others are for the shapes of the inputs.
fn emit(args: &RunArgs, stage: StageArg) -> Result<String, Failure> {
    let model = Model::open(&args.model)?;
    if stage == StageArg::Import {
        return Ok(model.graph().to_string());
    }
    let function = compile(&model, args.device)?;
    let feeds = &args.feeds;
    let shapeless = feeds.input.is_empty() && feeds.inputs.is_none() && feeds.dim.is_empty();
    if stage == StageArg::Canonical && shapeless && feeds.random.is_none() {
        return Ok(function.canonical_graph().to_string());
    }
    let feeds = Feeds::collect_shapes(function.inputs(), feeds)?;
    let specialisation = function.specialise(&feeds.as_refs())?;
    Ok(specialisation.emit(match stage {
        StageArg::Import => Stage::Import,
        StageArg::Canonical => Stage::Canonical,
        StageArg::Fused => Stage::Fused,
        StageArg::Planned => Stage::Planned,
    }))
}
