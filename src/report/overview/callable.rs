//! The functions of an object graph: how each can be called.

use serde::Serialize;

use super::parameters::Parameters;
use super::records::{content, key, nested, text, value};
use super::structured_value::{Pairs, StructuredValue, optional_entries};
use crate::error::Result;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Form, Label, ObjectId, Way, bound_inputs};
use crate::message::{Records, Value};
use crate::schema::field::{
    function_spec, saved_bare_concrete_function, saved_concrete_function, saved_function,
    saved_object, saved_object_graph,
};

/// A function of an object, as Python calls it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Callable {
    /// What it goes by: the attributes of the root that are it, else its key path from there.
    pub names: Vec<String>,
    /// Whether it is an attribute of the root itself.
    pub of_root: bool,
    /// Whether it is what serves a signature.
    pub of_signature: bool,
    /// Its parameters; `None` where they are not told.
    pub parameters: Option<Parameters>,
    /// Whether it is compiled by XLA; `None` where that is left open.
    pub jit_compile: Option<bool>,
    /// Its concrete functions, by name: one for each sort of arguments that it was called with.
    pub concrete_functions: Vec<String>,
    /// What a function that is no more than one of those calls its tensors.
    pub keywords: Vec<String>,
    /// How many of those can be given without their names.
    pub positional: u64,
}

/// A function for one sort of arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConcreteFunction {
    /// Its name in the function library.
    pub name: String,
    /// Its arguments in order; `None` where the object graph does not record them. An argument that is not a tensor has the one
    /// value that the function was traced for.
    pub arguments: Option<Vec<StructuredValue>>,
    /// Its arguments by name.
    #[serde(serialize_with = "optional_entries")]
    pub arguments_by_name: Option<Vec<(String, StructuredValue)>>,
    /// What it gives.
    pub results: StructuredValue,
    /// How many tensors and variables it takes from around it.
    pub captured: u64,
}

/// The concrete functions of a `SavedObjectGraph`, by name.
pub(super) fn concrete_functions(objects: &[u8]) -> Result<Vec<ConcreteFunction>> {
    let concrete = |entry: &[u8]| {
        let function = value(entry)?;
        let structure = |number| {
            let found = nested(function, number).last().transpose()?;
            found.map(|record| StructuredValue::parse(content(&record))).transpose()
        };
        let signature = structure(saved_concrete_function::CANONICALIZED_INPUT_SIGNATURE)?;
        let (arguments, arguments_by_name) = arguments(signature.unwrap_or_default()).unzip();
        Ok(ConcreteFunction {
            name: key(entry)?,
            arguments,
            arguments_by_name,
            results: structure(saved_concrete_function::OUTPUT_SIGNATURE)?.unwrap_or_default(),
            captured: bound_inputs(function).len() as u64,
        })
    };
    let mut found: Vec<_> = nested(objects, saved_object_graph::CONCRETE_FUNCTIONS)
        .map(|entry| concrete(content(&entry?)))
        .collect::<Result<_>>()?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The arguments in order and those by name, from the tuple of both.
fn arguments(value: StructuredValue) -> Option<(Vec<StructuredValue>, Pairs)> {
    let StructuredValue::Tuple(both) = value else { return None };
    let mut both = both.into_iter();
    Some((
        both.next().map(StructuredValue::into_items).unwrap_or_default(),
        both.next().map(StructuredValue::into_pairs).unwrap_or_default(),
    ))
}

/// The functions of a `SavedObjectGraph`: those of its root by name, then the others by path.
pub(super) fn callables(objects: &[u8]) -> Result<Vec<Callable>> {
    let graph = ObjectGraph::new(Form::Saved, objects)?;
    let mut names = Names::new(&graph, objects.len());
    let has_function = |id| nested(graph.object_bytes(id), saved_object::FUNCTION).next().is_some();
    let functions: Vec<bool> = graph.ids().map(has_function).collect();
    let mut found = Vec::new();
    for id in graph.ids().filter(|&id| !is_trace(&graph, &functions, id)) {
        let Some(mut callable) = Callable::parse(graph.object_bytes(id))? else { continue };
        callable.names = names.of_root(id);
        callable.of_root = !callable.names.is_empty();
        callable.of_signature = is_in_signatures(&graph, id);
        if !callable.of_root {
            callable.names.push(names.path(id));
        }
        found.push(callable);
    }
    let order = |callable: &Callable| (!callable.of_root, callable.of_signature);
    found.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.names.cmp(&b.names)));
    Ok(found)
}

impl Callable {
    /// The function in a `SavedObject`, if it is one.
    fn parse(object: &[u8]) -> Result<Option<Self>> {
        let mut found = None;
        for record in Records::new(object, 0) {
            let record = record?;
            match record.number {
                saved_object::FUNCTION => found = Some(Self::of_function(content(&record))?),
                saved_object::BARE_CONCRETE_FUNCTION => {
                    found = Some(Self::of_bare(content(&record))?)
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// A `SavedFunction`.
    fn of_function(function: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        for record in Records::new(function, 0) {
            let record = record?;
            match record.number {
                saved_function::CONCRETE_FUNCTIONS => found.concrete_functions.push(text(&record)),
                saved_function::FUNCTION_SPEC => found.specify(content(&record))?,
                _ => {}
            }
        }
        Ok(found)
    }

    /// A `SavedBareConcreteFunction`.
    fn of_bare(function: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        for record in Records::new(function, 0) {
            let record = record?;
            match (record.number, record.value) {
                (saved_bare_concrete_function::CONCRETE_FUNCTION_NAME, _) => {
                    found.concrete_functions = vec![text(&record)]
                }
                (saved_bare_concrete_function::ARGUMENT_KEYWORDS, _) => {
                    found.keywords.push(text(&record))
                }
                (
                    saved_bare_concrete_function::ALLOWED_POSITIONAL_ARGUMENTS,
                    Value::Varint(count),
                ) => found.positional = count,
                (saved_bare_concrete_function::FUNCTION_SPEC, _) => {
                    found.specify(content(&record))?
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// Takes in a `FunctionSpec`.
    fn specify(&mut self, spec: &[u8]) -> Result<()> {
        let (mut arguments, mut is_method) = (StructuredValue::Unknown, false);
        for record in Records::new(spec, 0) {
            let record = record?;
            match (record.number, record.value) {
                (function_spec::FULLARGSPEC, _) => {
                    arguments = StructuredValue::parse(content(&record))?
                }
                (function_spec::IS_METHOD, Value::Varint(truth)) => is_method = truth != 0,
                (function_spec::JIT_COMPILE, Value::Varint(1)) => self.jit_compile = Some(true),
                (function_spec::JIT_COMPILE, Value::Varint(2)) => self.jit_compile = Some(false),
                _ => {}
            }
        }
        self.parameters = Parameters::new(arguments, is_method);
        Ok(())
    }
}

/// Whether an object is known only as one of the concrete functions of a function.
fn is_trace(graph: &ObjectGraph<'_>, functions: &[bool], id: ObjectId) -> bool {
    let Way::From(from, Label::Child(_)) = graph.way(id) else { return false };
    let is_function = |id: ObjectId| functions.get(id.position()) == Some(&true);
    is_function(from) && !is_function(id)
}

/// Whether an object is in the root's `signatures`.
fn is_in_signatures(graph: &ObjectGraph<'_>, id: ObjectId) -> bool {
    let Way::From(from, Label::Child(_)) = graph.way(id) else { return false };
    let is_root = |id| Some(id) == graph.root();
    matches!(graph.way(from), Way::From(from, Label::Child("signatures")) if is_root(from))
}

/// What objects go by.
struct Names<'g, 'm> {
    graph: &'g ObjectGraph<'m>,
    /// The attributes of the root, by object.
    of_root: Vec<(ObjectId, &'m str)>,
    /// Bytes that paths may still have: in a chain of objects each has one that is longer than that of the last.
    room: usize,
}

impl<'g, 'm> Names<'g, 'm> {
    /// The names in an object graph of so many bytes.
    fn new(graph: &'g ObjectGraph<'m>, bytes: usize) -> Self {
        let children = graph.root().into_iter().flat_map(|root| graph.children(root));
        let mut of_root: Vec<_> = children.map(|(name, id)| (id, name)).collect();
        of_root.sort_unstable();
        Self { graph, of_root, room: bytes.saturating_mul(4) }
    }

    /// The attributes of the root that are this object.
    fn of_root(&self, id: ObjectId) -> Vec<String> {
        let start = self.of_root.partition_point(|(other, _)| *other < id);
        let from = self.of_root.get(start..).unwrap_or_default();
        from.iter().take_while(|(other, _)| *other == id).map(|(_, name)| (*name).into()).collect()
    }

    /// The key path of an object, or its number.
    fn path(&mut self, id: ObjectId) -> String {
        let path = if self.room > 0 { self.graph.path(id) } else { String::new() };
        self.room = self.room.saturating_sub(path.len());
        if path.is_empty() { format!("#{}", id.number()) } else { path }
    }
}
