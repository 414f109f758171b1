//! What the `serde` feature writes and reads, and what it refuses to read.

use serde_json::{from_str, to_string};
use tensor_core::{
    DType, DynRank, ExternalId, MemberKind, MemberSpec, Rank, SliceSpec, TensorLayout,
};

type Layout = TensorLayout<DynRank>;

/// The error of reading `text`, which must contain each of `parts`.
fn refused<T: serde::de::DeserializeOwned>(text: &str, parts: &[&str]) {
    let error = match from_str::<T>(text) {
        Ok(_) => panic!("{text} was accepted"),
        Err(error) => error.to_string(),
    };
    for part in parts {
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn dtypes_and_ids_are_their_names() {
    for &tag in DType::TAGS {
        let text = to_string(&tag).unwrap();
        assert_eq!(text, format!("\"{}\"", tag.name()));
        assert_eq!(from_str::<DType>(&text).unwrap(), tag);
    }
    // FNV-1a of "a" is a published test vector.
    let id = ExternalId::from_name("a");
    assert_eq!(to_string(&id).unwrap(), "\"external#e40c292c\"");
    assert_eq!(from_str::<ExternalId>("\"external#e40c292c\"").unwrap(), id);
    assert_eq!(
        from_str::<DType>("\"external#e40c292c\"").unwrap(),
        DType::External(id)
    );
    // Escapes make the text owned in the reader.
    assert_eq!(
        from_str::<DType>("\"\\u0066\\u0033\\u0032\"").unwrap(),
        DType::F32
    );
}

#[test]
fn specs_and_slices_are_their_fields() {
    let spec = MemberSpec::new(MemberKind::UnsignedInteger, -1, 16);
    let text = r#"{"kind":"unsigned_integer","level":-1,"width":16}"#;
    assert_eq!(to_string(&spec).unwrap(), text);
    assert_eq!(from_str::<MemberSpec>(text).unwrap(), spec);
    let slice = SliceSpec::new(Some(-3), None, -2);
    let text = r#"{"start":-3,"end":null,"step":-2}"#;
    assert_eq!(to_string(&slice).unwrap(), text);
    assert_eq!(from_str::<SliceSpec>(text).unwrap(), slice);
}

#[test]
fn layouts_are_their_fields_and_come_back() {
    let layout = Layout::from_parts([2, 3], &[-10, 2], 15, 20).unwrap();
    let text = r#"{"shape":[2,3],"strides":[-10,2],"offset":15}"#;
    assert_eq!(to_string(&layout).unwrap(), text);
    assert_eq!(from_str::<Layout>(text).unwrap(), layout);
    let ranked = from_str::<TensorLayout<Rank<2>>>(text).unwrap();
    assert_eq!(ranked.into_dynamic(), layout);
    for layout in [
        Layout::scalar(),
        Layout::row_major([usize::MAX, 0]).unwrap(),
        Layout::col_major([1; 10]).unwrap(),
        Layout::row_major([3])
            .unwrap()
            .broadcast_to([4, 3])
            .unwrap(),
        Layout::from_parts([0], &[isize::MIN], 7, 7).unwrap(),
        Layout::row_major([isize::MAX.unsigned_abs()]).unwrap(),
    ] {
        let text = to_string(&layout).unwrap();
        assert_eq!(from_str::<Layout>(&text).unwrap(), layout, "{text}");
    }
}

#[test]
fn hostile_names_are_refused_with_what_would_do() {
    for text in [
        "\"F32\"",
        "\"\"",
        "\"external#12\"",
        "\"external\"",
        "\"f32\\u0000\"",
    ] {
        refused::<DType>(text, &["names no dtype", "bf16"]);
        refused::<ExternalId>(text, &["eight hexadecimal digits"]);
    }
    refused::<ExternalId>("\"f32\"", &["`f32` is no id"]);
    for text in ["3", "null", "[\"f32\"]", "{\"f32\":null}"] {
        refused::<DType>(text, &["expected the name of a dtype"]);
    }
    refused::<MemberSpec>(
        r#"{"kind":"rational","level":0,"width":8}"#,
        &["rational", "unsigned_integer"],
    );
    refused::<MemberSpec>(r#"{"kind":"float","level":0,"width":-8}"#, &["-8"]);
    refused::<SliceSpec>(r#"{"start":0,"stop":3,"step":1}"#, &["stop", "end"]);
    refused::<SliceSpec>(r#"{"start":0,"end":3}"#, &["step"]);
}

#[test]
fn hostile_layouts_are_refused() {
    let layout = |shape: &str, strides: &str, offset: &str| {
        format!(r#"{{"shape":{shape},"strides":{strides},"offset":{offset}}}"#)
    };
    for (shape, strides, offset, parts) in [
        (
            "[2,3]",
            "[1]",
            "0",
            &["TensorLayout: rank mismatch: expected 2, actual 1"][..],
        ),
        ("[]", "[1]", "0", &["expected 0, actual 1"]),
        (
            "[3]",
            "[-1]",
            "1",
            &["[3]", "[-1]", "offset 1", "element -1", "raise the offset"],
        ),
        ("[2,2]", "[1,-4]", "3", &["element -1"]),
        (
            "[4294967296,4294967296]",
            "[0,0]",
            "0",
            &["TensorLayout: the element count overflows"],
        ),
        (
            "[2,2]",
            "[9223372036854775807,1]",
            "0",
            &["an offset overflows"],
        ),
        (
            "[3]",
            "[-9223372036854775808]",
            "0",
            &["an offset overflows"],
        ),
        (
            "[1]",
            "[1]",
            "18446744073709551615",
            &["an offset overflows"],
        ),
        ("[18446744073709551616]", "[1]", "0", &["invalid type"]),
        ("[-1]", "[1]", "0", &["-1"]),
        ("[1.5]", "[1]", "0", &["1.5"]),
        (
            "[1]",
            "[9223372036854775808]",
            "0",
            &["9223372036854775808"],
        ),
        ("[1]", "[1]", "-1", &["-1"]),
        ("3", "[1]", "0", &["expected a sequence"]),
    ] {
        refused::<Layout>(&layout(shape, strides, offset), parts);
    }
    refused::<Layout>(
        r#"{"shape":[1],"strides":[1]}"#,
        &["missing field `offset`"],
    );
    refused::<Layout>(
        r#"{"shape":[1],"strides":[1],"offset":0,"buffer":9}"#,
        &["unknown field `buffer`"],
    );
    refused::<TensorLayout<Rank<3>>>(
        &layout("[2]", "[1]", "0"),
        &["TensorLayout: rank mismatch: expected 3, actual 1"],
    );
}
