//! The help of the command: examples, and which options the short help shows.

use clap::Command;

/// The last lines of the help.
const AFTER_HELP: &str = "\
Exit codes: 0 same, within the tolerance; 1 different; 2 error (wrong arguments, unreadable files).
For a path that is also the name of a command, write ./show.";

/// Examples, by the command; without a name, of comparing.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "ckdiff baseline.ckpt retrained.ckpt",
            "ckdiff --rtol 1e-3 --exclude global_step --output json=report.json baseline.ckpt retrained.ckpt",
            "ckdiff --max-rel-l2 5% baseline.ckpt retrained.ckpt    # each tensor may move by 5% as a whole",
            "ckdiff --stat baseline.ckpt retrained.ckpt             # a line for each part of the model",
            "ckdiff --rules same-start base.ckpt candidate.ckpt       # is this retraining all right?",
            "ckdiff -u before.meta after.meta                       # the changes of two graphs, as text",
        ],
    ),
    (
        "show",
        &[
            "ckdiff show model.ckpt",
            "ckdiff show model.ckpt --tensor dense/kernel",
            "ckdiff show saved_model/",
            "ckdiff show saved_model/ --output html=model.html    # a picture of the graph",
        ],
    ),
    ("verify", &["ckdiff verify model.ckpt", "ckdiff verify checkpoints/*.index"]),
    (
        "series",
        &[
            "ckdiff series checkpoints/",
            "ckdiff series model.ckpt-* --against previous",
            "ckdiff series checkpoints/ --first nan",
        ],
    ),
    (
        "convert",
        &["ckdiff convert graph.pb graph.pbtxt", "ckdiff convert model.ckpt.meta - --to json"],
    ),
    ("export", &["ckdiff export model.ckpt.meta encoder.meta --export-scope encoder"]),
    ("fmt", &["ckdiff fmt --check *.pbtxt"]),
    (
        "save-as",
        &[
            "ckdiff save-as model.ckpt model.safetensors",
            "ckdiff save-as model.ckpt weights.ckpt --exclude '**/Adam*'",
            "ckdiff save-as old.ckpt new.ckpt --rename '^model/(.*)=net/$1'",
        ],
    ),
    ("merge", &["ckdiff merge part-0 part-1 model.ckpt"]),
    (
        "judge",
        &[
            "ckdiff baseline.ckpt retrained.ckpt --histogram --output json=report.json",
            "ckdiff judge report.json --config strict.toml",
        ],
    ),
    (
        "learn",
        &[
            "ckdiff learn runs/*/model.ckpt*                          # each with each other",
            "ckdiff learn --baseline base.ckpt run1.ckpt run2.ckpt run3.ckpt -o warm.toml",
        ],
    ),
    (
        "rules",
        &[
            "ckdiff rules init base.ckpt retrained.ckpt",
            "ckdiff rules explain dense/kernel model.ckpt",
        ],
    ),
    (
        "snapshot",
        &[
            "ckdiff snapshot write exports/model.meta saved_model/",
            "ckdiff snapshot check exports/model.meta saved_model/",
        ],
    ),
    ("latest", &["ckdiff show $(ckdiff latest checkpoints/)"]),
];

/// Options that the short help shows; the long one shows all.
const SHORT: [&str; 17] = [
    "against",
    "atol",
    "exclude",
    "first",
    "format",
    "ignore",
    "include",
    "max_diffs",
    "max_rel_l2",
    "only",
    "output",
    "quiet",
    "rename",
    "rtol",
    "stat",
    "tensor",
    "unified",
];

/// Adds examples to the long help of the command and its subcommands, and leaves options out of the short help.
pub(super) fn with_help(command: Command) -> Command {
    let own = examples("").unwrap_or_default();
    let command = with_short_help(command)
        .after_help(AFTER_HELP)
        .after_long_help(format!("{own}\n\n{AFTER_HELP}"));
    let names: Vec<String> = command.get_subcommands().map(|of| of.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(&name, |of| match examples(&name) {
            Some(text) => with_short_help(of).after_long_help(text),
            None => with_short_help(of),
        })
    })
}

/// The examples of a command, below a heading.
fn examples(name: &str) -> Option<String> {
    let (_, lines) = EXAMPLES.iter().find(|(of, _)| *of == name)?;
    Some(format!("Examples:\n  {}", lines.join("\n  ")))
}

/// A command whose `-h` shows the most important options only.
fn with_short_help(command: Command) -> Command {
    command.mut_args(|arg| {
        let is_shown = arg.is_positional() || SHORT.contains(&arg.get_id().as_str());
        arg.hide_short_help(!is_shown)
    })
}
