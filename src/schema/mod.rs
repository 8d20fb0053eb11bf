//! TensorFlow's messages: as descriptors, and as Rust structs.
//!
//! ```text
//! proto/**.proto --build.rs--> tensorflow.binpb --> pool()
//!                         \--> schema.rs -------> tensorflow::*, google::protobuf::*
//!                         \--> field_numbers.rs > field::*
//! ```
//! [`Schema`] is the flat tables that parsing and printing go by; [`Schema::tensorflow`] is built in, others come
//! from a descriptor set. [`pool`] is the same for code that works with prost-reflect, the structs are for code that reads
//! fields it knows; `T::full_name()` (from [`prost::Name`]) leads from a struct to its descriptor.
//! Decoding into a struct drops unknown fields: what is written back must come from the wire bytes.
//!
//! Source: the descriptors of TensorFlow 2.21, as `tests/data/schema.tsv` lists them. Both sides
//! come from the same files, and a test holds every row of that table against [`pool`].

mod descriptor;
mod features;
pub mod field;
mod finish;
mod linker;
mod names;
mod types;

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;

pub use generated::{google, tensorflow};
pub use types::{
    Cardinality, EnumId, EnumType, Field, Kind, MessageId, MessageType, Oneof, Schema, WellKnown,
    WireType,
};

#[allow(
    missing_docs,
    clippy::large_enum_variant,
    reason = "generated: the names are TensorFlow's, and their docs are the comments in proto/"
)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/schema.rs"));
}

const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tensorflow.binpb"));

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(DESCRIPTORS).expect("the build script has compiled and linked this set")
});

static TENSORFLOW: LazyLock<Schema> = LazyLock::new(|| {
    Schema::from_descriptor_set(DESCRIPTORS).expect("the build script has linked this set")
});

impl Schema {
    /// TensorFlow's messages, built on the first call.
    ///
    /// ```
    /// use ckdiff::schema::Schema;
    ///
    /// let saver = Schema::tensorflow().message("tensorflow.SaverDef").unwrap();
    /// assert_eq!(saver.field_by_name(b"max_to_keep").unwrap().number, 4);
    /// ```
    pub fn tensorflow() -> &'static Self {
        &TENSORFLOW
    }
}

/// Returns what [`Schema::tensorflow`] and [`pool`] are built from: a serialised `FileDescriptorSet` of every file in
/// `proto/`.
pub fn descriptor_set() -> &'static [u8] {
    DESCRIPTORS
}

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
