//! The syntax: bytes → pieces → events.
//!
//! A scan cuts the text into [`Pieces`]. Any thread matches a [`Piece`] against the grammar (`grammar/textproto.pest`,
//! compiled by the build script) and passes its tokens to a [`Sink`] as events. The grammar alone decides what is legal;
//! nothing here knows a schema. `explain` is the only user of the parser that pest derives from the grammar.

mod events;
mod explain;
mod matcher;
mod pieces;
mod plain_text;
mod scan;
mod space;

pub(super) use events::Unbalanced;
pub use events::{
    Literal, Literals, Name, NameKind, Number, NumberKind, Refusal, Scratch, Sink, Word,
};
pub(super) use pieces::Tokens;
pub use pieces::{Piece, PieceOptions, Pieces};
pub use scan::Open;
pub(super) use space::{after_spaces, is_space};
