//! Rewrites a node: names, device, attributes.

use std::borrow::Cow;

use crate::message::{Value, Writer, edit_fields, entry, records};
use crate::schema::field::{
    attr_value::{self, list_value},
    map_entry, node_def,
};

/// The attribute with the colocations of a node.
const CLASS: &str = "_class";

/// The attribute with the loop of an `Enter` node.
const FRAME: &str = "frame_name";

/// Changes to the nodes of a graph; by default, none.
pub(super) trait Edit {
    /// The new name of a node.
    fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        Cow::Borrowed(name)
    }

    /// The new text of an input; `None` to drop a duplicate.
    fn input<'n>(&mut self, input: &'n str) -> Option<Cow<'n, str>> {
        Some(Cow::Borrowed(input))
    }

    /// The new name of a loop.
    fn frame<'n>(&self, frame: &'n str) -> Cow<'n, str> {
        Cow::Borrowed(frame)
    }

    /// The new entry of `_class`; `None` to drop it.
    fn colocation<'n>(&self, class: &'n str) -> Option<Cow<'n, str>> {
        Some(Cow::Borrowed(class))
    }

    /// The new device of a node; empty for none.
    fn device<'n>(&'n self, device: &'n str) -> &'n str {
        device
    }

    /// Whether an attribute is kept.
    fn keeps_attr(&mut self, _op: &str, _attr: &str, _value: &[u8]) -> bool {
        true
    }
}

/// Writes the records of a `NodeDef` with the changes of `edit`.
pub(super) fn rewrite(node: &[u8], edit: &mut impl Edit, out: &mut Writer) {
    let (mut op, mut is_placed) = ("", false);
    for record in records(node) {
        if !is_placed && record.number >= node_def::DEVICE {
            is_placed = true;
            let own = if record.number == node_def::DEVICE { record.text() } else { "" };
            put_name(node_def::DEVICE, edit.device(own), out);
        }
        match (record.number, record.value) {
            (node_def::NAME, Value::Len(_)) => {
                put_name(node_def::NAME, &edit.name(record.text()), out);
            }
            (node_def::OP, Value::Len(_)) => {
                op = record.text();
                out.raw(record.bytes);
            }
            (node_def::INPUT, Value::Len(_)) => {
                if let Some(input) = edit.input(record.text()) {
                    out.put_bytes(node_def::INPUT, input.as_bytes());
                }
            }
            (node_def::DEVICE, Value::Len(_)) => {}
            (node_def::ATTR, Value::Len(attr)) => match entry(attr) {
                (name, value) if !edit.keeps_attr(op, name, value) => {}
                (CLASS, _) => put_attr(attr, |value, out| classes(value, edit, out), out),
                (FRAME, _) if matches!(op, "Enter" | "RefEnter") => {
                    put_attr(attr, |value, out| frame(value, edit, out), out);
                }
                _ => out.raw(record.bytes),
            },
            _ => out.raw(record.bytes),
        }
    }
    if !is_placed {
        put_name(node_def::DEVICE, edit.device(""), out);
    }
}

/// Writes a name, unless it is empty.
fn put_name(number: u32, name: &str, out: &mut Writer) {
    if !name.is_empty() {
        out.put_bytes(number, name.as_bytes());
    }
}

/// Writes an entry of the attributes, its value by `write`.
fn put_attr(attr: &[u8], write: impl Fn(&[u8], &mut Writer), out: &mut Writer) {
    out.put_message(node_def::ATTR, |out| edit_fields(attr, map_entry::VALUE, out, write));
}

/// Writes an `AttrValue` that is a list of colocations.
fn classes(value: &[u8], edit: &impl Edit, out: &mut Writer) {
    edit_fields(value, attr_value::LIST, out, |list, out| {
        for item in records(list) {
            let class = match (item.number, item.value) {
                (list_value::S, Value::Len(class)) => str::from_utf8(class).ok(),
                _ => None,
            };
            match class.map(|class| edit.colocation(class)) {
                None => out.raw(item.bytes),
                Some(None) => {}
                Some(Some(class)) => out.put_bytes(list_value::S, class.as_bytes()),
            }
        }
    });
}

/// Writes an `AttrValue` that is the name of a loop.
fn frame(value: &[u8], edit: &impl Edit, out: &mut Writer) {
    edit_fields(value, attr_value::S, out, |name, out| match str::from_utf8(name) {
        Ok(name) => out.raw(edit.frame(name).as_bytes()),
        Err(_) => out.raw(name),
    });
}
