//! A stand-in for Sume: it speaks its API's routes, finishes jobs, signs and delivers by its schedule, and can lose,
//! double, delay and overlap deliveries on purpose.
//!
//! What is known of Sume from its own recipes: the three routes and `x-api-key`; ten attempts, 30 s from the end of one to
//! the next, 10 s for each, any 2xx ends it; a fresh signature for every attempt; a Redeliver is one more delivery that
//! does not count as one of the ten; a test delivery is a signed `webhook.test` without a `job_id`.
//!
//! What is assumed beyond them, and may be otherwise at the real one:
//!
//! - A test delivery is asked for with `{"url": "…"}`, and goes out once.
//! - Test deliveries and redeliveries are answered 202 before they go out; the body holds `data` and `request_id`.
//! - An error's body is `{"error": {"code", "message"}, "request_id"}`, and every answer has `X-Request-Id`.
//! - A redelivery of a job that is not finished is refused with 409, of one without a webhook with 422.
//! - A redelivery carries the event id of the event that it repeats.
//! - A status is one of `queued`, `processing`, `completed`, `failed`, `cancelled`, in one of the places of [`Shape`].
//! - Each job has one terminal event, and nothing is sent before it.
//!
//! Nothing at Sume is known to make jobs by a route of this form, so the ones below `/v1/stand-in` are plainly the
//! stand-in's own: `POST /v1/stand-in/jobs` makes a job, `GET /v1/stand-in/jobs/{id}` tells of its attempts, and
//! `POST /v1/stand-in/refusals` makes the next requests fail.

mod config;
mod deliver;
mod job;
mod routes;
mod server;

pub use config::{Config, Faults, NewJob, Outcome, Refusal, Shape};
pub use job::{Attempt, Job, Kind, Stage};
pub use server::{Provider, Seen};
