//! The cases under criterion: `cargo bench -p data-model [FILTER]` in the folder `benches`.
//!
//! `--save-baseline NAME` and `--baseline NAME` compare two states of the tree. With `--test` each case runs once.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use data_model::cases::{self, Inputs};

fn data_model(criterion: &mut Criterion) {
    let inputs = Inputs::new();
    for mut case in cases::all(&inputs) {
        let mut group = criterion.benchmark_group(format!("{}/{}", case.group, case.name));
        if let Some(bytes) = case.bytes {
            group.throughput(Throughput::Bytes(bytes as u64));
        }
        group.bench_function("tenfold", |bencher| bencher.iter_custom(&mut case.ours));
        group.bench_function("ndarray", |bencher| bencher.iter_custom(&mut case.theirs));
        group.finish();
    }
}

criterion_group!(benches, data_model);
criterion_main!(benches);
