//! `ckdiff export IN OUT`: a part of a meta graph, or one under another scope.

use std::path::Path;

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::message::{Message, Writer};
use ckdiff::meta_graph::{self, ExportOptions, Exported, ImportOptions, Imported, export, import};
use ckdiff::report::human::printable;
use ckdiff::schema::{Schema, WireType};
use ckdiff::{Error, ErrorKind};

use crate::Exit;
use crate::args::{ExportArgs, PlaceArgs, WhatArgs};
use crate::convert;
use crate::debug_info;
use crate::schema::Loaded;
use crate::trouble::{self, Trouble};

/// Names that a warning shows.
const SHOWN: usize = 10;

/// Exports a meta graph, and imports what comes out where that is asked for.
///
/// # Errors
/// When a file cannot be read or holds no graph, an option names nothing, or OUT cannot be written; then it is as it was.
pub(crate) fn run(args: &ExportArgs) -> Result<Exit, Trouble> {
    let to = convert::target(&args.output, &args.form)?;
    let loaded = Loaded::tensorflow();
    let document = loaded.read(&args.input, convert::read_options(&args.form))?;
    let in_file = |error: Error| error.in_file(document.path());
    let meta = of_document(&document)?;
    let exported = export(&meta, &export_options(args)).map_err(in_file)?;
    let place = &args.place;
    let message = if place.is_given() {
        let base = place.into.as_deref().map(|path| loaded.read(path, ReadOptions::default()));
        let base = base.transpose()?;
        let into = base.as_ref().map(of_document).transpose()?;
        let options = import_options(args);
        let imported = import(&exported.message, into.as_ref(), &options).map_err(in_file)?;
        tell_import(&imported, place);
        imported.message.clone()
    } else {
        exported.message.clone()
    };
    let debug_info = args.what.save_debug_info.then(|| {
        let output = debug_info::beside_output(&args.output, document.path())?;
        let info = debug_info::of(&meta, document.path())?;
        let scopes = [&args.what.export_scope, &place.import_scope];
        let [from, to_scope] = scopes.map(|scope| scope.as_deref().unwrap_or_default());
        let info = meta_graph::debug_info(&info, &message, from, to_scope).map_err(in_file)?;
        Ok::<_, Error>((output, info))
    });
    let debug_info = debug_info.transpose()?;
    convert::write(&message, document.path(), to, &args.output, &args.form)?;
    if let Some((output, info)) = debug_info {
        convert::write(&info, document.path(), to, &output, &args.form)?;
    }
    convert::warn_of(&document);
    tell_export(&exported, args);
    Ok(Exit::Same)
}

impl PlaceArgs {
    /// Whether anything is to be imported.
    fn is_given(&self) -> bool {
        self.import_scope.is_some() || self.into.is_some() || !self.input_map.is_empty()
    }
}

/// The meta graph in a file; a graph becomes one.
fn of_document<'s>(document: &Document<'s>) -> Result<Message<'s>, Error> {
    let message = document.message();
    match &*message.ty().full_name {
        "tensorflow.MetaGraphDef" => Ok(message.clone()),
        "tensorflow.GraphDef" => {
            let mut out = Writer::default();
            out.tag(2, WireType::Len);
            out.len_prefixed(message.bytes());
            let schema = Schema::tensorflow();
            match schema.message("tensorflow.MetaGraphDef") {
                Some(ty) => Message::decode(schema, ty, out.finish()),
                None => Ok(message.clone()),
            }
        }
        _ => {
            let kind = format!("this is no meta graph and no graph (kind: {})", document.kind());
            Err(Error::from(ErrorKind::Usage(kind)).in_file(document.path()))
        }
    }
}

fn export_options(args: &ExportArgs) -> ExportOptions {
    let WhatArgs { collection, tag, .. } = &args.what;
    let given = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
    ExportOptions {
        export_scope: args.what.export_scope.clone().unwrap_or_default(),
        unbound_inputs_col_name: Some(args.what.unbound_inputs.clone()),
        clear_devices: args.what.clear_devices,
        clear_extraneous_savers: args.what.clear_extraneous_savers,
        strip_default_attrs: args.what.strip_default_attrs,
        collection_list: given(collection),
        stripped_op_list: args.what.stripped_op_list,
        tags: given(tag),
        meta_graph_version: args.what.meta_graph_version.clone(),
        any_info: None,
    }
}

fn import_options(args: &ExportArgs) -> ImportOptions<'static> {
    ImportOptions {
        import_scope: args.place.import_scope.clone().unwrap_or_default(),
        input_map: args.place.input_map.iter().cloned().collect(),
        unbound_inputs_col_name: Some(args.what.unbound_inputs.clone()),
        ..ImportOptions::default()
    }
}

/// Tells what the export could not take along, and which inputs hang in the air.
fn tell_export(exported: &Exported<'_>, args: &ExportArgs) {
    let scope = args.what.export_scope.as_deref().unwrap_or_default();
    if !exported.left_out.is_empty() {
        let names = listed(&exported.left_out);
        trouble::warn(&format!("left out, for it names what is not in {scope}: {names}"));
    }
    let mut unbound = exported.unbound_inputs.clone();
    unbound.sort();
    unbound.dedup();
    if !unbound.is_empty() && args.place.input_map.is_empty() {
        let names = listed(&unbound);
        trouble::warn(&format!("inputs from outside {scope}, which an import must bind: {names}"));
    }
}

/// Tells what the import could not take along, and where it went where that is not where it was to go.
fn tell_import(imported: &Imported<'_>, place: &PlaceArgs) {
    if !imported.left_out.is_empty() {
        let into = place.into.as_deref().unwrap_or(Path::new("")).display();
        trouble::warn(&format!("left out, for {into} has it: {}", listed(&imported.left_out)));
    }
    let wanted = place.import_scope.as_deref().unwrap_or_default();
    if wanted.strip_suffix('/').unwrap_or(wanted) != imported.scope {
        trouble::warn(&format!("there is a scope {wanted}; the graph is in {}", imported.scope));
    }
}

fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| printable(name)).collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    shown.join(", ")
}
