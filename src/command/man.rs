//! `ckdiff man`: prints the manual page, with the options of every command.

use std::io::{self, Write};

use clap_mangen::Man;

use crate::command::Exit;
use crate::command::args;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;

/// Prints the manual page.
///
/// # Errors
/// If stdout cannot be written.
pub(crate) fn run() -> Result<Exit, Diagnostics> {
    output::to_stdout(page)?;
    Ok(Exit::Same)
}

fn page(out: &mut dyn Write) -> io::Result<()> {
    let mut command = args::command();
    command.build();
    let man = Man::new(command.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_options_section(out)?;
    // One page for all commands: nobody looks for `ckdiff-show(1)`.
    for command in
        command.get_subcommands().filter(|command| !matches!(command.get_name(), "diff" | "help"))
    {
        writeln!(out, ".SH \"CKDIFF {}\"", command.get_name().to_uppercase())?;
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "{about}.")?;
        let mut options = Vec::new();
        Man::new(command.clone()).render_options_section(&mut options)?;
        // Headings of options become those of subsections.
        out.write_all(String::from_utf8_lossy(&options).replace(".SH ", ".SS ").as_bytes())?;
        if let Some(examples) = command.get_after_long_help() {
            let examples = examples.to_string().replace('\\', "\\\\").replace('-', "\\-");
            let (title, lines) = examples.split_once('\n').unwrap_or(("", &examples));
            writeln!(out, ".SS {}\n.nf\n{lines}\n.fi", title.trim_end_matches(':').to_uppercase())?;
        }
    }
    man.render_extra_section(out)?;
    man.render_version_section(out)
}
