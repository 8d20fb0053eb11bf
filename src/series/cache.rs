//! A file with finished comparisons, so that none is made twice.
//!
//! ```text
//! {"schema": "ckdiff-series-cache/1", "sha256": "<of the value of pairs>", "pairs": {"<key>": {…}, …}}
//! ```
//! A key is a digest of the fingerprints of both checkpoints, the filters, the rules and the version of ckdiff, so a comparison is found
//! only where it would be the same. Floats are stored by their bits. A comparison with errors is not stored, nor one of tensors
//! whose names are not UTF-8.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::drift::{Change, Drift, Moved, NonFinite, Tensor, TensorDrift, Tensors, shared};
use crate::bytes::{File, hex};
use crate::compare::Sides;
use crate::diff::{LeftOut, StatedAt, TensorRole, UnusedPattern};
use crate::error::{Error, Result};
use crate::files;
use crate::summary::{Movement, RoleMovement};
use crate::tensor::Name;

/// The schema of the file.
const SCHEMA: &str = "ckdiff-series-cache/1";

/// The largest file in bytes that is read.
const MOST_BYTES: u64 = 1 << 30;

/// The most comparisons that a file keeps, unless a single run has more.
const MOST_PAIRS: usize = 10_000;

/// The time after which a new comparison is written at once, and not with later ones.
const INTERVAL: Duration = Duration::from_secs(5);

/// Finished comparisons, in a file.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    pairs: BTreeMap<String, Box<RawValue>>,
    /// The keys that this run has asked for or added.
    used: BTreeSet<String>,
    is_changed: bool,
    written: Instant,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<'f> {
    schema: String,
    sha256: String,
    #[serde(borrow)]
    pairs: &'f RawValue,
}

/// Counts up if other results are stored of a comparison, between two versions of ckdiff.
const CONTENT: &str = "2";

/// What identifies a comparison.
#[derive(Debug, Clone)]
pub(super) struct Key(String);

impl Key {
    /// The key of a comparison: digests and names, and lists of filters.
    pub(super) fn new(parts: [&str; 3], filters: [&[String]; 2]) -> Self {
        let mut digest = Sha256::new();
        let mut add = |part: &str| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        add(env!("CARGO_PKG_VERSION"));
        add(CONTENT);
        parts.into_iter().for_each(&mut add);
        for list in filters {
            add(&list.len().to_string());
            list.iter().for_each(|glob| add(glob));
        }
        Self(hex(digest.finalize()))
    }
}

impl Cache {
    /// Opens the cache at `path`; an empty one, if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or is no such cache. It is never overwritten then.
    pub fn open(path: &Path) -> Result<Self> {
        let pairs = if path.exists() { read(path)? } else { BTreeMap::new() };
        Ok(Self {
            path: path.to_path_buf(),
            pairs,
            used: BTreeSet::new(),
            is_changed: false,
            written: Instant::now(),
        })
    }

    /// The comparison with this key.
    pub(super) fn get(&mut self, key: &Key, tensors: &mut Tensors) -> Option<Arc<Drift>> {
        let stored: StoredDrift = serde_json::from_str(self.pairs.get(&key.0)?.get()).ok()?;
        let drift = stored.drift(tensors)?;
        self.used.insert(key.0.clone());
        Some(Arc::new(drift))
    }

    /// Adds a comparison.
    pub(super) fn insert(&mut self, key: Key, drift: &Drift) {
        let stored = StoredDrift::new(drift).map(|stored| serde_json::value::to_raw_value(&stored));
        if let Some(Ok(raw)) = stored {
            self.used.insert(key.0.clone());
            self.pairs.insert(key.0, raw);
            self.is_changed = true;
        }
    }

    /// Writes the file, if it was not written for some seconds.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save_sometimes(&mut self) -> Result<()> {
        if self.written.elapsed() < INTERVAL { Ok(()) } else { self.save() }
    }

    /// Writes the file, if there is anything new.
    ///
    /// # Errors
    /// If it cannot be written; then it is unchanged.
    pub(super) fn save(&mut self) -> Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        if self.pairs.len() > MOST_PAIRS {
            self.pairs.retain(|key, _| self.used.contains(key));
        }
        let pairs = serde_json::value::to_raw_value(&self.pairs);
        let pairs = pairs.map_err(|error| files::cannot_write(error.into()).in_file(&self.path))?;
        let sha256 = hex(Sha256::digest(pairs.get()));
        files::replace(&self.path, |out| {
            let parts = ["{\"schema\":\"", SCHEMA, "\",\"sha256\":\"", &sha256, "\",\"pairs\":"];
            let parts = parts.into_iter().chain([pairs.get(), "}\n"]);
            let mut parts = parts.map(str::as_bytes);
            parts.try_for_each(|part| out.write_all(part)).map_err(files::cannot_write)
        })?;
        (self.is_changed, self.written) = (false, Instant::now());
        Ok(())
    }
}

/// Reads a cache.
fn read(path: &Path) -> Result<BTreeMap<String, Box<RawValue>>> {
    let bytes = File::open(path)?.read(MOST_BYTES)?;
    let malformed = |reason: &dyn std::fmt::Display| {
        Error::malformed("the file", "a cache of a series; remove it, or name another one", reason)
            .in_file(path)
    };
    let stored: Stored<'_> = serde_json::from_slice(&bytes).map_err(|error| malformed(&error))?;
    if stored.schema != SCHEMA {
        return Err(malformed(&format!("its schema is not {SCHEMA}")));
    }
    if stored.sha256 != hex(Sha256::digest(stored.pairs.get())) {
        return Err(malformed(&"its digest does not match its content"));
    }
    serde_json::from_str(stored.pairs.get()).map_err(|error| malformed(&error))
}

/// A comparison in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredDrift {
    roles: Vec<StoredRole>,
    tensors: Vec<StoredTensor>,
    left_out: [u64; 2],
    unused: Vec<StoredPattern>,
    broken: Option<String>,
}

/// The option, the pattern, a name close to it, and the place in a rules file.
#[derive(Serialize, Deserialize)]
struct StoredPattern(String, String, Option<String>, Option<(String, u64)>);

/// The role; changed, all and non-finite tensors; the bits of the movement.
#[derive(Serialize, Deserialize)]
struct StoredRole(Option<String>, [u64; 3], Option<u64>);

/// The name, the shown name if it differs, the role, whether it is a scalar, the change; the bits of how far it moved; NaN of both
/// sides, infinities, and whether they are new.
#[derive(Serialize, Deserialize)]
struct StoredTensor(
    String,
    Option<String>,
    Option<String>,
    bool,
    String,
    Option<[u64; 3]>,
    Option<[u64; 4]>,
);

impl StoredDrift {
    /// `None` if a name is not UTF-8.
    fn new(drift: &Drift) -> Option<Self> {
        Some(Self {
            roles: drift.roles.iter().map(StoredRole::new).collect(),
            tensors: drift.tensors.iter().map(StoredTensor::new).collect::<Option<_>>()?,
            left_out: [drift.left_out.include, drift.left_out.exclude],
            unused: drift.unused.iter().map(StoredPattern::new).collect(),
            broken: drift.broken.clone(),
        })
    }

    fn drift(self, tensors: &mut Tensors) -> Option<Drift> {
        let [include, exclude] = self.left_out;
        let tensors = self.tensors.into_iter().map(|of| of.tensor(tensors));
        Some(Drift {
            roles: self.roles.into_iter().map(StoredRole::role).collect::<Option<_>>()?,
            tensors: tensors.collect::<Option<_>>()?,
            left_out: LeftOut { include, exclude },
            unused: self.unused.into_iter().map(StoredPattern::pattern).collect::<Option<_>>()?,
            broken: self.broken,
        })
    }
}

impl StoredPattern {
    fn new(of: &UnusedPattern) -> Self {
        let at = of.at.as_ref().map(|at| (at.source.clone(), at.line));
        Self(of.option.to_owned(), of.pattern.clone(), of.suggestion.clone(), at)
    }

    fn pattern(self) -> Option<UnusedPattern> {
        let Self(option, pattern, suggestion, at) = self;
        let options = ["include", "exclude", "rename", UnusedPattern::RULE];
        let option = options.into_iter().find(|known| *known == option)?;
        let at = at.map(|(source, line)| StatedAt { source, line });
        Some(UnusedPattern { option, pattern, suggestion, at })
    }
}

impl StoredRole {
    fn new(of: &RoleMovement) -> Self {
        let Movement { changed, total, non_finite, rel_l2 } = of.movement;
        let role = of.role.map(|role| role.name().to_owned());
        Self(role, [changed, total, non_finite], rel_l2.map(f64::to_bits))
    }

    fn role(self) -> Option<RoleMovement> {
        let [changed, total, non_finite] = self.1;
        let rel_l2 = self.2.map(f64::from_bits);
        let movement = Movement { changed, total, non_finite, rel_l2 };
        Some(RoleMovement { role: role(self.0)?, movement })
    }
}

impl StoredTensor {
    fn new(of: &TensorDrift) -> Option<Self> {
        let tensor = &of.tensor;
        let name = tensor.name.as_str()?;
        Some(Self(
            name.to_owned(),
            Some(tensor.shown.clone()).filter(|shown| shown != name),
            tensor.role.map(|role| role.name().to_owned()),
            tensor.is_scalar,
            of.change.name().to_owned(),
            of.moved.map(|moved| [moved.rel_l2, moved.diff, moved.lhs].map(f64::to_bits)),
            of.non_finite.map(|of| [of.nan.lhs, of.nan.rhs, of.inf, u64::from(of.is_new)]),
        ))
    }

    fn tensor(self, tensors: &mut Tensors) -> Option<TensorDrift> {
        let Self(name, shown, role_name, is_scalar, change, moved, non_finite) = self;
        let tensor = Tensor {
            name: Name::from(&name),
            shown: shown.unwrap_or(name),
            role: role(role_name)?,
            is_scalar,
        };
        Some(TensorDrift {
            tensor: shared(tensor, tensors),
            change: Change::ALL.into_iter().find(|known| known.name() == change)?,
            moved: moved.map(|moved| {
                let [rel_l2, diff, lhs] = moved.map(f64::from_bits);
                Moved { rel_l2, diff, lhs }
            }),
            non_finite: non_finite.map(|[lhs, rhs, inf, new]| NonFinite {
                nan: Sides { lhs, rhs },
                inf,
                is_new: new > 0,
            }),
        })
    }
}

/// The role of this name; `None` for an unknown name.
#[expect(clippy::option_option, reason = "a tensor may have no role, and a name may be unknown")]
fn role(name: Option<String>) -> Option<Option<TensorRole>> {
    match name {
        None => Some(None),
        Some(name) => TensorRole::ALL.into_iter().find(|role| role.name() == name).map(Some),
    }
}
