//! Options of the command that apply after all rules.

use std::sync::Arc;

use super::gate::Gate;
use super::rule::{Rule, RuleOrigin, Setting};
use super::rule_list::Rules;
use super::selector::Conditions;
use super::setting::{Key, Value};
use crate::diff::name_glob;
use crate::error::{Error, Result};

/// An option that sets one key, for the tensors whose names match a glob or for all.
pub(super) struct OptionRule {
    /// The name of the option.
    pub(super) option: &'static str,
    /// The key that it sets: `atol`, `rtol`, `ulp`, `max_mismatched` or `rel_l2`.
    pub(super) key: &'static str,
    /// The names that it is for.
    pub(super) glob: Option<String>,
    /// The number; finite and not negative.
    pub(super) number: f64,
}

impl Rules {
    /// Adds options, which take precedence over all rules.
    ///
    /// # Errors
    /// If a glob is malformed.
    pub(super) fn add_options(&mut self, options: &[OptionRule]) -> Result<()> {
        for OptionRule { option, key, glob, number } in options {
            let usage = |why: String| Error::usage(why).of_option(option);
            let mut conditions = Conditions::default();
            if let Some(text) = glob {
                let glob = name_glob(text).map_err(|error| usage(error.to_string()))?;
                conditions.included.push(glob);
                conditions.patterns.push(text.clone());
                conditions.selector.has_names = true;
            }
            let key = Key::by_name(key).ok_or_else(|| usage(format!("there is no key {key:?}")))?;
            let value = match key {
                Key::Gate(Gate::RelL2) => Value::Range(None, Some(*number)),
                _ => Value::Number(*number),
            };
            let setting = Setting { value, text: number.to_string().into() };
            let source = Arc::from(format!("--{}", option.replace('_', "-")));
            self.rules.push(Rule {
                origin: RuleOrigin { source, line: None, name: None },
                selector: conditions.selector.clone(),
                patterns: conditions.patterns.clone(),
                excluded: Vec::new(),
                settings: Box::new([(key, setting)]),
            });
            let rule = self.rules.len() - 1;
            self.names.add(rule, &[conditions]).map_err(|error| usage(error.to_string()))?;
        }
        Ok(())
    }
}
