//! Serves `GET /`: the inspector, a page for people. `page/build.mjs` bundles it from `page/src` into
//! `page/assets`, which is compiled in. The page holds no data and needs no token: it requests what it shows
//! from the public interface, with the token of its user. Nothing but its own files may run in it, and no
//! other page may show it in a frame.

use std::sync::Arc;

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use xxhash_rust::xxh3::xxh3_128;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
struct Asset {
    path: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
#[rustfmt::skip]
const ASSETS: [Asset; 6] = [
    asset("/", HTML, include_bytes!("page/assets/index.html")),
    asset("/page/page.js", SCRIPT, include_bytes!("page/assets/page.js")),
    asset("/page/highlight.js", SCRIPT, include_bytes!("page/assets/highlight.js")),
    asset("/page/style.css", CSS, include_bytes!("page/assets/style.css")),
    asset("/page/icon.svg", "image/svg+xml", include_bytes!("page/assets/icon.svg")),
    // Licenses of the bundled packages.
    asset("/page/licenses.txt", TEXT, include_bytes!("page/assets/licenses.txt")),
];

const fn asset(path: &'static str, media_type: &'static str, bytes: &'static [u8]) -> Asset {
    Asset {
        path,
        media_type,
        bytes,
    }
}

/// What the page may load and do: its own files, and requests to its own server. Trusted Types make every
/// conversion of a text to markup an error; the only policy allows the script of the worker.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types foveate";

/// Headers in addition to those of every response.
const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    // A cached copy is always revalidated, so that an upgrade takes effect at once.
    (CACHE_CONTROL, "no-cache"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Builds the routes of the page, which are not part of the interface in openapi.yaml.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let add = |router: Router<S>, asset: Asset| {
        let headers = Arc::new(asset.headers());
        let answer = async move |request: HeaderMap| asset.answer(&request, &headers);
        router.route(asset.path, get(answer))
    };
    ASSETS.into_iter().fold(Router::new(), add)
}

impl Asset {
    fn headers(&self) -> HeaderMap {
        let fixed = HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)));
        let mut headers = HeaderMap::from_iter(fixed);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        // A weak tag, since the bytes may be sent compressed.
        let tag = format!("W/\"{:032x}\"", xxh3_128(self.bytes));
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(ETAG, tag);
        }
        headers
    }

    /// Answers with the file, or with 304 if the client has it.
    fn answer(&self, request: &HeaderMap, headers: &HeaderMap) -> Response {
        let headers = headers.clone();
        if is_known(request, headers.get(ETAG)) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, self.bytes).into_response()
    }
}

/// Whether `If-None-Match` contains the tag (RFC 9110, section 13.1.2).
fn is_known(request: &HeaderMap, tag: Option<&HeaderValue>) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Some(tag) = tag.and_then(|tag| tag.to_str().ok()).map(opaque) else {
        return false;
    };
    let named = request.get_all(IF_NONE_MATCH).iter();
    let named = named.filter_map(|value| value.to_str().ok());
    named
        .flat_map(|value| value.split(','))
        .map(opaque)
        .any(|named| named == tag || named == "*")
}
