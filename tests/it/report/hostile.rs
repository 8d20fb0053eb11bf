//! Names that mean something to the readers of reports.

use std::path::Path;

use crate::support::written::{checkpoint, floats};

pub const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "</details>]]>",
    "a|b",
    "a\\|b\\",
    "a`b``c",
    "\x1b[31mred",
    "new\nline\r\n::error::x",
    "##[error]x",
    "::error::x",
    "@everyone #1 !2 :smile: www.x.org https://x.org",
    "a\"b'c&amp;",
    "\u{ffff}\u{202e}",
    "50%25%0A",
    "[link](https://x.org) ![i](x)",
    "  two  spaces ",
    "*b* _i_ ~~s~~ $m$",
    "-->",
];

/// Two checkpoints in which every tensor differs, with hostile names and one of 10 kB; the second path is hostile, too.
pub fn hostile_pair(dir: &Path) -> [String; 2] {
    let long = "n".repeat(10_000);
    let names = || HOSTILE.iter().copied().chain([long.as_str()]);
    let tensors = |value: f32| -> Vec<_> {
        names().map(|name| (name.to_owned(), floats(&[value]))).collect()
    };
    [("lhs", 1.0), ("rhs]]>|`<b>", 2.0)]
        .map(|(name, value)| checkpoint(dir, name, &tensors(value)).to_str().unwrap().to_owned())
}
