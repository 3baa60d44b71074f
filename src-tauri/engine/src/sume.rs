//! Sume: its delivery schedule, its API, and the jobs whose webhooks are waited for.

mod base;
mod client;
mod delivery;
mod key;
mod problem;
mod schedule;
mod shape;
mod watch;

pub(crate) use base::check_base_url;
pub use base::{BASE_URL_ENV, base_url};
pub use client::{Api, Patience};
pub use delivery::{DeliverySummary, Scheduled, Told, Why};
pub use key::{ApiKey, KEY_ENV};
pub use problem::SumeError;
pub use schedule::lay;
pub use watch::{Pace, Turn, Watch, settled};
