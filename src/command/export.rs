//! `ckdiff export IN OUT`: extracts a part of a meta graph, or moves it under another scope.

use std::path::Path;

use crate::artifact::{Document, ReadOptions};
use crate::error::Error;
use crate::message::Message;
use crate::meta_graph::{
    self, ExportOptions, ExportOutcome, ImportOptions, ImportOutcome, export, import,
};
use crate::report::human::printable;
use crate::schema::KnownType;

use crate::command::Exit;
use crate::command::args::{ContentArgs, ExportArgs, TargetArgs};
use crate::command::debug_info;
use crate::command::diagnostics::{self, Diagnostics};
use crate::command::message_file::{target, warn_of, write};
use crate::command::schema::Loaded;

/// The maximum number of names that a warning lists.
const MAX_LISTED: usize = 10;

/// Exports a meta graph, and imports the result if an option of the second group is given.
///
/// # Errors
/// If a file cannot be read or holds no graph, an option names something that does not exist, or OUT cannot be written;
/// then OUT is unchanged.
pub(crate) fn run(args: &ExportArgs) -> Result<Exit, Diagnostics> {
    let to = target(&args.output, &args.form)?;
    let loaded = Loaded::tensorflow();
    let document = loaded.read(&args.input, args.form.read_options())?;
    let in_file = |error: Error| error.in_file(document.path());
    let meta = of_document(&document)?;
    let exported = export(&meta, &export_options(args)).map_err(in_file)?;
    let target = &args.target;
    let message = if target.is_given() {
        let base = target.into.as_deref().map(|path| loaded.read(path, ReadOptions::default()));
        let base = base.transpose()?;
        let into = base.as_ref().map(of_document).transpose()?;
        let options = import_options(args);
        let imported = import(&exported.message, into.as_ref(), &options).map_err(in_file)?;
        warn_of_import(&imported, target);
        imported.message.clone()
    } else {
        exported.message.clone()
    };
    let debug_info = args.content.save_debug_info.then(|| {
        let output = debug_info::sibling_of(&args.output, document.path())?;
        let info = debug_info::of(&meta, document.path())?;
        let scopes = [&args.content.export_scope, &target.import_scope];
        let [from, to_scope] = scopes.map(|scope| scope.as_deref().unwrap_or_default());
        let info = meta_graph::debug_info(&info, &message, from, to_scope).map_err(in_file)?;
        Ok::<_, Error>((output, info))
    });
    let debug_info = debug_info.transpose()?;
    let debug_info = debug_info.iter().map(|(path, info)| (&**path, info));
    let messages = debug_info.chain([(&*args.output, &message)]);
    write(messages, document.path(), to, &args.form)?;
    warn_of(&document);
    warn_of_export(&exported, args);
    Ok(Exit::Same)
}

impl TargetArgs {
    /// Whether the export is imported.
    fn is_given(&self) -> bool {
        self.import_scope.is_some() || self.into.is_some() || !self.input_map.is_empty()
    }
}

/// The meta graph in a file; a graph is wrapped in one.
fn of_document<'s>(document: &Document<'s>) -> Result<Message<'s>, Error> {
    let message = document.message();
    match message.ty().known {
        Some(KnownType::MetaGraphDef) => Ok(message.clone()),
        Some(KnownType::GraphDef) => meta_graph::with_graph(message),
        _ => {
            let why = format!("expected a meta graph or a graph, found {}", document.kind());
            Err(Error::usage(why).in_file(document.path()))
        }
    }
}

fn export_options(args: &ExportArgs) -> ExportOptions {
    let ContentArgs { collection, tag, .. } = &args.content;
    let given = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
    ExportOptions {
        export_scope: args.content.export_scope.clone().unwrap_or_default(),
        unbound_inputs_col_name: Some(args.content.unbound_inputs.clone()),
        clear_devices: args.content.clear_devices,
        clear_extraneous_savers: args.content.clear_extraneous_savers,
        strip_default_attrs: args.content.strip_default_attrs,
        collection_list: given(collection),
        stripped_op_list: args.content.stripped_op_list,
        tags: given(tag),
        meta_graph_version: args.content.meta_graph_version.clone(),
        any_info: None,
    }
}

fn import_options(args: &ExportArgs) -> ImportOptions<'static> {
    ImportOptions {
        import_scope: args.target.import_scope.clone().unwrap_or_default(),
        input_map: args.target.input_map.iter().cloned().collect(),
        unbound_inputs_col_name: Some(args.content.unbound_inputs.clone()),
        ..ImportOptions::default()
    }
}

/// Warns about parts that the export left out, and about inputs without a node.
fn warn_of_export(exported: &ExportOutcome<'_>, args: &ExportArgs) {
    let scope = args.content.export_scope.as_deref().unwrap_or_default();
    if !exported.left_out.is_empty() {
        let names = listed(&exported.left_out);
        diagnostics::warn(&format!(
            "left out, because it refers to nodes outside {scope}: {names}"
        ));
    }
    let mut unbound = exported.unbound_inputs.clone();
    unbound.sort();
    unbound.dedup();
    if !unbound.is_empty() && args.target.input_map.is_empty() {
        let names = listed(&unbound);
        diagnostics::warn(&format!(
            "inputs from outside {scope}, which an import must bind: {names}"
        ));
    }
}

/// Warns about parts that the import left out, and about another scope than the requested one.
fn warn_of_import(imported: &ImportOutcome<'_>, target: &TargetArgs) {
    if !imported.left_out.is_empty() {
        let into = target.into.as_deref().unwrap_or(Path::new("")).display();
        diagnostics::warn(&format!(
            "left out, because {into} already has it: {}",
            listed(&imported.left_out)
        ));
    }
    let wanted = target.import_scope.as_deref().unwrap_or_default();
    if wanted.strip_suffix('/').unwrap_or(wanted) != imported.scope {
        diagnostics::warn(&format!(
            "the scope {wanted} exists; the graph is in {}",
            imported.scope
        ));
    }
}

fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(MAX_LISTED).map(|name| printable(name)).collect();
    if names.len() > MAX_LISTED {
        shown.push(format!("and {} more", names.len() - MAX_LISTED));
    }
    shown.join(", ")
}
