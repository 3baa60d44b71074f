//! What Hooktwice does: it listens, keeps, claims, verifies, signs and fires. Knows neither the window nor the
//! command line; both stand on [`engine::Engine`], and the pages on [`api`].
//!
//! Who may know whom (held by `cargo xtask test`): `model`, `error`, `clock`, `ids`, `head`, `process`, `proof` know nothing; `signing`,
//! `settings`, `secrets`, `store`, `events`, `payload` know those; `firing`, `tunnel` know those; `listener` (which forwards by
//! firing), `sume` (which delivers by firing) and `checking` know `firing` too; `export` and `import` know `store`; `engine` ties them; `api` knows `engine` and `model`, and nobody knows `api`.

pub mod api;
pub mod checking;
pub mod clock;
pub mod demo;
pub mod engine;
pub mod error;
pub mod events;
pub mod export;
pub mod firing;
pub mod head;
pub mod ids;
pub mod import;
pub mod listener;
pub mod model;
pub mod paths;
pub mod payload;
pub mod process;
pub mod proof;
pub mod secrets;
pub mod settings;
pub mod signing;
pub mod store;
pub mod sume;
pub mod tunnel;

pub use error::{Error, ErrorCode, Result, WireError};
