//! Checks of `.proto` files before they are compiled: the compiler recurses, and takes quadratic time to report names that are defined
//! again and again.

use std::collections::BTreeSet;

use protox::prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
};

/// The maximum nesting of brackets.
const MAX_DEPTH: usize = 256;

/// The maximum number of fields of a message that have the name of another one in JSON.
const MAX_CONFLICTS: usize = 64;

/// Checks the nesting of brackets outside of strings and comments.
///
/// # Errors
/// If it is too deep: the message names the line.
pub(crate) fn check_nesting(name: &str, source: &str) -> Result<(), String> {
    let mut rest = source.as_bytes();
    let (mut depth, mut line) = (0usize, 1);
    while let Some((&byte, behind)) = rest.split_first() {
        let token = match byte {
            b'"' | b'\'' => string(rest),
            b'/' if behind.starts_with(b"/") => until(rest, b"\n"),
            b'/' if behind.starts_with(b"*") => until(rest, b"*/"),
            _ => 1,
        };
        match byte {
            b'{' | b'[' | b'<' => depth += 1,
            b'}' | b']' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("{name}:{line}: nesting: expected at most {MAX_DEPTH} levels"));
        }
        let (token, behind) = rest.split_at_checked(token).unwrap_or((rest, &[]));
        line += token.iter().filter(|byte| **byte == b'\n').count();
        rest = behind;
    }
    Ok(())
}

/// The length of the string at the start of `text`. Strings end at the end of a line.
fn string(text: &[u8]) -> usize {
    let mut bytes = text.iter().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'\n' => return at,
            _ if Some(byte) == text.first() => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The number of bytes up to and including `end`.
fn until(text: &[u8], end: &[u8]) -> usize {
    let at = text.windows(end.len()).skip(1).position(|bytes| bytes == end);
    at.map_or(text.len(), |at| at + 1 + end.len())
}

/// Checks that no name is defined twice in one scope.
///
/// # Errors
/// If one is: the message names it.
pub(crate) fn check_names(file: &FileDescriptorProto) -> Result<(), String> {
    let mut scope = Scope::new(file.package());
    scope.messages(&file.message_type)?;
    scope.enums(&file.enum_type)?;
    scope.names(file.extension.iter().map(FieldDescriptorProto::name))?;
    scope.names(file.service.iter().map(|service| service.name()))?;
    for service in &file.service {
        let mut methods = Scope::new(service.name());
        methods.names(service.method.iter().map(|method| method.name()))?;
    }
    let mut messages: Vec<&DescriptorProto> = file.message_type.iter().collect();
    while let Some(message) = messages.pop() {
        let mut scope = Scope::new(message.name());
        scope.fields(&message.field)?;
        scope.names(message.oneof_decl.iter().map(|oneof| oneof.name()))?;
        scope.names(message.extension.iter().map(FieldDescriptorProto::name))?;
        scope.messages(&message.nested_type)?;
        scope.enums(&message.enum_type)?;
        messages.extend(&message.nested_type);
    }
    Ok(())
}

/// The names that are defined in a message or a file.
struct Scope<'a> {
    name: &'a str,
    known: BTreeSet<&'a str>,
}

impl<'a> Scope<'a> {
    fn new(name: &'a str) -> Self {
        Self { name, known: BTreeSet::new() }
    }

    fn names(&mut self, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
        for name in names {
            if !self.known.insert(name) {
                return Err(self.twice(name));
            }
        }
        Ok(())
    }

    fn twice(&self, name: &str) -> String {
        let place = if self.name.is_empty() { String::new() } else { format!(" in {}", self.name) };
        format!("name '{name}' is defined twice{place}")
    }

    fn messages(&mut self, messages: &'a [DescriptorProto]) -> Result<(), String> {
        self.names(messages.iter().map(DescriptorProto::name))
    }

    /// The values of an enum are in the scope around it.
    fn enums(&mut self, enums: &'a [EnumDescriptorProto]) -> Result<(), String> {
        self.names(enums.iter().map(EnumDescriptorProto::name))?;
        self.names(enums.iter().flat_map(|of| &of.value).map(|value| value.name()))
    }

    /// The compiler compares the names of fields in JSON, too, where they have no underscores, and reports each conflict.
    fn fields(&mut self, fields: &'a [FieldDescriptorProto]) -> Result<(), String> {
        self.names(fields.iter().map(FieldDescriptorProto::name))?;
        let in_json = |field: &FieldDescriptorProto| field.name().replace('_', "").to_lowercase();
        let different: BTreeSet<String> = fields.iter().map(in_json).collect();
        match fields.len() - different.len() {
            ..=MAX_CONFLICTS => Ok(()),
            conflicts => {
                Err(format!("{conflicts} fields of {} have the same name in JSON", self.name))
            }
        }
    }
}
