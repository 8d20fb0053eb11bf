//! The options of an export and of an import.

use std::collections::BTreeMap;
use std::fmt;

use super::UNBOUND_INPUTS;

/// The options of an export. By default, everything is kept.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The scope to export: nodes whose names begin with this, which is removed from the names; empty for all nodes.
    pub export_scope: String,
    /// The collection that lists the inputs from outside the scope; `None` for none.
    pub unbound_inputs_col_name: Option<String>,
    /// Whether the devices of nodes are removed, except in functions.
    pub clear_devices: bool,
    /// Whether all savers but that of the meta graph are removed, with their nodes.
    pub clear_extraneous_savers: bool,
    /// Whether attributes with default values are removed.
    pub strip_default_attrs: bool,
    /// The collections to keep; `None` for all.
    pub collection_list: Option<Vec<String>>,
    /// Whether `stripped_op_list` is always written. Otherwise it is updated if there is one and nodes may have been removed.
    pub stripped_op_list: bool,
    /// The new tags; `None` to keep the old ones.
    pub tags: Option<Vec<String>>,
    /// The new version of the user; `None` to keep the old one.
    pub meta_graph_version: Option<String>,
    /// The new `google.protobuf.Any` of the user, in the binary format; `None` to keep the old one.
    pub any_info: Option<Vec<u8>>,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            export_scope: String::new(),
            unbound_inputs_col_name: Some(UNBOUND_INPUTS.into()),
            clear_devices: false,
            clear_extraneous_savers: false,
            strip_default_attrs: false,
            collection_list: None,
            stripped_op_list: false,
            tags: None,
            meta_graph_version: None,
            any_info: None,
        }
    }
}

/// Whether to import a collection, by its name.
pub type Predicate<'a> = &'a dyn Fn(&str) -> bool;

/// The options of an import. By default, nothing is renamed.
#[derive(Clone)]
pub struct ImportOptions<'a> {
    /// The scope to import into; empty for none. If the scope exists, it gets a number, unless it ends with `/`.
    pub import_scope: String,
    /// Replacements for inputs: the name before the import, `^x` for a control input, and the name after it.
    pub input_map: BTreeMap<String, String>,
    /// Nodes and tensors whose names after the import are returned.
    pub return_elements: Vec<String>,
    /// Whether the devices of nodes are removed, except in functions.
    pub clear_devices: bool,
    /// The collection that lists the inputs that must be bound; `None` for none.
    pub unbound_inputs_col_name: Option<String>,
    /// Selects the collections to import; `None` for all.
    pub restore_collections_predicate: Option<Predicate<'a>>,
}

impl Default for ImportOptions<'_> {
    fn default() -> Self {
        Self {
            import_scope: String::new(),
            input_map: BTreeMap::new(),
            return_elements: Vec::new(),
            clear_devices: false,
            unbound_inputs_col_name: Some(UNBOUND_INPUTS.into()),
            restore_collections_predicate: None,
        }
    }
}

impl fmt::Debug for ImportOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportOptions")
            .field("import_scope", &self.import_scope)
            .field("input_map", &self.input_map)
            .field("return_elements", &self.return_elements)
            .field("clear_devices", &self.clear_devices)
            .field("unbound_inputs_col_name", &self.unbound_inputs_col_name)
            .finish_non_exhaustive()
    }
}
