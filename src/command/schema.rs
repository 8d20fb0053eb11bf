//! The schema of a message: TensorFlow's, or one from the user's files.

use std::path::{Path, PathBuf};

use crate::artifact::{Document, ReadOptions};
use crate::bytes::{File, varint};
use crate::error::{Error, ErrorKind};
use crate::message::MAX_BYTES;
use crate::schema::{Schema, descriptor_set};
use protox::Compiler;
use protox::file::{ChainFileResolver, DescriptorSetFileResolver, GoogleFileResolver};

use crate::command::args::SchemaArgs;
use crate::command::proto_check::Budget;
use crate::command::proto_directory::{self, Positions, ProtoDirectory};

/// A schema, and the type of the message if the arguments name it.
pub(crate) struct Loaded {
    own: Option<Schema>,
    message: Option<String>,
    /// The messages that the user's files define.
    candidates: Vec<String>,
}

impl Loaded {
    /// TensorFlow's schema.
    pub(crate) fn tensorflow() -> Self {
        Self { own: None, message: None, candidates: Vec::new() }
    }

    /// Loads the schema that the arguments name.
    ///
    /// # Errors
    /// If a file cannot be read, or is not a schema.
    pub(crate) fn new(args: &SchemaArgs) -> Result<Self, Error> {
        let message = args.message.clone();
        if !args.proto.is_empty() {
            let (set, candidates) = compile(&args.proto, &args.proto_path)?;
            let own = Some(Schema::from_descriptor_set(&set)?);
            return Ok(Self { own, message, candidates });
        }
        let Some(path) = &args.descriptor_set else {
            return Ok(Self { message, ..Self::tensorflow() });
        };
        let set = File::open(path)?.read(MAX_BYTES)?;
        let schema = Schema::from_descriptor_set(&set).map_err(|error| error.in_file(path))?;
        let candidates = outermost(&schema);
        Ok(Self { own: Some(schema), message, candidates })
    }

    /// The schema.
    pub(crate) fn schema(&self) -> &Schema {
        self.own.as_ref().unwrap_or_else(|| Schema::tensorflow())
    }

    /// Reads the message in the file at `path`; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be read, or is not a message of the schema.
    pub(crate) fn read(&self, path: &Path, options: ReadOptions) -> Result<Document<'_>, Error> {
        let options = ReadOptions {
            message: self.message.clone(),
            candidates: self.candidates.clone(),
            ..options
        };
        if path == Path::new("-") {
            let stdin = std::io::stdin();
            return Document::read(stdin, Path::new("standard input"), self.schema(), &options);
        }
        Document::open(path, self.schema(), &options)
    }
}

/// The maximum number of statements of a schema in whose errors the compiler looks for positions, which takes quadratic time.
const MOST_LOCATED: usize = 4_000;

/// Compiles `.proto` files. Returns a serialized descriptor set, and the messages that the files themselves define.
fn compile(files: &[PathBuf], dirs: &[PathBuf]) -> Result<(Vec<u8>, Vec<String>), Error> {
    let here = [PathBuf::from(".")];
    let dirs = if dirs.is_empty() { &here } else { dirs }.iter().map(PathBuf::as_path);
    // The directory of each file is searched last, so that a single file needs no -I.
    let dirs: Vec<&Path> = dirs.chain(files.iter().filter_map(|file| file.parent())).collect();
    let budget = Budget::default();
    let compiler = match compiled(files, &dirs, &budget, Positions::Unknown) {
        Err(_) if budget.statements() <= MOST_LOCATED => {
            compiled(files, &dirs, &Budget::default(), Positions::Known)
        }
        result => result,
    }?;
    let (mut own, mut set) = (Vec::new(), Vec::new());
    for (file, of) in compiler.descriptor_pool().files().zip(compiler.files()) {
        if !of.is_import() {
            let prefix = match file.package_name() {
                "" => String::new(),
                package => format!("{package}."),
            };
            let messages = &file.file_descriptor_proto().message_type;
            own.extend(messages.iter().map(|ty| format!("{prefix}{}", ty.name())));
        }
        // A descriptor set is its files as field 1, whose bytes keep the options that only the schema knows.
        let bytes = file.encode_to_vec();
        set.push(1 << 3 | 2);
        varint::write(bytes.len() as u64, &mut set);
        set.extend(bytes);
    }
    Ok((set, own))
}

/// The compiler with the files.
fn compiled(
    files: &[PathBuf],
    dirs: &[&Path],
    budget: &Budget,
    positions: Positions,
) -> Result<Compiler, Error> {
    let mut resolver = ChainFileResolver::new();
    for dir in dirs {
        resolver.add(ProtoDirectory::new(dir, budget, positions));
    }
    let built_in = DescriptorSetFileResolver::decode(descriptor_set())
        .map_err(|error| Error::malformed("built-in schema", "a descriptor set", error))?;
    resolver.add(built_in);
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    for file in files {
        File::open(file)?;
        // Its debug form has the position: `file.proto:1:1: expected …`.
        compiler.open_file(file).map_err(|error| {
            let name = error.file().filter(|_| error.is_parse());
            let source = name.and_then(|name| source(name, dirs)).unwrap_or_default();
            Error::from(ErrorKind::Syntax(explained(format!("{error:?}"), &source)))
        })?;
    }
    Ok(compiler)
}

/// The source of the `.proto` file that an import or an error calls `name`.
fn source(name: &str, dirs: &[&Path]) -> Option<String> {
    dirs.iter().find_map(|dir| proto_directory::source(dir, name).ok())
}

/// The compiler's message about a `.proto` file, corrected where it is wrong, and with advice where it has none.
fn explained(message: String, source: &str) -> String {
    // The compiler says this about imports too.
    const WRONG: &str = "invalid group name";
    let line = message.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
    let line = line.and_then(|line| source.lines().nth(line.checked_sub(1)?)).unwrap_or_default();
    if line.contains("import") && message.ends_with(WRONG) {
        let right = "invalid import; expected a path that is relative to a directory of -I, without . and ..";
        return message.replace(WRONG, right);
    }
    if has_edition(source) {
        return message + "; use --descriptor-set for a schema with editions";
    }
    message
}

/// Whether a `.proto` file declares an edition: `edition = "2023";`.
fn has_edition(source: &str) -> bool {
    let mut lines = source.lines().filter_map(|line| line.trim_start().strip_prefix("edition"));
    lines.any(|rest| rest.trim_start().starts_with('='))
}

/// The messages that are not nested in another, without protobuf's own.
fn outermost(schema: &Schema) -> Vec<String> {
    let is_outermost = |name: &str| {
        let parent = name.rsplit_once('.').map_or("", |(parent, _)| parent);
        schema.message(parent).is_none() && parent != "google.protobuf"
    };
    let types = schema.messages().filter(|ty| is_outermost(&ty.full_name));
    types.map(|ty| ty.full_name.to_string()).collect()
}
