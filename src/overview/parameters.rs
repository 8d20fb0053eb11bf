//! The parameters of a function, as in Python's `inspect`.

use serde::Serialize;

use super::structured_value::StructuredValue;

/// The parameters of a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Parameters {
    /// The parameters that can be passed by position, without `self`.
    pub positional: Vec<Parameter>,
    /// The parameter for all further positional arguments.
    pub varargs: Option<String>,
    /// The keyword-only parameters.
    pub keyword_only: Vec<Parameter>,
    /// The parameter for all further keyword arguments.
    pub varkw: Option<String>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<StructuredValue>,
}

impl Parameters {
    /// Reads a `FullArgSpec`; `None` for any other value.
    pub(super) fn new(spec: StructuredValue, is_method: bool) -> Option<Self> {
        let StructuredValue::NamedTuple(spec) = spec else { return None };
        let mut found = Self::default();
        let (mut defaults, mut by_name) = (Vec::new(), Vec::new());
        for (field, value) in spec.fields {
            match (field.as_str(), value) {
                ("args", value) => found.positional = parameters(value),
                ("varargs", StructuredValue::String(name)) => found.varargs = Some(name),
                ("varkw", StructuredValue::String(name)) => found.varkw = Some(name),
                ("defaults", StructuredValue::Tuple(values) | StructuredValue::List(values)) => {
                    defaults = values;
                }
                ("kwonlyargs", value) => found.keyword_only = parameters(value),
                ("kwonlydefaults", StructuredValue::Dict(values)) => by_name = values,
                _ => {}
            }
        }
        // The defaults belong to the last parameters.
        for (parameter, value) in found.positional.iter_mut().rev().zip(defaults.into_iter().rev())
        {
            parameter.default = Some(value);
        }
        by_name.sort_by(|(a, _), (b, _)| a.cmp(b));
        for parameter in &mut found.keyword_only {
            let at = by_name.binary_search_by(|(name, _)| name.cmp(&parameter.name));
            let value = at.ok().and_then(|at| by_name.get_mut(at));
            parameter.default = value.map(|(_, value)| std::mem::take(value));
        }
        let has_self = found.positional.first().is_some_and(|first| first.name == "self");
        if (is_method || has_self) && !found.positional.is_empty() {
            found.positional.remove(0);
        }
        Some(found)
    }
}

/// Parameters with these names.
fn parameters(names: StructuredValue) -> Vec<Parameter> {
    let (StructuredValue::List(names) | StructuredValue::Tuple(names)) = names else {
        return Vec::new();
    };
    let parameter = |name| match name {
        StructuredValue::String(name) => Some(Parameter { name, default: None }),
        _ => None,
    };
    names.into_iter().filter_map(parameter).collect()
}
