//! Deliveries to and from files.

use super::{Engine, lock, run_blocking};
use crate::{
    error::{Error, Result},
    events::Event,
    export::{self, Stored},
    import::{self, Contents, ImportError, Reading},
    model::{ExportFormat, ImportReport},
};
use std::sync::Mutex;

/// So many of the entries that were left out are told.
const TOLD: usize = 100;
/// A file's name is shown up to so many characters.
const NAME: usize = 80;
/// No further delivery is added to a text that is so long, in bytes (C79).
const TEXT: usize = 1024 * 1024;

/// Deliveries as a part of a file.
#[derive(Debug)]
pub struct Exported {
    /// The entries, with what stands between them.
    pub text: String,
    /// How many of the numbers are done.
    pub done: usize,
    /// How many of those are not kept any more.
    pub gone: usize,
}

/// A file on its way in. There is one at a time: what is left of an earlier one goes when the next begins.
#[derive(Debug, Default)]
pub(super) struct Incoming(Mutex<Option<Parts>>);

#[derive(Debug)]
struct Parts {
    upload: String,
    bytes: Vec<u8>,
}

impl Incoming {
    /// Takes the bytes from `offset` on; all of them when there are `total`.
    fn take(
        &self,
        upload: &str,
        offset: u64,
        total: u64,
        more: &[u8],
    ) -> Result<Option<Vec<u8>>, ImportError> {
        if total > import::LARGEST {
            return Err(ImportError::TooLarge { size: total });
        }
        let mut incoming = lock(&self.0);
        if offset == 0 {
            *incoming = Some(Parts { upload: upload.to_owned(), bytes: Vec::new() });
        }
        let parts = incoming.as_mut().filter(|parts| parts.upload == upload);
        let parts = parts.ok_or(ImportError::Interrupted)?;
        if parts.bytes.len() as u64 != offset {
            return Err(ImportError::Interrupted);
        }
        let size = offset + more.len() as u64;
        if size > total {
            return Err(ImportError::Interrupted);
        }
        parts.bytes.extend_from_slice(more);
        Ok(if size == total { incoming.take().map(|parts| parts.bytes) } else { None })
    }
}

impl Engine {
    /// Deliveries as a part of a file, as many of them as make a text of a mebibyte or so. `reveal` leaves the values of
    /// sensitive headers as they are.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn export(
        &self,
        seqs: Vec<i64>,
        format: ExportFormat,
        reveal: bool,
    ) -> Result<Exported> {
        let store = self.store().clone();
        run_blocking(move || {
            let between = export::frame(format).between;
            let mut exported = Exported { text: String::new(), done: 0, gone: 0 };
            for seq in seqs {
                if exported.text.len() >= TEXT {
                    break;
                }
                exported.done += 1;
                let Some(stored) = Stored::read(&store, seq, reveal)? else {
                    exported.gone += 1;
                    continue;
                };
                let entry = export::entry(format, &stored)
                    .map_err(|error| Error::Input(format!("#{seq} cannot be written: {error}.")))?;
                if !exported.text.is_empty() {
                    exported.text += between;
                }
                exported.text += &entry;
            }
            Ok(exported)
        })
        .await?
    }

    /// Takes a part of a file, and imports the file when it is whole.
    ///
    /// # Errors
    /// When the parts do not follow each other, or the file cannot be imported; nothing of it is then.
    pub async fn import_part(
        &self,
        name: &str,
        upload: &str,
        (offset, total): (u64, u64),
        bytes: &[u8],
    ) -> Result<Option<ImportReport>> {
        match self.inner.incoming.take(upload, offset, total, bytes)? {
            Some(file) => self.import(name, file).await.map(Some),
            None => Ok(None),
        }
    }

    /// Stores what a file holds, marked as imported: nothing of it is judged, nothing claims.
    ///
    /// # Errors
    /// When the file cannot be read or stored; nothing of it is then.
    pub async fn import(&self, name: &str, file: Vec<u8>) -> Result<ImportReport> {
        let settings = self.settings();
        let kept = settings.retention.deliveries;
        let now = self.inner.options.clock.now();
        let name: String = name.chars().filter(|c| !c.is_control()).take(NAME).collect();
        let read = move || {
            let reading = Reading {
                name: &name,
                listen: &settings.listen,
                schemes: &settings.schemes,
                body_bytes: settings.limits.body_bytes,
                now,
            };
            import::read(&file, &reading)
        };
        let Contents { deliveries, mut skipped } = run_blocking(read).await??;
        if kept != 0 && deliveries.len() as u64 > kept {
            return Err(ImportError::TooMany { found: deliveries.len(), kept }.into());
        }
        let (imported, left_out) = (deliveries.len() as u64, skipped.len() as u64);
        let stored = self.store().import(deliveries).await?;
        skipped.truncate(TOLD);
        if stored.is_some() {
            self.events().publish(Event::DeliveriesChanged);
        }
        Ok(ImportReport {
            imported,
            first: stored.as_ref().map(|seqs| *seqs.start()),
            last: stored.map(|seqs| *seqs.end()),
            left_out,
            skipped,
        })
    }
}
