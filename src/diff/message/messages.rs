//! Down through two messages, level by level.

use super::entry::{Entry, Inside};
use super::level;
use super::rules::Rules;
use crate::compare::Tolerance;
use crate::diff::Finding;
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Path, Weight};
use crate::error::Result;
use crate::schema::{MessageType, Schema};
use crate::text::{BriefValue, brief};

/// What came of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// What differs.
    pub(crate) changes: Vec<Change>,
    /// What should hold something and does not, on either side, where it differs.
    pub(crate) findings: Vec<(Path, String)>,
    /// What is wrong with the graphs of either side.
    pub(crate) of_graphs: Vec<Finding>,
}

impl Found {
    /// Both sides of what `at` leads to, where both could be read; else what went wrong is a finding.
    pub(crate) fn both<T>(
        &mut self,
        lhs: Result<T>,
        rhs: Result<T>,
        at: &Trail<'_>,
    ) -> Option<(T, T)> {
        match (lhs, rhs) {
            (Ok(lhs), Ok(rhs)) => Some((lhs, rhs)),
            (lhs, rhs) => {
                let errors = [lhs.err(), rhs.err()].into_iter().flatten();
                self.findings.extend(errors.map(|error| (at.path(), error.to_string())));
                None
            }
        }
    }
}

/// Compares messages in canonical form; `rules` say what the schema does not.
#[derive(Clone, Copy)]
pub(crate) struct Messages<'a> {
    pub(super) schema: &'a Schema,
    pub(super) rules: &'a dyn Rules,
    pub(super) tolerance: Tolerance,
}

impl<'a> Messages<'a> {
    pub(crate) fn new(schema: &'a Schema, rules: &'a dyn Rules, tolerance: Tolerance) -> Self {
        Self { schema, rules, tolerance }
    }

    /// Compares two messages that `at` leads to, or lets the rules do so.
    pub(crate) fn compare(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) {
        self.walk(ty, lhs, rhs, (at, Weight::Semantic), out);
    }

    /// Compares two messages field by field, as rules do that have taken them over; the rules decide over what is inside.
    pub(crate) fn fields(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) {
        if lhs != rhs {
            self.descend(ty, lhs, rhs, (at, Weight::Semantic), out);
        }
    }

    /// Tells of a message that only rhs has.
    pub(crate) fn added(&self, ty: &MessageType, rhs: &[u8], at: &Trail<'_>, out: &mut Found) {
        let text = brief(self.schema, BriefValue::Message(ty, rhs));
        out.changes.push(change(at.path(), ChangeKind::Added, None, Some(text)));
    }

    /// Tells of a message that only lhs has.
    pub(crate) fn removed(&self, ty: &MessageType, lhs: &[u8], at: &Trail<'_>, out: &mut Found) {
        let text = brief(self.schema, BriefValue::Message(ty, lhs));
        out.changes.push(change(at.path(), ChangeKind::Removed, Some(text), None));
    }

    fn walk(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        place: (&Trail<'_>, Weight),
        out: &mut Found,
    ) {
        if lhs != rhs && !self.is_taken((ty, lhs, rhs), place, out) {
            self.descend(ty, lhs, rhs, place, out);
        }
    }

    /// One small frame for each level of nesting: all else is done before or behind, so that the deepest message fits any stack.
    fn descend(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        place: (&Trail<'_>, Weight),
        out: &mut Found,
    ) {
        for entry in level::entries(self, (ty, lhs, rhs), place, &mut out.findings) {
            match entry {
                Entry::Change(change) => push(out, change),
                Entry::Inside(inside) => {
                    let field = place.0.field(&inside.name);
                    let item = inside.which.of(&field);
                    let Inside { ty, lhs, rhs, weight, .. } = &*inside;
                    if !self.is_taken((ty, lhs, rhs), (&item, *weight), out) {
                        self.descend(ty, lhs, rhs, (&item, *weight), out);
                    }
                }
            }
        }
    }

    /// Whether the rules have taken two messages over.
    #[inline(never)]
    fn is_taken(
        &self,
        (ty, lhs, rhs): (&MessageType, &[u8], &[u8]),
        (at, weight): (&Trail<'_>, Weight),
        out: &mut Found,
    ) -> bool {
        let before = out.changes.len();
        let is_taken = self.rules.takes(ty, lhs, rhs, at, out);
        if is_taken && weight == Weight::Cosmetic {
            let new = out.changes.iter_mut().skip(before);
            new.for_each(|change| change.weight = Weight::Cosmetic);
        }
        is_taken
    }
}

#[inline(never)]
#[expect(clippy::boxed_local, reason = "so it does not lie in the frame of whoever calls")]
fn push(out: &mut Found, change: Box<Change>) {
    out.changes.push(*change);
}

/// A semantic change.
pub(super) fn change(
    path: Path,
    kind: ChangeKind,
    lhs: Option<String>,
    rhs: Option<String>,
) -> Change {
    Change { path, kind, weight: Weight::Semantic, lhs, rhs, detail: Detail::None }
}

#[cfg(test)]
mod tests {
    use super::super::rules::{KeyField, ListAs, Treatment};
    use super::*;
    use crate::error::Result;
    use crate::message::Message;
    use crate::schema::Field;
    use crate::text::{ParseOptions, parse};

    /// Some of what is known of collections and graphs.
    struct Known;

    const BY_NAME: &[KeyField] = &[KeyField::Borrowed("variable_name")];

    impl Rules for Known {
        fn treatment(&self, ty: &MessageType, field: &Field, at: &Trail<'_>) -> Treatment<'_> {
            let treatment = Treatment::default();
            match (ty.name(), &*field.name) {
                ("BytesList", _) if at.path().key_in("collection_def") == Some("keyed") => {
                    let list = ListAs::Keyed(BY_NAME);
                    Treatment { list, holds: Some("tensorflow.VariableDef"), ..treatment }
                }
                ("BytesList", _) => {
                    Treatment { holds: Some("tensorflow.VariableDef"), ..treatment }
                }
                ("MetaInfoDef", _) => Treatment { skip: true, ..treatment },
                ("GraphDef", "versions") | ("NodeDef", "attr") => {
                    Treatment { weight: Weight::Cosmetic, ..treatment }
                }
                _ => treatment,
            }
        }

        fn says_the_same(&self, ty: &MessageType, _: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
            ty.name() == "NodeDef" && lhs.eq_ignore_ascii_case(rhs)
        }

        fn takes(
            &self,
            ty: &MessageType,
            lhs: &[u8],
            rhs: &[u8],
            at: &Trail<'_>,
            out: &mut Found,
        ) -> bool {
            let messages = Messages::new(Schema::tensorflow(), self, Tolerance::BITS);
            match ty.name() {
                "VersionDef" => messages.fields(ty, lhs, rhs, &at.field("taken"), out),
                "TensorShapeProto" => messages.added(ty, rhs, at, out),
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
        let mut found = Found::default();
        let messages = Messages::new(schema, &Known, Tolerance::BITS);
        messages.compare(ty, read(lhs)?.bytes(), read(rhs)?.bytes(), &Trail::Root, &mut found);
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
    fn bytes_are_opened_where_they_hold_a_message() -> Result<()> {
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
        // Another order of fields is the same message.
        let turned = collection("list", &[r"\022\001i\n\001a"]);
        let (changes, findings) = found(&turned, &collection("list", &[a_with_more]))?;
        assert!(changes.is_empty() && findings.is_empty(), "{changes:?} {findings:?}");
        Ok(())
    }

    #[test]
    fn bytes_that_hold_no_message_are_compared_as_bytes_and_told_of() -> Result<()> {
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
    fn rules_weigh_leave_out_and_take_over() -> Result<()> {
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
