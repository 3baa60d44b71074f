//! What `cargo xtask bench` measures with, and what it measures beside. Stands on nothing of Hooktwice, so that a
//! fault of the engine cannot hide in its own measure.

mod bare;
mod last_byte;
mod load;
#[cfg(target_os = "linux")]
mod receive;
mod sume;

use anyhow::Context as _;
use clap::Parser;

#[derive(Parser)]
#[command(about)]
enum Yardstick {
    /// Answers 204 to everything and keeps nothing.
    Bare,
    /// Sends signed deliveries as fast as they are answered; prints how many that were.
    Load(load::Load),
    /// Notes when the last byte of each request came; `GET /moments` tells and forgets them.
    #[cfg(target_os = "linux")]
    Receive,
    /// Prints the headers that sign a body.
    Sign {
        /// The exact bytes.
        #[arg(long)]
        body_file: std::path::PathBuf,
    },
    /// Fires copies the plain way: all but the last byte, then the last bytes in a loop.
    LastByte(last_byte::Volley),
}

fn main() -> anyhow::Result<()> {
    let yardstick = Yardstick::parse();
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match yardstick {
        Yardstick::Bare => threads.block_on(bare::serve()),
        Yardstick::Load(load) => threads.block_on(load.run()),
        #[cfg(target_os = "linux")]
        // One thread, as an event loop that takes deliveries has.
        Yardstick::Receive => tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(receive::serve()),
        Yardstick::Sign { body_file } => {
            let body = std::fs::read(&body_file)
                .with_context(|| format!("{} cannot be read", body_file.display()))?;
            let headers = sume::Signer::from_env()?.headers(&body);
            println!("{}", serde_json::json!({ "headers": headers }));
            Ok(())
        }
        Yardstick::LastByte(volley) => volley.fire(),
    }
}
