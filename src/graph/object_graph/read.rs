//! Reads the objects and references of a message.

use std::collections::BTreeSet;

use super::{Edge, Label, ObjectGraph, ObjectGraphKind, ObjectId};
use crate::error::{Error, Result};
use crate::message::{Records, Value, entry, fields, int32, numbers, string, utf8, varint};
use crate::schema::Kind;
use crate::schema::field::{
    saveable_object, saved_bare_concrete_function, saved_concrete_function, saved_function,
    saved_object, saved_object_graph,
    trackable_object_graph::trackable_object::{object_reference, slot_variable_reference},
};

impl<'m> ObjectGraph<'m> {
    /// Reads a message in canonical form, in `n log n` time. Other errors are findings.
    ///
    /// # Errors
    /// If the bytes are not a message, or have more objects than 32 bits can count.
    pub fn new(kind: ObjectGraphKind, bytes: &'m [u8]) -> Result<Self> {
        let mut graph = Self {
            kind,
            objects: Vec::new(),
            edges: Vec::new(),
            starts: Vec::new(),
            functions: Vec::new(),
            routes: Vec::new(),
            order: Vec::new(),
            findings: Vec::new(),
        };
        let mut references = References::default();
        for record in Records::new(bytes, 0) {
            let record = record?;
            let Value::Len(content) = record.value else { continue };
            match record.number {
                saved_object_graph::NODES => graph.object(content, &mut references)?,
                saved_object_graph::CONCRETE_FUNCTIONS if kind == ObjectGraphKind::Saved => {
                    graph.function(content, &mut references)
                }
                _ => {}
            }
        }
        graph.check_functions(&references.functions);
        graph.connect(references);
        graph.walk();
        Ok(graph)
    }

    fn object(&mut self, bytes: &'m [u8], references: &mut References<'m>) -> Result<()> {
        let id = u32::try_from(self.objects.len()).ok().filter(|&id| id < u32::MAX).ok_or_else(
            || Error::unexpected("number of objects", self.objects.len(), "at most 2^32 - 1"),
        )?;
        let from = ObjectId(id);
        self.objects.push(bytes);
        for field in Records::new(bytes, 0) {
            let field = field?;
            let Value::Len(content) = field.value else { continue };
            match (field.number, self.kind) {
                (saved_object::CHILDREN, _) => references.child(from, content, Label::Child),
                (saved_object::SLOT_VARIABLES, _) => references.slot(from, content),
                (saved_object::SAVEABLE_OBJECTS, ObjectGraphKind::Saved) => {
                    references.saveable(from, content)
                }
                (saved_object::DEPENDENCIES, ObjectGraphKind::Saved) => {
                    references.child(from, content, Label::Dependency)
                }
                (saved_object::FUNCTION, ObjectGraphKind::Saved) => {
                    let names = fields(content, saved_function::CONCRETE_FUNCTIONS);
                    references.functions.extend(names.map(utf8));
                }
                (saved_object::BARE_CONCRETE_FUNCTION, ObjectGraphKind::Saved) => {
                    let number = saved_bare_concrete_function::CONCRETE_FUNCTION_NAME;
                    references.functions.push(string(content, number));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Finds the functions of objects that have no entry: without it, TensorFlow does not load the object.
    fn check_functions(&mut self, names: &[&'m str]) {
        let known: BTreeSet<&str> = self.functions.iter().map(|(name, _)| *name).collect();
        let mut missing = Occurrences::default();
        for name in names.iter().filter(|name| !known.contains(*name)) {
            missing.add(|| format!("{name:?}"));
        }
        let what = "functions of objects without an entry in concrete_functions";
        self.findings.extend(missing.finding(what));
    }

    fn function(&mut self, map_entry: &'m [u8], references: &mut References<'m>) {
        let (name, function) = entry(map_entry);
        self.functions.push((name, function));
        for (at, id) in (0..).zip(bound_inputs(function)) {
            references.push(ObjectId(0), Label::Bound(name, at), id);
        }
    }

    /// Keeps the references to existing objects, and the first of each label.
    fn connect(&mut self, references: References<'m>) {
        let len = self.objects.len();
        let id = |id: i32| u32::try_from(id).ok().filter(|&id| (id as usize) < len).map(ObjectId);
        let mut dangling = Occurrences::default();
        for (from, label, to) in references.edges {
            let variable_is_known =
                !matches!(label, Label::Slot(variable, _) if variable.position() >= len);
            match id(to).filter(|_| variable_is_known && from.position() < len) {
                Some(to) => self.edges.push((from, Edge { label, to })),
                None => dangling.add(|| format!("object {} refers to object {to}", from.0)),
            }
        }
        self.edges.sort_by_key(|(from, edge)| (*from, edge.label));
        let mut duplicate = Occurrences::default();
        self.edges.dedup_by(|(from, edge), (before, first)| {
            let is_again = (*from, edge.label) == (*before, first.label);
            if is_again {
                duplicate.add(|| format!("object {}, {:?}", from.0, edge.label));
            }
            is_again
        });
        self.starts = (0..=len)
            .map(|id| self.edges.partition_point(|(from, _)| from.position() < id))
            .collect();
        self.findings.extend(dangling.finding(&format!("references to none of the {len} objects")));
        self.findings.extend(duplicate.finding("references with the name of an earlier one"));
    }
}

/// The objects that a `SavedConcreteFunction` captured, in order.
pub fn bound_inputs(function: &[u8]) -> Vec<i32> {
    numbers(function, saved_concrete_function::BOUND_INPUTS, Kind::Int32).map(int32).collect()
}

/// The references in the order of the message.
#[derive(Debug, Default)]
struct References<'m> {
    edges: Vec<(ObjectId, Label<'m>, i32)>,
    /// The names of the functions of objects.
    functions: Vec<&'m str>,
}

impl<'m> References<'m> {
    fn push(&mut self, from: ObjectId, label: Label<'m>, to: i32) {
        self.edges.push((from, label, to));
    }

    fn child(&mut self, from: ObjectId, reference: &'m [u8], label: impl Fn(&'m str) -> Label<'m>) {
        let name = string(reference, object_reference::LOCAL_NAME);
        self.push(from, label(name), id(reference, object_reference::NODE_ID));
    }

    fn slot(&mut self, from: ObjectId, reference: &'m [u8]) {
        let variable = id(reference, slot_variable_reference::ORIGINAL_VARIABLE_NODE_ID);
        let variable = ObjectId(u32::try_from(variable).unwrap_or(u32::MAX));
        let name = string(reference, slot_variable_reference::SLOT_NAME);
        let to = id(reference, slot_variable_reference::SLOT_VARIABLE_NODE_ID);
        self.push(from, Label::Slot(variable, name), to);
    }

    fn saveable(&mut self, from: ObjectId, map_entry: &'m [u8]) {
        let (name, functions) = entry(map_entry);
        if let Some(save) = varint(functions, saveable_object::SAVE_FUNCTION) {
            self.push(from, Label::Save(name), int32(save));
        }
        if let Some(restore) = varint(functions, saveable_object::RESTORE_FUNCTION) {
            self.push(from, Label::Restore(name), int32(restore));
        }
    }
}

/// The number of an object in a reference; 0, the root, if it is absent.
fn id(reference: &[u8], number: u32) -> i32 {
    int32(varint(reference, number).unwrap_or_default())
}

/// The number of occurrences of a finding, and the first one.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    count: u64,
    first: String,
}

impl Occurrences {
    pub(super) fn add(&mut self, what: impl Fn() -> String) {
        if self.count == 0 {
            self.first = what();
        }
        self.count += 1;
    }

    pub(super) fn finding(self, what: &str) -> Option<String> {
        (self.count > 0).then(|| format!("{} {what}; the first: {}", self.count, self.first))
    }
}
