//! TensorFlow's messages: as descriptors, and as Rust structs.
//!
//! ```text
//! proto/**.proto --build.rs--> tensorflow.binpb --> pool()
//!                         \--> schema.rs -------> tensorflow::*, google::protobuf::*, keras::*
//!                         \--> field_numbers.rs > field::*
//! ```
//! [`Schema`] has the tables for parsing and printing; [`Schema::tensorflow`] is built in, others are read from a descriptor set.
//! [`pool`] has the same descriptors for prost-reflect. The structs are for code that reads known fields; `T::full_name()` (from
//! [`prost::Name`]) is the name of a struct's descriptor. Decoding into a struct drops unknown fields, so messages that are written
//! back are made from wire bytes.
//!
//! Source: the descriptors of TensorFlow 2.21, as `tests/data/schema.tsv` lists them. A test compares every row of
//! that table with [`pool`].

mod descriptor;
mod features;
#[doc(hidden)]
pub mod field;
mod finish;
mod known_type;
mod linker;
mod name_table;
mod types;

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;

pub use generated::third_party::tensorflow::python::keras::protobuf as keras;
pub use generated::{google, tensorflow};
pub use known_type::KnownType;
#[doc(hidden)]
pub use types::{
    Cardinality, EnumId, EnumType, Field, Kind, MessageId, Oneof, WellKnown, WireType,
};
pub use types::{MessageType, Schema};

#[allow(
    missing_docs,
    unreachable_pub,
    clippy::large_enum_variant,
    reason = "generated: the names and modules are TensorFlow's, and their docs are the comments in proto/"
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

/// Returns the serialized `FileDescriptorSet` of every file in `proto/`, from which [`Schema::tensorflow`] and [`pool`] are built.
pub fn descriptor_set() -> &'static [u8] {
    DESCRIPTORS
}

/// Returns the descriptors of every message and enum in `proto/`, built on the first call.
///
/// ```
/// use ckdiff::schema::{self, tensorflow::SaverDef};
/// use ckdiff::prost::Name;
///
/// let saver = schema::pool().get_message_by_name(&SaverDef::full_name()).unwrap();
/// assert_eq!(saver.get_field(4).unwrap().name(), "max_to_keep");
/// ```
pub fn pool() -> &'static DescriptorPool {
    &POOL
}
