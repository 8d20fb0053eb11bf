//! Lays out a text anew, without a schema.
//!
//! The tokens come from the grammar. The white space and separators between them are replaced by those that protobuf prints;
//! comments stay at the end of their line or on the lines above the next token.

mod gap;
mod indenter;
mod sink;

use sink::Layout;

use super::syntax::{PieceOptions, Pieces, Scratch};
use crate::error::{Error, Result};

/// Options for laying out a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutOptions {
    /// The number of spaces per level.
    pub indent: usize,
    /// The maximum number of characters of a line to which the lines of a list are joined.
    pub width: usize,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self { indent: 2, width: 80 }
    }
}

/// Lays out `input` as protobuf prints text, and keeps its comments.
///
/// Each field has a line, with a space after its colon or before its brace, `{}` instead of `<>`, and no separator.
/// Lists and strings of several literals stay on one line if they are on one. Blank lines between two fields become one.
/// Names and values keep their order and notation. A text in this layout does not change.
///
/// ```
/// use ckdiff::text::{LayoutOptions, format};
///
/// let input = b"saver_def <max_to_keep:5,version : V2;> # the default\n";
/// let text = "saver_def {\n  max_to_keep: 5\n  version: V2\n}  # the default\n";
/// assert_eq!(format(input, &LayoutOptions::default())?, text.as_bytes());
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the text does not match the grammar, or nests messages more than 1,000 deep: the error has line and column. If
/// indentation would make the text many times longer.
pub fn format(input: &[u8], options: &LayoutOptions) -> Result<Vec<u8>> {
    let mut layout = Layout::new(input, options);
    let mut scratch = Scratch::default();
    for piece in Pieces::new(input, PieceOptions::default()) {
        let piece = piece?;
        piece.events(&mut scratch, &mut layout)?;
        layout.end_piece(piece.bytes().len());
        let most = MAX_GROWTH.saturating_mul(input.len()).saturating_add(SMALL);
        if layout.len() > most {
            let expected = format!(
                "at most {MAX_GROWTH} times as long as the text, which is nested too deeply"
            );
            return Err(Error::unexpected("length of the layout", "more", expected));
        }
    }
    Ok(layout.finish())
}

/// The maximum number of bytes of a layout per byte of text. The indentation of deeply nested messages is most of a long layout.
const MAX_GROWTH: usize = 64;

/// A length that every layout may have, in bytes.
const SMALL: usize = 16 << 20;
