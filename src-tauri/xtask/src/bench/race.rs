//! How often one volley of ten doubles a handler whose window is one turn of its event loop.

use super::{
    Bench,
    process::{Server, get},
    table::{Row, Table, Target},
    tools::Tools,
    volley::{Sender, Volley},
};
use anyhow::{Context as _, ensure};

const COPIES: usize = 10;

/// Senders take turns at one handler, each volley with a job of its own.
pub(super) fn measure(bench: &Bench, tools: &Tools, table: &mut Table) -> anyhow::Result<()> {
    let store = bench.folder.path().join("effects");
    let handler = Server::start(
        bench
            .command("node")
            .args(["tests/handlers/node_one_turn.mjs", "--port", "0"])
            .env("HOOK_STORE", store),
    )?;
    let volleys = bench.rounds(40, 8);
    let senders = [Sender::Hooktwice, Sender::Curl, Sender::Oha, Sender::Hey, Sender::LastByte];
    let mut doubled = [0_u32; 5];
    for round in 0..volleys {
        for (n, (sender, doubled)) in senders.iter().zip(&mut doubled).enumerate() {
            let job_id = format!("job_race_{n}_{round}");
            Volley { url: &format!("{}/hook", handler.url), job_id: &job_id, copies: COPIES }
                .fire(*sender, bench, tools)?;
            let told = get(&format!("{}/effects/{job_id}", handler.url))?;
            let effects = told["count"].as_u64().context("the handler told no count")?;
            ensure!(
                effects > 0,
                "{} fired {COPIES} copies and the effect never ran",
                sender.name()
            );
            *doubled += u32::from(effects > 1);
        }
    }
    for (sender, doubled) in senders.iter().zip(doubled) {
        println!("race: {} doubled it in {doubled} of {volleys} volleys", sender.name());
    }
    let beside = |name: &str, theirs: u32, target| Row {
        figure: format!("volleys of {COPIES} that double one event-loop turn"),
        ours: format!("{} of {volleys}", doubled[0]),
        beside: name.into(),
        theirs: format!("{theirs} of {volleys}"),
        ratio: f64::from(doubled[0]) / f64::from(theirs),
        target,
    };
    let public = senders.iter().zip(doubled).filter(|(sender, _)| Sender::PUBLIC.contains(sender));
    let (best, theirs) = public.max_by_key(|(_, doubled)| *doubled).context("nobody else fired")?;
    table.add(beside(&format!("{}, the best", best.name()), theirs, Target::Above(1.0)));
    table.add(beside(Sender::LastByte.name(), doubled[4], Target::Told));
    Ok(())
}
