//! What the wire makes of deliveries: slices, kin, texts to copy.

use super::wire::{
    BodyRange, BodySlice, Changed, CurlParams, Discarded, DiscardedClaims, ExportParams,
    ExportPart, ImportParams, ImportPart, JobDeliveries, Text,
};
use crate::{
    engine::{Engine, Exported, gone},
    error::{Error, Result},
    events::Event,
    export::{self, Frame},
    model::{ClaimSelector, JobKey, RestoredClaims},
    payload,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// The most bytes of a body in one answer (C79).
const SLICE: u64 = 1024 * 1024;
/// The most deliveries of a job that are shown at once.
const KIN: u32 = 500;
/// Bodies over this are not looked through for where their JSON breaks.
const LOOKED_THROUGH: u64 = 16 * 1024 * 1024;

pub(super) async fn body(engine: &Engine, params: BodyRange) -> Result<BodySlice> {
    let BodyRange { seq, offset, length } = params;
    let end = offset.saturating_add(length.min(SLICE));
    let read = engine.read(move |store| store.body(seq, Some(offset..end))).await?;
    let (bytes, total) = read.ok_or_else(|| gone(seq))?;
    let whole = offset == 0 && total > 0 && total <= LOOKED_THROUGH;
    let json_error = if !whole {
        None
    } else if bytes.len() as u64 == total {
        payload::json_error(&bytes)
    } else {
        engine
            .read(move |store| {
                Ok(store.body(seq, None)?.and_then(|(all, _)| payload::json_error(&all)))
            })
            .await?
    };
    Ok(BodySlice { base64: STANDARD.encode(&bytes), offset, total, json_error })
}

pub(super) async fn job(engine: &Engine, seq: i64) -> Result<JobDeliveries> {
    let delivery = engine.delivery(seq).await?.delivery;
    let Some(job_id) = delivery.job_id.clone() else {
        return Ok(JobDeliveries { deliveries: vec![delivery], total: 1, schedule: None });
    };
    let key = JobKey { path: delivery.path, job_id, job_id_type: delivery.job_id_type };
    let (deliveries, total) = engine.read(move |store| store.job(&key, KIN)).await?;
    let schedule = engine.job_schedule(&deliveries, total);
    Ok(JobDeliveries { deliveries, total, schedule })
}

pub(super) async fn curl(engine: &Engine, params: CurlParams) -> Result<Text> {
    let CurlParams { seq, reveal } = params;
    let (head, body) = engine.stored_request(seq).await?;
    let base = engine.listener_url().unwrap_or_else(|| "http://127.0.0.1:4400".into());
    let url = format!("{base}{}", String::from_utf8_lossy(&head.target));
    let headers = if reveal { head.headers } else { export::masked(&head.headers) };
    Ok(Text { text: export::curl(&head.method, &url, &headers, &body) })
}

pub(super) async fn export(engine: &Engine, params: ExportParams) -> Result<ExportPart> {
    let ExportParams { seqs, format, reveal } = params;
    let Exported { text, done, gone } = engine.export(seqs, format, reveal).await?;
    let Frame { open, between, close } = export::frame(format);
    Ok(ExportPart {
        text,
        done: done as u64,
        gone: gone as u64,
        open,
        between: between.into(),
        close: close.into(),
    })
}

pub(super) async fn import(engine: &Engine, params: ImportParams) -> Result<ImportPart> {
    let ImportParams { name, upload, offset, total, base64 } = params;
    let bytes = STANDARD
        .decode(base64)
        .map_err(|error| Error::Input(format!("The file's bytes are not base64: {error}.")))?;
    let report = engine.import_part(&name, &upload, (offset, total), &bytes).await?;
    Ok(ImportPart { report })
}

pub(super) async fn discard(engine: &Engine, seqs: Vec<i64>) -> Result<Discarded> {
    let Some(changed) = engine.store().discard(seqs).await? else {
        return Ok(Discarded { changed: 0, too_large: true });
    };
    engine.events().publish(Event::DeliveriesChanged);
    Ok(Discarded { changed, too_large: false })
}

pub(super) async fn discard_claims(
    engine: &Engine,
    which: Option<ClaimSelector>,
) -> Result<DiscardedClaims> {
    let Some((changed, undo)) = engine.store().discard_claims(which).await? else {
        return Ok(DiscardedClaims { changed: 0, undo: None });
    };
    engine.events().publish(Event::ClaimsChanged);
    Ok(DiscardedClaims { changed, undo: Some(undo) })
}

pub(super) async fn restore_claims(engine: &Engine, undo: u64) -> Result<RestoredClaims> {
    let restored = engine.store().restore_claims(undo).await?;
    engine.events().publish(Event::ClaimsChanged);
    Ok(restored)
}

pub(super) fn told(engine: &Engine, changed: u64) -> Result<Changed> {
    engine.events().publish(Event::DeliveriesChanged);
    Ok(Changed { changed })
}

pub(super) fn claims_told(engine: &Engine, changed: u64) -> Result<Changed> {
    engine.events().publish(Event::ClaimsChanged);
    Ok(Changed { changed })
}
