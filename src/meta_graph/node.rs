//! A node with other names, without its device, without some of its attributes.

use std::borrow::Cow;

use super::fields::{self, records};
use crate::graph::{attr, bytes_of, text_of};
use crate::message::{Value, Writer};
use crate::schema::WireType;
use crate::schema::field::{
    attr_value::{self, list_value},
    map_entry, node_def,
};

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
        if !is_placed && record.number >= node_def::DEVICE {
            is_placed = true;
            let own = if record.number == node_def::DEVICE { text_of(&record) } else { "" };
            let device = edit.device(own);
            if !device.is_empty() {
                fields::write(node_def::DEVICE, device.as_bytes(), out);
            }
        }
        match (record.number, record.value) {
            (node_def::NAME, Value::Len(_)) => {
                let name = edit.name(text_of(&record));
                if !name.is_empty() {
                    fields::write(node_def::NAME, name.as_bytes(), out);
                }
            }
            (node_def::OP, Value::Len(_)) => {
                op = text_of(&record);
                out.raw(record.bytes);
            }
            (node_def::INPUT, Value::Len(_)) => {
                if let Some(input) = edit.input(text_of(&record)) {
                    fields::write(node_def::INPUT, input.as_bytes(), out);
                }
            }
            (node_def::DEVICE, Value::Len(_)) => {}
            (node_def::ATTR, Value::Len(entry)) => match attr(entry) {
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
        fields::write(node_def::DEVICE, edit.device("").as_bytes(), out);
    }
}

/// Writes an entry of the attributes, its value by `write`.
fn entry_with(entry: &[u8], write: impl Fn(&[u8], &mut Writer), out: &mut Writer) {
    out.tag(node_def::ATTR, WireType::Len);
    out.open();
    for record in records(entry) {
        match (record.number, record.value) {
            (map_entry::VALUE, Value::Len(value)) => {
                out.tag(map_entry::VALUE, WireType::Len);
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
            (attr_value::LIST, Value::Len(list)) => {
                out.tag(attr_value::LIST, WireType::Len);
                out.open();
                for item in records(list) {
                    match (item.number, std::str::from_utf8(bytes_of(&item))) {
                        (list_value::S, Ok(class)) => {
                            if let Some(class) = edit.colocation(class) {
                                fields::write(list_value::S, class.as_bytes(), out);
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
            (attr_value::S, Ok(name)) => {
                fields::write(attr_value::S, edit.frame(name).as_bytes(), out)
            }
            _ => out.raw(record.bytes),
        }
    }
}
