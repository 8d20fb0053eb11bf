//! Meta graphs and graphs.

use std::io::{self, Write};

use crate::overview::{
    Collection, Function, Graph, MetaGraph, OpPurpose, Saver, SpecialOp, TensorType,
};

use super::super::number;
use super::super::table::{Align, NONE};
use super::super::terminal_text::{plural, printable};
use super::Page;

/// The default of a Saver, which keeps no checkpoint for good.
const NEVER: f32 = 10_000.0;

impl Page<'_> {
    pub(super) fn meta_graph(&self, graph: &MetaGraph, out: &mut dyn Write) -> io::Result<()> {
        let tensorflow = match (&*graph.tensorflow_version, &*graph.tensorflow_git_version) {
            ("", _) => String::new(),
            (version, "" | "unknown") => format!("TensorFlow {version}"),
            (version, git) => format!("TensorFlow {version} ({git})"),
        };
        // TensorFlow 2 records the op for both purposes.
        let ops = |purpose| self.few(ops(graph, purpose));
        let main = ops(OpPurpose::Main);
        let facts = [
            ("tags", self.few(graph.tags.iter().cloned())),
            ("version", graph.meta_graph_version.clone()),
            ("written by", tensorflow),
            ("versions", versions(&graph.graph)),
            ("graph", size(&graph.graph)),
            ("defaults", if graph.stripped_default_attrs { "stripped" } else { "" }.into()),
            ("objects", graph.objects.map(number::count).unwrap_or_default()),
            ("saver", graph.saver.as_ref().map(saver).unwrap_or_default()),
            ("main op", main.clone()),
            ("init op", Some(ops(OpPurpose::Init)).filter(|op| *op != main).unwrap_or_default()),
            ("init op", ops(OpPurpose::LegacyInit)),
            ("train op", ops(OpPurpose::Train)),
        ];
        self.facts(&facts, out)?;
        self.signatures(graph, out)?;
        self.callables(graph, out)?;
        self.graph(&graph.graph, out)?;
        let collection = |collection: &Collection| {
            let kind = collection.kind.unwrap_or("empty").to_owned();
            vec![printable(&collection.name), kind, number::count(collection.items)]
        };
        let columns = [Align::Left, Align::Right];
        self.section("Collections", &graph.collections, &columns, collection, out)?;
        self.assets(graph, out)
    }

    /// Writes a graph that is not part of a meta graph.
    pub(super) fn bare_graph(&self, graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
        self.facts(&[("versions", versions(graph)), ("graph", size(graph))], out)?;
        self.graph(graph, out)
    }

    fn graph(&self, graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
        let typed = |name: &str, ty: &TensorType, more: &str| {
            vec![printable(name), dtype(ty), ty.dims(), more.to_owned()]
        };
        let columns = [Align::Left, Align::Left, Align::Left];
        self.section(
            "Variables",
            &graph.variables,
            &columns,
            |variable| {
                let trainable = if variable.trainable == Some(true) { "trainable" } else { "" };
                typed(&variable.name, &variable.ty, trainable)
            },
            out,
        )?;
        self.section(
            "Placeholders",
            &graph.placeholders,
            &columns,
            |placeholder| typed(&placeholder.name, &placeholder.ty, ""),
            out,
        )?;
        let count = |n| if n == 0 { NONE.into() } else { number::count(n) };
        self.section_under(
            "Ops",
            &["op", "nodes", "in functions"],
            &graph.ops,
            &[Align::Right, Align::Right],
            |op| vec![printable(&op.name), count(op.nodes), count(op.in_functions)],
            out,
        )?;
        self.section_under(
            "Functions",
            &["function", "inputs", "outputs", "nodes", "alias"],
            &graph.functions,
            &[Align::Right, Align::Right, Align::Right, Align::Left],
            |function| {
                let &Function { inputs, outputs, nodes, ref alias, .. } = function;
                let [inputs, outputs, nodes] = [inputs, outputs, nodes].map(count);
                let alias = alias.as_deref().map(printable).unwrap_or_default();
                vec![printable(&function.name), inputs, outputs, nodes, alias]
            },
            out,
        )
    }
}

pub(super) fn dtype(ty: &TensorType) -> String {
    ty.dtype.clone().unwrap_or_else(|| "?".into())
}

/// The ops with a purpose.
fn ops(graph: &MetaGraph, purpose: OpPurpose) -> impl Iterator<Item = String> {
    let ops = graph.special_ops.iter().filter(move |op| op.purpose == purpose);
    // The deprecated name of the purpose is shown.
    let older = move |op: &SpecialOp| match purpose {
        OpPurpose::LegacyInit => format!("{} (by {})", op.name, op.named_by),
        _ => op.name.clone(),
    };
    ops.map(older)
}

fn versions(graph: &Graph) -> String {
    match (graph.producer, graph.min_consumer) {
        (0, 0) => String::new(),
        (producer, 0) => format!("producer {producer}"),
        (producer, consumer) => format!("producer {producer}, min consumer {consumer}"),
    }
}

fn size(graph: &Graph) -> String {
    let ops = graph.ops.iter().filter(|op| op.nodes > 0).count() as u64;
    let mut size = format!("{} of {}", plural(graph.nodes, "node"), plural(ops, "op"));
    if !graph.functions.is_empty() {
        let nodes = graph.functions.iter().map(|function| function.nodes).sum();
        let functions = plural(graph.functions.len() as u64, "function");
        size += &format!(", {functions} with {}", plural(nodes, "node"));
    }
    size
}

fn saver(saver: &Saver) -> String {
    let mut parts = vec![saver.format.to_owned()];
    if saver.sharded {
        parts.push("sharded".into());
    }
    parts.push(match saver.max_to_keep {
        0 => "keeps all".into(),
        n => format!("keeps {n}"),
    });
    if saver.keep_checkpoint_every_n_hours > 0.0 && saver.keep_checkpoint_every_n_hours < NEVER {
        let hours = number::short(saver.keep_checkpoint_every_n_hours.into());
        parts.push(format!("one permanently every {hours} hours"));
    }
    parts.push(format!("file name {}", saver.filename_tensor));
    parts.push(format!("save {}", saver.save_tensor));
    parts.push(format!("restore {}", saver.restore_op));
    parts.join(", ")
}
