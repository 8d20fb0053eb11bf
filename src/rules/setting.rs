//! The settings of a rule: what it says of the tensors that it matches, a key and a value each.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::DeValue;

use super::gate::{DiffQuantile, Gate, Scale};
use super::source::{Item, Source};
use crate::error::{Error, Result, shortened};
use crate::serial::named_enum;
use crate::suggestion::hint;
use crate::tensor::DType;

/// What a setting is about. The order is that in which reports list settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// Whether the tensor must change.
    Expect,
    /// Which NaN are accepted.
    Nan,
    /// Which infinities are accepted.
    Inf,
    /// Whether rhs may have another shape.
    NewShape,
    /// Whether rhs may have another dtype.
    NewDtype,
    /// Whether only rhs may have the tensor.
    Added,
    /// Whether only lhs may have the tensor.
    Removed,
    /// The absolute tolerance of elements.
    Atol,
    /// The relative tolerance of elements.
    Rtol,
    /// The tolerance of elements in representable values.
    Ulp,
    /// The share of elements that may be outside the tolerance.
    MaxMismatched,
    /// A quantile of the differences.
    DiffQuantile(DiffQuantile),
    /// A statistic of the whole tensor.
    Gate(Gate),
}

impl Key {
    /// Every key.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        const PLAIN: [Key; 11] = [
            Key::Expect,
            Key::Nan,
            Key::Inf,
            Key::NewShape,
            Key::NewDtype,
            Key::Added,
            Key::Removed,
            Key::Atol,
            Key::Rtol,
            Key::Ulp,
            Key::MaxMismatched,
        ];
        let quantiles = DiffQuantile::ALL.into_iter().map(Self::DiffQuantile);
        PLAIN.into_iter().chain(quantiles).chain(Gate::ALL.iter().copied().map(Self::Gate))
    }

    /// The name in rules files and reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Expect => "expect",
            Self::Nan => "nan",
            Self::Inf => "inf",
            Self::NewShape => "new_shape",
            Self::NewDtype => "new_dtype",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Atol => "atol",
            Self::Rtol => "rtol",
            Self::Ulp => "ulp",
            Self::MaxMismatched => "max_mismatched",
            Self::DiffQuantile(quantile) => quantile.key,
            Self::Gate(gate) => gate.key(),
        }
    }

    /// The key with this name.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|key| key.name() == name)
    }

    /// Whether the setting limits how far values may move.
    pub(super) fn limits_values(self) -> bool {
        self >= Self::Atol
    }
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// The setting of an earlier rule is removed.
    Off,
    /// Whether the tensor must change.
    Expect(Expect),
    /// Which NaN or infinities are accepted.
    NonFinite(NonFinite),
    /// Whether a difference of another kind is accepted.
    Allowed(bool),
    /// A number for every dtype.
    Number(f64),
    /// A number for some dtypes.
    ByDtype(BTreeMap<&'static str, f64>),
    /// The defaults of torch.testing for each dtype.
    DtypeDefaults,
    /// Limits of a statistic.
    Range(Option<f64>, Option<f64>),
    /// The limit that follows from the number of elements.
    Auto,
}

named_enum! {
    /// Whether a tensor must change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Expect {
        /// No bit may change.
        Unchanged = "unchanged",
        /// At least one element must change.
        Changed = "changed",
        /// Values may be anything, within the limits that rules set.
        Any = "any",
        /// The tensor is not judged at all.
        Ignored = "ignored",
    }
}

named_enum! {
    /// Which NaN or infinities are accepted in rhs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum NonFinite {
        /// None.
        Forbidden = "forbidden",
        /// Those of lhs.
        NotNew = "not_new",
        /// All.
        Allowed = "allowed",
    }
}

impl Value {
    /// Reads the value of `key`.
    ///
    /// # Errors
    /// If the value is not one of those that the key accepts.
    pub(super) fn read(key: Key, source: &Source<'_>, item: Item<'_, '_>) -> Result<Self> {
        const PERMISSIONS: &[(&str, bool)] = &[("allowed", true), ("forbidden", false)];
        match key {
            Key::Expect => {
                choose(source, item, &Expect::ALL.map(|of| (of.name(), of))).map(Self::Expect)
            }
            Key::Nan | Key::Inf => {
                let words = NonFinite::ALL.map(|of| (of.name(), of));
                choose(source, item, &words).map(Self::NonFinite)
            }
            Key::NewShape | Key::NewDtype | Key::Added | Key::Removed => {
                choose(source, item, PERMISSIONS).map(Self::Allowed)
            }
            _ => match item.get_ref().as_str() {
                Some("off") => Ok(Self::Off),
                Some("dtype") if key == Key::Rtol => Ok(Self::DtypeDefaults),
                Some("auto") if key == Key::Gate(Gate::Ks) => Ok(Self::Auto),
                Some(text) if !text.ends_with('%') => Err(unknown_word(key, source, item)),
                _ => Self::read_limit(key, source, item),
            },
        }
    }

    fn read_limit(key: Key, source: &Source<'_>, item: Item<'_, '_>) -> Result<Self> {
        match (key, item.get_ref()) {
            (Key::Atol | Key::Rtol | Key::Ulp, DeValue::Table(table)) => {
                let mut by_dtype = BTreeMap::new();
                for (name, value) in table {
                    let number = tolerance(key, source, value)?;
                    by_dtype.insert(dtype(source, name.get_ref(), name.span())?.name(), number);
                }
                Ok(Self::ByDtype(by_dtype))
            }
            (Key::Atol | Key::Rtol | Key::Ulp, _) => tolerance(key, source, item).map(Self::Number),
            (Key::Gate(gate), DeValue::Array(_)) => range(gate, source, item),
            (Key::Gate(gate), _) => {
                let number = limit(source, item, gate == Gate::Cosine)?;
                Ok(match gate.scale() {
                    Scale::Most => Self::Range(None, Some(number)),
                    Scale::Least => Self::Range(Some(number), None),
                    Scale::Ratio => Self::Range(Some(1.0 - number), Some(1.0 + number)),
                })
            }
            (Key::MaxMismatched, _) => {
                let share = limit(source, item, false)?;
                let is_share = share <= 1.0;
                is_share
                    .then_some(Self::Number(share))
                    .ok_or_else(|| source.unexpected(item, "a share of the elements, from 0 to 1"))
            }
            _ => limit(source, item, false).map(Self::Number),
        }
    }

    /// The number for elements of this dtype.
    pub(super) fn for_dtype(&self, dtype: DType) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::ByDtype(by_dtype) => by_dtype.get(dtype.name()).copied(),
            _ => None,
        }
    }
}

/// The dtype with this name.
///
/// # Errors
/// If there is none.
pub(super) fn dtype(source: &Source<'_>, name: &str, at: Range<usize>) -> Result<DType> {
    let mut all = DType::ALL.iter().copied();
    all.find(|dtype| dtype.name() == name).ok_or_else(|| {
        let hint = hint(name.as_bytes(), DType::ALL.iter().map(|dtype| dtype.name()));
        source.error(at, format!("there is no dtype {:?}{hint}", shortened(name)))
    })
}

/// One of some words.
fn choose<T: Copy>(source: &Source<'_>, item: Item<'_, '_>, words: &[(&str, T)]) -> Result<T> {
    let given = item.get_ref().as_str();
    let chosen = words.iter().find(|(word, _)| Some(*word) == given);
    chosen.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        let last = words.last().map(|last| last.as_str()).unwrap_or_default();
        let others = words.len().saturating_sub(1);
        let others = words.get(..others).unwrap_or_default().join(", ");
        source.unexpected(item, &format!("{others} or {last}"))
    })
}

fn unknown_word(key: Key, source: &Source<'_>, item: Item<'_, '_>) -> Error {
    let or = match key {
        Key::Rtol => ", \"dtype\" or \"off\"",
        Key::Gate(Gate::Ks) => ", \"auto\" or \"off\"",
        _ => " or \"off\"",
    };
    source.unexpected(item, &format!("a number{or}"))
}

/// A number, or a percentage as a string; `is_cosine` says which numbers make sense.
fn limit(source: &Source<'_>, item: Item<'_, '_>, is_cosine: bool) -> Result<f64> {
    let expected = if is_cosine { "a number from -1 to 1" } else { LIMIT };
    let number = match item.get_ref().as_str().and_then(|text| text.strip_suffix('%')) {
        Some(percent) => {
            let percent = percent.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            percent.ok_or_else(|| source.unexpected(item, expected))? / 100.0
        }
        None => source.number(item, expected)?,
    };
    let is_possible = if is_cosine { number.abs() <= 1.0 } else { number >= 0.0 };
    match is_possible {
        true => Ok(number + 0.0),
        false => Err(source.unexpected(item, expected)),
    }
}

const LIMIT: &str = "a number that is finite and not negative";

fn tolerance(key: Key, source: &Source<'_>, item: Item<'_, '_>) -> Result<f64> {
    match key {
        // Distances in representable values are compared as integers; beyond 2^53 no f64 is exact.
        Key::Ulp => Ok(source.count(item)?.min(1 << 53) as f64),
        _ => limit(source, item, false),
    }
}

/// The least and the largest accepted value.
fn range(gate: Gate, source: &Source<'_>, item: Item<'_, '_>) -> Result<Value> {
    let items = item.get_ref().as_array().map(|array| array.iter().collect::<Vec<_>>());
    let Some(&[least, most]) = items.as_deref() else {
        return Err(source.unexpected(item, "a number, or a list of the least and the most"));
    };
    let bound = |item| limit(source, item, gate == Gate::Cosine);
    let (least, most) = (bound(least)?, bound(most)?);
    if least > most {
        let message = format!("the least value, {least}, is larger than the most, {most}");
        return Err(source.error(item.span(), message));
    }
    Ok(Value::Range(Some(least), Some(most)))
}
