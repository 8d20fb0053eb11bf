//! The names and field numbers of TensorFlow's messages, one module for each message, for code that reads and writes wire
//! records.
//!
//! ```
//! use ckdiff::schema::field::{meta_graph_def, node_def};
//!
//! assert_eq!(meta_graph_def::OBJECT_GRAPH_DEF, 7);
//! assert_eq!(meta_graph_def::meta_info_def::TAGS, 4);
//! assert_eq!((node_def::MESSAGE_NAME, node_def::NAME), ("tensorflow.NodeDef", 1));
//! ```

include!(concat!(env!("OUT_DIR"), "/field_numbers.rs"));

/// Field numbers of the entries of every map.
pub mod map_entry {
    /// The number of the key.
    pub const KEY: u32 = 1;
    /// The number of the value.
    pub const VALUE: u32 = 2;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use prost_reflect::MessageDescriptor;

    use crate::schema::pool;

    /// The constants of the generated source, by module path and name, as they are written there.
    fn generated() -> BTreeMap<String, String> {
        let source = include_str!(concat!(env!("OUT_DIR"), "/field_numbers.rs"));
        let (mut modules, mut constants) = (Vec::new(), BTreeMap::new());
        for line in source.lines() {
            if let Some(module) = line.strip_prefix("pub mod ") {
                modules.push(module.trim_end_matches(" {"));
            } else if let Some(constant) = line.strip_prefix("pub const ") {
                let (name, value) = constant.trim_end_matches(';').split_once(": ").unwrap();
                let path = format!("{}::{name}", modules.join("::"));
                assert_eq!(constants.insert(path, value.into()), None);
            } else if line == "}" {
                modules.pop();
            }
        }
        constants
    }

    /// The module path of a message, in lower case and without underscores. Keras has messages of the same names as TensorFlow.
    fn path(message: &MessageDescriptor) -> String {
        let name = message.name().to_lowercase();
        match message.parent_message() {
            Some(parent) => format!("{}::{name}", path(&parent)),
            None if message.package_name().contains(".keras.") => format!("keras::{name}"),
            None => name,
        }
    }

    #[test]
    fn constants_agree_with_the_descriptor_pool() {
        let mut expected = BTreeMap::new();
        for message in pool().all_messages().filter(|message| !message.is_map_entry()) {
            let name = format!("&str = {:?}", message.full_name());
            expected.insert(format!("{}::MESSAGE_NAME", path(&message)), name);
            for field in message.fields() {
                let name = field.name().to_uppercase();
                let number = format!("u32 = {}", field.number());
                expected.insert(format!("{}::{name}", path(&message)), number);
            }
        }
        let mut found = BTreeMap::new();
        for (constant, value) in generated() {
            let (module, name) = constant.rsplit_once("::").unwrap();
            found.insert(format!("{}::{name}", module.replace('_', "")), value);
        }
        assert!(found.len() > 400, "{}", found.len());
        assert_eq!(found, expected);
    }

    #[test]
    fn every_map_entry_has_a_key_and_a_value() {
        let entries = pool().all_messages().filter(MessageDescriptor::is_map_entry);
        for entry in entries {
            assert_eq!(entry.get_field_by_name("key").unwrap().number(), super::map_entry::KEY);
            assert_eq!(entry.get_field_by_name("value").unwrap().number(), super::map_entry::VALUE);
        }
    }
}
