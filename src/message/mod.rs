//! Messages: wire bytes in canonical form with their type, read from text, JSON or binary and written as any of them.
//!
//! Bytes are checked once, when they are decoded. A [`Message`] is well-formed, within the limits, and in canonical form:
//! its [`Records`] have ascending field numbers, sorted map entries, and unknown fields at the end.

mod any;
mod canonical;
mod check;
mod decimal;
mod dynamic;
mod field_set;
mod fields;
mod float_text;
mod form;
mod fragment;
mod losses;
mod map;
pub(crate) mod message_set;
mod owned;
mod packed;
mod record;
mod record_kind;
mod required;
mod scalar;
mod tokens;
mod typed;
mod wire;
mod writer;

#[doc(hidden)]
pub use self::{
    message_set::item as message_set_item,
    packed::Packed,
    record::{Record, Value},
    record_kind::RecordKind,
    scalar::WireMatch,
    wire::Records,
    writer::Writer,
};
#[doc(hidden)]
pub use crate::bytes::varint::{from_zigzag, int32, to_zigzag};
pub(crate) use any::{NESTED_ANY, type_name};
pub(crate) use canonical::{canonical, canonical_tensorflow};
pub(crate) use field_set::FieldSet;
pub(crate) use fields::{
    edit_fields, encoded, entries, entry, field, fields, nested, numbers, records, string, strings,
    utf8, varint,
};
pub(crate) use float_text::{FloatStyle, double_text, float_text};
pub use form::Form;
pub(crate) use fragment::Fragment;
pub use losses::{Losses, Unknown};
pub(crate) use losses::{is_odd_nan32, is_odd_nan64};
pub(crate) use map::default_of;
pub use owned::Message;
pub(crate) use scalar::{
    integer as integer_value, integer_range, is_default, normal as normal_varint,
    write as write_value,
};
pub(crate) use tokens::{Token, Tokens};
pub(crate) use wire::too_deep;
pub use wire::{MAX_BYTES, MAX_DEPTH, MAX_GROUPS};
