//! Unknown fields in printed text: by number, or left out.

use ckdiff::text::{PrintOptions, Style, UnknownFields};

use crate::support::encoding::{bytes as len, group, int};
use crate::support::text_message::{STYLES, printed, printed_all};

#[test]
fn unknown_fields_are_left_out_or_shown_by_number_and_counted() {
    let deep = (0..12).fold(b"x".to_vec(), |inner, _| len(1, &inner));
    let unknown = [
        int(9, -1),
        [&[10 << 3 | 5][..], b"abcd"].concat(),
        [&[10 << 3 | 1][..], b"abcdefgh"].concat(),
        len(11, &int(1, 1)),
        len(11, b"abc"),
        len(11, b""),
        group(12, &[int(1, 5), group(2, b"")].concat()),
        len(13, &[8, 1, 12]),
        len(13, &[0, 1]),
        len(14, &deep),
    ];
    let bytes = [int(1, 7), unknown.concat()].concat();
    let mut options = PrintOptions::default();
    let (text, losses) = printed_all("tensorflow.VersionDef", &bytes, &options);
    assert_eq!(text, "producer: 7\n");
    assert_eq!(losses.unknown_fields, 10);
    assert_eq!(losses.paths[..3], ["9", "10", "11"]);

    options.unknown_fields = UnknownFields::ByNumber;
    let (text, losses) = printed_all("tensorflow.VersionDef", &bytes, &options);
    assert_eq!(losses.unknown_fields, 10);
    let python = "producer: 7\n9: 18446744073709551615\n10: 1684234849\n\
                  10: 7523094288207667809\n11 {\n  1: 1\n}\n11: \"abc\"\n11 {\n}\n\
                  12 {\n  1: 5\n  2 {\n  }\n}\n13 {\n  1: 1\n}\n13 {\n  0: 1\n}\n14 {\n";
    assert!(text.starts_with(python), "{text}");

    let text = printed("tensorflow.VersionDef", &bytes, Style::Protoc);
    let protoc = "producer: 7\n9: 18446744073709551615\n10: 0x64636261\n\
                  10: 0x6867666564636261\n11 {\n  1: 1\n}\n11: \"abc\"\n11: \"\"\n\
                  12 {\n  1: 5\n  2 {\n  }\n}\n13: \"\\010\\001\\014\"\n13: \"\\000\\001\"\n14 {\n";
    assert!(text.starts_with(protoc), "{text}");
    // protoc prints the tenth nested message as a string.
    assert!(text.contains(&format!("{}1: \"\\n\\003\\n\\001x\"\n", " ".repeat(20))), "{text}");
}

/// Fields inside many unknown groups are read once, not once per level.
#[test]
fn fields_deep_in_unknown_groups_are_printed_in_order() {
    let long = len(1, &vec![0xff; 1 << 18]);
    let inner = [int(1, 5), long, int(2, 6)].concat();
    let groups = (0..990).fold(inner, |inner, _| [int(3, 7), group(4, &inner)].concat());
    for style in STYLES {
        let unknown_fields = UnknownFields::ByNumber;
        let options = PrintOptions { unknown_fields, ..PrintOptions::new(style) };
        let text = printed_all("tensorflow.VersionDef", &len(9, &groups[2..]), &options).0;
        // Python limits the groups that it reads when it guesses whether a field is a string.
        assert!(text.starts_with("9: \"#\\030"), "{}", &text[..40]);
        let text = printed_all("tensorflow.VersionDef", &group(9, &groups), &options).0;
        assert_eq!(text.matches("3: 7\n").count(), 990);
        assert_eq!(text.lines().count(), 2 + 990 * 3 + 3);
        let last = text.lines().rev().take(992).collect::<Vec<_>>();
        assert_eq!(last[991].trim_start(), "2: 6");
        for (depth, line) in last[..991].iter().enumerate() {
            assert_eq!(**line, format!("{}}}", " ".repeat(2 * depth)));
        }
    }
}

/// Printed on one line, because the indentation alone would take gigabytes.
#[test]
fn many_fields_in_many_unknown_groups_are_read_once() {
    let inner = int(1, 5).repeat(1 << 20);
    let groups = (0..990).fold(inner, |inner, _| group(4, &inner));
    for style in STYLES {
        let unknown_fields = UnknownFields::ByNumber;
        let single_line = true;
        let options = PrintOptions { unknown_fields, single_line, ..PrintOptions::new(style) };
        let text = printed_all("tensorflow.VersionDef", &groups, &options).0;
        let expected = ["4 { ".repeat(990), "1: 5 ".repeat(1 << 20), "} ".repeat(990)].concat();
        assert!(text == expected.trim_end());
    }
}
