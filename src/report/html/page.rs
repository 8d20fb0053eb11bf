//! The frame of every page: its head with style and policy, and its foot with the script.
//!
//! The Content-Security-Policy allows this style and this script by their digests, and nothing else: no other script runs, even
//! if some text were not escaped, and nothing is loaded.

use std::io::{self, Write};

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The style of every page.
const STYLE: &str = include_str!("style.css");

/// The script of pages with a table of tensors.
const SCRIPT: &str = include_str!("script.js");

/// The parts that differ from page to page.
#[derive(Debug)]
pub(in crate::report) struct Page<'p> {
    /// The title of the window.
    pub(in crate::report) title: &'p str,
    /// Whether it has the script.
    pub(in crate::report) has_script: bool,
}

#[derive(Template)]
#[template(path = "head.html", config = "src/report/html/askama.toml")]
struct Head<'p> {
    title: &'p str,
    policy: String,
    style: &'static str,
}

#[derive(Template)]
#[template(path = "foot.html", config = "src/report/html/askama.toml")]
struct Foot {
    version: &'static str,
    note: &'static str,
    script: Option<&'static str>,
}

impl Page<'_> {
    /// Writes everything before the content.
    pub(in crate::report) fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        let script = match self.has_script {
            true => format!("; script-src '{}'", digest(SCRIPT)),
            false => String::new(),
        };
        let policy = format!(
            "default-src 'none'; style-src '{}'{script}; base-uri 'none'; form-action 'none'",
            digest(STYLE)
        );
        write(&Head { title: self.title, policy, style: STYLE }, out)
    }

    /// Writes everything behind the content of a page without a lhs: the foot names no baseline.
    pub(in crate::report) fn end_without_baseline(&self, out: &mut dyn Write) -> io::Result<()> {
        self.foot("", out)
    }

    /// Writes everything behind the content.
    pub(in crate::report) fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        self.foot(" lhs is the baseline.", out)
    }

    fn foot(&self, note: &'static str, out: &mut dyn Write) -> io::Result<()> {
        let script = self.has_script.then_some(SCRIPT);
        write(&Foot { version: env!("CARGO_PKG_VERSION"), note, script }, out)
    }
}

/// Writes a template.
pub(in crate::report) fn write(template: &impl Template, out: &mut dyn Write) -> io::Result<()> {
    let mut out = out;
    Template::write_into(template, &mut out)
}

/// The digest of a style or script, as a policy states it.
fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
