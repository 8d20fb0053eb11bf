//! A rules file to start from, made for two models that are known to be good.

use std::fmt::Write;

use super::Profile;
use super::toml_string::quoted;
use crate::diff::{Diff, Status, TensorDiff, TensorRole, escaped_glob};
use crate::summary::{Movement, movement, weights};

/// A rules file with comments, which extends the built-in profile that fits how far the weights moved, and names the tensors that
/// did not change. A comparison of the same models keeps to it, if the profile's limits suit them.
pub fn start(diff: &Diff) -> String {
    let weights = weights(diff);
    let moved = movement(weights.iter().copied());
    let profile = profile(&moved);
    let mut text = String::new();
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    line(
        "# What may change between two models. `ckdiff` finds this file from any directory below it.",
    );
    line(
        "# Every setting is explained in docs/rules.md; `ckdiff rules explain NAME` shows what holds for a tensor.",
    );
    line("schema = 1");
    line("");
    line(&format!("# {}", reason(&moved, profile)));
    line(&format!("extends = {:?}", profile.name()));
    line("");
    line("# Settings for every tensor; rules below replace them, key by key.");
    line("[default]");
    line("nan = \"not_new\"");
    line("inf = \"not_new\"");
    if profile != Profile::Exact {
        let frozen = frozen(&weights);
        frozen_rules(&frozen, &mut line);
        line("");
        line("# The last rule that matches a name wins. For example, more room for one layer:");
        line("# [[rule]]");
        line("# match = \"decoder/**\"");
        line("# rel_l2 = 0.3");
    }
    if diff.coverage.has_graph() {
        line("");
        line("# Changes of the graph: signatures and the structure must stay as they are.");
        line("[graph]");
        line("expect = \"unchanged\"");
        line("signatures = \"unchanged\"");
        line("# ignore = [\"**.device\"]");
        line("# deny_ops = [\"PyFunc\"]");
    }
    text
}

/// The profile that fits how far the weights moved. Unrelated weights of equal norms are 140 % apart.
fn profile(moved: &Movement) -> Profile {
    const UNRELATED: f64 = 1.0;
    match moved.rel_l2 {
        _ if moved.changed == 0 => Profile::Exact,
        Some(moved) if moved < UNRELATED => Profile::SameStart,
        Some(_) => Profile::Fresh,
        None => Profile::SameStart,
    }
}

fn reason(moved: &Movement, profile: Profile) -> String {
    let Movement { changed, total, rel_l2, .. } = moved;
    let by = rel_l2.map(|moved| format!(", by {:.3} (rel_l2) together", moved)).unwrap_or_default();
    let why = match profile {
        Profile::Exact => "no weight changed",
        Profile::SameStart => "they have a start in common",
        Profile::Fresh => "element by element, they have nothing in common",
    };
    format!("{changed} of {total} weights changed{by}: {why}.")
}

/// The weights that did not change.
fn frozen<'d>(weights: &[&'d TensorDiff]) -> Vec<&'d TensorDiff> {
    let is_frozen = |tensor: &&&TensorDiff| {
        tensor.status == Status::Identical
            && tensor.role.is_none_or(|role| role == TensorRole::Weight)
    };
    weights.iter().filter(is_frozen).copied().collect()
}

fn frozen_rules(frozen: &[&TensorDiff], line: &mut impl FnMut(&str)) {
    if frozen.is_empty() {
        return;
    }
    line("");
    line("# Frozen in these two models.");
    line("[[rule]]");
    line("name = \"frozen\"");
    let mut names = String::new();
    for tensor in frozen {
        let _ = writeln!(names, "    {},", quoted(&escaped_glob(&tensor.name.to_string())));
    }
    line(&format!("match = [\n{names}]"));
    line("expect = \"unchanged\"");
}
