//! Prints what the parser of the command line says: help, the version, errors.

use std::ffi::OsString;
use std::io::{self, Write};

use crate::report::human::printable;

use crate::command::Exit;

/// Prints an error of the parser, which repeats arguments.
pub(super) fn error(error: &clap::Error, args: &[OsString]) {
    let is_plain = |arg: &OsString| printable(&arg.to_string_lossy()) == arg.to_string_lossy();
    if args.iter().all(is_plain) {
        let _ = error.print();
        return;
    }
    // Without colors, so that every control character comes from an argument.
    for line in error.render().to_string().lines() {
        let _ = writeln!(io::stderr(), "{}", printable(line));
    }
}

/// Prints the help or the version.
pub(super) fn help(help: &clap::Error) -> Exit {
    match help.print().and_then(|()| io::stdout().flush()) {
        // A reader who closes the pipe has read enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "ckdiff: error: standard output: cannot write: {error}");
            Exit::Trouble
        }
        _ => Exit::Same,
    }
}
