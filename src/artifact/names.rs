//! The names of the fields at the start of a text or JSON, without a schema and without a parser: enough to tell what
//! it holds, and never an error.

use crate::schema::{MessageType, Schema};

use super::form::Form;

/// Levels that are looked at.
const LEVELS: usize = 4;

/// How much more a level counts than the one below.
const STEP: f64 = 4.0;

/// What is met on the way through a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// A field with a value that is no message.
    Value(&'a [u8]),
    /// A field with a message, which begins.
    Open(&'a [u8]),
    /// A message without a field of its own begins: another item of a list, or what an extension or Any holds.
    Other,
    /// A message ends.
    Close,
}

/// Whether a JSON object begins here, and no text.
pub(super) fn begins_json(head: &[u8]) -> bool {
    let rest = head.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| matches!(rest.first(), Some(b'"' | b'}')))
}

/// Whether a field begins here as text has it, perhaps behind comments.
pub(super) fn begins_text(head: &[u8]) -> bool {
    let mut tokens = Tokens { rest: head };
    match tokens.next() {
        Some(Token::Word(word)) if !word.first().is_some_and(u8::is_ascii_digit) => {
            matches!(tokens.next(), Some(Token::Mark(b':' | b'{' | b'<')))
        }
        Some(Token::Mark(b'[')) => {
            let closed = tokens.by_ref().any(|token| token == Token::Mark(b']'));
            closed && matches!(tokens.next(), Some(Token::Mark(b':' | b'{' | b'<')))
        }
        _ => false,
    }
}

/// Whether a control character that is no blank stands outside of quotes; only text and JSON have quotes.
pub(super) fn has_control(head: &[u8]) -> bool {
    let control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace() && *byte != 0x0b;
    let mut rest = head;
    while let Some(at) = rest.iter().position(|byte| control(byte) || b"#\"'".contains(byte)) {
        let Some((&first, after)) = rest.get(at..).and_then(<[u8]>::split_first) else { break };
        let line = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let inside = match first {
            b'#' if line.iter().any(control) => return true,
            b'#' => line.len(),
            // One that does not end in its line is none.
            b'"' | b'\'' => end_of_string(line, first).map_or(0, |end| end + 1),
            _ => return true,
        };
        rest = after.get(inside..).unwrap_or_default();
    }
    false
}

/// The message that a comment at the start names, as `# proto-message: tensorflow.GraphDef`.
pub(super) fn announced(head: &[u8]) -> Option<&str> {
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut comments = lines.take_while(|line| line.is_empty() || line.starts_with(b"#"));
    let name = comments.find_map(|line| {
        line.strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"proto-message:")
    })?;
    std::str::from_utf8(name.trim_ascii()).ok()
}

/// The fields at the start of a text or JSON.
pub(super) fn events(form: Form, head: &[u8]) -> Vec<Event<'_>> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    match form {
        Form::Json => json_events(head),
        _ => text_events(head),
    }
}

/// How many of the fields a message of this type has, weighted by their level: from -1 for none to 1 for all.
pub(super) fn fit(schema: &Schema, ty: &MessageType, form: Form, events: &[Event<'_>]) -> f64 {
    let mut open = vec![Frame::Message(ty)];
    let (mut sum, mut total) = (0.0, 0.0);
    for event in events {
        let frame = *open.last().unwrap_or(&Frame::Unknown);
        let (name, is_message) = match event {
            Event::Close => {
                // What closes once too often is for the parser to refuse.
                if open.len() > 1 {
                    open.pop();
                }
                continue;
            }
            Event::Other => {
                open.push(Frame::Unknown);
                continue;
            }
            Event::Value(name) => (name, false),
            Event::Open(name) => (name, true),
        };
        let (inner, score) = match frame {
            Frame::Unknown => (Frame::Unknown, None),
            Frame::Entries(value) => (value.map_or(Frame::Unknown, Frame::Message), None),
            Frame::Message(ty) => of_field(schema, ty, form, name, is_message),
        };
        if let (Some(score), true) = (score, open.len() <= LEVELS) {
            let level = i32::try_from(open.len()).unwrap_or(i32::MAX);
            sum += score * STEP.powi(-level);
            total += STEP.powi(-level);
        }
        if is_message {
            open.push(inner);
        }
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// What the names in a message mean.
#[derive(Debug, Clone, Copy)]
enum Frame<'s> {
    /// Fields.
    Message(&'s MessageType),
    /// Keys of a map with values of this type.
    Entries(Option<&'s MessageType>),
    /// Nothing that is known here.
    Unknown,
}

/// What is inside a field, and how well it fits; `None` where that says nothing.
fn of_field<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    form: Form,
    name: &[u8],
    is_message: bool,
) -> (Frame<'s>, Option<f64>) {
    if ty.well_known.is_some() || name == b"@type" {
        return (Frame::Unknown, None);
    }
    let field = match form {
        Form::Json => ty.field_by_json_name(name),
        _ => ty.field_by_name(name),
    };
    let Some(field) = field else { return (Frame::Unknown, Some(-1.0)) };
    let Some(inner) = field.kind.message().map(|id| &schema[id]) else {
        return (Frame::Unknown, Some(if is_message { -1.0 } else { 1.0 }));
    };
    if form == Form::Json && field.is_map() {
        let value = inner.entry().and_then(|(_, value)| value.kind.message());
        return (Frame::Entries(value.map(|id| &schema[id])), Some(1.0));
    }
    // An empty list, null, or what a well-known type has for a value.
    let fits = is_message || form == Form::Json;
    (Frame::Message(inner), Some(if fits { 1.0 } else { -1.0 }))
}

/// A word, or a mark that structure is made of; strings are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a [u8]),
    String(&'a [u8]),
    Mark(u8),
}

/// The tokens of text and JSON alike.
struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (&first, after) = self.rest.split_first()?;
            match first {
                b'#' => {
                    let end = self.rest.iter().position(|byte| *byte == b'\n');
                    self.rest = self.rest.get(end?..)?;
                }
                b'"' | b'\'' => {
                    let end = end_of_string(after, first)?;
                    let inside = after.get(..end)?;
                    self.rest = after.get(end + 1..)?;
                    return Some(Token::String(inside));
                }
                byte if is_word(byte) => {
                    let len = self.rest.iter().position(|byte| !is_word(*byte));
                    let (word, rest) =
                        self.rest.split_at_checked(len.unwrap_or(self.rest.len()))?;
                    self.rest = rest;
                    return Some(Token::Word(word));
                }
                byte if byte.is_ascii_whitespace() || byte == 0x0b => self.rest = after,
                mark => {
                    self.rest = after;
                    return Some(Token::Mark(mark));
                }
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn end_of_string(text: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == quote && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

fn text_events(head: &[u8]) -> Vec<Event<'_>> {
    let mut events = Vec::new();
    let mut tokens = Tokens { rest: head };
    // The field whose value is to come, and whether a colon stands before that.
    let mut field = None;
    let mut colon = false;
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) if !colon => field = Some(word),
            Token::Word(_) | Token::String(_) => {
                events.extend(field.take().map(Event::Value));
                colon = false;
            }
            Token::Mark(b':') => colon = true,
            Token::Mark(b'{' | b'<') => {
                events.push(field.take().map_or(Event::Other, Event::Open));
                colon = false;
            }
            Token::Mark(b'}' | b'>') => {
                events.push(Event::Close);
                (field, colon) = (None, false);
            }
            // The name of an extension or of what an Any holds.
            Token::Mark(b'[') if !colon => {
                tokens.by_ref().find(|token| *token == Token::Mark(b']'));
                field = None;
            }
            Token::Mark(b'[' | b'-') => {}
            Token::Mark(_) => (field, colon) = (None, false),
        }
    }
    events
}

fn json_events(head: &[u8]) -> Vec<Event<'_>> {
    let mut events = Vec::new();
    let mut tokens = Tokens { rest: head }.peekable();
    let mut field = None;
    let mut depth = 0usize;
    while let Some(token) = tokens.next() {
        match token {
            Token::String(name) if tokens.next_if_eq(&Token::Mark(b':')).is_some() => {
                field = Some(name);
            }
            Token::String(_) | Token::Word(_) => events.extend(field.take().map(Event::Value)),
            Token::Mark(b'{') => {
                // The outermost object is the message itself.
                if depth > 0 {
                    events.push(field.take().map_or(Event::Other, Event::Open));
                }
                depth += 1;
            }
            Token::Mark(b'}') => {
                events.push(Event::Close);
                field = None;
            }
            // An empty list.
            Token::Mark(b']') => events.extend(field.take().map(Event::Value)),
            Token::Mark(_) => {}
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_at_every_level() {
        let text = b"# a\nnode { name: 'x{' attr <key: \"k\" value {type: DT_INT32}> }\n[a.b/c.D] { x: 1 }\nversions {producer: -1}";
        let names: Vec<_> = events(Form::Text, text)
            .iter()
            .map(|event| match event {
                Event::Value(name) => format!("{}:", String::from_utf8_lossy(name)),
                Event::Open(name) => format!("{}{{", String::from_utf8_lossy(name)),
                Event::Other => "?{".into(),
                Event::Close => "}".into(),
            })
            .collect();
        let expected = "node{ name: attr{ key: value{ type: } } } ?{ x: } versions{ producer: }";
        assert_eq!(names.join(" "), expected);
        let json = br#"{"node": [{"name": "x", "attr": {"k": {"type": "DT_INT32"}}}, {"op": []}], "library": null}"#;
        let names: Vec<_> =
            events(Form::Json, json).into_iter().filter(|e| *e != Event::Close).collect();
        assert_eq!(names.len(), 8, "{names:?}");
    }

    #[test]
    fn binary_is_no_text() {
        for text in ["a: 1", "a{", "# x\n a <", "[a.b/c]: {", " \t\r\n_a1\n:"] {
            assert!(begins_text(text.as_bytes()), "{text}");
        }
        for other in ["", "# only", "1: 2", "{", "a", "a b", "\"a\": 1", "[a", "a = 1"] {
            assert!(!begins_text(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn control_characters_may_stand_in_quotes() {
        for text in
            ["a: 1\t", "a: '\x01' b: \"\x00'\\\"\x02\"", "# don't\na: '\x01'", "a: '# \x01'"]
        {
            assert!(!has_control(text.as_bytes()), "{text:?}");
        }
        for other in ["\x01", "a: '\x01", "a: 'b\n\x01'", "'a' \x01 'b'", "# '\x01'", "'\x7f'\x1f"]
        {
            assert!(has_control(other.as_bytes()), "{other:?}");
        }
    }
}
