//! The arguments that choose rules.

use std::path::PathBuf;

use crate::rules::Profile;
use clap::{Args, Subcommand};

use super::common::Jobs;
use super::values::one_of;

/// The heading of options about rules.
pub(super) const RULES: &str =
    "Rules (ckdiff.toml, searched for upward from the working directory)";

/// Which rules apply.
#[derive(Debug, Clone, Args)]
#[command(
    next_help_heading = "Rules (ckdiff.toml, searched for upward from the working directory)"
)]
pub(crate) struct RulesArgs {
    /// Judge by the rules of this file; CKDIFF_CONFIG sets the default
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Judge without any rules file
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
    /// Judge by a built-in profile: exact, same-start (fine-tuning, warm starts) or fresh (another seed)
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["config", "no_config"],
          value_parser = one_of(Profile::ALL.map(|profile| (profile.name(), profile))))]
    pub(crate) rules: Option<Profile>,
    /// Use this profile of the rules file, its table [profile.NAME]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["rules", "no_config"])]
    pub(crate) profile: Option<String>,
}

/// Arguments of `rules`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RulesCommandArgs {
    #[command(subcommand)]
    pub(crate) command: RulesCommand,
}

/// A command about rules.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum RulesCommand {
    /// Show which rules match a tensor, in order, and what holds in the end
    Explain(ExplainArgs),
    /// Write a commented rules file to start from, made for two models
    Init(InitArgs),
}

/// Arguments of `rules explain`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExplainArgs {
    /// The name of a tensor
    pub(crate) name: String,
    /// The checkpoint that has it, for rules that depend on its role, dtype or size
    pub(crate) checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

/// Arguments of `rules init`.
#[derive(Debug, Clone, Args)]
pub(crate) struct InitArgs {
    /// The baseline
    pub(crate) lhs: PathBuf,
    /// A good model to compare with it
    pub(crate) rhs: PathBuf,
    /// The file to write; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "ckdiff.toml")]
    pub(crate) output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}
