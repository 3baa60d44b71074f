//! How far apart the copies of one volley arrive: from the first request's last byte to the last one's, by the kernel's
//! receive timestamps, for all senders alike.

use super::{
    Bench, median, ninth_decile,
    process::{Server, get},
    table::{Row, Table, Target},
    tools::Tools,
    volley::{Sender, Volley},
};
use anyhow::{Context as _, ensure};

/// Senders take turns, so that a slow moment of the machine falls on all of them.
pub(super) fn measure(bench: &Bench, tools: &Tools, table: &mut Table) -> anyhow::Result<()> {
    let receiver = Server::start(bench.command(&bench.yardstick).arg("receive"))?;
    let senders = [Sender::Hooktwice, Sender::Curl, Sender::Oha, Sender::Hey];
    for copies in [10, 50] {
        let mut spreads: [Vec<f64>; 4] = Default::default();
        for round in 0..bench.rounds(30, 5) {
            for (sender, spreads) in senders.iter().zip(&mut spreads) {
                let job_id = format!("job_spread_{copies}_{round}");
                let volley =
                    Volley { url: &format!("{}/hook", receiver.url), job_id: &job_id, copies };
                volley.fire(*sender, bench, tools)?;
                spreads.push(
                    spread(&receiver, copies)
                        .with_context(|| format!("{} fired", sender.name()))?,
                );
            }
        }
        for (sender, spreads) in senders.iter().zip(&spreads) {
            println!(
                "spread of {copies}: {} median {:.0} us, p90 {:.0} us",
                sender.name(),
                median(spreads),
                ninth_decile(spreads)
            );
        }
        let [ours, others @ ..] = spreads.map(|spreads| median(&spreads));
        let best = others
            .iter()
            .zip(&senders[1..])
            .min_by(|a, b| a.0.total_cmp(b.0))
            .context("nobody else fired")?;
        table.add(Row {
            figure: format!("spread of {copies} copies on the wire"),
            ours: format!("{ours:.0} us"),
            beside: format!("{}, the best", best.1.name()),
            theirs: format!("{:.0} us", best.0),
            ratio: ours / best.0,
            target: Target::AtMost(1.0),
        });
    }
    Ok(())
}

/// Microseconds between the first and the last of the requests that came since it was last asked.
fn spread(receiver: &Server, copies: usize) -> anyhow::Result<f64> {
    let told = get(&format!("{}/moments", receiver.url))?;
    let moments: Vec<u64> = serde_json::from_value(told)?;
    ensure!(moments.len() == copies, "{} requests came instead of {copies}", moments.len());
    let (first, last) = (moments.iter().min(), moments.iter().max());
    let apart = last.zip(first).map_or(0, |(last, first)| last - first);
    #[expect(
        clippy::cast_precision_loss,
        reason = "nanoseconds within one volley are far below 2^52"
    )]
    Ok(apart as f64 / 1e3)
}
