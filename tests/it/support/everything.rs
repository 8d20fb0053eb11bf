//! A schema with every feature that TensorFlow's schema lacks.

use std::sync::LazyLock;

use ckdiff::schema::Schema;
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

const FILE: &str = "everything.proto";

/// See `tests/data/everything/everything.proto`.
pub(crate) fn schema() -> &'static Schema {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
        let mut resolver = ChainFileResolver::new();
        resolver.add(Source);
        resolver.add(GoogleFileResolver::new());
        let mut compiler = Compiler::with_file_resolver(resolver);
        compiler.include_imports(true).open_file(FILE).expect("the file is a schema");
        let set = compiler.encode_file_descriptor_set();
        Schema::from_descriptor_set(&set).expect("the schema can be linked")
    });
    &SCHEMA
}

/// The only file, built in, because fuzz targets run in any directory.
struct Source;

impl FileResolver for Source {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name != FILE {
            return Err(protox::Error::file_not_found(name));
        }
        File::from_source(name, include_str!("../../data/everything/everything.proto"))
    }
}
