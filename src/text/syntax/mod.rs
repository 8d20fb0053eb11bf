//! The syntax: bytes → pieces → events.
//!
//! A scan finds where the text may be cut ([`Pieces`]); each [`Piece`] goes through the grammar
//! (`grammar/textproto.pest`, compiled by the build script) on any thread, and its tokens become calls of a [`Sink`].
//! The grammar alone decides what is legal; no schema is known here.

mod events;
mod explain;
mod matcher;
mod pieces;
mod scan;

pub(super) use events::Join;
pub use events::{Literal, Literals, Name, NameKind, Number, NumberKind, Scratch, Sink, Word};
pub(super) use explain::{after_blanks, string_length};
pub(super) use pieces::Tokens;
pub use pieces::{Piece, Pieces, Reading, Refusal};
pub use scan::Open;
pub(super) use scan::is_blank;
