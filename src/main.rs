//! The command `ckdiff`, which is [`ckdiff::command`].

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(ckdiff::command::main(env::args_os()))
}
