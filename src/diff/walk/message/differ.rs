//! The recursive comparison of two messages, level by level.

use super::difference::{Difference, Nested};
use super::level;
use super::rules::Rules;
use crate::compare::Tolerance;
use crate::diff::path::PathBuilder;
use crate::diff::{Change, ChangeKind, Finding, Path, Weight};
use crate::error::Result;
use crate::schema::{MessageType, Schema};
use crate::text::{BriefValue, brief};

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct MessageDiff {
    /// The differences.
    pub(crate) changes: Vec<Change>,
    /// Fields of either side whose bytes are not the message they claim to be.
    pub(crate) findings: Vec<(Path, String)>,
    /// Findings about the graphs of either side.
    pub(crate) of_graphs: Vec<Finding>,
}

impl MessageDiff {
    /// Both sides of the message with the path `at` if both were read; else the errors become findings. What cannot be compared is not
    /// the same, unless its bytes `lhs` and `rhs` are.
    pub(crate) fn both<T>(
        &mut self,
        (lhs, rhs): (&[u8], &[u8]),
        read: (Result<T>, Result<T>),
        at: &PathBuilder<'_>,
    ) -> Option<(T, T)> {
        match read {
            (Ok(lhs), Ok(rhs)) => Some((lhs, rhs)),
            (l, r) => {
                let text = |side: &Result<T>, bytes: &[u8]| match side {
                    Ok(_) => format!("{} bytes", bytes.len()),
                    Err(_) => format!("{} bytes that cannot be read", bytes.len()),
                };
                if lhs != rhs {
                    let change = Change::modified(at.path(), text(&l, lhs), text(&r, rhs));
                    self.changes.push(change);
                }
                let errors = [l.err(), r.err()].into_iter().flatten();
                self.findings.extend(errors.map(|error| (at.path(), error.to_string())));
                None
            }
        }
    }

    /// Makes all changes from position `start` on cosmetic.
    pub(crate) fn make_cosmetic(&mut self, start: usize) {
        let changes = self.changes.iter_mut().skip(start);
        changes.for_each(|change| change.weight = Weight::Cosmetic);
    }
}

/// Two messages of one type, in canonical form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessagePair<'a> {
    pub(crate) ty: &'a MessageType,
    pub(crate) lhs: &'a [u8],
    pub(crate) rhs: &'a [u8],
    /// The path of the messages.
    pub(crate) at: &'a PathBuilder<'a>,
}

/// Compares messages by their fields, and by rules for fields that mean more than their type says.
#[derive(Clone, Copy)]
pub(crate) struct MessageDiffer<'a> {
    pub(super) schema: &'a Schema,
    pub(super) rules: &'a dyn Rules,
    pub(super) tolerance: Tolerance,
}

impl<'a> MessageDiffer<'a> {
    pub(crate) fn new(schema: &'a Schema, rules: &'a dyn Rules, tolerance: Tolerance) -> Self {
        Self { schema, rules, tolerance }
    }

    /// Compares two messages by the rules for their type, if there are any, else field by field.
    pub(crate) fn compare(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let is_equal = pair.lhs == pair.rhs;
        if !is_equal && !self.compare_by_meaning(pair, Weight::Semantic, out) {
            self.descend(pair, Weight::Semantic, out);
        }
    }

    /// Compares two messages field by field. The rules apply to the messages inside.
    pub(crate) fn fields(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        if pair.lhs != pair.rhs {
            self.descend(pair, Weight::Semantic, out);
        }
    }

    /// Reports a message that was added or removed.
    pub(crate) fn one_sided(
        &self,
        kind: ChangeKind,
        (ty, message): (&MessageType, &[u8]),
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        let text = brief(self.schema, BriefValue::Message(ty, message));
        out.changes.push(Change::one_sided(at.path(), kind, text));
    }

    /// Compares a level, then the messages in it. Everything else happens in calls that return before the recursion, so the
    /// frames stay small and the deepest message fits any stack.
    fn descend(&self, pair: &MessagePair<'_>, weight: Weight, out: &mut MessageDiff) {
        for difference in level::differences(self, pair, weight, &mut out.findings) {
            match difference {
                Difference::Change(change) => push(out, change),
                Difference::Nested(nested) => {
                    let Nested { location, ty, lhs, rhs } = &*nested;
                    let field = pair.at.field(&location.name);
                    let at = location.selector.path_in(&field);
                    let pair = MessagePair { ty, lhs, rhs, at: &at };
                    if !self.compare_by_meaning(&pair, location.weight, out) {
                        self.descend(&pair, location.weight, out);
                    }
                }
            }
        }
    }

    /// Compares two messages by the rules for their type; `false` if there are none.
    #[inline(never)]
    fn compare_by_meaning(
        &self,
        pair: &MessagePair<'_>,
        weight: Weight,
        out: &mut MessageDiff,
    ) -> bool {
        let start = out.changes.len();
        let is_compared = self.rules.compare_by_meaning(pair, out);
        if is_compared && weight == Weight::Cosmetic {
            out.make_cosmetic(start);
        }
        is_compared
    }
}

#[inline(never)]
#[expect(clippy::boxed_local, reason = "keeps the change out of the frame of the caller")]
fn push(out: &mut MessageDiff, change: Box<Change>) {
    out.changes.push(*change);
}

#[cfg(test)]
mod tests {
    use super::super::rules::Treatment;
    use super::*;
    use crate::diff::meaning::{KeyField, ListAs};
    use crate::error::Result;
    use crate::message::Message;
    use crate::schema::Field;
    use crate::text::{ParseOptions, parse};

    /// Rules for some fields of collections and graphs.
    struct Known;

    const BY_NAME: &[KeyField] = &[KeyField::Borrowed("variable_name")];

    impl Rules for Known {
        fn treatment(
            &self,
            ty: &MessageType,
            field: &Field,
            at: &PathBuilder<'_>,
        ) -> Treatment<'_> {
            let treatment = Treatment::default();
            match (ty.name(), &*field.name) {
                ("BytesList", _) if at.path().key_in("collection_def") == Some("keyed") => {
                    let list = ListAs::Keyed(BY_NAME);
                    Treatment { list, embedded: Some("tensorflow.VariableDef"), ..treatment }
                }
                ("BytesList", _) => {
                    Treatment { embedded: Some("tensorflow.VariableDef"), ..treatment }
                }
                ("MetaInfoDef", _) => Treatment { skip: true, ..treatment },
                ("GraphDef", "versions") | ("NodeDef", "attr") => {
                    Treatment { weight: Weight::Cosmetic, ..treatment }
                }
                _ => treatment,
            }
        }

        fn are_equivalent(&self, ty: &MessageType, _: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
            ty.name() == "NodeDef" && lhs.eq_ignore_ascii_case(rhs)
        }

        fn compare_by_meaning(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) -> bool {
            let differ = MessageDiffer::new(Schema::tensorflow(), self, Tolerance::BITS);
            match pair.ty.name() {
                "VersionDef" => {
                    let at = &pair.at.field("taken");
                    differ.fields(&MessagePair { at, ..*pair }, out);
                }
                "TensorShapeProto" => {
                    differ.one_sided(ChangeKind::Added, (pair.ty, pair.rhs), pair.at, out);
                }
                _ => return false,
            }
            true
        }
    }

    fn found(lhs: &str, rhs: &str) -> Result<(Vec<String>, Vec<String>)> {
        let schema = Schema::tensorflow();
        let Some(ty) = schema.message("tensorflow.MetaGraphDef") else {
            return Ok(Default::default());
        };
        let read = |text: &str| -> Result<Message<'_>> {
            Ok(parse(schema, ty, text.as_bytes(), &ParseOptions::default())?.0)
        };
        let mut found = MessageDiff::default();
        let differ = MessageDiffer::new(schema, &Known, Tolerance::BITS);
        let (lhs, rhs) = (read(lhs)?, read(rhs)?);
        let (lhs, rhs, at) = (lhs.bytes(), rhs.bytes(), &PathBuilder::root());
        differ.compare(&MessagePair { ty, lhs, rhs, at }, &mut found);
        let line = |change: &Change| {
            let (lhs, rhs) = (change.lhs.as_deref(), change.rhs.as_deref());
            let sides = format!("{} => {}", lhs.unwrap_or("-"), rhs.unwrap_or("-"));
            format!("{} {}: {sides}", change.weight.name(), change.path)
        };
        let findings = found.findings.iter().map(|(path, why)| format!("{path}: {why}")).collect();
        Ok((found.changes.iter().map(line).collect(), findings))
    }

    fn collection(key: &str, values: &[&str]) -> String {
        let values: String = values.iter().map(|value| format!("value: '{value}' ")).collect();
        format!("collection_def {{ key: '{key}' value {{ bytes_list {{ {values} }} }} }}")
    }

    #[test]
    fn bytes_that_contain_a_message_are_compared_by_its_fields() -> Result<()> {
        let (a, b, a_with_more) = (r"\n\001a", r"\n\001b", r"\n\001a\022\001i");
        let (changes, findings) =
            found(&collection("list", &[a]), &collection("list", &[b, a_with_more]))?;
        assert_eq!(
            changes,
            [
                r#"semantic collection_def["list"].bytes_list.value[0].variable_name: "a" => "b""#,
                r#"semantic collection_def["list"].bytes_list.value[1]: - => variable_name: "a" initializer_name: "i""#,
            ]
        );
        assert!(findings.is_empty());
        let (changes, _) =
            found(&collection("keyed", &[a, b]), &collection("keyed", &[b, a_with_more]))?;
        assert_eq!(
            changes,
            [
                r#"semantic collection_def["keyed"].bytes_list.value["a"].initializer_name: "" => "i""#,
                r#"cosmetic collection_def["keyed"].bytes_list.value: order of 2 => order of 2"#,
            ]
        );
        // The order of fields does not matter.
        let turned = collection("list", &[r"\022\001i\n\001a"]);
        let (changes, findings) = found(&turned, &collection("list", &[a_with_more]))?;
        assert!(changes.is_empty() && findings.is_empty(), "{changes:?} {findings:?}");
        Ok(())
    }

    #[test]
    fn bytes_that_contain_no_message_are_compared_as_bytes_and_reported() -> Result<()> {
        let (changes, findings) =
            found(&collection("list", &[r"\n\005a"]), &collection("list", &[r"\n\001b"]))?;
        let path = r#"collection_def["list"].bytes_list.value[0]"#;
        assert_eq!(changes, [format!(r#"semantic {path}: "\n\005a" => variable_name: "b""#)]);
        assert_eq!(
            findings,
            [format!(
                "{path}: no VariableDef: byte 2: variable_name: a field needs 5 bytes, 1 left"
            )]
        );
        Ok(())
    }

    #[test]
    fn rules_weigh_skip_and_replace_comparisons() -> Result<()> {
        let text = |n: u8, name: &str| {
            format!(
                "meta_info_def {{ tags: '{n}' }} graph_def {{ versions {{ producer: {n} }}
                 library {{ function {{ node_def {{ name: '{name}' input: '{name}' op: '{n}'
                 attr {{ key: 'a' value {{ i: {n} }} }}
                 attr {{ key: 's' value {{ shape {{ dim {{ size: {n} }} }} }} }} }} }} }} }}"
            )
        };
        let (changes, _) = found(&text(1, "a"), &text(2, "A"))?;
        let node = "graph_def.library.function[0].node_def[0]";
        assert_eq!(
            changes,
            [
                format!(r#"semantic {node}.op: "1" => "2""#),
                format!(r#"cosmetic {node}.attr["a"].i: 1 => 2"#),
                format!(r#"cosmetic {node}.attr["s"].shape: - => dim {{ size: 2 }}"#),
                "cosmetic graph_def.versions.taken.producer: 1 => 2".to_owned(),
            ]
        );
        Ok(())
    }
}
