//! Errors of invalid texts, one mistake at a time, and the cost of errors in hostile texts.

use ckdiff::schema::Schema;
use ckdiff::text::{LayoutOptions, ParseOptions, format, parse};

/// The error of a text of type `TensorProto`: `line:column: message`.
fn error(text: impl AsRef<[u8]>) -> String {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.TensorProto").unwrap();
    let error = parse(schema, ty, text.as_ref(), &ParseOptions::default()).unwrap_err();
    let location = error.location().expect("an error of a text has a location");
    format!("{location}: {}", error.kind())
}

#[test]
fn a_string_that_is_not_closed_is_reported_where_it_begins() {
    assert_eq!(error("tensor_content: \"ab\n"), "1:17: this string is not closed on its line");
    assert_eq!(error("tensor_content: 'it\\'"), "1:17: this string is not closed on its line");
    assert_eq!(
        error("string_val: ['a', \"b]\nint_val: 1\nstring_val: \"c\""),
        "1:19: this string is not closed on its line"
    );
}

#[test]
fn a_bracket_that_is_not_closed_is_reported_with_its_place() {
    assert_eq!(
        error("tensor_shape {\n  dim { size: 1 }\n"),
        "3:1: the text ends before '{' opened at 1:14 is closed"
    );
    assert_eq!(
        error("tensor_shape <\n  dim { size: 1 >\n"),
        "2:17: '>' does not close '{' opened at 2:7"
    );
    assert_eq!(error("int_val: [1, 2"), "1:15: the text ends before '[' opened at 1:10 is closed");
    assert_eq!(
        error("int_val: [1, 2\nfloat_val: 1"),
        "2:1: expected ',' or ']', found 'float_val'"
    );
    assert_eq!(error("int_val: 1 }"), "1:12: '}' closes nothing");
}

#[test]
fn a_stray_token_is_named() {
    assert_eq!(error("int_val: 1 5"), "1:12: expected a field name, found '5'");
    assert_eq!(error("int_val: 1,, int_val: 2"), "1:12: expected a field name, found ','");
    assert_eq!(
        error("tensor_shape { dim { size: 1 } \"x\" }"),
        "1:32: expected a field name or '}', found a string"
    );
    assert_eq!(
        error("tensor_shape { dim [{size: 1} {size: 2}] }"),
        "1:31: expected ',' or ']', found '{'"
    );
    assert_eq!(
        error("int_val: 1 // one"),
        "1:12: expected a field name, found '/' (comments begin with '#')"
    );
}

#[test]
fn a_missing_colon_and_a_missing_value_are_reported_where_they_belong() {
    assert_eq!(error("int_val 1"), "1:9: expected ':' or '{' after the field name, found '1'");
    assert_eq!(
        error("dtype\nint_val: 1"),
        "2:1: expected ':' or '{' after the field name, found 'int_val'"
    );
    assert_eq!(error("int_val:\nfloat_val: 1"), "2:10: expected a field name, found ':'");
    assert_eq!(error("tensor_shape { dim: }"), "1:21: expected a value, found '}'");
    assert_eq!(error("int_val: "), "1:10: expected a value, found the end of the text");
    assert_eq!(error("int_val: -"), "1:11: expected a number after '-', found the end of the text");
    assert_eq!(error("int_val: [1, ]"), "1:14: expected a scalar value, found ']'");
    assert_eq!(
        error("tensor_shape { dim [1] }"),
        "1:21: expected a message or ']' (a list of other values needs ':' before it), found '1'"
    );
}

#[test]
fn a_number_is_refused_at_the_digit_that_is_wrong() {
    assert_eq!(
        error("int_val: 08"),
        "1:11: expected an octal digit (0 to 7) or the end of the number, found '8'"
    );
    assert_eq!(
        error("float_val: 01.5"),
        "1:14: expected an octal digit (0 to 7) or the end of the number, found '.5'"
    );
    assert_eq!(
        error("int_val: [1, 007x]"),
        "1:17: expected an octal digit (0 to 7) or the end of the number, found 'x'"
    );
    assert_eq!(error("int_val: 0xg"), "1:12: expected a hexadecimal digit, found 'g'");
    assert_eq!(
        error("float_val: 1e+"),
        "1:15: expected a digit of the exponent, found the end of the text"
    );
    assert_eq!(error("float_val: 1.2.3"), "1:15: expected the end of the number, found '.3'");
}

#[test]
fn an_escape_that_means_nothing_is_reported_at_its_backslash() {
    assert_eq!(
        error("tensor_content: 'ab\\400'"),
        "1:20: an octal escape above \\377 is not a byte"
    );
    assert_eq!(error("tensor_content: 'ab\\x'"), "1:20: \\x needs one or two hexadecimal digits");
    assert!(error("tensor_content: 'ab\\q'").starts_with("1:20: "));
}

#[test]
fn a_comment_that_is_cut_ends_with_the_text() {
    assert_eq!(
        error("int_val # one"),
        "1:14: expected ':' or '{' after the field name, found the end of the text"
    );
    assert_eq!(
        error("int_val: [1, # one"),
        "1:19: the text ends before '[' opened at 1:10 is closed"
    );
    assert_eq!(
        error("int_val: 1 # a \0 b"),
        "1:16: expected a field name, found a NUL byte, which a text cannot contain"
    );
}

/// The error of formatting a text, which needs no schema.
fn syntax_error(text: &[u8]) -> String {
    let error = format(text, &LayoutOptions::default()).unwrap_err();
    let location = error.location().expect("an error of a text has a location");
    assert!(location.excerpt.len() < 1000, "the excerpt is short");
    format!("{location}: {}", error.kind())
}

/// These texts cannot be cut into pieces. pest takes forty bytes per token, so it must see only the invalid part.
#[test]
fn an_error_at_the_end_of_a_piece_of_many_megabytes_is_explained_as_in_a_small_one() {
    const MANY: usize = 1 << 20;
    let many = |before: &str, each: &str, after: &str| {
        let mut text = String::from(before);
        text.extend(std::iter::repeat_n(each, MANY));
        text + after
    };
    for (text, what) in [
        (many("", "1:1,", "@"), "expected a field name, found '@'"),
        (many("x: ", "''", "5"), "expected a field name, found '5'"),
        (many("x: [''", "''", "5]"), "expected ',' or ']', found '5'"),
        (many("m [{} ", "    ", "{}]"), "expected ',' or ']', found '{'"),
        (many("x ", "# #\n", "5"), "expected ':' or '{' after the field name, found '5'"),
        (many("x: - ", "    ", "'a'"), "expected a number after '-', found a string"),
        (many("[a", " b  ", "@]: 1"), "unexpected '@'"),
        (many("x: '", "aaaa", "\0'"), "unexpected a NUL byte, which a text cannot contain"),
        (
            many("x: 'aaaaaa", "bbbb", "' y 5"),
            "expected ':' or '{' after the field name, found '5'",
        ),
    ] {
        let error = syntax_error(text.as_bytes());
        assert_eq!(error.split_once(": ").map(|(_, what)| what), Some(what));
    }
}

#[test]
fn an_error_below_a_thousand_messages_is_explained_on_a_small_stack() {
    let text = "m [<".repeat(999) + "x: 1 5" + &">]".repeat(999);
    let explain = move || syntax_error(text.as_bytes());
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(explain).unwrap();
    assert_eq!(thread.join().unwrap(), "1:4002: expected a field name or '>', found '5'");
}
