//! Native containers: the fixtures of every version, what is written, what is read and how much of it.
//!
//! `python/container.py` made the fixtures from the description of the format, and its `--check` reads with the same code
//! what these tests leave in the target folder.
use std::fs::{self, File};
use std::io::Cursor;

use crate::support::{
    Counted, array, check_array, check_values, fixture, is_column_major, names, written,
};
use tensor::{
    Buffer, DType, Device, DeviceKind, DynRank, ExternalScalar, Gpu, Placement, Scalar,
    ScalarDomain, SliceSpec, Tensor, TensorError, TypedTensor,
};
use tensor_io::container::{Container, ContainerReader, ContainerWriter};
use tensor_io::{ElementFormat, FileError, Mapping};

fn all_names() -> Vec<String> {
    names(|_| true)
}

/// A container of the arrays called so, in memory.
fn container_of(names: &[&str]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "container").unwrap();
    for name in names {
        writer.write(name, &array(name)).unwrap();
    }
    writer.finish().unwrap();
    bytes.into_inner()
}

#[test]
fn f06_version_1_stays_readable() {
    let container = Container::open(fixture("version_1.tensors")).unwrap();
    assert_eq!(container.entries().len(), 75);
    assert_eq!(
        container.metadata(),
        [
            ("made by".to_owned(), "python".to_owned()),
            ("größe".to_owned(), "µ".to_owned())
        ]
    );
    let mut reader =
        Container::open_reader(File::open(fixture("version_1.tensors")).unwrap(), "reader")
            .unwrap();
    container.verify(|_, _| {}).unwrap();
    for name in container.names() {
        check_array(name, &container.get(name).unwrap());
        check_array(name, &container.map(name).unwrap());
        check_array(name, &container.map_unverified(name).unwrap());
        check_array(name, &reader.get(name).unwrap());
        let device = container.device(name).unwrap();
        assert_eq!(device, if name == "f32_vector" { "vulkan:1" } else { "" });
    }
    assert!(container.names().eq(reader.names()));
    assert_eq!(container.entries(), reader.entries());
    assert_eq!(container.metadata(), reader.metadata());
}

#[test]
fn f06_the_appended_file_of_version_1_has_its_states() {
    let path = fixture("appended_1.tensors");
    let now = Container::open(&path).unwrap();
    let earlier = Container::open_earlier(&path).unwrap();
    assert!(now.names().eq(["i16_vector", "bool_cube", "f64_turned"]));
    assert!(earlier.names().eq(["i16_vector", "bool_cube"]));
    for name in now.names() {
        check_array(name, &now.get(name).unwrap());
    }
    check_array("bool_cube", &earlier.get("bool_cube").unwrap());
    let error = Container::open_earlier(fixture("version_1.tensors")).unwrap_err();
    assert!(
        matches!(error, FileError::NoEarlierState { .. }),
        "{error:?}"
    );
}

#[test]
fn f11_many_named_tensors_are_read_as_they_were_written() {
    let path = written("tensor_io_written.tensors");
    let mut writer = ContainerWriter::create(&path).unwrap();
    writer.set_metadata("made by", "nobody");
    writer.set_metadata("größe", "µ");
    writer.set_metadata("made by", "python");
    for name in all_names() {
        writer.write(&name, &array(&name)).unwrap();
    }
    writer.finish().unwrap();

    let appended = written("tensor_io_appended.tensors");
    let (first, rest) = (&all_names()[..30], &all_names()[30..]);
    let mut writer = ContainerWriter::create(&appended).unwrap();
    writer.set_metadata("made by", "rust");
    writer.set_metadata("größe", "µ");
    for name in first {
        writer.write(name, &array(name)).unwrap();
    }
    writer.finish().unwrap();
    let mut writer = ContainerWriter::append(&appended).unwrap();
    writer.set_metadata("made by", "python");
    for name in rest {
        writer.write(name, &array(name)).unwrap();
    }
    writer.finish().unwrap();

    for path in [path, appended] {
        let container = Container::open(&path).unwrap();
        assert!(container.names().eq(all_names()));
        assert_eq!(container.metadata()[0].1, "python");
        for name in container.names() {
            check_array(name, &container.map(name).unwrap());
        }
        for entry in container.entries() {
            assert_eq!(entry.offset % 64, 0);
        }
    }
}

/// Element types, orders and places of a directory are what the writer was given.
#[test]
fn the_directory_describes_the_tensors() {
    let bytes = container_of(&["f16_turned", "c64_scalar", "u8_empty"]);
    let container =
        Container::from_mapping(Mapping::from_bytes(&bytes).unwrap(), "container").unwrap();
    let lines: Vec<_> = container
        .entries()
        .iter()
        .map(|entry| (entry.format, entry.shape.clone(), entry.offset, entry.bytes))
        .collect();
    assert_eq!(
        lines,
        [
            (ElementFormat::DType(DType::F16), vec![2, 3, 4], 192, 48),
            (ElementFormat::DType(DType::C64), vec![], 256, 16),
            (ElementFormat::DType(DType::U8), vec![0, 3], 320, 0),
        ]
    );
}

#[test]
fn f02_views_of_any_layout_are_written_row_major() {
    let matrix = Tensor::from_vec_row_major([3, 4], (0..12_i32).collect()).unwrap();
    let view = matrix.view().unwrap();
    let steps = [SliceSpec::reverse(), SliceSpec::new(None, None, 2)];
    let views = [
        (
            "broadcast",
            view.index_axis(0, 1).unwrap().broadcast_to([2, 4]).unwrap(),
            vec![4, 5, 6, 7, 4, 5, 6, 7],
        ),
        (
            "steps",
            view.slice(&steps).unwrap(),
            vec![8, 10, 4, 6, 0, 2],
        ),
        (
            "transposed",
            view.transpose(),
            vec![0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11],
        ),
    ];
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "container").unwrap();
    for (name, view, _) in &views {
        writer.write_view(name, view).unwrap();
    }
    writer.finish().unwrap();
    let mut reader = ContainerReader::new(bytes, "container").unwrap();
    for (name, view, expect) in views {
        let tensor = reader.get(name).unwrap();
        assert_eq!(tensor.shape(), view.shape(), "{name}");
        assert_eq!(tensor.to_vec::<i32>().unwrap(), expect, "{name}");
        assert_eq!(is_column_major(&tensor), name == "transposed");
    }
}

#[test]
fn f05_only_the_bytes_that_are_asked_for_are_read() {
    let rows = 1000_usize;
    let values: Vec<f32> = (0..u16::try_from(rows * 8).unwrap())
        .map(f32::from)
        .collect();
    let row_major = Tensor::from_vec_row_major([rows, 8], values.clone()).unwrap();
    let column_major = Tensor::from_vec_col_major([rows, 8], values).unwrap();
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "container").unwrap();
    writer.write("rows", &row_major).unwrap();
    writer.write("columns", &column_major).unwrap();
    writer.write("empty", &array("f32_empty")).unwrap();
    writer.write("lora", &array("f32_vector")).unwrap();
    writer.finish().unwrap();
    let bytes = bytes.into_inner();

    let mut reader = ContainerReader::new(Counted::new(bytes.clone()), "counted").unwrap();
    let opening = 192 + 4 * 32 + 7 * 8 + "rowscolumnsemptylora".len() + 4;
    let container = Container::from_mapping(Mapping::from_bytes(&bytes).unwrap(), "all").unwrap();
    let mut expect = opening;
    let mut check = |reader: &ContainerReader<Counted>, bytes: usize, what: &str| {
        expect += bytes;
        assert_eq!(reader_count(reader), expect, "{what}");
    };
    check(&reader, 0, "opening");
    let lora = reader.get("lora").unwrap();
    assert_eq!(lora.to_vec::<f32>().unwrap(), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    check(&reader, 20, "one tensor");
    for (name, at) in [
        (
            "rows",
            (|row, column| row * 8 + column) as fn(u16, u16) -> u16,
        ),
        ("columns", |row, column| row + 1000 * column),
    ] {
        for range in [10..13_u16, 0..0, 1000..1000, 999..1000, 0..1] {
            let expect: Vec<f32> = range
                .clone()
                .flat_map(|row| (0..8).map(move |column| f32::from(at(row, column))))
                .collect();
            let range = usize::from(range.start)..usize::from(range.end);
            let part = reader.rows(name, range.clone()).unwrap();
            assert_eq!(part.shape(), [range.len(), 8]);
            assert_eq!(part.to_vec::<f32>().unwrap(), expect, "{name} {range:?}");
            let mapped = container.rows(name, range.clone()).unwrap();
            assert_eq!(mapped.to_vec::<f32>().unwrap(), expect, "{name} {range:?}");
            check(&reader, range.len() * 32, name);
        }
    }
    assert_eq!(reader.rows("empty", 0..0).unwrap().shape(), [0, 3]);
    for (name, range) in [("rows", 999..1001), ("empty", 0..1)] {
        let error = reader.rows(name, range).unwrap_err();
        assert!(matches!(error, FileError::NoSuchRows { .. }), "{error:?}");
    }
    let scalar = container_of(&["f32_scalar"]);
    let error = ContainerReader::new(Cursor::new(scalar), "scalar")
        .unwrap()
        .rows("f32_scalar", 0..1)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "scalar:f32_scalar: there are no rows 0 to 1 (excluded) in shape []"
    );
}

fn reader_count(reader: &ContainerReader<Counted>) -> usize {
    reader.get_ref().count
}

#[test]
fn f04_mapped_tensors_lie_in_the_file_and_outlive_it() {
    let path = written("mapped.tensors");
    let mut writer = ContainerWriter::create(&path).unwrap();
    for name in all_names() {
        writer.write(&name, &array(&name)).unwrap();
    }
    writer.finish().unwrap();
    let container = Container::open(&path).unwrap();
    let mapped: Vec<(String, Tensor)> = all_names()
        .into_iter()
        .map(|name| (name.clone(), container.map(&name).unwrap()))
        .collect();
    let twice = container.map("f32_cube").unwrap();
    let pointer = |tensor: &Tensor| tensor.as_slice::<f32>().unwrap().as_ptr();
    let found = mapped.iter().find(|(name, _)| name == "f32_cube").unwrap();
    assert_eq!(
        pointer(&found.1),
        pointer(&twice),
        "both lie in the mapping"
    );
    let distance = |name: &str| {
        let entries = container.entries();
        entries
            .iter()
            .find(|entry| entry.name == name)
            .unwrap()
            .offset
    };
    let turned = container.map("f32_turned").unwrap();
    let turned = turned.as_typed::<f32>().unwrap().storage().unwrap();
    let between = turned.as_ptr().addr() - pointer(&twice).addr();
    assert_eq!(
        u64::try_from(between).unwrap(),
        distance("f32_turned") - distance("f32_cube")
    );
    drop(container);
    fs::remove_file(&path).unwrap();
    for (name, mut tensor) in mapped {
        check_array(&name, &tensor);
        let copied = name.starts_with("bool") || tensor.is_empty();
        let error = tensor.view_mut();
        assert_eq!(
            matches!(error, Err(TensorError::ReadOnly { .. })),
            !copied,
            "{name}: {error:?}"
        );
        let mut copy = tensor.to_host().unwrap();
        check_array(&name, &copy);
        assert!(copy.view_mut().is_ok());
    }
}

#[test]
fn an_unfinished_writer_changes_nothing() {
    let path = written("unfinished.tensors");
    fs::write(&path, container_of(&["i32_cube"])).unwrap();
    let before = fs::read(&path).unwrap();
    let mut writer = ContainerWriter::create(&path).unwrap();
    writer.write("u8_cube", &array("u8_cube")).unwrap();
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), before);

    // A crash while appending: the new bytes are there, the new state is not.
    let mut writer = ContainerWriter::append(&path).unwrap();
    let locked = ContainerWriter::append(&path).unwrap_err();
    assert!(matches!(locked, FileError::Locked { .. }), "{locked:?}");
    writer.write("u8_cube", &array("u8_cube")).unwrap();
    drop(writer);
    let after = fs::read(&path).unwrap();
    assert!(after.len() > before.len() && after.starts_with(&before));
    let container = Container::open(&path).unwrap();
    assert!(container.names().eq(["i32_cube"]));
    check_array("i32_cube", &container.get("i32_cube").unwrap());

    // The next one takes the place of what was left.
    let mut writer = ContainerWriter::append(&path).unwrap();
    let error = writer.write("i32_cube", &array("i32_cube")).unwrap_err();
    assert!(
        matches!(error, FileError::DuplicateName { .. }),
        "{error:?}"
    );
    writer.write("f64_turned", &array("f64_turned")).unwrap();
    writer.finish().unwrap();
    // Of the old bytes only the unused slot was written.
    let after = fs::read(&path).unwrap();
    assert_eq!(after[..128], before[..128]);
    assert_eq!(after[192..before.len()], before[192..]);
    let now = Container::open(&path).unwrap();
    assert!(now.names().eq(["i32_cube", "f64_turned"]));
    check_array("f64_turned", &now.get("f64_turned").unwrap());
    // Who had it open sees what was there.
    check_array("i32_cube", &container.map("i32_cube").unwrap());
    assert!(container.names().eq(["i32_cube"]));
}

#[test]
fn progress_counts_all_bytes() {
    let bytes = container_of(&["f64_cube", "u8_vector", "i8_empty"]);
    let total = 24 * 8 + 5;
    let mapping = Mapping::from_bytes(&bytes).unwrap();
    let container = Container::from_mapping(mapping, "container").unwrap();
    let mut told = Vec::new();
    let tensors = container
        .read_all(|done, all| told.push((done, all)))
        .unwrap();
    assert_eq!(told, [(192, total), (197, total)]);
    for (name, tensor) in tensors {
        check_array(&name, &tensor);
    }
    let mut verified = Vec::new();
    container
        .verify(|done, all| verified.push((done, all)))
        .unwrap();
    assert_eq!(verified.last(), Some(&(total, total)));
    let mut reader = ContainerReader::new(Cursor::new(bytes), "reader").unwrap();
    let mut read = Vec::new();
    reader.read_all(|done, all| read.push((done, all))).unwrap();
    assert_eq!(read, told);
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Percent(u8);

impl Scalar for Percent {
    const DOMAIN: ScalarDomain = ScalarDomain::NonField;
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl ExternalScalar for Percent {
    const NAME: &'static str = "test.percent";
}

#[test]
fn f11_a_second_tensor_of_a_name_is_refused() {
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "file").unwrap();
    let shares = TypedTensor::from_host_vec_row_major([1], vec![Percent(30)]).unwrap();
    let error = writer.write("shares", &Tensor::external(shares));
    assert_eq!(
        error.unwrap_err().to_string(),
        format!(
            "file:shares: dtype {} does not exist in container; cast the tensor first, for example to f32",
            Percent::DTYPE
        )
    );
    writer.write("a", &array("f32_cube")).unwrap();
    let error = writer.write("a", &array("f32_cube")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "file: two tensors are called \"a\"; names must differ"
    );
    writer.finish().unwrap();
    let mut reader = ContainerReader::new(bytes, "file").unwrap();
    assert_eq!(
        reader.get("b").unwrap_err().to_string(),
        "file: no tensor \"b\"; there are [\"a\"]"
    );
    check_values("f32_cube", &reader.get("a").unwrap());
}

#[test]
fn f10_devices_are_kept_as_text() {
    let tensor = TypedTensor::<f32>::from_vec_row_major([1], vec![1.0])
        .unwrap()
        .into_host()
        .unwrap();
    let mut placement = tensor.placement();
    placement.device = Some(Device::CPU);
    let tensor: Tensor = tensor.with_placement(placement).into_dynamic().into();
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "file").unwrap();
    writer.write("a", &tensor).unwrap();
    writer.finish().unwrap();
    let mapping = Mapping::from_bytes(&bytes.into_inner()).unwrap();
    let container = Container::from_mapping(mapping, "file").unwrap();
    assert_eq!(container.device("a").unwrap(), "cpu:0");
    assert_eq!(container.get("a").unwrap().placement().device, None);
}

/// Memory that the host can't read.
struct Far;

impl Buffer<f32> for Far {
    fn len(&self) -> usize {
        1
    }

    fn placement(&self) -> Placement {
        Placement::on_device(Device::new(DeviceKind::Vulkan, 0))
    }

    fn host(&self) -> Option<&[f32]> {
        None
    }

    fn host_mut(&mut self) -> Option<&mut [f32]> {
        None
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn download(&self) -> Result<Vec<f32>, TensorError> {
        Ok(vec![2.5])
    }
}

#[test]
fn f02_nothing_is_moved_to_the_host_unasked() {
    let far: TypedTensor<f32, DynRank, Gpu> =
        TypedTensor::from_buffer_row_major([1], Box::new(Far)).unwrap();
    let far: Tensor = far.into_dynamic().into();
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = ContainerWriter::new(&mut bytes, "file").unwrap();
    let error = writer.write("far", &far).unwrap_err().to_string();
    assert!(
        error.starts_with("file:far: ") && error.contains("device memory of vulkan:0"),
        "{error}"
    );
    writer.write("far", &far.to_host().unwrap()).unwrap();
    writer.finish().unwrap();
    let mut reader = ContainerReader::new(bytes, "file").unwrap();
    assert_eq!(reader.get("far").unwrap().to_vec::<f32>().unwrap(), [2.5]);
}

#[test]
fn readers_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let container = Container::open(fixture("version_1.tensors")).unwrap();
    shared(&container);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for name in container.names() {
                    check_array(name, &container.map(name).unwrap());
                }
            });
        }
    });
}
