//! Rules for what may change between two models: `ckdiff.toml`, and whether a comparison keeps to it.
//!
//! A rule has conditions (names, role, dtype, size) and settings (tolerance of elements, limits for the whole tensor, whether it
//! must change). For each tensor, every setting comes from the last rule that matches and has it. `docs/rules.md` lists the
//! settings; a tensor of which no rule says anything must be identical.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use ckdiff::artifact::Artifact;
//! use ckdiff::diff::{DiffOptions, Verdict, diff};
//! use ckdiff::progress::Silent;
//! use ckdiff::rules::Rules;
//!
//! let text = "default = { expect = \"any\" }\nrule = [{ match = \"embedding\", rel_l2 = 0.01 }]";
//! let rules = Arc::new(Rules::parse(text, Path::new("ckdiff.toml"), None)?);
//! let lhs = Artifact::open("tests/data/retrain/baseline.ckpt")?;
//! let rhs = Artifact::open("tests/data/retrain/retrained.ckpt")?;
//! let options = DiffOptions { rules: Some(rules.clone()), ..DiffOptions::default() };
//! let judgement = rules.judge(&diff(&lhs, &rhs, &options, &Silent)?);
//! assert_eq!(judgement.verdict(), Verdict::Different);
//! for check in &judgement.failures {
//!     println!("{}: {} breaks {}", check.subject.shown(), check.gate, check.rule);
//! }
//! # Ok::<(), ckdiff::Error>(())
//! ```

mod again;
mod explain;
mod file;
mod gate;
mod graph;
mod judge;
mod judgement;
pub mod learn;
mod measured;
mod option;
mod policy;
mod profile;
mod rule;
mod rule_list;
mod selector;
mod setting;
mod source;
mod start;
mod tensor_judge;
mod tolerances;
mod toml_string;
mod unused;

pub use again::Again;
pub use explain::{Explanation, MatchedRule};
pub use judgement::{Check, CheckSubject, Found, Judgement, Limit, Severity, UnusedRule};
pub use profile::Profile;
pub use rule::RuleOrigin;
pub use rule_list::Rules;
pub use start::start;
pub use tolerances::Tolerances;
