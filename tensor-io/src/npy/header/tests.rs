//! Headers that numpy writes, headers that it reads, and headers that nobody should believe.

use super::*;

fn header(dtype: DType, big_endian: bool, column_major: bool, shape: &[usize]) -> NpyHeader {
    NpyHeader {
        dtype,
        big_endian,
        column_major,
        shape: shape.to_vec(),
    }
}

/// The expected texts are numpy 2.4.6's own, taken from `numpy.save` of arrays of these shapes.
#[test]
fn writes_what_numpy_writes() {
    let cases = [
        (
            header(DType::F32, false, false, &[]),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
            118,
        ),
        (
            header(DType::U8, false, false, &[7]),
            "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }",
            118,
        ),
        (
            header(DType::I64, false, false, &[2, 3]),
            "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
            118,
        ),
        (
            header(DType::C64, true, true, &[2, 3]),
            "{'descr': '>c16', 'fortran_order': True, 'shape': (2, 3), }",
            118,
        ),
        (
            header(DType::Bool, false, false, &[0, 3]),
            "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 3), }",
            118,
        ),
        (
            header(DType::F16, false, false, &[1; 20]),
            "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }",
            182,
        ),
    ];
    for (header, text, length) in cases {
        let bytes = header.to_bytes().unwrap();
        let expect = [b"\x93NUMPY\x01\x00", &[length, 0][..], text.as_bytes()].concat();
        let found = String::from_utf8_lossy(&bytes);
        assert!(bytes.starts_with(&expect), "{text}: {found:?}");
        assert!(
            bytes[expect.len()..bytes.len() - 1]
                .iter()
                .all(|&byte| byte == b' ')
                && bytes.ends_with(b"\n")
        );
        assert_eq!(
            (bytes.len(), bytes.len() % 64),
            (usize::from(length) + 10, 0),
            "{text}"
        );
        assert_eq!(
            NpyHeader::parse("test", &bytes[10..]).unwrap(),
            header,
            "{text}"
        );
    }
}

#[test]
fn long_headers_take_version_2_and_read_back() {
    let long = header(DType::F32, false, false, &[1; 30_000]);
    let bytes = long.to_bytes().unwrap();
    assert_eq!(bytes[6..8], [2, 0]);
    assert_eq!(bytes.len() % 64, 0);
    // Above the reader's limit, though: no real array has 30,000 axes.
    assert!(matches!(
        Preamble::parse("test", &bytes),
        Err(FileError::HeaderTooLong {
            bytes: 90_100..,
            ..
        })
    ));
    assert_eq!(NpyHeader::parse("test", &bytes[12..]).unwrap(), long);
}

#[test]
fn names_of_types_round_trip() {
    for &dtype in DType::TAGS {
        for big_endian in [false, true] {
            let Some(text) = descr(dtype, big_endian) else {
                assert_eq!(dtype, DType::BF16);
                continue;
            };
            let expect = (dtype, big_endian && dtype.size_bytes() > 1);
            assert_eq!(parse_descr(&text), Some(expect), "{text}");
        }
    }
    assert_eq!(
        parse_descr("=f4"),
        Some((DType::F32, cfg!(target_endian = "big")))
    );
    assert_eq!(parse_descr("<u1"), Some((DType::U8, false)));
    for text in [
        "",
        "<",
        "f4",
        "<f",
        "<f3",
        "<f04",
        "<f16",
        "|f4",
        "<V2",
        "<U5",
        "|O",
        "<M8[ns]",
        "<f4 ",
        "!f4",
        "<c4",
        "<i9999999999999999999",
    ] {
        assert_eq!(parse_descr(text), None, "{text:?}");
    }
}

#[test]
fn other_spellings_are_read() {
    let expect = header(DType::F32, false, true, &[2, 3]);
    let texts = [
        "{'shape': (2, 3), 'fortran_order': True, 'descr': '<f4'}",
        "  {\"descr\":\"<f4\",\"fortran_order\":True,\"shape\":(2,3,),}\n",
        "{'descr' : '<f4' , 'fortran_order' : True , 'shape' : ( 2L , 3L ) , } \n",
    ];
    for text in texts {
        assert_eq!(
            NpyHeader::parse("test", text.as_bytes()).unwrap(),
            expect,
            "{text}"
        );
    }
}

#[test]
fn wrong_dictionaries_name_the_place() {
    // (text, byte, what was expected there)
    let cases = [
        ("", 0, "`{`"),
        ("[]", 0, "`{`"),
        ("{}", 2, "`descr`, `fortran_order` and `shape`, each once"),
        (
            "{'descr': '<f4', 'fortran_order': True, }",
            41,
            "`descr`, `fortran_order` and `shape`, each once",
        ),
        (
            "{'descr': '<f4', 'descr': '<f4'",
            17,
            "`descr`, `fortran_order` and `shape`, each once",
        ),
        (
            "{'other': 1}",
            1,
            "`descr`, `fortran_order` and `shape`, each once",
        ),
        (
            "{descr: '<f4'}",
            1,
            "a quoted string (structured types are not supported)",
        ),
        ("{'descr' '<f4'}", 9, "`:`"),
        (
            "{'descr': [('a', '<f4')]}",
            10,
            "a quoted string (structured types are not supported)",
        ),
        (
            "{'descr': '<f4",
            10,
            "a string of plain characters with its closing quote",
        ),
        (
            "{'descr': '<f4\\''",
            10,
            "a string of plain characters with its closing quote",
        ),
        ("{'descr': '<f4' 'shape'", 16, "`,` or `}`"),
        ("{'fortran_order': 1}", 18, "True or False"),
        ("{'fortran_order': true}", 18, "True or False"),
        ("{'shape': 3}", 10, "`(`"),
        (
            "{'shape': (3)}",
            12,
            "`,` (a number in parentheses is no tuple)",
        ),
        (
            "{'shape': (3, -1)}",
            14,
            "an extent, from 0 to the largest usize",
        ),
        ("{'shape': (3, 4", 15, "`,` or `)`"),
        ("{'shape': (3, 4 5)}", 16, "`,` or `)`"),
        (
            "{'shape': (99999999999999999999,)}",
            11,
            "an extent, from 0 to the largest usize",
        ),
        (
            "{'descr': '<f4', 'fortran_order': True, 'shape': (), } x",
            55,
            "nothing after the dictionary",
        ),
    ];
    for (text, place, wanted) in cases {
        match NpyHeader::parse("test", text.as_bytes()) {
            Err(FileError::Header { at, expected, .. }) => {
                assert_eq!((at, expected), (place, wanted), "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn overflowing_shapes_are_errors() {
    let huge = usize::MAX / 2;
    assert!(
        header(DType::F64, false, false, &[huge, huge])
            .payload_bytes("test")
            .is_err()
    );
    assert_eq!(
        header(DType::F64, false, false, &[huge, 0, huge])
            .payload_bytes("test")
            .unwrap(),
        0
    );
    // More bytes than u64 can count is still no overflow: it is more than any file has.
    assert!(
        header(DType::C64, false, false, &[isize::MAX.unsigned_abs()])
            .payload_bytes("test")
            .map_or(true, |bytes| bytes == u64::MAX)
    );
}

#[test]
fn preambles() {
    let parse = |bytes: &[u8]| {
        Preamble::parse("test", bytes).map(|preamble| (preamble.length, preamble.header_bytes))
    };
    assert_eq!(parse(b"\x93NUMPY\x01\x00\x76\x00").unwrap(), (10, 118));
    assert_eq!(
        parse(b"\x93NUMPY\x02\x00\x76\x01\x00\x00").unwrap(),
        (12, 374)
    );
    assert_eq!(
        parse(b"\x93NUMPY\x03\x00\x76\x01\x00\x00").unwrap(),
        (12, 374)
    );
    for bytes in [
        &b""[..],
        b"\x93NUMPY",
        b"\x93NUMPY\x01",
        b"NUMPY\x01\x00\x76\x00",
        b"PK\x03\x04........",
    ] {
        assert!(
            matches!(parse(bytes), Err(FileError::NotNpy { .. })),
            "{bytes:?}"
        );
    }
    assert!(matches!(
        parse(b"\x93NUMPY\x01\x00\x76"),
        Err(FileError::Header { .. })
    ));
    assert!(matches!(
        parse(b"\x93NUMPY\x02\x00\x76\x00"),
        Err(FileError::Header { .. })
    ));
    assert!(matches!(
        parse(b"\x93NUMPY\x04\x00\x76\x00\x00\x00"),
        Err(FileError::UnknownVersion { major: 4, .. })
    ));
    assert!(matches!(
        parse(b"\x93NUMPY\x01\x01\x76\x00"),
        Err(FileError::UnknownVersion { minor: 1, .. })
    ));
    assert!(matches!(
        parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff"),
        Err(FileError::HeaderTooLong {
            bytes: 4_294_967_295,
            ..
        })
    ));
}
