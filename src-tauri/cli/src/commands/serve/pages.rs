//! The pages: built by `npm run build`, embedded in this program.

use axum::{
    http::{
        StatusCode, Uri,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{IntoResponse as _, Response},
};
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "../../ui/dist"]
struct Pages;

const INDEX: &str = "index.html";

/// Whether this program has pages to show.
pub(crate) fn are_embedded() -> bool {
    Pages::get(INDEX).is_some()
}

/// A file of the pages.
pub(super) async fn file(uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => INDEX,
        path => path,
    };
    match Pages::get(path) {
        Some(file) => {
            // The build names assets by their content; everything else may change under its name.
            let cache = if path.starts_with("assets/") { "max-age=31536000, immutable" } else { "no-store" };
            let headers = [(CONTENT_TYPE, file.metadata.mimetype()), (CACHE_CONTROL, cache)];
            (headers, file.data).into_response()
        }
        None if path == INDEX => (
            StatusCode::SERVICE_UNAVAILABLE,
            "This program was built without its pages. Run `npm ci && npm run build` in its source folder, then build \
             it again.\n",
        )
            .into_response(),
        None => (StatusCode::NOT_FOUND, "There is no such page.\n").into_response(),
    }
}
