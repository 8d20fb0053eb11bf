//! Looks a path pattern up in the schema, to explain why it applied to nothing.
//!
//! Names are looked up one after the other until the first `*` or `**`, and the last name behind that in all types.

use super::PathPattern;
use crate::diff::meaning::{FieldComparison, KeyField};
use crate::schema::{Field, Kind, MessageType, Schema, WellKnown};
use crate::suggestion;

/// The messages in which patterns are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'s> {
    /// The schema of all types.
    pub(crate) schema: &'s Schema,
    /// The types of the compared messages, each with the field that its paths start with, if any.
    pub(crate) roots: &'s [(Option<&'static str>, &'s MessageType)],
    /// The comparison of a field of a message, and whether the message is a root.
    pub(crate) comparison: fn(&MessageType, &Field, bool) -> FieldComparison,
}

impl<'s> Scope<'s> {
    /// Checks that a pattern can lead to a list, and that the items of the list can have the keys.
    ///
    /// # Errors
    /// The reason why it cannot, with the names that would be allowed.
    pub(super) fn check(&self, pattern: &PathPattern, keys: &[KeyField]) -> Result<(), String> {
        let roots = self.roots.iter().map(|(prefix, root)| {
            let steps = match prefix {
                Some(name) => {
                    pattern.inside(name).ok_or_else(|| format!("paths start with {name}"))
                }
                None => Ok(pattern.steps()),
            };
            steps.and_then(|steps| self.check_steps(root, steps, keys))
        });
        any_ok(roots).unwrap_or_else(|| Err("there is no message to compare".into()))
    }

    fn check_steps(
        &self,
        root: &'s MessageType,
        steps: &[Box<str>],
        keys: &[KeyField],
    ) -> Result<(), String> {
        let mut ty = root;
        let mut steps = steps.iter().enumerate();
        while let Some((at, step)) = steps.next() {
            if is_wildcard(step) {
                return self.check_name(ty, steps.next_back().map_or(step, |(_, last)| last), keys);
            }
            if let Some(payload) = self.payload(ty, step) {
                ty = payload;
                continue;
            }
            let field = ty.fields.iter().find(|field| field.text_name == *step);
            let field = field.ok_or_else(|| no_field(ty, step))?;
            let comparison = (self.comparison)(ty, field, at == 0);
            if steps.len() == 0 {
                return self.check_list(ty, field, comparison, keys);
            }
            ty = match self.message(field) {
                _ if comparison == FieldComparison::ComparedByMeaning => {
                    return Err(by_meaning(ty, field));
                }
                Some(inside) => inside,
                // Bytes may contain a message, whose type depends on the context.
                None if field.kind == Kind::Bytes => return Ok(()),
                None if steps.all(|(_, step)| &**step == "**") => {
                    return self.check_list(ty, field, comparison, keys);
                }
                None => return Err(format!("{} holds no message", full_name(ty, field))),
            };
        }
        Ok(())
    }

    /// Checks the last name of a pattern with wildcards, the first of which is a step from `ty`.
    fn check_name(&self, ty: &MessageType, name: &str, keys: &[KeyField]) -> Result<(), String> {
        let fields =
            self.schema.messages().flat_map(|ty| ty.fields.iter().map(move |field| (ty, field)));
        let lists = fields.filter(|(_, field)| &*field.text_name == name).map(|(ty, field)| {
            self.check_list(ty, field, (self.comparison)(ty, field, false), keys)
        });
        any_ok(lists)
            .unwrap_or_else(|| if is_wildcard(name) { Ok(()) } else { Err(no_field(ty, name)) })
    }

    fn check_list(
        &self,
        ty: &MessageType,
        field: &Field,
        comparison: FieldComparison,
        keys: &[KeyField],
    ) -> Result<(), String> {
        let of = full_name(ty, field);
        if field.is_map() {
            return Err(format!("{of} is a map, whose entries are always paired by key"));
        }
        if !field.is_repeated() {
            let lists = names(ty, |field| field.is_repeated() && !field.is_map());
            return Err(format!("{of} is not a list{lists}"));
        }
        if comparison != FieldComparison::Plain {
            return Err(by_meaning(ty, field));
        }
        let Some(item) = self.message(field).filter(|_| !keys.is_empty()) else {
            let kind = field.kind.name();
            return if keys.is_empty() || field.kind == Kind::Bytes {
                Ok(())
            } else {
                Err(format!(
                    "the items of {of} are of type {kind}, and have no fields that could be keys"
                ))
            };
        };
        missing_key(self.schema, item, keys).map_or(Ok(()), |(ty, key)| {
            let single = names(ty, |field| !field.is_repeated());
            Err(format!("{} has no single field {key:?} to use as a key{single}", ty.full_name))
        })
    }

    /// The type of the messages in a field, or of the values of a map.
    fn message(&self, field: &Field) -> Option<&'s MessageType> {
        let ty = &self.schema[field.kind.message()?];
        ty.entry().map_or(Some(ty), |(_, value)| self.message(value))
    }

    /// The type that the step `[type.googleapis.com/full.Name]` leads to from an `Any`.
    fn payload(&self, ty: &MessageType, step: &str) -> Option<&'s MessageType> {
        let (_, name) = step.strip_suffix(']')?.rsplit_once('/')?;
        self.schema.message(name).filter(|_| ty.well_known == Some(WellKnown::Any))
    }
}

/// The first key that does not lead to a single field of the items: the message that lacks the field, and its name.
pub(super) fn missing_key<'s, 'k>(
    schema: &'s Schema,
    item: &'s MessageType,
    keys: &'k [KeyField],
) -> Option<(&'s MessageType, &'k str)> {
    keys.iter().find_map(|key| {
        let mut steps = key.split('.');
        let end = steps.try_fold((item, true), |(ty, is_message), step| {
            let field = ty.field_by_name(step.as_bytes()).filter(|_| is_message);
            let field = field.filter(|field| !field.is_repeated()).ok_or((ty, step))?;
            Ok(field.kind.message().map_or((ty, false), |id| (&schema[id], true)))
        });
        end.err()
    })
}

/// `Ok` if one is, else the first error; `None` if there are none.
fn any_ok(results: impl Iterator<Item = Result<(), String>>) -> Option<Result<(), String>> {
    results.reduce(|first, next| if next.is_ok() { next } else { first })
}

fn is_wildcard(step: &str) -> bool {
    matches!(step, "*" | "**")
}

fn full_name(ty: &MessageType, field: &Field) -> String {
    format!("{}.{}", ty.full_name, field.text_name)
}

fn by_meaning(ty: &MessageType, field: &Field) -> String {
    format!("{} is compared by what it means in the model, and not as a list", full_name(ty, field))
}

fn no_field(ty: &MessageType, step: &str) -> String {
    let hint = suggestion::hint(step.as_bytes(), ty.field_names());
    let hint = if hint.is_empty() { names(ty, |_| true) } else { hint };
    format!("{} has no field {step}{hint}", ty.full_name)
}

/// The names of some fields of a message, as the end of an error.
fn names(ty: &MessageType, is: impl Fn(&Field) -> bool) -> String {
    /// A longer list does not help.
    const SHOWN: usize = 12;
    let names: Vec<_> = ty.fields.iter().filter(|field| is(field)).map(|f| &*f.text_name).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    match names.get(..SHOWN.min(names.len())) {
        None | Some([]) => String::new(),
        Some(names) => format!("; it has {}{more}", names.join(", ")),
    }
}
