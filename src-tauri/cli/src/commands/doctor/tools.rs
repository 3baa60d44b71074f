//! Programs that work with this one where they are there.

use super::Check;
use hooktwice_engine::tunnel::{self, PROGRAMS};

const CURL: &str = "It sends the commands that `deliveries export --format curl` writes: https://curl.se/download.html";

pub(super) fn look() -> Vec<Check> {
    let tunnels = PROGRAMS.iter().map(|program| {
        let advice = format!("It makes a tunnel (listen --tunnel). {}", program.how_to_get());
        check(program.name, &advice)
    });
    std::iter::once(check("curl", CURL)).chain(tunnels).collect()
}

fn check(name: &'static str, advice: &str) -> Check {
    match tunnel::find(name) {
        Some(path) => Check::ok(name, path.display().to_string()),
        None => Check::missing(name, "Not on the PATH; optional.", advice),
    }
}
