//! The Rust sample handlers in one program: `sample-handlers NAME --port 0`. What all of them do is in `serve`,
//! `delivery` and `store`; a handler's own file holds only how it decides.

mod delivery;
mod serve;
mod store;

use serve::{Decide as _, Failure, serve};
use std::process::ExitCode;
use store::Store;

/// Names the handlers once: a module each, with a `Handler` in it.
macro_rules! handlers {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        async fn run(name: &str, port: u16) -> Result<(), Failure> {
            let store = Store::open()?;
            match name {
                $(stringify!($name) => serve($name::Handler::new(store)?, port).await,)+
                _ => {
                    let names = [$(stringify!($name)),+].join(", ");
                    Err(format!("there is no handler {name:?}; there are {names}").into())
                }
            }
        }
    };
}

handlers!(
    cut_id,
    lease,
    lease_expires,
    look_2ms,
    look_next_statement,
    marked_after,
    signature_prefix,
    upsert,
);

#[tokio::main]
async fn main() -> ExitCode {
    match start().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn start() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, port) = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [name, "--port", port] => (name, port.parse()?),
        [name] => (name, std::env::var("PORT").map_or(Ok(0), |port| port.parse())?),
        _ => return Err("give a handler's name, and maybe --port N".into()),
    };
    run(name, port).await
}
