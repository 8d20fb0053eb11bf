//! Functions as Python calls them.

use serde::Serialize;

use super::structured_value::{Entries, Items, StructuredOut};
use crate::report::{Callable, ConcreteFunction, Parameter, Parameters};

#[derive(Serialize)]
pub(super) struct CallableOut<'a> {
    names: &'a [String],
    of_root: bool,
    of_signature: bool,
    parameters: Option<ParametersOut<'a>>,
    jit_compile: Option<bool>,
    concrete_functions: &'a [String],
    keywords: &'a [String],
    positional: u64,
}

#[derive(Serialize)]
struct ParametersOut<'a> {
    positional: Vec<ParameterOut<'a>>,
    varargs: Option<&'a str>,
    keyword_only: Vec<ParameterOut<'a>>,
    varkw: Option<&'a str>,
}

#[derive(Serialize)]
struct ParameterOut<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<StructuredOut<'a>>,
}

#[derive(Serialize)]
pub(super) struct ConcreteFunctionOut<'a> {
    name: &'a str,
    arguments: Option<Items<'a>>,
    arguments_by_name: Option<Entries<'a>>,
    results: StructuredOut<'a>,
    captured: u64,
}

impl<'a> CallableOut<'a> {
    pub(super) fn new(callable: &'a Callable) -> Self {
        Self {
            names: &callable.names,
            of_root: callable.of_root,
            of_signature: callable.of_signature,
            parameters: callable.parameters.as_ref().map(ParametersOut::new),
            jit_compile: callable.jit_compile,
            concrete_functions: &callable.concrete_functions,
            keywords: &callable.keywords,
            positional: callable.positional,
        }
    }
}

impl<'a> ParametersOut<'a> {
    fn new(parameters: &'a Parameters) -> Self {
        let out = |parameters: &'a [Parameter]| {
            let out = parameters.iter().map(|parameter| ParameterOut {
                name: &parameter.name,
                default: parameter.default.as_ref().map(StructuredOut::new),
            });
            out.collect()
        };
        Self {
            positional: out(&parameters.positional),
            varargs: parameters.varargs.as_deref(),
            keyword_only: out(&parameters.keyword_only),
            varkw: parameters.varkw.as_deref(),
        }
    }
}

impl<'a> ConcreteFunctionOut<'a> {
    pub(super) fn new(function: &'a ConcreteFunction) -> Self {
        let is_told = function.tells_arguments();
        Self {
            name: &function.name,
            arguments: is_told.then(|| Items(function.positional())),
            arguments_by_name: is_told.then(|| Entries(function.by_name())),
            results: StructuredOut::new(&function.results),
            captured: function.captured,
        }
    }
}
