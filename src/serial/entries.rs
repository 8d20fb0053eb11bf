//! Reads objects of JSON reports.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{self, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::{Json, Read};
use crate::error::{Error, Result, shortened};

/// The maximum number of keys of an object. The largest has a twentieth of it.
const MAX_KEYS: usize = 1_000;

/// An object of a report. Keys that nobody asks for are ignored, since later versions may add some.
#[derive(Debug)]
pub(crate) struct Object<'r> {
    place: Json<'r>,
    entries: BTreeMap<Cow<'r, str>, Json<'r>>,
}

impl<'r> Object<'r> {
    /// The value of a key that may be missing; `None` also for `null`.
    ///
    /// # Errors
    /// If it is neither.
    pub(crate) fn optional<T: Read<'r>>(&self, key: &str) -> Result<Option<T>> {
        self.optional_with(key, T::read)
    }

    /// The value of a key that may be missing, by `read`; `None` also for `null`.
    ///
    /// # Errors
    /// The error of `read`, with the key.
    pub(crate) fn optional_with<T>(
        &self,
        key: &str,
        read: impl FnOnce(Json<'r>) -> Result<T>,
    ) -> Result<Option<T>> {
        let value = self.entries.get(key).map(|value| value.optional(read));
        value.transpose().map(Option::flatten).map_err(|error| error.in_field(key))
    }

    /// The value of a key.
    ///
    /// # Errors
    /// If the key is missing, or has another value.
    pub(crate) fn get<T: Read<'r>>(&self, key: &str) -> Result<T> {
        self.with(key, T::read)
    }

    /// The value of a key, by `read`.
    ///
    /// # Errors
    /// If the key is missing, and the error of `read`, with the key.
    pub(crate) fn with<T>(&self, key: &str, read: impl FnOnce(Json<'r>) -> Result<T>) -> Result<T> {
        let Some(value) = self.entries.get(key) else {
            return Err(self.place.error(format!("the key {key:?} is missing")));
        };
        read(*value).map_err(|error| error.in_field(key))
    }

    /// The place of the object, for errors.
    pub(crate) fn place(&self) -> Json<'r> {
        self.place
    }
}

impl<'r> Read<'r> for Object<'r> {
    fn read(json: Json<'r>) -> Result<Self> {
        let mut entries = BTreeMap::new();
        json.entries(MAX_KEYS, |key, value| {
            entries.insert(key, value);
            Ok(())
        })?;
        Ok(Self { place: json, entries })
    }
}

impl<'r> Json<'r> {
    /// Calls `f` with each entry of an object of at most `most` entries.
    ///
    /// # Errors
    /// If the value is none, or has more entries, and the first error of `f`, with the key.
    pub(crate) fn entries(
        self,
        most: usize,
        f: impl FnMut(Cow<'r, str>, Self) -> Result<()>,
    ) -> Result<()> {
        let mut failed = None;
        let entries = Entries { object: self, f, most, failed: &mut failed };
        let read = Deserializer::from_str(self.text()).deserialize_map(entries);
        match (failed, read) {
            (Some(error), _) => Err(error),
            (None, Err(_)) => Err(self.unexpected("an object")),
            (None, Ok(())) => Ok(()),
        }
    }
}

/// The entries of an object, one after the other.
struct Entries<'e, 'r, F> {
    object: Json<'r>,
    f: F,
    most: usize,
    failed: &'e mut Option<Error>,
}

/// A key, which borrows from the text unless it has escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'r>(#[serde(borrow)] Cow<'r, str>);

impl<'r, F: FnMut(Cow<'r, str>, Json<'r>) -> Result<()>> Visitor<'r> for Entries<'_, 'r, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'r>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut left = self.most;
        while let Some((Key(key), value)) = map.next_entry::<Key<'r>, &RawValue>()? {
            let path = shortened(&key).into_owned();
            let value = self.object.with(value);
            let read = match left.checked_sub(1) {
                Some(fewer) => {
                    left = fewer;
                    (self.f)(key, value).map_err(|error| error.in_field(&path))
                }
                None => {
                    let keys = format!("an object of at most {} keys", self.most);
                    Err(self.object.unexpected(keys))
                }
            };
            if let Err(error) = read {
                *self.failed = Some(error);
                return Err(<A::Error as de::Error>::custom(""));
            }
        }
        Ok(())
    }
}
