//! TensorFlow's messages: as descriptors, and as Rust structs.
//!
//! ```text
//! proto/**.proto --build.rs--> tensorflow.binpb --> pool()
//!                         \--> schema.rs -------> tensorflow::*, google::protobuf::*
//! ```
//! [`pool`] is for code that handles messages of any type, the structs are for code that reads
//! fields it knows; `T::full_name()` (from [`prost::Name`]) leads from a struct to its descriptor.
//! Decoding into a struct drops unknown fields: what is written back must come from the wire bytes.
//!
//! Source: the descriptors of TensorFlow 2.21, as `tests/data/schema.tsv` lists them. Both sides
//! come from the same files, and a test holds every row of that table against [`pool`].

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;

pub use generated::{google, tensorflow};

#[allow(
    missing_docs,
    clippy::large_enum_variant,
    reason = "generated: the names are TensorFlow's, and their docs are the comments in proto/"
)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/schema.rs"));
}

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let set = include_bytes!(concat!(env!("OUT_DIR"), "/tensorflow.binpb"));
    DescriptorPool::decode(&set[..]).expect("the build script has compiled and linked this set")
});

/// Returns the descriptors of every message and enum in `proto/`, built on the first call.
///
/// ```
/// use ckdiff::schema::{self, tensorflow::SaverDef};
/// use prost::Name;
///
/// let saver = schema::pool().get_message_by_name(&SaverDef::full_name()).unwrap();
/// assert_eq!(saver.get_field(4).unwrap().name(), "max_to_keep");
/// ```
pub fn pool() -> &'static DescriptorPool {
    &POOL
}
