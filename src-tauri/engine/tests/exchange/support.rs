//! A store in a folder of its own, and files to read.

use hooktwice_engine::{
    export::{self, Stored},
    import::{self, Contents, ImportError, Reading},
    model::{ExportFormat, ListenSettings, Retention, SchemeSettings},
    store::{Import, Role, Store},
};
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub(crate) const FORMATS: [ExportFormat; 2] = [ExportFormat::Json, ExportFormat::Har];

/// The time of what has none.
pub(crate) fn now() -> Timestamp {
    "2026-11-29T12:00:00Z".parse().unwrap()
}

/// Reads a file with the settings that everybody begins with.
pub(crate) fn read(name: &str, file: &[u8]) -> Result<Contents, ImportError> {
    read_up_to(10 * 1024 * 1024, name, file)
}

pub(crate) fn read_up_to(
    body_bytes: u64,
    name: &str,
    file: &[u8],
) -> Result<Contents, ImportError> {
    let (listen, schemes) = (ListenSettings::default(), SchemeSettings::default());
    import::read(
        file,
        &Reading { name, listen: &listen, schemes: &schemes, body_bytes, now: now() },
    )
}

/// The only delivery of a file.
pub(crate) fn only(file: &[u8]) -> Import {
    let Contents { mut deliveries, skipped } = read("a.har", file).unwrap();
    assert_eq!((deliveries.len(), skipped.len()), (1, 0), "{skipped:?}");
    deliveries.remove(0)
}

/// A store, and a runtime to ask it.
pub(crate) struct Kept {
    pub(crate) store: Store,
    runtime: Runtime,
    _folder: TempDir,
}

impl Kept {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let everything = Retention { deliveries: 0, bytes: 0 };
        let store = Store::open(folder.path(), Role::Owner, everything).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Self { store, runtime, _folder: folder }
    }

    pub(crate) fn import(&self, all: Vec<Import>) -> Vec<i64> {
        let stored = self.runtime.block_on(self.store.import(all)).unwrap();
        stored.map(Iterator::collect).unwrap_or_default()
    }

    pub(crate) fn export(&self, seqs: &[i64], format: ExportFormat) -> String {
        let frame = export::frame(format);
        let entry = |seq: &i64| {
            let stored = Stored::read(&self.store, *seq, true).unwrap().unwrap();
            export::entry(format, &stored).unwrap()
        };
        let entries: Vec<_> = seqs.iter().map(entry).collect();
        format!("{}{}{}", frame.open, entries.join(frame.between), frame.close)
    }
}
