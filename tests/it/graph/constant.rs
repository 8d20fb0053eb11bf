//! Constants of graphs: the tensor that a `TensorProto` stands for, and comparisons of constants.

use ckdiff::compare::CompareOptions;
use ckdiff::diff::constant::{self, ConstantDiff};
use ckdiff::graph::constant::Constant;
use ckdiff::message::{Records, Value};
use ckdiff::tensor::{DType, Tensor};

use crate::support::constants::{TYPES, content, expand, floats, parse, proto, strings};
use crate::support::encoding::{self, bytes, int, packed};
use crate::support::{Random, sha256};

fn trouble(dtype: DType, dims: &[i64], elements: &[u8]) -> String {
    Constant::parse(&proto(dtype, dims, elements)).unwrap_err().to_string()
}

fn field(message: &[u8], number: u32) -> Vec<&[u8]> {
    let records = Records::new(message, 0).map(|record| record.unwrap());
    let of_number = records.filter(|record| record.number == number);
    of_number
        .map(|record| match record.value {
            Value::Len(bytes) => bytes,
            value => panic!("{value:?}"),
        })
        .collect()
}

/// The constants of a graph in `tests/data/graphs`: the names of the nodes, and their `TensorProto`s.
fn constants(file: &str) -> Vec<(String, Constant)> {
    let graph = std::fs::read(format!("tests/data/graphs/{file}")).unwrap();
    let mut constants = Vec::new();
    for node in field(&graph, 1) {
        let name = String::from_utf8(field(node, 1)[0].to_vec()).unwrap();
        for attr in field(node, 5) {
            if field(attr, 1) == [b"value"] && field(node, 2) == [b"Const"] {
                let tensor = field(field(attr, 2)[0], 8)[0];
                constants.push((name.clone(), Constant::parse(tensor).unwrap()));
            }
        }
    }
    constants
}

#[test]
fn constants_of_every_dtype_are_equal_in_both_encodings() {
    let all = constants("constants.pb");
    let mut types = Vec::new();
    for (name, lhs) in &all {
        let Some(name) = name.strip_prefix("content/") else { continue };
        let (_, rhs) = all.iter().find(|(other, _)| *other == format!("values/{name}")).unwrap();
        assert_eq!((lhs.dtype().name(), lhs.tail()), (name, 0));
        assert_eq!(lhs, rhs, "{name}");
        let same = constant::compare(lhs, rhs, &CompareOptions::default()).unwrap();
        assert_eq!(same, ConstantDiff::Same, "{name}");
        types.push(lhs.dtype());
    }
    types.sort();
    let fixed = DType::ALL.iter().copied().filter(|dtype| dtype.size().is_some());
    assert_eq!(types, fixed.collect::<Vec<_>>());
}

/// The digests cover `name sha256\n` of every Const; the inner ones cover the result of a session of TensorFlow 2.21 that
/// runs the node: `tobytes()`, or for strings each length as u64 followed by its bytes.
#[test]
fn constants_are_what_tensorflow_makes_of_them() {
    for (file, count, digest) in [
        ("constants.pb", 62, "5e3a175c2201001f7c43e28728c5cd7c5a532446b229b83ffa14bcfe212b21e7"),
        ("tf_constant.pb", 69, "47e79192aeb06f47b114f8266270933aacac71099dec212bebff8004dd6cef1b"),
        ("frozen.pb", 2, "85e6aa8ee1a0c2ecf8f2b5cb3e332397ad6b1ada79daf898675383717c4ac0d6"),
    ] {
        let lines: Vec<_> = constants(file)
            .iter()
            .map(|(name, constant)| format!("{name} {}\n", sha256(expand(constant).content())))
            .collect();
        assert_eq!(lines.len(), count, "{file}");
        assert_eq!(sha256(lines.concat().as_bytes()), digest, "{file}\n{}", lines.concat());
    }
}

#[test]
fn elements_of_handles_and_variants_are_their_messages() {
    let all = constants("handles.pb");
    let of = |dtype| all.iter().filter(move |(_, constant)| constant.dtype() == dtype);
    for dtype in [DType::Resource, DType::Variant] {
        assert!(of(dtype).count() > 0, "{dtype}");
        for (name, constant) in of(dtype) {
            let elements = constant.byte_elements().unwrap();
            assert!(elements.iter().any(|element| !element.is_empty()), "{name}");
            assert_eq!(
                expand(constant).byte_elements().unwrap().len() as u64,
                constant.shape().elements()
            );
        }
    }
    // TensorFlow fills the rest with empty elements: `FromProtoField` in tensor.cc.
    for (dtype, number) in [(DType::Resource, 14), (DType::Variant, 15)] {
        let constant = parse(dtype, &[3], &bytes(number, b"\x0a\x01x"));
        assert_eq!(expand(&constant).byte_elements().unwrap(), [&b"\x0a\x01x"[..], b"", b""]);
    }
}

fn hex(content: &[u8]) -> String {
    content.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The expected bytes are the result of a session of TensorFlow 2.21 for a Const with this proto.
#[test]
fn edited_protos_are_what_tensorflow_makes_of_them() {
    let ints = |values: &[i64]| bytes(7, &packed(values));
    let halves = |values: &[i64]| bytes(13, &packed(values));
    let cases: &[(DType, &[i64], Vec<u8>, &str)] = &[
        // Too few values: the last one repeats. No values: zeros. Too many values: the rest is ignored.
        (DType::I32, &[4], ints(&[1, 2]), "01000000020000000200000002000000"),
        (DType::I32, &[2], ints(&[1, 2, 3]), "0100000002000000"),
        (DType::I32, &[2], Vec::new(), "0000000000000000"),
        (DType::I32, &[], Vec::new(), "00000000"),
        // tensor_content takes precedence over values, even over those of another dtype.
        (
            DType::I32,
            &[2],
            [content(b"\x01\0\0\0\x02\0\0\0"), ints(&[7, 8])].concat(),
            "0100000002000000",
        ),
        (
            DType::I32,
            &[1],
            [content(b"\x01\0\0\0"), bytes(5, &floats(&[2.0]))].concat(),
            "01000000",
        ),
        (DType::I32, &[2], [content(b""), ints(&[4])].concat(), "0400000004000000"),
        // The content of a tensor without elements is ignored.
        (DType::I32, &[0], Vec::new(), ""),
        (DType::I32, &[0], ints(&[1]), ""),
        (DType::I32, &[0], content(b"\x01\0\0\0"), ""),
        (DType::Bool, &[0], content(b"\x02"), ""),
        (DType::String, &[0], content(b"\x01"), ""),
        // Integers are truncated to their low bits.
        (DType::I16, &[1], ints(&[70_000]), "7011"),
        (DType::I8, &[1], ints(&[-200]), "38"),
        (DType::U8, &[1], ints(&[-1]), "ff"),
        (DType::U16, &[1], ints(&[70_000]), "7011"),
        (DType::F16, &[1], halves(&[-1]), "ffff"),
        (DType::F16, &[1], halves(&[0x1_3c00]), "003c"),
        (DType::BF16, &[1], halves(&[0x3f80]), "803f"),
        (DType::QI8, &[2], ints(&[-3]), "fdfd"),
        (DType::QU16, &[2], ints(&[65_535]), "ffffffff"),
        (DType::Bool, &[2], bytes(11, &packed(&[1])), "0101"),
        (DType::U32, &[2], bytes(16, &packed(&[5])), "0500000005000000"),
        (DType::U64, &[2], bytes(17, &packed(&[5])), "05000000000000000500000000000000"),
        // Half a complex number is ignored.
        (
            DType::Complex64,
            &[2],
            bytes(9, &floats(&[1.0, 2.0, 3.0])),
            "0000803f000000400000803f00000040",
        ),
        (DType::Complex64, &[1], bytes(9, &floats(&[1.0, 2.0, 3.0, 4.0])), "0000803f00000040"),
        (DType::Complex64, &[1], bytes(9, &floats(&[1.0])), "0000000000000000"),
        // Types smaller than a byte take one byte per element.
        (DType::F8E5M2, &[3], bytes(18, b"\x3c\x40"), "3c4040"),
        (DType::F8E5M2, &[1], bytes(18, b"\x3c\x40"), "3c"),
        (DType::F8E4M3Fn, &[2], content(b"\x3c\x40"), "3c40"),
        (DType::F8E4M3Fn, &[2], Vec::new(), "0000"),
        (DType::F8E4M3Fnuz, &[2], bytes(18, b"\x3c"), "3c3c"),
        (DType::F4E2M1Fn, &[2], content(b"\x03\x04"), "0304"),
        (DType::F4E2M1Fn, &[2], bytes(18, b"\x03"), "0303"),
        (DType::I4, &[3], ints(&[1, -8]), "01f8f8"),
        (DType::I4, &[1], ints(&[9]), "09"),
        (DType::I4, &[3], content(b"\x01\x0f\x07"), "010f07"),
        (DType::U4, &[2], ints(&[17]), "1111"),
        (DType::I2, &[3], ints(&[1, -2]), "01fefe"),
        (DType::U2, &[2], ints(&[3]), "0303"),
    ];
    for (dtype, dims, elements, expected) in cases {
        let constant = parse(*dtype, dims, elements);
        assert_eq!(hex(expand(&constant).content()), *expected, "{dtype} {dims:?} {elements:02x?}");
    }
}

/// The expected elements are from TensorFlow 2.21 too.
#[test]
fn strings_are_repeated_too_and_may_be_in_tensor_content() {
    let cases: &[(i64, Vec<u8>, &[&str])] = &[
        (3, strings(&["a", "bc"]), &["a", "bc", "bc"]),
        (1, strings(&["a", "b"]), &["a"]),
        (2, Vec::new(), &["", ""]),
        (2, content(b"\x01\x02abc"), &["a", "bc"]),
        (2, [content(b"\x01\x02abc"), strings(&["x", "y"])].concat(), &["a", "bc"]),
        (1, content(b"\x81\0a"), &["a"]),
    ];
    for (len, elements, expected) in cases {
        let tensor = expand(&parse(DType::String, &[*len], elements));
        let expected: Vec<_> = expected.iter().map(|s| s.as_bytes()).collect();
        assert_eq!(tensor.byte_elements().unwrap(), expected, "{elements:02x?}");
    }
}

/// TensorFlow 2.21 refuses these too, except where a comment states its result.
#[test]
fn invalid_tensor_protos_are_refused_with_a_reason() {
    use DType::{Bool, F32, I4, I32, String};
    let said = [
        trouble(I32, &[2], &content(b"\x01\0\0\0")),
        trouble(I32, &[1], &content(b"\x01\0\0\0\x02\0\0\0")),
        trouble(I32, &[2], &content(b"\x01\0\0\0\x02")),
        trouble(I4, &[3], &content(b"\xf1\x07")),
        trouble(Bool, &[1], &content(b"\x02")),
        trouble(String, &[2], &content(b"\x01\x02ab")),
        trouble(String, &[2], &content(b"\x01\x02abcd")),
        trouble(String, &[3], &content(b"\x01\x02")),
        trouble(String, &[1], &content(b"\x81\x80\x80\x80\x10a")), // TensorFlow uses the low 32 bits of the length
        trouble(I32, &[-1], &bytes(7, b"\x01")),
        trouble(I32, &[1 << 40, 1 << 40], &bytes(7, b"\x01")),
        trouble(I32, &[1 << 40, 1 << 40, 0], &[]),
        trouble(I32, &[1; 255], &bytes(7, b"\x01")),
        trouble(I32, &[], &bytes(2, &int(3, 1))), // TensorFlow reads a scalar
        trouble(I32, &[2], &bytes(5, &floats(&[1.0, 2.0]))), // TensorFlow returns zeros
        trouble(F32, &[2], &[bytes(5, &floats(&[1.0])), bytes(7, b"\x01")].concat()), // TensorFlow ignores int_val
        trouble(I32, &[1], &bytes(8, b"")), // TensorFlow returns zeros
        trouble(I32, &[1], &bytes(18, b"1")), // TensorFlow returns zeros
        trouble(F32, &[1], &bytes(5, &[0; 5])),
        Constant::parse(&int(1, 99)).unwrap_err().to_string(),
        Constant::parse(&int(1, 103)).unwrap_err().to_string(),
        Constant::parse(b"").unwrap_err().to_string(),
        Constant::parse(b"\x08").unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    bytes of tensor_content: expected 8, as int32 of shape [2] has, found 4
    bytes of tensor_content: expected 4, as int32 of shape [1] has, found 8
    bytes of tensor_content: expected 8, as int32 of shape [2] has, found 5
    bytes of tensor_content: expected 3, as int4 of shape [3] has, found 2
    a bool in tensor_content: expected 0 or 1, found 2
    bytes of strings in tensor_content: expected 3, the sum of their lengths, found 2
    bytes of strings in tensor_content: expected 3, the sum of their lengths, found 4
    tensor_content: expected one string per element of shape [3], found 2 lengths of string
    tensor_content: expected one string per element of shape [1], found 0 lengths of string
    shape: expected dimensions of at least 0, found [-1]
    shape: expected at most 2^63 - 1 elements, found [1099511627776, 1099511627776]
    shape: expected at most 2^63 - 1 elements, found [1099511627776, 1099511627776, 0]
    byte 1021: number of dimensions: expected at most 254, found more
    byte 6: rank: expected a known rank, found unknown_rank
    byte 8: list of values: expected int_val, that of int32, found float_val
    byte 14: list of values: expected float_val, that of float32, found int_val
    byte 8: list of values: expected int_val, that of int32, found string_val
    byte 8: list of values: expected int_val, that of int32, found float8_val
    byte 10: bytes of a list of values: expected a multiple of 4, found 5
    dtype: expected a dtype that can be stored, found 99
    dtype: expected a dtype that can be stored, found DT_INT32_REF (103)
    dtype: expected a dtype that can be stored, found DT_INVALID (0)
    byte 1: a field needs 1 byte, 0 left
    ");
}

#[test]
fn lists_may_be_in_several_records() {
    let whole = parse(DType::I32, &[3], &bytes(7, &packed(&[1, -2, 300])));
    for pieces in [
        [int(7, 1), int(7, -2), int(7, 300)].concat(),
        [bytes(7, &packed(&[1])), bytes(7, &[]), bytes(7, &packed(&[-2, 300]))].concat(),
    ] {
        assert_eq!(parse(DType::I32, &[3], &pieces), whole);
    }
    // Fields with another wire type count as unknown fields, and unknown fields are ignored.
    let unknown =
        [int(5, 1), encoding::fixed32(8, 1), encoding::fixed32(7, 1), bytes(99, b"?")].concat();
    let list = bytes(7, &packed(&[1, -2, 300]));
    assert_eq!(parse(DType::I32, &[3], &[unknown, list].concat()), whole);
    assert_eq!(parse(DType::I32, &[1], &bytes(5, b"")), parse(DType::I32, &[1], &bytes(7, b"\0")));
}

#[test]
fn every_damaged_proto_is_read_or_refused() {
    let mut source = Random::new(3);
    for &dtype in TYPES {
        let (mut tried, mut accepted) = (0, 0);
        let good = proto(dtype, &[2, 3], &bytes(8, b"abc"));
        let list = proto(dtype, &[2, 3], &bytes(7, &packed(&[1, 2, 3])));
        for good in [good, list, proto(dtype, &[2, 3], &content(&[1; 24]))] {
            for _ in 0..300 {
                let mut bad = good.clone();
                let at = source.below(bad.len() as u64) as usize;
                bad[at] = source.next() as u8;
                bad.truncate(bad.len() - source.below(3) as usize);
                tried += 1;
                if let Ok(constant) = Constant::parse(&bad) {
                    assert!(constant.head().len() <= 8 * bad.len() + 8);
                    let count = constant.shape().elements().min(constant.explicit() + 2);
                    drop(
                        Tensor::read(&constant.first(count).unwrap(), &Default::default()).unwrap(),
                    );
                    let same = constant::compare(&constant, &constant, &CompareOptions::default())
                        .unwrap();
                    assert_eq!(same, ConstantDiff::Same);
                    accepted += 1;
                }
            }
        }
        assert!(accepted > 0 && accepted < tried, "{dtype}: {accepted} of {tried} accepted");
    }
}
