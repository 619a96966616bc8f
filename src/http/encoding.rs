//! Decodes request bodies compressed with gzip. tower-http's layer accepts only one spelling of the coding,
//! and stops after the first gzip member.

use std::io::{self, Read as _};

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest as _, Request, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use flate2::bufread::GzDecoder;

use super::extract::unread;
use super::problem::Problem;

/// Maximum gzip members of a body. Each costs time, even if it is empty.
const MAX_MEMBERS: usize = 64;

/// Decodes the body of a request, if it is compressed. It may have at most `max_bytes` when decoded; a layer around
/// this one limits the bytes as sent.
pub async fn decode(State(max_bytes): State<usize>, request: Request, next: Next) -> Response {
    match coding(request.headers()) {
        Some(Coding::Identity) => next.run(request).await,
        Some(Coding::Gzip) => match decoded(request, max_bytes).await {
            Ok(request) => next.run(request).await,
            Err(problem) => problem.into_response(),
        },
        None => ([(ACCEPT_ENCODING, "gzip")], Problem::unsupported_encoding()).into_response(),
    }
}

enum Coding {
    Identity,
    Gzip,
}

/// Returns the content coding; `None` if it is not supported, or if several are given.
fn coding(headers: &HeaderMap) -> Option<Coding> {
    let mut named = headers.get_all(CONTENT_ENCODING).iter();
    let Some(name) = named.next() else {
        return Some(Coding::Identity);
    };
    let name = name.to_str().ok()?.trim().to_ascii_lowercase();
    match (&*name, named.next()) {
        ("gzip" | "x-gzip", None) => Some(Coding::Gzip),
        ("identity", None) => Some(Coding::Identity),
        _ => None,
    }
}

/// Returns a request with its body decoded.
async fn decoded(request: Request, max_bytes: usize) -> Result<Request, Problem> {
    let (mut parts, body) = request.into_parts();
    parts.headers.remove(CONTENT_ENCODING);
    parts.headers.remove(CONTENT_LENGTH);
    let sent = Bytes::from_request(Request::from_parts(parts.clone(), body), &()).await;
    let sent = sent.map_err(|rejection| unread(&rejection, max_bytes))?;
    let body = members(&sent, max_bytes).map_err(|_| Problem::undecodable_body())?;
    if body.len() > max_bytes {
        return Err(Problem::body_too_large(max_bytes));
    }
    Ok(Request::from_parts(parts, Body::from(body)))
}

/// Decodes one or more gzip members, up to one byte more than `max_bytes`.
fn members(mut sent: &[u8], max_bytes: usize) -> io::Result<Vec<u8>> {
    let mut decoded = Vec::new();
    for _ in 0..MAX_MEMBERS {
        let mut member = GzDecoder::new(sent);
        let room = (max_bytes - decoded.len()).saturating_add(1);
        member
            .by_ref()
            .take(room as u64)
            .read_to_end(&mut decoded)?;
        sent = member.into_inner();
        if sent.is_empty() || decoded.len() > max_bytes {
            return Ok(decoded);
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}
