//! `google.protobuf.Any`: a message with the URL of its type.

/// The maximum number of nested `Any` that are decoded, each of which may need a copy of its message.
pub(crate) const NESTED_ANY: usize = 16;

/// The full name of the message type at the end of a URL, such as `type.googleapis.com/tensorflow.GraphDef`.
pub(crate) fn type_name(url: &str) -> Option<&str> {
    url.rsplit_once('/').filter(|(host, _)| !host.is_empty()).map(|(_, name)| name)
}
