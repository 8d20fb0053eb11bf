//! Which rules match a tensor, and what they say together.

use super::policy::Policy;
use super::rule::RuleOrigin;
use super::rule_list::Rules;
use super::selector::Subject;
use super::setting::Value;
use crate::diff::TensorDiff;
use crate::tensor::Name;

/// The rules for one tensor.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The rules that match, in the order in which they apply.
    pub matched: Vec<MatchedRule>,
    /// The settings that hold, each with its key, its text, and the rule that it comes from.
    pub settings: Vec<(&'static str, String, RuleOrigin)>,
}

/// A rule that matches a tensor.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MatchedRule {
    /// Where it comes from.
    pub rule: RuleOrigin,
    /// Whether it also depends on the role, dtype or size of the tensor, of which nothing is known.
    pub is_conditional: bool,
    /// Its settings: the key, the text of the value, and whether a later rule replaces it.
    pub settings: Vec<(&'static str, String, bool)>,
}

impl Rules {
    /// Explains which rules match `tensor`, and what they say together.
    pub fn explain(&self, tensor: &TensorDiff) -> Explanation {
        let names: Vec<&Name> = tensor.names().collect();
        self.explain_subject(&Subject::of(tensor, &names))
    }

    /// Explains which rules match a tensor of which only the name is known, as far as that says.
    pub fn explain_name(&self, name: &Name) -> Explanation {
        let names = [name];
        let (role, dtype, shape) = (None, None, None);
        self.explain_subject(&Subject { names: &names, role, dtype, shape, is_unknown: true })
    }

    fn explain_subject(&self, subject: &Subject<'_>) -> Explanation {
        let matching = self.matching(subject);
        let rules = || matching.iter().filter_map(|at| Some((*at, self.rules.get(*at)?)));
        let mut policy = Policy::default();
        rules().for_each(|(at, rule)| policy.add(at, &rule.settings));
        let is_replaced = |at, key| {
            let later = rules().filter(|(other, _)| *other > at);
            later.into_iter().any(|(_, rule)| rule.settings.iter().any(|(of, _)| *of == key))
        };
        let matched = rules().map(|(at, rule)| MatchedRule {
            rule: rule.origin.clone(),
            is_conditional: subject.is_unknown && rule.selector.depends_on_facts(),
            settings: rule
                .settings
                .iter()
                .map(|(key, setting)| (key.name(), setting.text.to_string(), is_replaced(at, *key)))
                .collect(),
        });
        let settings = policy.settings().filter(|(.., setting)| setting.value != Value::Off);
        let settings = settings
            .map(|(key, rule, setting)| (key.name(), setting.text.to_string(), self.origin(rule)));
        Explanation { matched: matched.collect(), settings: settings.collect() }
    }
}
