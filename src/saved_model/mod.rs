//! SavedModels: meta graphs for several uses, with the variables and files that they share, in one directory.
//!
//! ```text
//! DIR/saved_model.pb             SavedModel: its meta graphs, each with tags and signatures; or saved_model.pbtxt
//! DIR/variables/variables.index  the values of its variables, a V2 checkpoint
//! DIR/assets/NAME                files that its nodes read, such as vocabularies
//! ```
//! [`Builder`] writes one and [`SavedModel`] reads one, as TensorFlow's builder and loader do; [`Tensors`] and [`signature`] describe
//! the inputs and outputs of a model.
//!
//! Source: TensorFlow 2.21, `python/saved_model/{builder,loader,signature_def_utils,utils}_impl.py`.

mod assets;
mod builder;
mod load;
mod op;
pub mod signature;
mod tensor_info;
mod values;

use crate::error::shortened;

pub use assets::AssetSource;
pub use builder::{BuildOutcome, Builder, MetaGraphOptions};
pub use load::{LoadPlan, SavedModel};
#[doc(hidden)]
pub use tensor_info::Encoding;
pub use tensor_info::Tensors;
pub use values::Values;

/// The number of meta graphs in an error message, and of the tags of each.
const SHOWN: usize = 8;

/// A list of tags for an error message.
fn tag_list<'a>(tags: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = tags.len().saturating_sub(SHOWN);
    let mut shown: Vec<_> = tags.take(SHOWN).map(shortened).collect();
    if more > 0 {
        shown.push(format!("and {more} more").into());
    }
    format!("[{}]", shown.join(", "))
}
