//! Many checkpoints of one training in a row: how the model drifts, which tensors stand still or run away, where NaN appear.
//!
//! [`Checkpoints`] finds the checkpoints and their order. [`compare`] compares each with the first, the one before or another one, and
//! [`Series`] has what it found. [`first`] finds the first checkpoint with a property by bisection. Both keep only a [`Drift`] of each
//! comparison, which a [`Cache`] stores for the next run, and the content of one checkpoint, as far as it fits.
//!
//! # Examples
//! ```
//! use ckdiff::progress::Silent;
//! use ckdiff::series::{Checkpoints, SeriesOptions, Verdict, compare};
//!
//! let checkpoints = Checkpoints::find(&["tests/data/training/steps".into()], 0)?;
//! let series = compare(&checkpoints, &SeriesOptions::default(), None, &mut None, &Silent)?;
//! assert_eq!(series.verdict(), Verdict::Sound);
//! let last = series.steps.last().expect("there are two or more");
//! let weights = last.drift.as_ref().map(|drift| drift.roles[0].movement);
//! assert!(weights.and_then(|moved| moved.rel_l2).is_some_and(|moved| moved > 0.1));
//! # Ok::<(), ckdiff::Error>(())
//! ```

mod cache;
mod checkpoints;
mod drift;
mod frozen;
mod growth;
mod member;
mod order;
mod outcome;
mod pairs;
mod run;
mod scopes;
mod search;
mod step;
mod step_tensor;
mod trend;

use std::path::PathBuf;
use std::sync::Arc;

pub use cache::Cache;
pub use checkpoints::{Checkpoints, Ignored};
pub use drift::{Change, Drift, Moved, NonFinite, Tensor, TensorDrift};
pub use member::Member;
pub use order::Order;
pub use outcome::{NonFiniteFrom, Series, Verdict};
pub use run::compare;
pub use scopes::ScopeTrack;
pub use search::{Property, Search, first};
pub use step::Step;
pub use trend::Runaway;

use crate::diff::{Diff, NameFilter, TensorRules, UnusedPattern};

/// The options of a series.
#[derive(Debug, Clone, Default)]
pub struct SeriesOptions {
    /// What each checkpoint is compared with.
    pub against: Against,
    /// Filters of tensors.
    pub names: NameFilter,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
}

/// What each checkpoint of a series is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Against {
    /// The first checkpoint that can be opened.
    #[default]
    First,
    /// The one before, of those that can be opened.
    Previous,
    /// The checkpoint at this path, which need not be part of the series.
    Path(PathBuf),
}

/// Rules that each comparison of a series is judged by.
#[derive(Clone, Copy)]
pub struct Judge<'j> {
    /// Distinguishes these rules from others in a [`Cache`], such as a digest of their text.
    pub identity: &'j str,
    /// Chooses how each tensor is compared, if the rules need tolerances or more statistics.
    pub rules: Option<&'j Arc<dyn TensorRules>>,
    /// Judges a comparison.
    pub judge: &'j dyn Fn(&Diff) -> Judged,
}

/// What the rules of a [`Judge`] say of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// Why it breaks a rule, in one line; `None` if it breaks none.
    pub broken: Option<String>,
    /// The rules that match nothing in it.
    pub unused: Vec<UnusedPattern>,
}

/// A result without unused rules.
impl From<Option<String>> for Judged {
    fn from(broken: Option<String>) -> Self {
        Self { broken, unused: Vec::new() }
    }
}

impl std::fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Judge({:?})", self.identity)
    }
}
