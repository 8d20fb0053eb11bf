//! The spelling of floats in text.

use ckdiff::text::Style;

use crate::support::Random;
use crate::support::encoding::bytes as len;
use crate::support::text_message::{STYLES, printed};

/// The bits of a number, and its text in both styles.
type Spelled<Bits> = (Bits, &'static str, &'static str);

/// Written by protobuf 7.36 for Python and protoc 3.21.12.
const FLOATS: &[Spelled<u32>] = &[
    (0x0000_0000, "0.0", "0"),
    (0x8000_0000, "-0.0", "-0"),
    (0x0000_0001, "1.4013e-45", "1.40129846e-45"),
    (0x8000_0001, "-1.4013e-45", "-1.40129846e-45"),
    (0x007f_ffff, "1.1754942e-38", "1.17549421e-38"),
    (0x0080_0000, "1.1754944e-38", "1.17549435e-38"),
    (0x7f7f_ffff, "3.4028235e+38", "3.40282347e+38"),
    (0x7f80_0000, "inf", "inf"),
    (0xff80_0000, "-inf", "-inf"),
    (0x7fc0_0000, "nan", "nan"),
    (0xffc0_0000, "nan", "nan"),
    (0x3f80_0000, "1.0", "1"),
    (0xbf80_0000, "-1.0", "-1"),
    (0x3dcc_cccd, "0.1", "0.1"),
    (0x3eaa_aaab, "0.33333334", "0.333333343"),
    (0x3f2a_aaab, "0.6666667", "0.666666687"),
    (0x3d2a_c334, "0.041690066", "0.0416900665"),
    (0x38d1_b717, "0.0001", "0.0001"),
    (0x3727_c5ac, "1e-05", "1e-05"),
    (0x3901_742d, "0.00012345678", "0.000123456775"),
    (0x47f1_2000, "123456.0", "123456"),
    (0x4996_b438, "1234567.0", "1234567"),
    (0x4ceb_79a3, "123456790.0", "123456792"),
    (0x4b80_0000, "16777216.0", "16777216"),
    (0x4e6e_6b28, "1000000000.0", "1e+09"),
    (0x5015_02f9, "10000000000.0", "1e+10"),
    (0x5863_5fa9, "1000000000000000.0", "1e+15"),
    (0x5a0e_1bca, "1e+16", "1e+16"),
    (0x5bb1_a2bc, "1e+17", "1e+17"),
    (0x3e99_999a, "0.3", "0.3"),
    (0x3380_0000, "5.9604645e-08", "5.96046448e-08"),
    (0x6c80_0000, "1.23794004e+27", "1.23794004e+27"),
];

const DOUBLES: &[Spelled<u64>] = &[
    (0x0000_0000_0000_0000, "0.0", "0"),
    (0x8000_0000_0000_0000, "-0.0", "-0"),
    (0x0000_0000_0000_0001, "5e-324", "4.94065645841247e-324"),
    (0x000f_ffff_ffff_ffff, "2.225073858507201e-308", "2.2250738585072009e-308"),
    (0x0010_0000_0000_0000, "2.2250738585072014e-308", "2.2250738585072014e-308"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308", "1.7976931348623157e+308"),
    (0x7ff0_0000_0000_0000, "inf", "inf"),
    (0xfff0_0000_0000_0000, "-inf", "-inf"),
    (0x7ff8_0000_0000_0000, "nan", "nan"),
    (0xfff8_0000_0000_0001, "nan", "nan"),
    (0x3ff0_0000_0000_0000, "1.0", "1"),
    (0xbff8_0000_0000_0000, "-1.5", "-1.5"),
    (0x3fb9_9999_9999_999a, "0.1", "0.1"),
    (0x3fd5_5555_5555_5555, "0.3333333333333333", "0.33333333333333331"),
    (0x3fd3_3333_3333_3334, "0.30000000000000004", "0.30000000000000004"),
    (0x3f1a_36e2_eb1c_432d, "0.0001", "0.0001"),
    (0x3ee4_f8b5_88e3_68f1, "1e-05", "1e-05"),
    (0x419d_6f34_5400_0000, "123456789.0", "123456789"),
    (0x4202_a05f_2000_0000, "10000000000.0", "10000000000"),
    (0x430c_6bf5_2634_0000, "1000000000000000.0", "1e+15"),
    (0x4341_c379_37e0_8000, "1e+16", "1e+16"),
    (0x4376_3457_85d8_a000, "1e+17", "1e+17"),
    (0x437b_69b4_ba63_0f35, "1.2345678901234568e+17", "1.2345678901234568e+17"),
    (0x4340_0000_0000_0000, "9007199254740992.0", "9007199254740992"),
    (0x4284_fad8_6054_a440, "2883450571412.5312", "2883450571412.5312"),
    (0x3e60_0000_0000_0000, "2.9802322387695312e-08", "2.9802322387695312e-08"),
    (0x4580_0000_0000_0000, "6.189700196426902e+26", "6.1897001964269014e+26"),
    (0x4011_6666_6666_6666, "4.35", "4.35"),
    (0x4480_f0cf_064d_d592, "1e+22", "1e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23", "1e+23"),
];

#[test]
fn floats_are_printed_in_both_styles() {
    for (bits, python, protoc) in FLOATS {
        let bytes = [&[5 << 3 | 5][..], &bits.to_le_bytes()].concat();
        for (style, text) in [(Style::TensorFlow, python), (Style::Protoc, protoc)] {
            let expected = format!("float_val: {text}\n");
            assert_eq!(printed("tensorflow.TensorProto", &bytes, style), expected, "{bits:#x}");
        }
    }
    for (bits, python, protoc) in DOUBLES {
        let bytes = [&[6 << 3 | 1][..], &bits.to_le_bytes()].concat();
        for (style, text) in [(Style::TensorFlow, python), (Style::Protoc, protoc)] {
            let expected = format!("double_val: {text}\n");
            assert_eq!(printed("tensorflow.TensorProto", &bytes, style), expected, "{bits:#x}");
        }
    }
}

/// Printed digits may vary, but must read back as the same number.
#[test]
fn random_floats_read_back() {
    let mut random = Random::new(1);
    for style in STYLES {
        let floats: Vec<_> = (0..20_000).map(|_| random.next() as u32).collect();
        let bytes: Vec<_> = floats.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let text = printed("tensorflow.TensorProto", &len(5, &bytes), style);
        assert_eq!(text.lines().count(), floats.len());
        for (line, bits) in text.lines().zip(floats) {
            let read: f32 = line.strip_prefix("float_val: ").unwrap().parse().unwrap();
            let value = f32::from_bits(bits);
            assert!(read == value || read.is_nan() && value.is_nan(), "{line}: {bits:#x}");
        }
        let doubles: Vec<_> = (0..20_000).map(|_| random.next()).collect();
        let bytes: Vec<_> = doubles.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let text = printed("tensorflow.TensorProto", &len(6, &bytes), style);
        assert_eq!(text.lines().count(), doubles.len());
        for (line, bits) in text.lines().zip(doubles) {
            let read: f64 = line.strip_prefix("double_val: ").unwrap().parse().unwrap();
            let value = f64::from_bits(bits);
            assert!(read == value || read.is_nan() && value.is_nan(), "{line}: {bits:#x}");
        }
    }
}
