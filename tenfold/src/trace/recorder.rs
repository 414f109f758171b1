//! The listener behind a trace: a subscriber of `tracing` that writes the JSON array format of trace events.
//!
//! **How it works.** Ids are numbers in the order in which spans are made. A span's name and fields are kept while it is alive; a stack of begins per span
//! and thread gives the duration when it is left. One lock guards all of it.
//!
//! **Invariants.** An event goes out only with its end known (phase `X`), or at one moment (`i`), or to name a process or thread
//! (`M`). After the first failure of the writer nothing more is written to it.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

type Output = Box<dyn Write + Send>;

/// Writes what happens while it is listened to.
pub(super) struct Recorder {
    start: Instant,
    process: u32,
    state: Mutex<State>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

struct State {
    writer: Writer,
    last_id: u64,
    spans: HashMap<u64, Span>,
    threads: HashMap<ThreadId, u64>,
}

/// A span that is alive.
struct Span {
    metadata: &'static Metadata<'static>,
    fields: Fields,
    handles: usize,
    /// Where it was entered and not left yet, and when.
    entered: Vec<(ThreadId, Instant)>,
}

/// The array, event by event.
enum Writer {
    Open { out: BufWriter<Output>, empty: bool },
    Failed(io::Error),
    Closed,
}

impl Writer {
    fn put(&mut self, event: &Value) {
        let Writer::Open { out, empty } = self else {
            return;
        };
        let separator = if mem::take(empty) { "[\n" } else { ",\n" };
        if let Err(error) = write!(out, "{separator}{event}") {
            *self = Writer::Failed(error);
        }
    }

    /// Ends the array, once.
    fn close(&mut self) -> io::Result<()> {
        match mem::replace(self, Writer::Closed) {
            Writer::Open { mut out, empty } => {
                let end = if empty { "[]\n" } else { "\n]\n" };
                out.write_all(end.as_bytes()).and_then(|()| out.flush())
            }
            Writer::Failed(error) => Err(error),
            Writer::Closed => Ok(()),
        }
    }
}

impl Recorder {
    pub(super) fn new(out: Output) -> Self {
        let process = std::process::id();
        let mut writer = Writer::Open {
            out: BufWriter::new(out),
            empty: true,
        };
        writer.put(&json!({
            "ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "tenfold"},
        }));
        Recorder {
            start: Instant::now(),
            process,
            state: Mutex::new(State {
                writer,
                last_id: 0,
                spans: HashMap::new(),
                threads: HashMap::new(),
            }),
        }
    }

    /// Ends the array; the first failure since the beginning, the first time.
    pub(super) fn finish(&self) -> io::Result<()> {
        self.state().writer.close()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Microseconds since the beginning, with nanoseconds as decimals.
    fn since_start(&self, when: Instant) -> f64 {
        microseconds(self.start, when)
    }
}

fn microseconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_nanos() as f64 / 1000.0
}

impl State {
    /// A small number for this thread; a new one gets its name into the file.
    fn thread(&mut self, process: u32) -> u64 {
        let next = self.threads.len() as u64 + 1;
        let current = thread::current();
        let number = *self.threads.entry(current.id()).or_insert(next);
        if number == next {
            let name = current
                .name()
                .map_or_else(|| format!("thread {number}"), str::to_owned);
            self.writer.put(&json!({
                "ph": "M", "name": "thread_name", "pid": process, "tid": number, "args": {"name": name},
            }));
        }
        number
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let mut state = self.state();
        state.last_id += 1;
        let id = state.last_id;
        let span = Span {
            metadata: attributes.metadata(),
            fields,
            handles: 1,
            entered: Vec::new(),
        };
        state.spans.insert(id, span);
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        if let Some(span) = self.state().spans.get_mut(&id.into_u64()) {
            values.record(&mut span.fields);
        }
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let now = Instant::now();
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let mut state = self.state();
        let thread = state.thread(self.process);
        state.writer.put(&json!({
            "ph": "i", "s": "t", "name": fields.title(metadata.name()), "cat": metadata.target(),
            "ts": self.since_start(now), "pid": self.process, "tid": thread, "args": fields.0,
        }));
    }

    fn enter(&self, id: &Id) {
        if let Some(span) = self.state().spans.get_mut(&id.into_u64()) {
            span.entered.push((thread::current().id(), Instant::now()));
        }
    }

    fn exit(&self, id: &Id) {
        let now = Instant::now();
        let here = thread::current().id();
        let mut state = self.state();
        let thread = state.thread(self.process);
        let State { writer, spans, .. } = &mut *state;
        let Some(span) = spans.get_mut(&id.into_u64()) else {
            return;
        };
        let Some(at) = span.entered.iter().rposition(|(thread, _)| *thread == here) else {
            return;
        };
        let (_, begin) = span.entered.remove(at);
        writer.put(&json!({
            "ph": "X", "name": span.fields.title(span.metadata.name()), "cat": span.metadata.target(),
            "ts": self.since_start(begin), "dur": microseconds(begin, now), "pid": self.process, "tid": thread,
            "args": span.fields.0,
        }));
    }

    fn clone_span(&self, id: &Id) -> Id {
        if let Some(span) = self.state().spans.get_mut(&id.into_u64()) {
            span.handles += 1;
        }
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut state = self.state();
        let Some(span) = state.spans.get_mut(&id.into_u64()) else {
            return false;
        };
        span.handles -= 1;
        let last = span.handles == 0;
        if last {
            state.spans.remove(&id.into_u64());
        }
        last
    }
}

/// The fields of a span or event as JSON.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    /// What is done, and to what if it has a name.
    fn title(&self, done: &str) -> String {
        match self.0.get("name").and_then(Value::as_str) {
            Some(name) => format!("{done} {name}"),
            None => done.to_owned(),
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }
}
