//! Compiles `proto/` into what `src/schema` includes, and `grammar/` into what `src/text` includes. protox parses the
//! schemas and pest the grammar, so no `protoc` is needed.
//!
//! Writes to `OUT_DIR`: `tensorflow.binpb`, a FileDescriptorSet of every file, `schema.rs`, the prost structs with one
//! module for each package, `field_numbers.rs`, the numbers of their fields, and `textproto.rs`, the matcher. All are
//! the same on every run.

#[path = "grammar/compile.rs"]
mod compile;
#[path = "proto/field_numbers.rs"]
mod field_numbers;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The rules of the grammar at which the matcher may start.
const ENTRIES: [&str; 3] = ["fields_part", "messages_part", "scalars_part"];

/// The rules that exist for messages only: the parser that pest derives reports them, and the matcher has no tokens
/// for them.
const EXPECTATIONS: [&str; 22] = [
    "content",
    "value",
    "close_brace",
    "close_angle",
    "element",
    "next_message",
    "close_list",
    "no_elements",
    "name",
    "name_part",
    "url",
    "slash",
    "close_name",
    "negated",
    "fraction",
    "exponent",
    "number_end",
    "double_end",
    "single_end",
    "any_char",
    "octal_digit",
    "hex_digit",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let root = Path::new("proto");
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();

    let mut compiler = protox::Compiler::new([root])?;
    compiler.include_imports(true).include_source_info(false).open_files(&files)?;
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out_dir.join("tensorflow.binpb"), compiler.encode_file_descriptor_set())?;
    let field_numbers = field_numbers::generate(&compiler.descriptor_pool())?;
    fs::write(out_dir.join("field_numbers.rs"), field_numbers)?;

    prost_build::Config::new()
        .out_dir(&out_dir)
        .include_file("schema.rs")
        // The structs of Any and the wrappers are ours too; the alternative is one more dependency.
        .compile_well_known_types()
        // Encoding walks maps, and no output may depend on hash order.
        .btree_map(["."])
        // Maps of attributes have room for eleven values each, most of which are never used.
        .boxed(".tensorflow.AttrValue.value.tensor")
        .boxed(".tensorflow.AttrValue.value.list")
        .enable_type_names()
        .compile_fds(compiler.file_descriptor_set())?;

    println!("cargo::rerun-if-changed=grammar");
    let grammar = fs::read_to_string("grammar/textproto.pest")?;
    fs::write(out_dir.join("textproto.rs"), compile::compile(&grammar, &ENTRIES, &EXPECTATIONS)?)?;
    Ok(())
}

/// Adds the `.proto` files below `dir` to `files`, in the order the file system lists them.
fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    Ok(())
}
