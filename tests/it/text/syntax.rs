//! The syntax of the text format: legal texts, places where a text may be cut, and errors.
//!
//! The compiled matcher is checked against pest's own parser for the same grammar.

use std::fmt::Write;

use ckdiff::text::syntax::{
    Literals, Name, Number, PieceOptions, Pieces, Refusal, Scratch, Sink, Word,
};
use pest::Parser;
use pest::error::LineColLocation;
use pest::iterators::Pairs;

use crate::support::damage::mutations;
use crate::support::random_text;
use crate::support::{Random, named_snapshot};

/// pest's parser for the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "grammar/textproto.pest"]
struct Judge;

/// Events as text, with offsets from the start of the text.
#[derive(Default)]
struct Log {
    offset: usize,
    events: Vec<String>,
}

impl Log {
    fn add(&mut self, at: usize, event: impl AsRef<str>) -> Result<(), Refusal> {
        self.events.push(format!("{} {}", self.offset + at, event.as_ref()));
        Ok(())
    }
}

impl<'t> Sink<'t> for Log {
    fn field(&mut self, name: Name<'t>) -> Result<(), Refusal> {
        self.add(name.at, format!("{:?} {}", name.kind, name.text.escape_ascii()))
    }
    fn open(&mut self, at: usize) -> Result<(), Refusal> {
        self.add(at, "open")
    }
    fn close(&mut self, at: usize) -> Result<(), Refusal> {
        self.add(at, "close")
    }
    fn list(&mut self, at: usize, colon: bool) -> Result<(), Refusal> {
        self.add(at, if colon { "list" } else { "bare list" })
    }
    fn end_list(&mut self, at: usize) -> Result<(), Refusal> {
        self.add(at, "end")
    }
    fn string(&mut self, literals: Literals<'_, 't>) -> Result<(), Refusal> {
        let mut event = String::from("string");
        let mut first = None;
        for literal in literals {
            first.get_or_insert(literal.at);
            write!(event, " {}={}", self.offset + literal.at, literal.text.escape_ascii()).unwrap();
        }
        self.add(first.expect("a string has a literal"), event)
    }
    fn number(&mut self, number: Number<'t>) -> Result<(), Refusal> {
        let sign = if number.negative { "-" } else { "" };
        self.add(number.at, format!("{:?} {sign}{}", number.kind, number.text.escape_ascii()))
    }
    fn identifier(&mut self, word: Word<'t>) -> Result<(), Refusal> {
        let sign = if word.negative { "-" } else { "" };
        self.add(word.at, format!("word {sign}{}", word.text.escape_ascii()))
    }
}

/// The events of a text read in pieces, or its error as `line:column: message`.
fn parse(text: &[u8], piece_bytes: usize) -> Result<Vec<String>, String> {
    let (mut log, mut scratch) = (Log::default(), Scratch::default());
    for piece in Pieces::new(text, PieceOptions { piece_bytes, ..PieceOptions::default() }) {
        let piece = piece.expect("a slice can be read");
        log.offset = usize::try_from(piece.offset()).unwrap();
        piece.events(&mut scratch, &mut log).map_err(|error| {
            let place = error.location().expect("a syntax error has a location");
            assert_eq!(place.excerpt.chars().take(place.caret).count(), place.caret);
            format!("{place}: {}", error.kind())
        })?;
    }
    Ok(log.events)
}

/// The events of a text by pest's own parser, read whole, or the line and column of pest's error.
fn judge(text: &str) -> Result<Vec<String>, String> {
    match Judge::parse(Rule::file, text) {
        Ok(pairs) => {
            let mut events = Vec::new();
            flatten(pairs, &mut None, &mut events);
            Ok(events)
        }
        Err(error) => match error.line_col {
            LineColLocation::Pos((line, column)) | LineColLocation::Span((line, column), _) => {
                Err(format!("{line}:{column}"))
            }
        },
    }
}

/// Adds the events of `pairs`; `minus` is the byte of a `-` whose number or word comes next.
fn flatten(pairs: Pairs<'_, Rule>, minus: &mut Option<usize>, events: &mut Vec<String>) {
    let mut pairs = pairs.peekable();
    while let Some(pair) = pairs.next() {
        let (span, rule) = (pair.as_span(), pair.as_rule());
        let (at, text) = (span.start(), span.as_str().as_bytes().escape_ascii().to_string());
        let inner = |text: &str| text[1..text.len() - 1].to_owned();
        let sign = |minus: &mut Option<usize>| match minus.take() {
            Some(at) => (at, "-"),
            None => (at, ""),
        };
        match rule {
            Rule::file
            | Rule::name
            | Rule::content
            | Rule::value
            | Rule::element
            | Rule::negated => {
                flatten(pair.into_inner(), minus, events);
            }
            Rule::message | Rule::list | Rule::messages => {
                let (open, close) = match rule {
                    Rule::message => ("open", "close"),
                    Rule::list => ("list", "end"),
                    _ => ("bare list", "end"),
                };
                events.push(format!("{at} {open}"));
                flatten(pair.into_inner(), minus, events);
                events.push(format!("{} {close}", span.end() - 1));
            }
            Rule::field_name => events.push(format!("{at} Field {text}")),
            Rule::field_number => events.push(format!("{at} Number {text}")),
            Rule::extension => events.push(format!("{at} Extension {}", inner(&text))),
            Rule::any_type => events.push(format!("{at} Any {}", inner(&text))),
            Rule::minus => *minus = Some(at),
            Rule::decimal | Rule::octal | Rule::hexadecimal | Rule::float => {
                let kind = format!("{rule:?}");
                let (first, rest) = kind.split_at(1);
                let (at, sign) = sign(minus);
                events.push(format!("{at} {}{rest} {sign}{text}", first.to_uppercase()));
            }
            Rule::identifier => {
                let (at, sign) = sign(minus);
                events.push(format!("{at} word {sign}{text}"));
            }
            Rule::string => {
                let literal = |span: pest::Span<'_>| {
                    let text = &span.as_str()[1..span.as_str().len() - 1];
                    format!(" {}={}", span.start(), text.as_bytes().escape_ascii())
                };
                let mut event = format!("{at} string{}", literal(span));
                while let Some(next) = pairs.next_if(|next| next.as_rule() == Rule::string) {
                    event.push_str(&literal(next.as_span()));
                }
                events.push(event);
            }
            _ => {}
        }
    }
}

/// Fails unless pest, and pieces of every size, give the same events.
#[track_caller]
fn check(text: &[u8]) -> Result<Vec<String>, String> {
    let whole = parse(text, usize::MAX);
    let shown = || text.escape_ascii().to_string();
    if let Ok(utf8) = std::str::from_utf8(text) {
        let judged = judge(utf8);
        assert!(
            judged.as_ref().ok() == whole.as_ref().ok(),
            "pest: {judged:?}\nours: {whole:?}\n{}",
            shown()
        );
        // Errors with other messages concern brackets and quotes, which the scan finds before the matcher.
        if let (Err(judged), Err(error)) = (&judged, &whole)
            && error.contains(": expected ")
        {
            let (place, _) = error.split_once(": ").unwrap();
            assert_eq!(judged, place, "{error}\n{}", shown());
        }
    }
    for size in (1..20).chain([25, 33, 50, 64, 100, 1000]) {
        let pieces = parse(text, size);
        match (&whole, &pieces) {
            (Err(_), Err(_)) | (Ok(_), Ok(_)) => {
                assert_eq!(whole, pieces, "whole | pieces of {size}\n{}", shown());
            }
            _ => panic!("whole: {whole:?}\npieces of {size}: {pieces:?}\n{}", shown()),
        }
    }
    whole
}

#[test]
fn texts_that_cpp_accepts_are_accepted() {
    for text in [
        "",
        " \t\n\u{b}\u{c}\r",
        "# only a comment",
        "# a\rx: 1\nx: 2",
        "x: 1",
        "x:1,y:2;z:3",
        "x: 1 y: 2",
        "s:\"a\"x:1",
        "r:[1]x:1",
        "m:{x:1}m:{x:2}",
        "m{}m<>",
        "m { n < x: 1 > }",
        "m [{x: 1}, <>]",
        "m: [{x: 1}, <x: 2>],",
        "m []; m: []",
        "r: [1 , 2 # c\n]",
        "r: [-1, - 2, -#c\n3]",
        "f: - inf f: -nan",
        "f: 10f f: 1e5F f: .5 f: 5. f: 5.f f: 0f f: 1.e5 f: 1.5e+5f f: 1E-3",
        "x: 0 x: 017 x: 0x1F x: 0X1f x: 00 x: 0.5 x: 0e1",
        "s: \"a\" 'b'\n# c\n\"c\" x: 1",
        "s: \"\"\"a\"\"\"",
        "s: [\"a\" \"b\", 'c']",
        "s: 'it\\'s' s: \"\\\\\" s: '\\\\\\'' s: \"\\\"\"",
        "s: \"\u{e9}\\\u{e9}\r\t\"",
        "true: true inf: nan",
        "[t.ext]: 5 [ t . e # c\n xt ] { }",
        "x:1[t.ext]:5",
        "x: foo [t.ext]: 5",
        "[a.com/b.C] { x: 1 } [a/b/c-d~!$&()*+,;=%2F_/e.F]: < >",
        "[ a . com / # c\n b . C ] {}",
        "m [{m: [{x: [1, 2]}, {}]}]",
        "1: 5 2 { 3: 4 }",
        "m # {\n{ # }\n}",
        "a\n:\nb c:-\nd",
    ] {
        if let Err(error) = check(text.as_bytes()) {
            panic!("{error}\n{text}");
        }
    }
}

#[test]
fn strings_and_comments_may_contain_bytes_that_are_not_utf8() {
    assert_eq!(
        check(b"# \xff\xfe\ns: 'a\xff\\\xff\\\\\xc3'"),
        Ok(vec!["5 Field s".into(), "8 string 8=a\\xff\\\\\\xff\\\\\\\\\\xc3".into()])
    );
}

#[test]
fn a_text_is_a_flat_series_of_events() {
    let events = check(b"m {\n  [a.b]: [-1, x]\n  <").unwrap_err();
    assert_eq!(events, "3:3: expected a field name or '}', found '<'");
    assert_eq!(
        check(b"m {\n  [a.b]: [-1, 0x2]\n}\nm [{}] s: 'a' \"b\""),
        Ok([
            "0 Field m",
            "2 open",
            "6 Extension a.b",
            "13 list",
            "14 Decimal -1",
            "18 Hexadecimal 0x2",
            "21 end",
            "23 close",
            "25 Field m",
            "27 bare list",
            "28 open",
            "29 close",
            "30 end",
            "32 Field s",
            "35 string 35=a 39=b",
        ]
        .map(str::to_owned)
        .to_vec())
    );
}

#[test]
fn errors_have_a_location_and_a_reason() {
    let mut report = String::new();
    for text in [
        "x",
        "x 1",
        "x: ",
        "x: }",
        ": 1",
        ",x: 1",
        "x: 1,, y: 2",
        "x: 1;; y: 2",
        "x: 1 5",
        "x: 1 \"a\"",
        "m {",
        "m {\n  n <\n",
        "m { x: 1 >",
        "m < x: 1 }",
        "}",
        "m: {}}",
        "]",
        "x: [1, 2",
        "x: [1,",
        "m: [{},",
        "x: [1, 2,]",
        "x: [1 2]",
        "x: [1; 2]",
        "x: [[1]]",
        "x: [1, {}]",
        "m: [{}, 1]",
        "m [1]",
        "m [{},]",
        "m: [{} {}]",
        "m { x: 1 ]",
        "x: 10bar",
        "x: 08",
        "x: 01.5",
        "x: 0x",
        "x: 0xg",
        "x: 0x1.2",
        "x: 1e",
        "x: 1e+",
        "x: 1.2.3",
        "x: 1e5.2",
        "x: .",
        "x: 5a",
        "x: 1_",
        "x: 10fx",
        "x: 1-y: 2",
        "x: --5",
        "x: - 'a'",
        "x: +5",
        "x: -",
        "s: 'a",
        "s: 'a\n'",
        "s: \"a\\\n\"",
        "s: 'a\\",
        "x: a b",
        "x: a: b",
        "a b: 1",
        "x: a {",
        "x: / 1",
        "// c",
        "s: 'a\0'",
        "# \0\nx: 1",
        "x\0: 1",
        "\u{feff}x: 1",
        "\u{e9}: 1",
        "x: 1\u{a0}y: 2",
        "\ts\u{e9}: 1",
        "[a..b]: 1",
        "[.a]: 1",
        "[a",
        "[a.b] 1",
        "[a/]: 1",
        "[/a.b] {}",
        "[a%ZZ/b.C] {}",
        "[]: 1",
        "x: 1 [a.b",
        "m [",
        "x: @",
        "x: 1 @",
        "tool_long_name_that_goes_on_and_on_and_on_until_the_line_is_far_too_long_to_show 1",
    ] {
        let error = check(text.as_bytes()).expect_err(text);
        writeln!(report, "{:<24} {error}", text.escape_debug().to_string()).unwrap();
    }
    named_snapshot("text_syntax", "errors", &report);
}

#[test]
fn depth_is_bounded_and_costs_no_stack() {
    let depth = 200_000;
    let text = "m{".repeat(depth) + &"}".repeat(depth);
    let deep = |limit, piece_bytes| -> Result<usize, String> {
        let (mut log, mut scratch) = (Log::default(), Scratch::default());
        let reading = PieceOptions { depth: limit, piece_bytes };
        for piece in Pieces::new(text.as_bytes(), reading) {
            let piece = piece.expect("a slice can be read");
            piece
                .events(&mut scratch, &mut log)
                .map_err(|error| format!("{}: {}", error.location().unwrap(), error.kind()))?;
        }
        Ok(log.events.len())
    };
    assert_eq!(deep(depth, 1 << 16), Ok(3 * depth));
    assert_eq!(deep(1000, 1 << 16), Err("1:2002: messages are nested more than 1000 deep".into()));
    let lists = "m[{".repeat(400) + &"}]".repeat(400);
    for size in [1, 100, 1 << 16] {
        assert_eq!(parse(lists.as_bytes(), size).map(|events| events.len()), Ok(5 * 400));
    }
}

#[test]
fn texts_mean_the_same_in_pieces_of_every_size() {
    let rounds = mutations(300, 10) as usize;
    let mut random = Random::new(0x5eed);
    let mut accepted = 0;
    for round in 0..rounds {
        let text = random_text::text(&mut random, 3);
        if let Err(error) = check(text.as_bytes()) {
            panic!("round {round}: {error}\n{text}");
        }
        for _ in 0..4 {
            accepted += usize::from(check(&random_text::broken(&text, &mut random)).is_ok());
        }
    }
    // If one outcome were rare, the mutations would test little.
    assert!(accepted > rounds / 2 && accepted < rounds * 7 / 2, "{accepted} of {}", rounds * 4);
}
