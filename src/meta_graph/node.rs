//! A node with other names, without its device, without some of its attributes.

use std::borrow::Cow;

use super::fields::{self, records};
use crate::graph::{attr, bytes_of, text_of};
use crate::message::{Value, Writer};
use crate::schema::WireType;

/// The attribute that says beside which nodes a node is placed.
const CLASS: &str = "_class";

/// The attribute that says which loop an `Enter` leads into.
const FRAME: &str = "frame_name";

/// What becomes of the nodes of a graph; by default everything stays.
pub(super) trait Edit {
    /// The name of a node.
    fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        Cow::Borrowed(name)
    }

    /// An input; `None` for one that is given already.
    fn input<'n>(&mut self, input: &'n str) -> Option<Cow<'n, str>> {
        Some(Cow::Borrowed(input))
    }

    /// The name of a loop.
    fn frame<'n>(&self, frame: &'n str) -> Cow<'n, str> {
        Cow::Borrowed(frame)
    }

    /// An entry of `_class`; `None` for one that means nothing any more.
    fn colocation<'n>(&self, class: &'n str) -> Option<Cow<'n, str>> {
        Some(Cow::Borrowed(class))
    }

    /// The device of a node, empty where it has none.
    fn device<'n>(&'n self, device: &'n str) -> &'n str {
        device
    }

    /// Whether an attribute stays.
    fn keeps_attr(&mut self, _op: &str, _attr: &str, _value: &[u8]) -> bool {
        true
    }
}

/// Writes the records of a `NodeDef` as `edit` has them.
pub(super) fn rewrite(node: &[u8], edit: &mut impl Edit, out: &mut Writer) {
    let (mut op, mut is_placed) = ("", false);
    for record in records(node) {
        if !is_placed && record.number >= 4 {
            is_placed = true;
            let own = if record.number == 4 { text_of(&record) } else { "" };
            let device = edit.device(own);
            if !device.is_empty() {
                fields::write(4, device.as_bytes(), out);
            }
        }
        match (record.number, record.value) {
            (1, Value::Len(_)) => {
                let name = edit.name(text_of(&record));
                if !name.is_empty() {
                    fields::write(1, name.as_bytes(), out);
                }
            }
            (2, Value::Len(_)) => {
                op = text_of(&record);
                out.raw(record.bytes);
            }
            (3, Value::Len(_)) => {
                if let Some(input) = edit.input(text_of(&record)) {
                    fields::write(3, input.as_bytes(), out);
                }
            }
            (4, Value::Len(_)) => {}
            (5, Value::Len(entry)) => match attr(entry) {
                (name, value) if !edit.keeps_attr(op, name, value) => {}
                (CLASS, _) => entry_with(entry, |value, out| classes(value, edit, out), out),
                (FRAME, _) if matches!(op, "Enter" | "RefEnter") => {
                    entry_with(entry, |value, out| frame(value, edit, out), out);
                }
                _ => out.raw(record.bytes),
            },
            _ => out.raw(record.bytes),
        }
    }
    if !is_placed && !edit.device("").is_empty() {
        fields::write(4, edit.device("").as_bytes(), out);
    }
}

/// Writes an entry of the attributes, its value by `write`.
fn entry_with(entry: &[u8], write: impl Fn(&[u8], &mut Writer), out: &mut Writer) {
    out.tag(5, WireType::Len);
    out.open();
    for record in records(entry) {
        match (record.number, record.value) {
            (2, Value::Len(value)) => {
                out.tag(2, WireType::Len);
                out.open();
                write(value, out);
                out.close();
            }
            _ => out.raw(record.bytes),
        }
    }
    out.close();
}

/// Writes an `AttrValue` that is a list of colocations.
fn classes(value: &[u8], edit: &impl Edit, out: &mut Writer) {
    for record in records(value) {
        match (record.number, record.value) {
            (1, Value::Len(list)) => {
                out.tag(1, WireType::Len);
                out.open();
                for item in records(list) {
                    match (item.number, std::str::from_utf8(bytes_of(&item))) {
                        (2, Ok(class)) => {
                            if let Some(class) = edit.colocation(class) {
                                fields::write(2, class.as_bytes(), out);
                            }
                        }
                        _ => out.raw(item.bytes),
                    }
                }
                out.close();
            }
            _ => out.raw(record.bytes),
        }
    }
}

/// Writes an `AttrValue` that is the name of a loop.
fn frame(value: &[u8], edit: &impl Edit, out: &mut Writer) {
    for record in records(value) {
        match (record.number, std::str::from_utf8(bytes_of(&record))) {
            (2, Ok(name)) => fields::write(2, edit.frame(name).as_bytes(), out),
            _ => out.raw(record.bytes),
        }
    }
}
