//! Reads the head of a snapshot: kind and redactions, then variables and assets.

use std::collections::BTreeMap;

use super::cursor::{Cursor, Fail};
use super::facts;
use super::reader::Reader;
use crate::artifact::ArtifactKind;
use crate::diff::TensorRole;
use crate::snapshot::structure::{AssetDigest, Body};
use crate::snapshot::variable::Variable;
use crate::snapshot::{Redaction, Redactions, Snapshot, VERSION};
use crate::tensor::{DType, Facts, Name, Shape};

/// Reads everything before the message; returns the place of the kind, too.
pub(super) fn parse<'t>(reader: &mut Reader<'t>) -> Result<(Snapshot, Cursor<'t>), Fail> {
    let mut cursor = reader.expect("ckdiff snapshot ")?;
    let version = cursor.clone();
    if cursor.number::<u32>("a version")? != VERSION {
        return Err(version.unexpected(&format!("version {VERSION}")));
    }
    cursor.end()?;
    let mut cursor = reader.expect("kind ")?;
    let stated = cursor.clone();
    let kind = cursor.word(|c| c.is_ascii_alphanumeric() || c == ' ' || c == '_');
    let kind = ArtifactKind::by_name(kind.to_owned());
    cursor.end()?;
    let mut redactions = Vec::new();
    while let Some(mut cursor) = reader.eat(0, "redact ") {
        let start = cursor.clone();
        let name = cursor.word(|c| c.is_ascii_lowercase() || c == '-');
        let expected = || Redaction::ALL.map(Redaction::name).join(", ");
        redactions.push(Redaction::by_name(name).ok_or_else(|| start.unexpected(&expected()))?);
        cursor.expect(":")?;
    }
    let redactions = Redactions::of(&redactions);
    let variables = reader.eat(0, "variables").map(|cursor| {
        cursor.end()?;
        variables(reader)
    });
    let mut assets = BTreeMap::new();
    if let Some(cursor) = reader.eat(0, "assets") {
        cursor.end()?;
        while let Some(line) = reader.next_at(1) {
            let mut cursor = line.cursor();
            let name = cursor.name()?;
            if assets.insert(name, asset(&mut cursor)?).is_some() {
                return Err(line.cursor().unexpected("an asset that is not listed above"));
            }
        }
    }
    let variables = variables.transpose()?;
    Ok((Snapshot { redactions, kind, variables, assets, body: Body::Nothing }, stated))
}

fn variables(reader: &mut Reader<'_>) -> Result<Vec<Variable>, Fail> {
    let mut variables: Vec<Variable> = Vec::new();
    while let Some(line) = reader.next_at(1) {
        let mut cursor = line.cursor();
        let name = match cursor.has("\"") {
            true => Name::from(&cursor.string()?),
            false => Name::from(&cursor.name()?),
        };
        if variables.last().is_some_and(|last| last.name >= name) {
            return Err(line
                .cursor()
                .unexpected("variables in the order of their names, each once"));
        }
        cursor.expect(" ")?;
        let facts = of_variable(&mut cursor)?;
        cursor.expect(" ")?;
        let role = TensorRole::ALL.into_iter().find(|role| cursor.rest() == role.name());
        let role = role
            .ok_or_else(|| cursor.unexpected(&TensorRole::ALL.map(TensorRole::name).join(", ")))?;
        variables.push(Variable { name, facts, role });
    }
    Ok(variables)
}

fn of_variable(cursor: &mut Cursor<'_>) -> Result<Facts, Fail> {
    let start = cursor.clone();
    let name = cursor.word(|c| c.is_ascii_alphanumeric() || c == '_');
    let dtype = DType::ALL.iter().copied().find(|dtype| dtype.name() == name);
    let dtype = dtype.ok_or_else(|| start.unexpected("a dtype"))?;
    cursor.expect(" ")?;
    let start = cursor.clone();
    let dims: Vec<i64> = facts::shape(cursor)?.dim.iter().map(|dim| dim.size).collect();
    let shape = Shape::new(&dims).map_err(|_| start.unexpected("a shape of known sizes"))?;
    Ok(Facts { dtype, shape })
}

fn asset(cursor: &mut Cursor<'_>) -> Result<AssetDigest, Fail> {
    cursor.expect(" ")?;
    let bytes = cursor.number("a number of bytes")?;
    cursor.expect(" bytes sha256:")?;
    let start = cursor.clone();
    let sha256 = cursor.word(|c| c.is_ascii_hexdigit());
    if sha256.len() != 64 {
        return Err(start.unexpected("64 hexadecimal digits"));
    }
    cursor.end()?;
    Ok(AssetDigest { bytes, sha256: sha256.to_owned() })
}
