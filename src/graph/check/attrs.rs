//! Checks the attributes of a node against the definition of its op.

use super::scope::{NodeScope, ResolvedNode, counted, listed};
use super::signature::{Signature, Signatures};
use super::value::{Value, attrs};
use crate::error::shortened;
use crate::graph::finding::Findings;
use crate::graph::{Constant, is_constant};
use crate::schema::tensorflow::attr_value::{self, ListValue};
use crate::schema::tensorflow::op_def::AttrDef;
use crate::tensor::DType;

/// The number of allowed values of an attribute that are considered.
const MAX_ALLOWED: usize = 1_000;

/// Checks every attribute of a node against `signature`.
pub(super) fn check<'a>(
    scope: &NodeScope<'a>,
    resolved: &ResolvedNode<'a>,
    signature: &Signature<'a>,
    signatures: &Signatures<'a>,
    findings: &mut Findings,
) {
    let node = &resolved.node;
    let mut present = 0;
    for (name, value) in attrs(node) {
        let path = || format!("{}.attr[{name:?}]", scope.path(node.name));
        if let Some(definition) = signature.attrs.get(name) {
            present += usize::from(definition.default_value.is_none());
            let problem = problem(scope, signature, definition, value);
            if let Some(problem) = problem.or_else(|| no_constant(node.op, name, value)) {
                findings.add(path, || problem);
            }
        } else if !name.starts_with('_') {
            findings.add(path, || {
                let hint = scope.search.hint(name, signature.attrs.keys().copied());
                format!("attribute {name:?} is not in op {}{hint}", signature.op.name)
            });
        }
        for function in
            value.functions().filter(|function| !name.starts_with('_') && !function.is_empty())
        {
            if !signatures.has(function) {
                findings.add(path, || format!("function {function:?} is not in the library"));
            }
        }
    }
    if present < signature.required.len() {
        findings.add(|| scope.path(node.name), || missing(resolved, signature));
    }
}

/// The finding about required attributes that are missing.
fn missing(resolved: &ResolvedNode<'_>, signature: &Signature<'_>) -> String {
    let given: Vec<_> = resolved.node.attrs().map(|(name, _)| name).collect();
    let required = signature.required.iter();
    let missing: Vec<_> = required.filter(|name| given.binary_search(name).is_err()).collect();
    let (count, names) = (missing.len(), missing.iter().map(|name| format!("{name:?}")));
    let names = listed(names, count);
    let (attribute, is) = if count == 1 { ("attribute", "is") } else { ("attributes", "are") };
    let op = &signature.op.name;
    format!("{attribute} {names} {is} missing, and op {op} has no default")
}

/// The finding about a wrong value.
fn problem(
    scope: &NodeScope<'_>,
    signature: &Signature<'_>,
    definition: &AttrDef,
    value: Value<'_>,
) -> Option<String> {
    if let (Value::Placeholder(name), Some(function)) = (value, &scope.function) {
        let is_known = function.attrs.contains_key(name);
        return (!is_known)
            .then(|| format!("function {} has no attribute {name:?}", function.op.name));
    }
    let op = &signature.op.name;
    if let Some(found) = wrong_type(&definition.r#type, value) {
        return Some(format!("is {found}, but op {op} accepts {}", definition.r#type));
    }
    let mut types: Box<dyn Iterator<Item = i32>> = match value {
        Value::Type(code) => Box::new(std::iter::once(code)),
        Value::List(list) => Box::new(list.types()),
        _ => Box::new(std::iter::empty()),
    };
    if let Some(problem) = types.find_map(no_type) {
        return Some(problem);
    }
    too_small(op, definition, value).or_else(|| not_allowed(op, definition, value))
}

/// The finding about the value of a constant that cannot be read.
fn no_constant(op: &str, attr: &str, value: Value<'_>) -> Option<String> {
    match value {
        Value::Tensor(tensor) if is_constant(op) && attr == "value" => {
            Constant::parse(tensor).err().map(|error| format!("cannot be read: {error}"))
        }
        _ => None,
    }
}

/// The type of a value, if it is not `wanted`.
fn wrong_type(wanted: &str, value: Value<'_>) -> Option<&'static str> {
    if !wanted.starts_with("list(") {
        return (value.type_name() != wanted).then(|| value.type_name());
    }
    match value {
        // Graphs before version 5 leave out empty lists.
        Value::Unset => None,
        Value::List(list) => list.members().find(|found| *found != wanted),
        other => Some(other.type_name()),
    }
}

/// The finding about a code that is not a type.
fn no_type(code: i32) -> Option<String> {
    if DType::from_code(code).is_some() {
        return None;
    }
    Some(match (code, DType::from_reference(code)) {
        (0, _) => "is DT_INVALID, which is not a type".into(),
        (_, Some(dtype)) => format!("is a reference to {dtype}, which an attribute may not be"),
        (_, None) => format!("is type {code}, which is unknown"),
    })
}

/// The finding about a number that is too small, or a list that is too short.
fn too_small(op: &str, definition: &AttrDef, value: Value<'_>) -> Option<String> {
    if !definition.has_minimum {
        return None;
    }
    let minimum = definition.minimum;
    match value {
        Value::Int(number) if number < minimum => {
            Some(format!("is {number}, but op {op} accepts {minimum} or more"))
        }
        Value::List(_) | Value::Unset => {
            let len = if let Value::List(list) = value { list.len() } else { 0 };
            let is_short = i64::try_from(len).is_ok_and(|len| len < minimum);
            let have = counted(len, "item");
            is_short.then(|| format!("has {have}, but op {op} accepts {minimum} or more"))
        }
        _ => None,
    }
}

/// The finding about a value that the op does not allow.
fn not_allowed(op: &str, definition: &AttrDef, value: Value<'_>) -> Option<String> {
    let Some(attr_value::Value::List(allowed)) = &definition.allowed_values.as_ref()?.value else {
        return None;
    };
    // Op definitions allow a few values; a longer list would be searched for each item of an attribute.
    if allowed.s.len().max(allowed.r#type.len()) > MAX_ALLOWED {
        return None;
    }
    let has_string = |text: &[u8]| allowed.s.iter().any(|allowed| allowed == text);
    let has_type = |code: &i32| allowed.r#type.contains(code);
    let text = |text: &[u8]| format!("{:?}", shortened(&String::from_utf8_lossy(text)));
    let found = match value {
        Value::String(found) => (!has_string(found)).then(|| text(found)),
        Value::Type(code) => (!has_type(&code)).then(|| DType::name_of(code)),
        Value::List(list) if definition.r#type == "list(string)" => {
            list.strings().find(|found| !has_string(found)).map(text)
        }
        Value::List(list) if definition.r#type == "list(type)" => {
            list.types().find(|code| !has_type(code)).map(DType::name_of)
        }
        _ => None,
    }?;
    Some(format!("is {found}, but op {op} accepts {}", one_of(allowed)))
}

fn one_of(allowed: &ListValue) -> String {
    let strings = allowed.s.iter().map(|text| format!("{:?}", String::from_utf8_lossy(text)));
    let types = allowed.r#type.iter().map(|code| DType::name_of(*code));
    let mut names: Vec<_> = strings.chain(types).collect();
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
        None => "nothing".into(),
    }
}
