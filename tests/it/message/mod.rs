//! Messages in all forms.

mod any_payloads;
mod binary_errors;
// The cases of the protobuf conformance suite.
mod conformance;
mod hostile;
mod properties;
mod tensorflow;
