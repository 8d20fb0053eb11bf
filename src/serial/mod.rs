//! The forms of values in JSON reports that are not those of serde, and how they are read back: numbers that JSON does not have,
//! names that are not UTF-8, paths, and values that are written as their text.

mod entries;
mod read;
mod values;
mod write;

pub(crate) use entries::Object;
pub(crate) use read::{Json, Read};
pub(crate) use values::number;
pub use write::base64;
pub(crate) use write::{
    Element, Float, Named, Number, Text, float, name, optional_float, path, text,
};

/// Implements `Serialize` for types that are written as their text.
macro_rules! serialize_as_text {
    ($($ty:ty),*) => {
        $(impl serde::Serialize for $ty {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        })*
    };
}
pub(crate) use serialize_as_text;

/// An object with these keys and values, in this order.
macro_rules! object {
    ($($(#[$attribute:meta])* $key:ident: $value:expr),* $(,)?) => {{
        #[allow(non_camel_case_types, reason = "each key is also the name of its value's type")]
        let object = {
            #[derive(serde::Serialize)]
            struct Object<$($key),*> {
                $($(#[$attribute])* $key: $key,)*
            }
            Object { $($key: $value),* }
        };
        object
    }};
}
pub(crate) use object;

/// Implements `Serialize` for enums whose values are written as their `name()`.
macro_rules! serialize_by_name {
    ($($ty:ty),*) => {
        $(impl serde::Serialize for $ty {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        })*
    };
}
pub(crate) use serialize_by_name;

/// Declares an enum whose values have names, by which they are also serialized.
macro_rules! named_enum {
    ($(#[$meta:meta])* $visibility:vis enum $ty:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)* }) => {
        $(#[$meta])*
        $visibility enum $ty {
            $($(#[$doc])* $value,)*
        }

        impl $ty {
            /// Every value, in the order of declaration.
            $visibility const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// The name in reports.
            $visibility fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }
        }

        $crate::serial::serialize_by_name!($ty);

        impl<'r> $crate::serial::Read<'r> for $ty {
            fn read(json: $crate::serial::Json<'r>) -> $crate::error::Result<Self> {
                json.one_of(&Self::ALL, Self::name)
            }
        }
    };
}
pub(crate) use named_enum;
