//! The functions of an object graph, and how to call them.

use serde::Serialize;

use super::parameters::Parameters;
use super::structured_value::{Pairs, StructuredValue, optional_entries};
use crate::error::Result;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Label, ObjectGraphKind, ObjectId, Route, bound_inputs};
use crate::message::{entries, field, nested, string, strings, varint};
use crate::schema::field::{
    function_spec, saved_bare_concrete_function, saved_concrete_function, saved_function,
    saved_object, saved_object_graph,
};

/// A function of an object that Python can call.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Callable {
    /// Its names: the attributes of the root that refer to it, else its key path from the root.
    pub names: Vec<String>,
    /// Whether it is an attribute of the root itself.
    pub of_root: bool,
    /// Whether it implements a signature.
    pub of_signature: bool,
    /// Its parameters; `None` where they are not recorded.
    pub parameters: Option<Parameters>,
    /// Whether it is compiled by XLA; `None` where that is not decided.
    pub jit_compile: Option<bool>,
    /// The names of its concrete functions, one for each kind of arguments that it was traced for.
    pub concrete_functions: Vec<String>,
    /// For a bare concrete function, the names of its arguments.
    pub keywords: Vec<String>,
    /// The number of these arguments that can be passed by position.
    pub positional: u64,
}

/// A function traced for one kind of arguments.
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
    /// Its results.
    pub results: StructuredValue,
    /// The number of tensors and variables that it captures.
    pub captured: u64,
}

/// The concrete functions of a `SavedObjectGraph`, by name.
pub(super) fn concrete_functions(objects: &[u8]) -> Result<Vec<ConcreteFunction>> {
    let concrete = |(name, function): (&str, &[u8])| {
        let structure = |number| field(function, number).map(StructuredValue::parse).transpose();
        let signature = structure(saved_concrete_function::CANONICALIZED_INPUT_SIGNATURE)?;
        let (arguments, arguments_by_name) = arguments(signature.unwrap_or_default()).unzip();
        Ok(ConcreteFunction {
            name: name.to_owned(),
            arguments,
            arguments_by_name,
            results: structure(saved_concrete_function::OUTPUT_SIGNATURE)?.unwrap_or_default(),
            captured: bound_inputs(function).len() as u64,
        })
    };
    let found = entries(objects, saved_object_graph::CONCRETE_FUNCTIONS).map(concrete);
    let mut found = found.collect::<Result<Vec<_>>>()?;
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
    let graph = ObjectGraph::new(ObjectGraphKind::Saved, objects)?;
    let mut names = ObjectNames::new(&graph, objects.len());
    let has_function = |id| field(graph.object_bytes(id), saved_object::FUNCTION).is_some();
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
    /// Reads the function in a `SavedObject`, if it is one.
    fn parse(object: &[u8]) -> Result<Option<Self>> {
        if let Some(function) = field(object, saved_object::FUNCTION) {
            let names = strings(function, saved_function::CONCRETE_FUNCTIONS);
            let found =
                Self { concrete_functions: names.map(Into::into).collect(), ..Self::default() };
            return found.specified(nested(function, saved_function::FUNCTION_SPEC)).map(Some);
        }
        let Some(bare) = field(object, saved_object::BARE_CONCRETE_FUNCTION) else {
            return Ok(None);
        };
        use saved_bare_concrete_function as number;
        let found = Self {
            concrete_functions: vec![string(bare, number::CONCRETE_FUNCTION_NAME).to_owned()],
            keywords: strings(bare, number::ARGUMENT_KEYWORDS).map(Into::into).collect(),
            positional: varint(bare, number::ALLOWED_POSITIONAL_ARGUMENTS).unwrap_or(0),
            ..Self::default()
        };
        found.specified(nested(bare, number::FUNCTION_SPEC)).map(Some)
    }

    /// The same function with the parameters of a `FunctionSpec`.
    fn specified(mut self, spec: &[u8]) -> Result<Self> {
        let arguments = StructuredValue::parse(nested(spec, function_spec::FULLARGSPEC))?;
        let is_method = varint(spec, function_spec::IS_METHOD).is_some_and(|truth| truth != 0);
        self.parameters = Parameters::new(arguments, is_method);
        self.jit_compile = match varint(spec, function_spec::JIT_COMPILE) {
            Some(1) => Some(true),
            Some(2) => Some(false),
            _ => None,
        };
        Ok(self)
    }
}

/// Whether an object is reached only as a concrete function of a function.
fn is_trace(graph: &ObjectGraph<'_>, functions: &[bool], id: ObjectId) -> bool {
    let Route::From(from, Label::Child(_)) = graph.route(id) else { return false };
    let is_function = |id: ObjectId| functions.get(id.position()) == Some(&true);
    is_function(from) && !is_function(id)
}

/// Whether an object is in the root's `signatures`.
fn is_in_signatures(graph: &ObjectGraph<'_>, id: ObjectId) -> bool {
    let Route::From(from, Label::Child(_)) = graph.route(id) else { return false };
    let is_root = |id| Some(id) == graph.root();
    matches!(graph.route(from), Route::From(from, Label::Child("signatures")) if is_root(from))
}

/// The names of objects.
struct ObjectNames<'g, 'm> {
    graph: &'g ObjectGraph<'m>,
    /// The attributes of the root, by object.
    of_root: Vec<(ObjectId, &'m str)>,
    /// Bytes that are left for paths: in a chain of objects, each path is longer than the one before.
    room: usize,
}

impl<'g, 'm> ObjectNames<'g, 'm> {
    /// The names in an object graph of this many bytes.
    fn new(graph: &'g ObjectGraph<'m>, bytes: usize) -> Self {
        let children = graph.root().into_iter().flat_map(|root| graph.children(root));
        let mut of_root: Vec<_> = children.map(|(name, id)| (id, name)).collect();
        of_root.sort_unstable();
        Self { graph, of_root, room: bytes.saturating_mul(4) }
    }

    /// The attributes of the root that refer to this object.
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
