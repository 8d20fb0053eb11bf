//! The short lists and the counts of a report.

use std::collections::BTreeMap;

use crate::diff::{Damage, Finding, LeftOut, Rename, StatedAt, UnusedPattern};
use crate::error::Result;
use crate::serial::{Json, Object, Read};

/// The largest count that is accepted; reports add some of them up.
const MAX_COUNT: u64 = 1 << 53;

/// Options, and keys of rules files, with patterns.
const OPTIONS: [&str; 10] = [
    "atol",
    "cosmetic",
    "elements",
    "exclude",
    "ignore",
    "include",
    "rename",
    "rtol",
    "semantic",
    "unchanged",
];

/// A count.
///
/// # Errors
/// If it is none, or too large.
pub(super) fn count(json: Json<'_>) -> Result<u64> {
    let count = Some(u64::read(json)?).filter(|count| *count <= MAX_COUNT);
    count.ok_or_else(|| json.unexpected("an integer of at most 2^53"))
}

impl<'r> Read<'r> for LeftOut {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self {
            include: object.with("include", count)?,
            exclude: object.with("exclude", count)?,
        })
    }
}

impl<'r> Read<'r> for Damage {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self { side: object.get("side")?, error: object.get("error")? })
    }
}

impl<'r> Read<'r> for Rename {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self { from: object.some_name("from")?, to: object.some_name("to")? })
    }
}

impl<'r> Read<'r> for Finding {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self {
            side: object.get("side")?,
            path: object.get("path")?,
            problem: object.get("problem")?,
        })
    }
}

impl<'r> Read<'r> for StatedAt {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self { source: object.get("source")?, line: object.with("line", count)? })
    }
}

/// The patterns that matched nothing. Those of options that this version does not have are left out.
pub(super) fn unused(json: Json<'_>) -> Result<Vec<UnusedPattern>> {
    let mut unused = Vec::new();
    json.each(|item| {
        let object = Object::read(item)?;
        let (name, pattern) = (object.get::<String>("option")?, object.get("pattern")?);
        let suggestion = object.get("suggestion")?;
        let option = OPTIONS.into_iter().find(|option| *option == name);
        let at = object.optional("rule")?;
        unused.extend(option.map(|option| UnusedPattern { option, pattern, suggestion, at }));
        Ok(())
    })?;
    Ok(unused)
}

/// How many nodes of each op the graph of rhs has.
pub(super) fn ops(json: Json<'_>) -> Result<BTreeMap<String, u64>> {
    let mut ops = BTreeMap::new();
    json.entries(usize::MAX, |op, nodes| {
        ops.insert(op.into_owned(), count(nodes)?);
        Ok(())
    })?;
    Ok(ops)
}
