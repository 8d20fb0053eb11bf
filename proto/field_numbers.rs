//! Writes the full name and the field numbers of every message as Rust constants.
//!
//! ```text
//! message MetaGraphDef { MetaInfoDef meta_info_def = 1; }  -->  pub mod meta_graph_def {
//!                                                                pub const MESSAGE_NAME: &str = "tensorflow.MetaGraphDef";
//!                                                                pub const META_INFO_DEF: u32 = 1;
//!                                                            }
//! ```
//! Nested messages become nested modules. Packages are left out, except that of Keras, which has names of TensorFlow's too and gets the
//! module `keras`; if two other messages ever share a name, the generated code does not compile. The entries of maps are left out too: all
//! have the same two fields.

use std::fmt::{self, Write};

use protox::prost_reflect::{DescriptorPool, MessageDescriptor};

/// The package whose messages are in a module of their own.
const KERAS: &str = "third_party.tensorflow.python.keras.protobuf";

/// Returns one module for each top-level message of `pool`.
pub(crate) fn generate(pool: &DescriptorPool) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let messages = pool.all_messages().filter(|message| message.parent_message().is_none());
    let (keras, others): (Vec<_>, Vec<_>) =
        messages.partition(|message| message.package_name() == KERAS);
    for message in others {
        write_message(&message, &mut out)?;
    }
    writeln!(out, "/// The messages of the package `{KERAS}`.")?;
    writeln!(out, "pub mod keras {{")?;
    for message in keras {
        write_message(&message, &mut out)?;
    }
    writeln!(out, "}}")?;
    Ok(out)
}

fn write_message(message: &MessageDescriptor, out: &mut String) -> fmt::Result {
    writeln!(out, "/// The type and field numbers of `{}`.", message.full_name())?;
    writeln!(out, "pub mod {} {{", snake_case(message.name()))?;
    writeln!(out, "/// The name of the type, with its package.")?;
    writeln!(out, "pub const MESSAGE_NAME: &str = {:?};", message.full_name())?;
    for field in message.fields() {
        writeln!(out, "/// The number of the field `{}`.", field.name())?;
        writeln!(out, "pub const {}: u32 = {};", field.name().to_uppercase(), field.number())?;
    }
    for nested in message.child_messages().filter(|nested| !nested.is_map_entry()) {
        write_message(&nested, out)?;
    }
    writeln!(out, "}}")
}

/// Turns a message's name into a module's: `CPUInfo` into `cpu_info`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut previous = 'A';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_acronym = letters.peek().is_some_and(char::is_ascii_lowercase);
        let starts_word = !previous.is_ascii_uppercase() || ends_acronym;
        if letter.is_ascii_uppercase() && starts_word && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
        previous = letter;
    }
    snake
}
