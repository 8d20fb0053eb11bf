//! Limits on `.proto` files. The compiler recurses, and keeps kilobytes for each statement: what it is given is counted before.

use std::cell::Cell;
use std::rc::Rc;

use protox::prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
};

/// The maximum nesting of brackets.
const MAX_DEPTH: usize = 256;

/// The maximum number of dots in a name: the compiler recurses over the name of an option.
const MAX_DOTS: usize = 256;

/// What the files of a schema may have together. The largest schemas that people write have a tenth of it.
const MAX: Cost = Cost {
    files: 1_000,
    bytes: 8 << 20,
    statements: 50_000,
    name_bytes: 16 << 20,
    public_imports: 40,
};

/// Options times extensions: the compiler looks through all extensions for each option.
const MAX_LOOKUPS: usize = 50_000_000;

/// What is counted.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    files: usize,
    bytes: usize,
    /// Semicolons, opening braces and commas outside of strings and comments.
    statements: usize,
    /// The full names of everything that is defined.
    name_bytes: usize,
    /// The compiler follows each way through them.
    public_imports: usize,
}

/// What is left of the limits; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Budget(Rc<Cell<Cost>>);

impl Budget {
    /// The number of statements so far.
    pub(crate) fn statements(&self) -> usize {
        self.0.get().statements
    }

    /// Counts the source of a file.
    ///
    /// # Errors
    /// If it has, or all have, more than is allowed: the message names the file, and if it can the line.
    pub(crate) fn check_source(&self, name: &str, source: &str) -> Result<(), String> {
        self.add(name, Cost { files: 1, bytes: source.len(), ..Cost::default() })?;
        let statements = statements(name, source)?;
        self.add(name, Cost { statements, ..Cost::default() })
    }

    /// Counts the names and options of a file.
    ///
    /// # Errors
    /// As [`check_source`](Self::check_source).
    pub(crate) fn check_names(&self, file: &FileDescriptorProto) -> Result<(), String> {
        let found = Definitions::of(file);
        if found.options.saturating_mul(found.extensions) > MAX_LOOKUPS {
            let (options, extensions) = (found.options, found.extensions);
            return Err(format!(
                "{}: too many: {options} options, {extensions} extensions",
                file.name()
            ));
        }
        self.add(
            file.name(),
            Cost {
                name_bytes: found.name_bytes,
                public_imports: file.public_dependency.len(),
                ..Cost::default()
            },
        )
    }

    fn add(&self, file: &str, cost: Cost) -> Result<(), String> {
        let sum = |a: usize, b: usize| a.saturating_add(b);
        let all = self.0.get();
        let all = Cost {
            files: sum(all.files, cost.files),
            bytes: sum(all.bytes, cost.bytes),
            statements: sum(all.statements, cost.statements),
            name_bytes: sum(all.name_bytes, cost.name_bytes),
            public_imports: sum(all.public_imports, cost.public_imports),
        };
        self.0.set(all);
        for (what, found, most) in [
            ("files", all.files, MAX.files),
            ("bytes", all.bytes, MAX.bytes),
            ("statements", all.statements, MAX.statements),
            ("bytes of full names", all.name_bytes, MAX.name_bytes),
            ("public imports", all.public_imports, MAX.public_imports),
        ] {
            if found > most {
                return Err(format!(
                    "{file}: expected at most {most} {what} in all files, found {found}"
                ));
            }
        }
        Ok(())
    }
}

/// The number of statements, after a check of brackets and names outside of strings and comments.
fn statements(name: &str, source: &str) -> Result<usize, String> {
    let mut rest = source.as_bytes();
    let (mut depth, mut dots, mut statements, mut line) = (0usize, 0, 0, 1);
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
        match byte {
            b'.' => dots += 1,
            // Comments and spaces may stand inside a name.
            b'/' | b'(' | b')' | b'_' => {}
            _ if byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() => {}
            _ => dots = 0,
        }
        statements += usize::from(matches!(byte, b';' | b'{' | b','));
        if depth > MAX_DEPTH {
            return Err(format!("{name}:{line}: nesting: expected at most {MAX_DEPTH} levels"));
        }
        if dots > MAX_DOTS {
            return Err(format!("{name}:{line}: name: expected at most {MAX_DOTS} dots"));
        }
        let (token, behind) = rest.split_at_checked(token).unwrap_or((rest, &[]));
        line += token.iter().filter(|byte| **byte == b'\n').count();
        rest = behind;
    }
    Ok(statements)
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

/// The number of options of a definition; each kind of definition has a type of its own for them.
macro_rules! options {
    ($definition:ident) => {
        $definition.options.as_ref().map_or(0, |options| options.uninterpreted_option.len())
    };
}

/// What a file defines.
#[derive(Debug, Default)]
struct Definitions {
    /// The bytes of all full names, and of the paths to them in the file.
    name_bytes: usize,
    options: usize,
    extensions: usize,
}

impl Definitions {
    fn of(file: &FileDescriptorProto) -> Self {
        let mut found = Self::default();
        let scope = Scope { name_bytes: file.package().len(), depth: 1 };
        found.options += options!(file);
        found.fields(scope, &file.extension, true);
        found.enums(scope, &file.enum_type);
        for service in &file.service {
            found.options += options!(service);
            let inner = found.name(scope, service.name());
            for method in &service.method {
                found.options += options!(method);
                found.name(inner, method.name());
            }
        }
        let mut open: Vec<(Scope, &DescriptorProto)> =
            file.message_type.iter().map(|message| (scope, message)).collect();
        while let Some((outer, message)) = open.pop() {
            let scope = found.name(outer, message.name());
            found.options += options!(message);
            found.fields(scope, &message.field, false);
            found.fields(scope, &message.extension, true);
            found.enums(scope, &message.enum_type);
            for oneof in &message.oneof_decl {
                found.options += options!(oneof);
                found.name(scope, oneof.name());
            }
            open.extend(message.nested_type.iter().map(|inner| (scope, inner)));
        }
        found
    }

    /// Adds a name, and returns the scope below it.
    fn name(&mut self, scope: Scope, name: &str) -> Scope {
        let inner = Scope { name_bytes: scope.name_bytes + name.len() + 1, depth: scope.depth + 1 };
        // A path has two numbers for each level.
        self.name_bytes += inner.name_bytes + inner.depth * 8;
        inner
    }

    fn fields(&mut self, scope: Scope, fields: &[FieldDescriptorProto], are_extensions: bool) {
        for field in fields {
            self.name(scope, field.name());
            self.options += options!(field);
            self.extensions += usize::from(are_extensions);
        }
    }

    fn enums(&mut self, scope: Scope, enums: &[EnumDescriptorProto]) {
        for of in enums {
            self.options += options!(of);
            let inner = self.name(scope, of.name());
            for value in &of.value {
                self.options += options!(value);
                self.name(inner, value.name());
            }
        }
    }
}

/// Where something is defined.
#[derive(Debug, Clone, Copy)]
struct Scope {
    /// The length of its full name.
    name_bytes: usize,
    /// The number of messages around it.
    depth: usize,
}
