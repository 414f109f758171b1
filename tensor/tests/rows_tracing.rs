//! What the feature `tracing` tells: spans with their fields, entered and left in step on every way out.
#![cfg(feature = "tracing")]
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tensor::alloc::{Allocator, LimitAllocator, RecordingAllocator, SystemAllocator};
use tensor::device::{Devices, copy};
use tensor::trace::Listener;
use tensor::{DType, Device, DeviceKind, Tensor, TypedTensor};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// A span that was seen.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: &'static str,
    fields: BTreeMap<&'static str, String>,
    entered: usize,
    left: usize,
    closed: bool,
}

/// A sink as an external profiler would be one: it keeps a stack, and remembers all it was told.
#[derive(Clone, Default)]
struct Sink {
    spans: Arc<Mutex<Vec<Seen>>>,
    stack: Arc<Mutex<Vec<u64>>>,
    wrong: Arc<AtomicU64>,
}

impl Sink {
    /// What `work` did, and the spans that it opened.
    fn watch<T>(work: impl FnOnce() -> T) -> (T, Vec<Seen>) {
        let sink = Sink::default();
        let result = tracing::dispatcher::with_default(&Dispatch::new(sink.clone()), work);
        assert_eq!(
            sink.wrong.load(Ordering::Relaxed),
            0,
            "left in another order than entered"
        );
        assert_eq!(*sink.stack.lock().unwrap(), [], "still open");
        let spans = sink.spans.lock().unwrap().clone();
        for span in &spans {
            assert_eq!(
                (span.entered, span.left, span.closed),
                (1, 1, true),
                "{span:?}"
            );
        }
        (result, spans)
    }
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Sink {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tensor")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut seen = Seen {
            name: attributes.metadata().name(),
            ..Seen::default()
        };
        attributes.record(&mut seen);
        let mut spans = self.spans.lock().unwrap();
        spans.push(seen);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, _id: &Id, _values: &Record<'_>) {}
    fn record_follows_from(&self, _id: &Id, _follows: &Id) {}
    fn event(&self, _event: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        let id = id.into_u64();
        self.spans.lock().unwrap()[id as usize - 1].entered += 1;
        self.stack.lock().unwrap().push(id);
    }

    fn exit(&self, id: &Id) {
        let id = id.into_u64();
        self.spans.lock().unwrap()[id as usize - 1].left += 1;
        if self.stack.lock().unwrap().pop() != Some(id) {
            self.wrong.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn try_close(&self, id: Id) -> bool {
        self.spans.lock().unwrap()[id.into_u64() as usize - 1].closed = true;
        true
    }
}

fn names(spans: &[Seen]) -> Vec<&'static str> {
    spans.iter().map(|span| span.name).collect()
}

#[track_caller]
fn fields(span: &Seen, expect: &[(&'static str, &str)]) {
    let found: Vec<(&str, &str)> = span.fields.iter().map(|(k, v)| (*k, v.as_str())).collect();
    assert_eq!(found, expect, "{}", span.name);
}

#[test]
fn h06_with_the_feature_key_functions_open_spans() {
    let (turned, spans) = Sink::watch(|| {
        let matrix = Tensor::from_vec_row_major([2, 3], vec![1_i32, 2, 3, 4, 5, 6]).unwrap();
        let turned = matrix.view().unwrap().transpose();
        turned.to_contiguous().unwrap()
    });
    assert_eq!(turned.to_vec::<i32>().unwrap(), [1, 4, 2, 5, 3, 6]);
    assert_eq!(names(&spans), ["to_contiguous", "allocate"]);
    fields(
        &spans[0],
        &[
            ("bytes", "24"),
            ("device", "host memory"),
            ("dtype", "i32"),
            ("shape", "[3, 2]"),
            ("strides", "[1, 3]"),
        ],
    );

    let system: Arc<dyn Allocator> = Arc::new(SystemAllocator::new());
    let ((), spans) = Sink::watch(|| {
        drop(Tensor::zeros_in(&system, DType::F64, [4]).unwrap());
    });
    assert_eq!(names(&spans), ["allocate", "deallocate"]);
    fields(&spans[0], &[("bytes", "32"), ("device", "host memory")]);
    fields(&spans[1], &[("bytes", "32"), ("device", "host memory")]);

    let ((), spans) = Sink::watch(|| {
        let source = Tensor::from_vec_row_major([2, 2], vec![1.0_f32; 4]).unwrap();
        let mut target = Tensor::from_vec_col_major([2, 2], vec![0.0_f32; 4]).unwrap();
        copy(&source, &mut target).unwrap();
        target.cast(DType::I64).unwrap();
    });
    assert_eq!(names(&spans), ["copy", "copy_from", "cast", "allocate"]);
    fields(
        &spans[0],
        &[
            ("bytes", "16"),
            ("device", "host memory"),
            ("dtype", "f32"),
            ("from", "host memory"),
            ("shape", "[2, 2]"),
        ],
    );
}

/// An element whose clone panics at the third one.
#[derive(Debug)]
struct Bomb(usize);

impl Clone for Bomb {
    fn clone(&self) -> Self {
        assert!(self.0 < 2, "the third clone fails");
        Bomb(self.0)
    }
}

/// [`Sink::watch`] fails if a span is not left exactly once and in order.
#[test]
fn h07_spans_are_left_on_every_way_out() {
    let source = Tensor::from_vec_row_major([2, 3], vec![1_i16, 2, 3, 4, 5, 6]).unwrap();
    let turned = source.view().unwrap().transpose();
    // The n-th request fails, until none does.
    for n in 0.. {
        let recording = Arc::new(RecordingAllocator::over_system());
        recording.fail_at(Some(n));
        let allocator: Arc<dyn Allocator> = recording;
        let (ended, spans) = Sink::watch(|| -> tensor::Result<()> {
            let first = turned.to_contiguous_in(&allocator)?;
            let mut second = first.duplicate_in(&allocator)?;
            copy(&first, &mut second)?;
            second.to_contiguous_in(&allocator)?;
            Ok(())
        });
        assert!(spans.len() > n, "{spans:?}");
        if ended.is_ok() {
            assert_eq!(n, 3);
            break;
        }
    }
    // A device that is not there, dtypes that differ, no memory at all.
    let (ended, spans) = Sink::watch(|| {
        let vulkan = Device::new(DeviceKind::Vulkan, 0);
        source
            .duplicate()
            .unwrap()
            .into_shared()
            .to(&Devices::default(), vulkan)
    });
    ended.unwrap_err();
    assert!(names(&spans).contains(&"to"));
    let mut floats = Tensor::zeros(DType::F32, [2, 3]).unwrap();
    let (ended, _) = Sink::watch(|| copy(&source, &mut floats));
    ended.unwrap_err();
    let none: Arc<dyn Allocator> =
        Arc::new(LimitAllocator::new(Arc::new(SystemAllocator::new()), 0));
    let (ended, spans) = Sink::watch(|| source.duplicate_in(&none));
    ended.unwrap_err();
    assert_eq!(names(&spans), ["copy", "allocate"]);
    // A panic.
    let bombs: TypedTensor<Bomb> =
        TypedTensor::from_vec_row_major([3], (0..3).map(Bomb).collect()).unwrap();
    let (ended, spans) = Sink::watch(|| catch_unwind(AssertUnwindSafe(|| bombs.to_contiguous())));
    ended.unwrap_err();
    assert_eq!(names(&spans), ["to_contiguous", "copy", "allocate"]);
}

#[test]
fn h07_a_listener_goes_along_to_another_thread() {
    let work = || {
        let matrix = Tensor::from_vec_row_major([2, 2], vec![1_u8; 4]).unwrap();
        matrix.view().unwrap().transpose().to_contiguous().unwrap();
    };
    let ((), spans) = Sink::watch(|| {
        let listener = Listener::here();
        let thread = std::thread::spawn(move || listener.hears(work));
        thread.join().unwrap();
    });
    assert_eq!(names(&spans), ["to_contiguous", "allocate"]);
    let ((), spans) = Sink::watch(|| std::thread::spawn(work).join().unwrap());
    assert_eq!(names(&spans), Vec::<&str>::new());
}
