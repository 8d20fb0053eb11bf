//! Checks that the phases of a comparison follow each other.

use super::cycles::{Modules, reached};

/// The directories of the phases, and the phases that each may import, directly or through others.
const PHASES: &[(&str, &[&str])] = &[
    // Not a phase: the table of field meanings that the phases share.
    ("diff/meaning", &[]),
    ("diff/matching", &["diff/meaning"]),
    ("diff/walk", &["diff/matching", "diff/meaning"]),
    // An explanation is made from changes alone.
    ("diff/explain", &["diff/meaning"]),
];

#[test]
fn phases_follow_each_other() {
    let modules = Modules::read();
    let imports = modules.imports();
    let mut wrong = Vec::new();
    for (phase, allowed) in PHASES {
        let is_in = |module: &[String], phase: &str| {
            module
                .join("/")
                .strip_prefix(phase)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let own: Vec<_> = imports.keys().filter(|module| is_in(module, phase)).collect();
        assert!(own.len() >= 5, "{phase} has {} files", own.len());
        for module in own {
            for other in reached(module, &imports) {
                let mut others = PHASES.iter().map(|(other, _)| other);
                let of = others.find(|phase| is_in(other, phase));
                if of.is_some_and(|of| of != phase && !allowed.contains(of)) {
                    wrong.push(format!("{} imports {}", module.join("/"), other.join("/")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
