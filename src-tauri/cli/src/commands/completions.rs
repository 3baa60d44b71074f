//! `hooktwice completions`: what a shell needs to complete our words.

use crate::{
    cli::Cli,
    exit::{Exit, Result},
    output::Output,
};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice completions bash > ~/.local/share/bash-completion/completions/hooktwice
  hooktwice completions zsh > ~/.zfunc/_hooktwice
  hooktwice completions fish > ~/.config/fish/completions/hooktwice.fish")]
pub(crate) struct Completions {
    /// For which shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, mut out: Output) -> Result {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "hooktwice", &mut script);
        out.bytes(&script)?;
        out.flush()?;
        Ok(Exit::Done)
    }
}
