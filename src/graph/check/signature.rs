//! The signature of an op or a function, indexed for lookups.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::library::Library;
use super::value::{Value, attrs};
use crate::graph::op_table::default_of;
use crate::graph::{Node, OpTable};
use crate::schema::tensorflow::op_def::{ArgDef, AttrDef};
use crate::schema::tensorflow::{OpDef, attr_value};
use crate::suggestion::Search;

/// The number of attributes that may give the number of an op's arguments; ops with more are not checked.
const MAX_COUNTED: usize = 64;

/// An op definition, or the signature of a function.
#[derive(Debug)]
pub(super) struct Signature<'a> {
    pub(super) op: &'a OpDef,
    /// The attributes by name.
    pub(super) attrs: BTreeMap<&'a str, &'a AttrDef>,
    /// The names of the attributes that a node must have.
    pub(super) required: Vec<&'a str>,
    pub(super) inputs: Args<'a>,
    pub(super) outputs: Args<'a>,
}

/// The inputs or the outputs of an op.
#[derive(Debug, Default)]
pub(super) struct Args<'a> {
    by_name: BTreeMap<&'a str, &'a ArgDef>,
    /// The number of arguments that are one tensor.
    single: u64,
    /// The attributes that give a number of tensors, each with the number of arguments that use it.
    counted: BTreeMap<&'a str, u64>,
}

/// The numbers of tensors that the attributes of one node give.
pub(super) type Sizes<'a> = Box<[(&'a str, u64)]>;

impl<'a> Signature<'a> {
    pub(super) fn new(op: &'a OpDef) -> Self {
        let attrs: BTreeMap<_, _> = op.attr.iter().map(|attr| (&*attr.name, attr)).collect();
        let required = attrs.values().filter(|attr| attr.default_value.is_none());
        Self {
            required: required.map(|attr| &*attr.name).collect(),
            attrs,
            inputs: Args::new(&op.input_arg),
            outputs: Args::new(&op.output_arg),
            op,
        }
    }

    /// The numbers of tensors that the attributes of `node`, or their defaults, give.
    pub(super) fn sizes(&self, node: &Node<'a>) -> Sizes<'a> {
        let is_counted =
            |name: &str| [&self.inputs, &self.outputs].iter().any(|a| a.counted.contains_key(name));
        if self.inputs.counted.is_empty() && self.outputs.counted.is_empty() {
            return Box::default();
        }
        let given = attrs(node).filter(|(name, _)| is_counted(name));
        let mut sizes: BTreeMap<&str, Option<u64>> = given.map(|(n, v)| (n, size(v))).collect();
        for name in self.inputs.counted.keys().chain(self.outputs.counted.keys()) {
            sizes.entry(name).or_insert_with(|| default_size(self.op, name));
        }
        sizes.into_iter().filter_map(|(name, size)| Some((name, size?))).collect()
    }
}

impl<'a> Args<'a> {
    fn new(args: &'a [ArgDef]) -> Self {
        let mut this = Self::default();
        for arg in args {
            this.by_name.insert(&arg.name, arg);
            match counted_by(arg) {
                Some(attr) => *this.counted.entry(attr).or_default() += 1,
                None => this.single += 1,
            }
        }
        this
    }

    /// The number of tensors of all arguments; `None` if it is unknown.
    pub(super) fn count(&self, sizes: &Sizes<'_>) -> Option<u64> {
        if self.counted.len() > MAX_COUNTED {
            return None;
        }
        self.counted.iter().try_fold(self.single, |sum, (attr, times)| {
            sum.checked_add(size_of(sizes, attr)?.checked_mul(*times)?)
        })
    }

    /// The number of tensors of the argument `name`; the outer `None` if there is no such argument.
    pub(super) fn width(&self, name: &str, sizes: &Sizes<'_>) -> Option<Option<u64>> {
        let arg = self.by_name.get(name)?;
        Some(counted_by(arg).map_or(Some(1), |attr| size_of(sizes, attr)))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.by_name.keys().copied()
    }
}

fn size_of(sizes: &Sizes<'_>, attr: &str) -> Option<u64> {
    let at = sizes.binary_search_by(|(name, _)| (*name).cmp(attr)).ok()?;
    sizes.get(at).map(|(_, size)| *size)
}

/// The attribute that gives the number of tensors of an argument.
fn counted_by(arg: &ArgDef) -> Option<&str> {
    [&arg.number_attr, &arg.type_list_attr].into_iter().find(|a| !a.is_empty()).map(|a| &**a)
}

fn size(value: Value<'_>) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(number).ok(),
        Value::List(list) => Some(list.len()),
        _ => None,
    }
}

fn default_size(op: &OpDef, attr: &str) -> Option<u64> {
    match default_of(op, attr)?.value.as_ref()? {
        attr_value::Value::I(number) => u64::try_from(*number).ok(),
        attr_value::Value::List(list) => Some(list.r#type.len() as u64),
        _ => None,
    }
}

/// Signatures by the name of a function or an op; functions of the library take precedence.
#[derive(Debug)]
pub(super) struct Signatures<'a> {
    ops: &'a OpTable<'a>,
    library: &'a Library<'a>,
    pub(super) search: Rc<Search>,
    seen: BTreeMap<&'a str, Option<Rc<Signature<'a>>>>,
}

impl<'a> Signatures<'a> {
    pub(super) fn new(ops: &'a OpTable<'a>, library: &'a Library<'a>) -> Self {
        Self { ops, library, search: Rc::default(), seen: BTreeMap::new() }
    }

    pub(super) fn get(&mut self, op: &'a str) -> Option<Rc<Signature<'a>>> {
        let (ops, library) = (self.ops, self.library);
        let find = || {
            let definition = library.signature(op).or_else(|| ops.definition(op))?;
            Some(Rc::new(Signature::new(definition)))
        };
        self.seen.entry(op).or_insert_with(find).clone()
    }

    /// Whether there is an op or a function with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.library.signature(name).is_some() || self.ops.definition(name).is_some()
    }

    /// The names of all ops and functions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.ops.names().chain(self.library.names())
    }
}
