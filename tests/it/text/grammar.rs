//! The grammar compiler, which the build script runs: its output for each construct, and the grammars that it refuses.
//!
//! `syntax.rs` compares the compiled matcher of the real grammar with pest's own parser.

#[path = "../../../grammar/compile.rs"]
mod compile;

/// The functions compiled from a grammar with the rule `start`, without the list of rules.
fn compiled(grammar: &str, expectations: &[&str]) -> String {
    let source = compile::compile(grammar, &["start"], expectations).unwrap();
    let end = source.find("/// The rules of the grammar").unwrap();
    let generic = "<const TRACK: bool>(m: &mut Matcher<'_>, p: usize) -> Option<usize>";
    source[..end].replace(generic, "").replace("pub(super) ", "").trim_end().to_owned()
}

/// The rules that become tokens.
fn tokens(grammar: &str, expectations: &[&str]) -> String {
    let source = compile::compile(grammar, &["start"], expectations).unwrap();
    let (_, rest) = source.split_once("enum Rule { ").unwrap();
    rest.split_once(" }").unwrap().0.to_owned()
}

#[track_caller]
fn refused(grammar: &str, expectations: &[&str]) -> String {
    compile::compile(grammar, &["start"], expectations).unwrap_err().to_string()
}

#[test]
fn a_leaf_writes_its_token_after_the_match() {
    insta::assert_snapshot!(compiled(r#"start = @{ "a" ~ 'b'..'c' }"#, &[]), @r"
    #[inline]
    fn start { let q = start_atomic::<TRACK>(m, p)?; m.leaf(Rule::Start, p, q); Some(q) }
    #[inline]
    fn start_atomic { 's1: {
    let Some(p) = (m.one::<TRACK>(p, |byte| matches!(byte, 97..=97))) else { break 's1 None };
    m.one::<TRACK>(p, |byte| matches!(byte, 98..=99))
    } }
    ");
}

#[test]
fn a_rule_around_tokens_opens_and_closes_and_takes_back_what_failed() {
    let grammar = r#"start = ${ "(" ~ (start ~ ")" | word) } word = @{ "a" }"#;
    insta::assert_snapshot!(compiled(grammar, &[]), @r"
    fn start { m.open(Rule::Start, p); let q = 's1: {
    let Some(p) = (m.one::<TRACK>(p, |byte| matches!(byte, 40..=40))) else { break 's1 None };
    { let kept = m.kept(); if let Some(q) = 's2: {
    let Some(p) = (start::<TRACK>(m, p)) else { break 's2 None };
    m.one::<TRACK>(p, |byte| matches!(byte, 41..=41))
    } { Some(q) } else { m.forget(kept); word::<TRACK>(m, p) } }
    }?; m.close(Rule::Start, q); Some(q) }
    #[inline]
    fn word { let q = word_atomic::<TRACK>(m, p)?; m.leaf(Rule::Word, p, q); Some(q) }
    #[inline]
    fn word_atomic { m.one::<TRACK>(p, |byte| matches!(byte, 97..=97)) }
    ");
}

#[test]
fn a_choice_of_bytes_is_one_test_and_repeated_one_loop() {
    let grammar =
        r#"start = @{ (" " | '\t'..'\r')* ~ (!(end | '\x00'..'z') ~ ANY)* ~ end } end = _{ "}" }"#;
    insta::assert_snapshot!(compiled(grammar, &[]), @r"
    #[inline]
    fn start { let q = start_atomic::<TRACK>(m, p)?; m.leaf(Rule::Start, p, q); Some(q) }
    #[inline]
    fn start_atomic { 's1: {
    let Some(p) = (m.many::<TRACK>(p, |byte| matches!(byte, 9..=13 | 32..=32))) else { break 's1 None };
    let Some(p) = (m.many::<TRACK>(p, |byte| matches!(byte, 123..=124 | 126..=255))) else { break 's1 None };
    m.one::<TRACK>(p, |byte| matches!(byte, 125..=125))
    } }
    ");
}

#[test]
fn many_ranges_are_looked_up() {
    let source = compiled(r#"start = @{ "a" | "c" | "e" }"#, &[]);
    assert!(source.contains("MEMBERS"), "{source}");
    assert_eq!(source.matches("true,").count(), 3, "{source}");
}

/// A failure inside a negative lookahead is the wanted outcome, so errors do not report it, at any depth of calls.
#[test]
fn failures_inside_a_negative_lookahead_are_not_tracked() {
    let grammar = r#"start = @{ !(a ~ !(a ~ "b")) ~ &a ~ a } a = _{ "(" ~ ")"* }"#;
    insta::assert_snapshot!(compiled(grammar, &[]), @r"
    #[inline]
    fn start { let q = start_atomic::<TRACK>(m, p)?; m.leaf(Rule::Start, p, q); Some(q) }
    #[inline]
    fn start_atomic { 's1: {
    let Some(p) = (if ('s2: {
    let Some(p) = (a_atomic::<false>(m, p)) else { break 's2 None };
    if ('s3: {
    let Some(p) = (a_atomic::<false>(m, p)) else { break 's3 None };
    m.one::<false>(p, |byte| matches!(byte, 98..=98))
    }).is_some() { m.stop::<false>(p) } else { Some(p) }
    }).is_some() { m.stop::<TRACK>(p) } else { Some(p) }) else { break 's1 None };
    let Some(p) = ((a_atomic::<TRACK>(m, p)).map(|_| p)) else { break 's1 None };
    a_atomic::<TRACK>(m, p)
    } }
    #[inline]
    fn a_atomic { 's4: {
    let Some(p) = (m.one::<TRACK>(p, |byte| matches!(byte, 40..=40))) else { break 's4 None };
    m.many::<TRACK>(p, |byte| matches!(byte, 41..=41))
    } }
    ");
}

#[test]
fn a_rule_for_messages_alone_writes_no_token() {
    let grammar = r#"start = ${ name ~ end } name = ${ word } word = @{ "a"+ } end = @{ ";" }"#;
    assert_eq!(tokens(grammar, &[]), "End, Name, Start, Word");
    assert_eq!(tokens(grammar, &["name", "end"]), "Start, Word");
    let source = compiled(grammar, &["name", "end"]);
    assert!(!source.contains("Rule::Name") && !source.contains("Rule::End"), "{source}");
}

#[test]
fn a_rule_is_a_leaf_when_only_rules_for_messages_are_inside() {
    let grammar = r#"start = ${ "'" ~ end } end = @{ "'" }"#;
    assert!(compiled(grammar, &[]).contains("m.open(Rule::Start, p)"));
    let source = compiled(grammar, &["end"]);
    assert!(source.contains("m.leaf(Rule::Start, p, q)") && !source.contains("m.open"), "{source}");
}

#[test]
fn the_same_grammar_gives_the_same_source() {
    let rules: String = ('a'..='z').map(|c| format!("{c}_ = @{{ \"{c}\" }}\n")).collect();
    let names: Vec<_> = ('a'..='z').map(|c| format!("{c}_")).collect();
    let grammar = format!("start = ${{ {} }}\n{rules}", names.join(" | "));
    assert_eq!(compiled(&grammar, &[]), compiled(&grammar, &[]));
}

#[test]
fn constructs_without_a_meaning_for_bytes_are_refused_with_their_rule() {
    for (grammar, what) in [
        (r#"start = { "a" }"#, "rule start: write `_`, `@` or `$` before the brace"),
        (r#"start = !{ "a" }"#, "rule start: write `_`, `@` or `$` before the brace"),
        (
            r#"start = @{ inner } inner = ${ word } word = @{ "a" }"#,
            "inner: a `$` rule inside an `@` rule",
        ),
        (r#"start = @{ "ab" }"#, "\"ab\": only single bytes are compiled"),
        (r#"start = @{ PUSH("a") ~ POP }"#, "cannot compile Push"),
        (r#"start = @{ 'à'..'é' }"#, "cannot compile Range"),
        (r#"start = @{ ^"a" }"#, "cannot compile Insens"),
        (r#"start = @{ (!"ab" ~ ANY)* }"#, "only single bytes"),
    ] {
        let error = refused(grammar, &[]);
        assert!(error.contains(what), "{grammar}: {error}");
    }
    assert!(refused("start = @{ other }", &[]).ends_with("rule other is undefined"));
    assert!(refused("start = @{", &[]).contains("expected"));
    assert_eq!(refused(r#"other = @{ "a" }"#, &[]), "no rule start");
    assert_eq!(refused(r#"start = @{ "a" }"#, &["nothing"]), "no rule nothing");
    let error = refused(r#"start = ${ outer } outer = @{ word } word = @{ "a" }"#, &["outer"]);
    assert!(error.starts_with("tokens in an `@` rule"), "{error}");
    assert_eq!(refused(r#"start = _{ "a" }"#, &[]), "no rule becomes a token");
}
