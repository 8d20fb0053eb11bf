//! The syntax: bytes → pieces → events.
//!
//! A scan finds where the text may be cut ([`Pieces`]); each [`Piece`] goes through the grammar
//! (`grammar/textproto.pest`, compiled by the build script) on any thread, and its tokens become calls of a [`Sink`].
//! The grammar alone decides what is legal; no schema is known here.

mod blank;
mod events;
mod explain;
mod matcher;
mod pieces;
mod scan;

pub(super) use blank::{after_blanks, is_blank};
pub(super) use events::Join;
pub use events::{Literal, Literals, Name, NameKind, Number, NumberKind, Scratch, Sink, Word};
pub(super) use pieces::Tokens;
pub use pieces::{Piece, Pieces, Reading, Refusal};
pub use scan::Open;
