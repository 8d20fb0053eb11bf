//! The text of learned rules.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::group::LearnedRule;
use super::limits::{Learned, TensorLimits};
use super::observation::GATES;
use super::{Against, GoodRuns};
use crate::rules::gate::{Gate, Scale};
use crate::rules::toml_string::quoted;
use crate::tensor::Name;

/// The longest line of patterns.
const WIDTH: usize = 100;

/// Writes the rules, with comments that say what they were learned from.
pub(super) fn write(
    runs: &GoodRuns,
    margin: f64,
    limits: &BTreeMap<Name, TensorLimits>,
    rules: &[LearnedRule],
    left_out: &[Vec<(Name, &'static str)>],
) -> String {
    let mut text = String::new();
    head(runs, margin, left_out, &mut text);
    useless(limits, &mut text);
    text += "schema = 1\n\n";
    text += "# The state of the optimizer and counters may have any value.\n";
    text += "[default]\nexpect = \"any\"\nnan = \"forbidden\"\ninf = \"forbidden\"\n";
    for rule in rules {
        write_rule(rule, &mut text);
    }
    graph(runs, &mut text);
    text
}

fn head(runs: &GoodRuns, margin: f64, left_out: &[Vec<(Name, &'static str)>], text: &mut String) {
    let (count, pairs) = (runs.names.len(), runs.pairs.len());
    let how = match (runs.against, &runs.baseline) {
        (Against::Baseline, Some(baseline)) => format!("each against {}", comment(baseline)),
        (Against::Baseline, None) => "each against the baseline".to_owned(),
        (Against::EachOther, _) => format!("against each other ({pairs} pairs)"),
        (Against::Previous, _) => format!("each against the one before ({pairs} pairs)"),
    };
    let _ = writeln!(text, "# Learned by `ckdiff learn` from {count} good runs, {how}:");
    for name in &runs.names {
        let _ = writeln!(text, "#   {}", comment(name));
    }
    let _ = writeln!(
        text,
        "# Each limit is {margin} times the largest value that a pair of them had, and at least what chance gives."
    );
    let passed = left_out.iter().filter(|broken| broken.is_empty()).count();
    let _ = writeln!(
        text,
        "# Leave-one-out: {passed} of {count} runs keep to the rules learned from the others."
    );
    for (name, broken) in runs.names.iter().zip(left_out) {
        if let Some((tensor, gate)) = broken.first() {
            let tensor = comment(&tensor.to_string());
            let more = broken.len() - 1;
            let more = if more > 0 { format!(", and {more} more tensors") } else { String::new() };
            let _ = writeln!(text, "#   {} breaks {gate} of {tensor}{more}", comment(name));
        }
    }
}

/// Says which gates are useless, and why.
fn useless(limits: &BTreeMap<Name, TensorLimits>, text: &mut String) {
    for (at, gate) in GATES.into_iter().enumerate() {
        let found = limits.values().filter_map(|of| of.useless.get(at).copied().flatten());
        let found: Vec<f64> = found.collect();
        if found.is_empty() {
            continue;
        }
        let most = found.iter().copied().fold(0.0, f64::max);
        let count = found.len();
        let tensors = if count == 1 { "tensor" } else { "tensors" };
        let why = match gate {
            Gate::RelL2 => "good runs are as far apart as unrelated weights",
            _ => "good runs differ too much for it to tell anything",
        };
        let limit = limit_text(gate, most);
        let _ = writeln!(
            text,
            "# Useless for {count} {tensors}: {} (the limit would be up to {limit}): {why}.",
            gate.key()
        );
    }
    text.push('\n');
}

fn write_rule(rule: &LearnedRule, text: &mut String) {
    let expect = match rule.expect {
        Learned::Unchanged => Some("unchanged"),
        Learned::Changed => Some("changed"),
        Learned::Either => None,
    };
    let count = rule.members.len();
    let tensors = if count == 1 { "tensor" } else { "tensors" };
    let _ = writeln!(text, "\n# {count} {tensors}");
    text.push_str("[[rule]]\n");
    patterns(&rule.patterns, text);
    text.push_str("role = \"weights\"\n");
    let _ = writeln!(text, "expect = {:?}", expect.unwrap_or("any"));
    for (at, gate) in GATES.into_iter().enumerate() {
        if rule.off.contains(&at) {
            let _ = writeln!(text, "{} = \"off\"", gate.key());
        }
        if let Some(limit) = rule.limits.get(at).copied().flatten() {
            let _ = writeln!(text, "{} = {}", gate.key(), limit_text(gate, limit));
        }
    }
}

fn patterns(patterns: &[String], text: &mut String) {
    let items: Vec<_> = patterns.iter().map(|pattern| quoted(pattern)).collect();
    match items.as_slice() {
        [only] => {
            let _ = writeln!(text, "match = {only}");
        }
        all if all.iter().map(|item| item.len() + 2).sum::<usize>() < WIDTH => {
            let _ = writeln!(text, "match = [{}]", all.join(", "));
        }
        all => {
            let _ = writeln!(text, "match = [\n    {},\n]", all.join(",\n    "));
        }
    }
}

/// The limit as rules have it: the ratios that are accepted, in hundredths, or a number with two significant digits; rounded so
/// that more is accepted.
fn limit_text(gate: Gate, distance: f64) -> String {
    match gate.scale() {
        Scale::Ratio => {
            let (least, most) = ((-distance).exp(), distance.exp());
            format!("[{:?}, {:?}]", (least * 100.0).floor() / 100.0, (most * 100.0).ceil() / 100.0)
        }
        Scale::Most | Scale::Least => rounded_up(distance),
    }
}

/// The smallest number with two significant digits that is not below `value`.
fn rounded_up(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0.0".into() } else { "inf".into() };
    }
    let scale = 10f64.powf(1.0 - value.log10().floor());
    let tenths = (value * scale).ceil();
    let candidates = [tenths, tenths + 1.0];
    let parsed = candidates.iter().map(|tenths| {
        let text = format!("{:e}", tenths / scale);
        let rounded: f64 = text.parse().unwrap_or(value);
        format!("{rounded:.1e}").parse::<f64>().unwrap_or(value)
    });
    let up = parsed.into_iter().find(|up| *up >= value).unwrap_or(value);
    format!("{up:?}")
}

fn graph(runs: &GoodRuns, text: &mut String) {
    let any =
        |is: fn(&super::Observed) -> bool| runs.pairs.iter().any(|(.., observed)| is(observed));
    if !any(|observed| observed.has_graph) {
        return;
    }
    let word = |changed: bool| if changed { "ignored" } else { "unchanged" };
    let graph = word(any(|observed| observed.graph_changed));
    let signatures = word(any(|observed| observed.signature_changed));
    let _ = writeln!(text, "\n[graph]\nexpect = {graph:?}\nsignatures = {signatures:?}");
}

/// A name in a comment, which is one line.
fn comment(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
