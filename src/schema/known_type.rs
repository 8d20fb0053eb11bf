//! The message types whose meaning ckdiff knows.

/// The full name of a type of the package `tensorflow`, or of another one if that is given.
macro_rules! full_name {
    ($name:ident) => {
        concat!("tensorflow.", stringify!($name))
    };
    ($name:ident, $package:literal) => {
        concat!($package, ".", stringify!($name))
    };
}

/// Declares [`KnownType`] from a table of types and their common names, and their packages if they are not TensorFlow's.
macro_rules! known_types {
    ($($name:ident: $common_name:literal $(in $package:literal)?,)*) => {
        /// A message type of TensorFlow's files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum KnownType {
            $(#[doc = concat!("`", full_name!($name $(, $package)?), "`")] $name,)*
        }

        impl KnownType {
            /// All known types.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Package and name, with a dot between.
            pub const fn full_name(self) -> &'static str {
                match self { $(Self::$name => full_name!($name $(, $package)?),)* }
            }

            /// The name in reports, such as `meta graph`.
            pub const fn common_name(self) -> &'static str {
                match self { $(Self::$name => $common_name,)* }
            }
        }
    };
}

known_types! {
    MetaGraphDef: "meta graph",
    GraphDef: "graph",
    SavedModel: "SavedModel",
    SaverDef: "saver",
    CheckpointState: "state file",
    TensorProto: "tensor",
    FunctionDefLibrary: "function library",
    OpList: "op list",
    NodeDef: "node",
    VariableDef: "variable",
    FunctionDef: "function",
    OpDef: "op definition",
    SignatureDef: "signature",
    TrackableObjectGraph: "object graph",
    SavedObjectGraph: "saved object graph",
    StructuredValue: "structured value",
    FingerprintDef: "fingerprint",
    GraphDebugInfo: "graph debug info",
    VersionDef: "version",
    SavedMetadata: "Keras metadata" in "third_party.tensorflow.python.keras.protobuf",
}

impl KnownType {
    /// The known type with this full name.
    pub(super) fn of(full_name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.full_name() == full_name)
    }
}
