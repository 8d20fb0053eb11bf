//! The other files of a SavedModel: variables, assets, hashes.

use std::io::{self, Write};

use anstyle::Style;

use crate::artifact::SavedModelPart;
use crate::checkpoint::Listing;
use crate::error::Error;
use crate::overview::{Contents, Directory, DirectoryFile, MetaGraph};

use super::super::lines;
use super::super::listing::table;
use super::super::number;
use super::super::table::{Align, Table};
use super::super::terminal_text::{plural, printable};
use super::Page;

impl Page<'_> {
    /// Writes the assets of a meta graph, with the sizes of their files.
    pub(super) fn assets(&self, graph: &MetaGraph, out: &mut dyn Write) -> io::Result<()> {
        let assets = &graph.assets;
        if let Some(error) = &graph.assets_error {
            self.heading("Assets", out)?;
            return self.damage([error], out);
        }
        if assets.is_empty() {
            return Ok(());
        }
        self.title("Assets", assets.len(), out)?;
        let mut table = Table::new(&[Align::Left, Align::Right]);
        for asset in assets.iter().take(self.options.max_rows) {
            let (style, size) = match asset.is_there {
                Some(false) => (self.options.palette.bad, "missing".into()),
                _ => (Style::new(), asset.bytes.map(number::bytes).unwrap_or_default()),
            };
            table.push(style, vec![printable(&asset.filename), printable(&asset.tensor), size]);
        }
        table.write_squeezed(self.options.columns, out)?;
        self.rest(assets.len(), out)
    }

    /// Writes the other files in the directory of a SavedModel.
    pub(super) fn directory(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(directory) = &self.overview.directory else { return Ok(()) };
        if let Some(variables) = &directory.variables {
            self.variables(variables, out)?;
        }
        self.errors_of(directory, SavedModelPart::Variables, "Saved variables", out)?;
        let named = self.named_assets();
        let is_other = |file: &&DirectoryFile| {
            let asset = file.path.strip_prefix("assets/");
            asset.is_none_or(|asset| named.binary_search(&asset).is_err())
        };
        let others: Vec<&DirectoryFile> = directory.files.iter().filter(is_other).collect();
        let cells = |file: &&DirectoryFile| vec![printable(&file.path), number::bytes(file.bytes)];
        self.section("Other files", &others, &[Align::Right], cells, out)?;
        let title = if others.is_empty() { "Other files" } else { "" };
        self.errors_of(directory, SavedModelPart::Files, title, out)?;
        self.fingerprint(directory, out)?;
        self.errors_of(directory, SavedModelPart::Fingerprint, "Fingerprint", out)?;
        self.errors_of(directory, SavedModelPart::KerasMetadata, "Keras metadata", out)
    }

    /// The assets of the graphs, sorted.
    fn named_assets(&self) -> Vec<&str> {
        let Contents::MetaGraphs(graphs) = &self.overview.contents else { return Vec::new() };
        let assets = graphs.iter().flat_map(|graph| &graph.assets);
        let mut named: Vec<&str> = assets.map(|asset| asset.filename.as_str()).collect();
        named.sort_unstable();
        named
    }

    /// Writes the errors of a part, under this title unless it is empty.
    fn errors_of(
        &self,
        directory: &Directory,
        part: SavedModelPart,
        title: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !title.is_empty() && directory.errors_of(part).next().is_some() {
            self.heading(title, out)?;
        }
        self.damage(directory.errors_of(part), out)
    }

    /// Writes errors, as many as the options allow.
    fn damage<'e>(
        &self,
        errors: impl IntoIterator<Item = &'e Error>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let bad = self.options.palette.bad;
        let mut errors = errors.into_iter();
        for error in errors.by_ref().take(self.options.max_rows) {
            writeln!(out, "{bad}  {}{bad:#}", printable(&error.to_string()))?;
        }
        lines::more(errors.count() as u64, "error", "  ", Style::new(), out)
    }

    fn variables(&self, variables: &Listing, out: &mut dyn Write) -> io::Result<()> {
        let tensors = plural(variables.tensors.len() as u64, "tensor");
        let parameters = plural(variables.parameters(), "parameter");
        let bytes = number::bytes(variables.bytes());
        self.heading(&format!("Saved variables ({tensors}, {parameters}, {bytes})"), out)?;
        let most = self.options.max_rows;
        self.damage(&variables.damage, out)?;
        let shown = variables.tensors.get(..most).unwrap_or(&variables.tensors);
        if !shown.is_empty() {
            table(shown, self.options).write_squeezed(self.options.columns, out)?;
        }
        self.rest(variables.tensors.len(), out)?;
        self.damage(variables.tensors.iter().filter_map(|row| row.error.as_ref()), out)
    }

    fn fingerprint(&self, directory: &Directory, out: &mut dyn Write) -> io::Result<()> {
        let Some(print) = &directory.fingerprint else { return Ok(()) };
        self.heading("Fingerprint", out)?;
        let facts = [
            ("file", print.saved_model_checksum.to_string()),
            ("graph", print.graph_def_program_hash.to_string()),
            ("signatures", print.signature_def_hash.to_string()),
            ("objects", print.saved_object_graph_hash.to_string()),
            ("variables", print.checkpoint_hash.to_string()),
            ("uuid", print.uuid.clone()),
        ];
        self.facts(&facts, out)
    }
}
