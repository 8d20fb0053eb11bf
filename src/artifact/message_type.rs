//! Finds a message type by its name.

use crate::error::{Error, Result};
use crate::schema::{MessageType, Schema};
use crate::suggestion;

/// The message type with this name, with or without its package. If several packages have the name, the package `tensorflow` goes first.
///
/// ```
/// use ckdiff::artifact::message_type;
/// use ckdiff::schema::Schema;
///
/// let schema = Schema::tensorflow();
/// assert_eq!(&*message_type(schema, "GraphDef")?.full_name, "tensorflow.GraphDef");
/// assert!(message_type(schema, "GrafDef").is_err());
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If no type has this name, or several have it; the error lists them or suggests another name.
pub fn message_type<'s>(schema: &'s Schema, name: &str) -> Result<&'s MessageType> {
    if let Some(ty) = schema.message(name.trim_start_matches('.')) {
        return Ok(ty);
    }
    if let Some(ty) = schema.message(&format!("tensorflow.{name}")) {
        return Ok(ty);
    }
    let suffix = format!(".{name}");
    let several: Vec<_> =
        schema.messages().filter(|ty| ty.full_name.ends_with(&suffix)).take(8).collect();
    let names = |types: &[&MessageType]| {
        types.iter().map(|ty| ty.full_name.to_string()).collect::<Vec<_>>().join(", ")
    };
    let kind = match several.as_slice() {
        [one] => return Ok(one),
        [] => {
            // A name without a package is compared with names without packages.
            let part = |ty: &'s MessageType| {
                if name.contains('.') { &*ty.full_name } else { ty.name() }
            };
            let known = schema.messages().filter(|ty| !ty.is_map_entry);
            let hint = suggestion::hint(name.as_bytes(), known.map(part));
            format!("there is no message {name} in the schema{hint}")
        }
        several => format!("{name} could be {}", names(several)),
    };
    Err(Error::usage(kind))
}
