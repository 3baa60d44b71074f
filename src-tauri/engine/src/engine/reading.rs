//! One delivery, read for a page.

use super::{Engine, judging::received_at, run_blocking};
use crate::{
    error::{Error, Result},
    head::Head,
    model::{DeliveryDetail, SignatureDetail, SignatureState},
    signing::{self, SignedRequest},
};
use bytes::Bytes;

impl Engine {
    /// One delivery with everything but its body.
    ///
    /// # Errors
    /// When it is not kept any more, or the database cannot be read.
    pub async fn delivery(&self, seq: i64) -> Result<DeliveryDetail> {
        self.read(move |store| store.show(seq)).await?.ok_or_else(|| gone(seq))
    }

    /// What was signed and what came, read again from the stored bytes. What was judged at receipt stays; where that was
    /// not valid it is judged again, with what is set and known now.
    ///
    /// # Errors
    /// When it is not kept any more, or the database cannot be read.
    pub async fn signature(&self, seq: i64) -> Result<SignatureDetail> {
        let delivery = self.delivery(seq).await?.delivery;
        let settings = self.settings();
        let scheme = signing::scheme(&delivery.signature.scheme, &settings.schemes)?;
        let received_at = received_at(&delivery)?;
        let (head, body) = self.stored(seq).await?;
        let headers = Head::parse(&head).map(|(head, _)| head.headers).unwrap_or_default();
        let again = delivery.signature.state != SignatureState::Valid && delivery.came_whole();
        let judging = self.judging(&settings.listen.scheme)?;
        let store = self.store().clone();
        run_blocking(move || {
            let request = SignedRequest {
                method: &delivery.method,
                path: &delivery.path,
                query: &delivery.query,
                headers: &headers,
                body: &body,
            };
            let mut detail =
                signing::detail(&*scheme, &request, received_at, settings.listen.tolerance_s);
            detail.again = again.then(|| judging.judge(&store, &delivery)).transpose()?;
            Ok(detail)
        })
        .await?
    }

    /// A delivery's request as it can be sent again: its head, read, and its body's exact bytes.
    ///
    /// # Errors
    /// When it is not kept any more, was no HTTP, or the database cannot be read.
    pub(crate) async fn stored_request(&self, seq: i64) -> Result<(Head, Bytes)> {
        let (head, body) = self.stored(seq).await?;
        let (head, _) = Head::parse(&head).map_err(|error| {
            Error::Input(format!("Delivery #{seq} cannot be sent again: {error}."))
        })?;
        Ok((head, body))
    }

    /// The exact bytes of a delivery's head and body.
    async fn stored(&self, seq: i64) -> Result<(Bytes, Bytes)> {
        let read = self.read(move |store| Ok((store.head(seq)?, store.body(seq, None)?))).await?;
        match read {
            (Some(head), Some((body, _))) => Ok((head, body)),
            _ => Err(gone(seq)),
        }
    }
}

pub(crate) fn gone(seq: i64) -> Error {
    Error::NotFound(format!("Delivery #{seq} is not kept any more."))
}
