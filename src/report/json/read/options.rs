//! The options of a report.

use std::borrow::Cow;

use crate::compare::{CompareOptions, Tolerance};
use crate::diff::{
    Bound, ChangeKind, Criteria, DiffOptions, Grouping, Ignore, Keyed, ListedTensors, Lists,
    NameFilter, Only, PathPattern,
};
use crate::error::Result;
use crate::serial::{Json, Object, Read};

/// Reads the options, as far as reports show them. They were applied when the report was made.
///
/// # Errors
/// If one is missing or malformed.
pub(super) fn read(json: Json<'_>) -> Result<DiffOptions> {
    let object = Object::read(json)?;
    let compare = CompareOptions {
        tolerance: Tolerance::read(json)?,
        nan: object.get("nan")?,
        further: object.get("tolerances")?,
        ..CompareOptions::default()
    };
    let mut criteria = Criteria::default();
    object.with("bounds", |json| {
        json.each(|item| {
            let bound = Object::read(item)?;
            let (part, names, value): (Bound, _, _) =
                (bound.get("bound")?, bound.get("names")?, bound.get("value")?);
            criteria.add_saved_bound(part, names, value);
            Ok(())
        })
    })?;
    (criteria.max_rel_l2, criteria.max_changed) =
        (object.get("max_rel_l2")?, object.get("max_changed")?);
    Ok(DiffOptions {
        compare,
        criteria,
        names: NameFilter::of_report(
            object.get("include")?,
            object.get("exclude")?,
            object.get("rename")?,
        ),
        only: object.with("only", only)?,
        lists: lists(&object)?,
        ignore: Ignore::of_report(
            object.get("ignore")?,
            object.get::<Vec<ChangeKind>>("ignore_kind")?,
        ),
        strict: object.get("strict")?,
        grouping: match object.optional("group")? {
            Some(true) => Grouping::ByCause,
            _ => Grouping::Off,
        },
        listed: object.with("elements", listed)?,
        ..DiffOptions::default()
    })
}

/// The tensors whose elements are listed. Their globs are matched when the report is shown, which takes memory for each.
fn listed(json: Json<'_>) -> Result<ListedTensors> {
    const MAX_BYTES: usize = 64 << 10;
    let (mut listed, mut left) = (ListedTensors::default(), MAX_BYTES);
    json.each(|item| {
        let object = Object::read(item)?;
        let (glob, count): (String, u64) = (object.get("names")?, object.get("count")?);
        let fits = left.checked_sub(glob.len() + 1);
        left = fits.ok_or_else(|| item.error("the globs have more than 64 KiB together"))?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        listed.add(&glob, count).map_err(|error| item.refused(&error))
    })?;
    Ok(listed)
}

fn only(json: Json<'_>) -> Result<Only> {
    let only = json.optional(|json| {
        json.one_of(&[Only::Tensors, Only::Graph], |only| match only {
            Only::Graph => "graph",
            _ => "tensors",
        })
    })?;
    Ok(only.unwrap_or_default())
}

/// The lists that were compared as sets, or by keys.
fn lists(object: &Object<'_>) -> Result<Lists> {
    let pattern = |json: Json<'_>| -> Result<PathPattern> {
        json.string()?.parse().map_err(|error| json.refused(&error))
    };
    let (mut as_set, mut keyed) = (Vec::new(), Vec::new());
    object.optional_with("as_set", |json| {
        json.each(|item| {
            as_set.push(pattern(item)?);
            Ok(())
        })
    })?;
    object.optional_with("key", |json| {
        json.each(|item| {
            let list = Object::read(item)?;
            let fields: Vec<String> = list.get("fields")?;
            let keys = fields.into_iter().map(Cow::Owned).collect();
            keyed.push(Keyed { list: list.with("list", pattern)?, keys });
            Ok(())
        })
    })?;
    Ok(Lists { as_set, keyed })
}
