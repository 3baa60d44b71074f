//! One file a command.

pub(crate) mod check;
pub(crate) mod claims;
pub(crate) mod completions;
pub(crate) mod deliver;
pub(crate) mod deliveries;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod fire;
pub(crate) mod leash;
pub(crate) mod listen;
pub(crate) mod serve;
pub(crate) mod sign;
pub(crate) mod sume;
pub(crate) mod verify;

use crate::{
    cli::{Cli, Command},
    exit::Result,
    output::Output,
};

/// Does what was typed.
pub(crate) async fn run(cli: Cli) -> Result {
    let Cli { global, command } = cli;
    let out = Output::new(global.json);
    match command {
        Command::Listen(listen) => listen.run(&global, out).await,
        Command::Deliveries(deliveries) => deliveries.run(&global, out).await,
        Command::Claims(claims) => claims.run(&global, out).await,
        Command::Sign(sign) => sign.run(&global, out),
        Command::Verify(verify) => verify.run(&global, out),
        Command::Fire(fire) => fire.run(&global, out).await,
        Command::Deliver(deliver) => Box::pin(deliver.run(&global, out)).await,
        Command::Check(check) => Box::pin(check.run(&global, out)).await,
        Command::Sume(sume) => sume.run(&global, out).await,
        Command::Demo(demo) => demo.run(&global, out).await,
        Command::Serve(serve) => serve.run(&global, out).await,
        Command::Doctor(doctor) => doctor.run(&global, out).await,
        Command::Leash(leash) => leash.run().await,
        Command::Completions(completions) => completions.run(out),
    }
}
