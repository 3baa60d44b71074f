//! One delivery, read for a page.

use super::Engine;
use crate::{
    error::{Error, Result},
    head::Head,
    model::{DeliveryDetail, SignatureDetail},
    signing::{self, SignedRequest},
};
use jiff::Timestamp;

impl Engine {
    /// One delivery with everything but its body.
    ///
    /// # Errors
    /// When it is not kept any more, or the database cannot be read.
    pub async fn delivery(&self, seq: i64) -> Result<DeliveryDetail> {
        self.read(move |store| store.show(seq)).await?.ok_or_else(|| gone(seq))
    }

    /// What was signed and what came, read again from the stored bytes. What was judged at receipt stays.
    ///
    /// # Errors
    /// When it is not kept any more, or the database cannot be read.
    pub async fn signature(&self, seq: i64) -> Result<SignatureDetail> {
        let delivery = self.delivery(seq).await?.delivery;
        let scheme = signing::scheme(&delivery.signature.scheme)?;
        let received_at: Timestamp = delivery.received_at.parse().map_err(|error| {
            Error::Input(format!("The time of delivery #{seq} cannot be read: {error}."))
        })?;
        let read = self.read(move |store| Ok((store.head(seq)?, store.body(seq, None)?))).await?;
        let (Some(head), Some((body, _))) = read else { return Err(gone(seq)) };
        let headers = Head::parse(&head).map(|(head, _)| head.headers).unwrap_or_default();
        let request = SignedRequest {
            method: &delivery.method,
            path: &delivery.path,
            query: &delivery.query,
            headers: &headers,
            body: &body,
        };
        Ok(signing::detail(&*scheme, &request, received_at, self.settings().listen.tolerance_s))
    }
}

fn gone(seq: i64) -> Error {
    Error::NotFound(format!("Delivery #{seq} is not kept any more."))
}
