//! Request bodies that are sent compressed with gzip. tower-http's layer takes one spelling of the coding, and
//! stops after the first member of what is sent.

use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use flate2::write::MultiGzDecoder;
use http_body::Frame;

use super::problem::Problem;

/// Bytes that are decoded at a time: what they become, a thousand times as much at most, is held in memory.
const PIECE: usize = 1024;

/// Decodes the body of a request.
pub async fn decode(mut request: Request, next: Next) -> Response {
    match coding(request.headers()) {
        Some(Coding::Identity) => next.run(request).await,
        Some(Coding::Gzip) => {
            request.headers_mut().remove(CONTENT_ENCODING);
            request.headers_mut().remove(CONTENT_LENGTH);
            let decoded = |body| Body::new(Decoded::new(body));
            next.run(request.map(decoded)).await
        }
        None => ([(ACCEPT_ENCODING, "gzip")], Problem::unsupported_encoding()).into_response(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Identity,
    Gzip,
}

/// The one coding that the headers name, if it is known.
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

/// A body of any number of gzip members, decoded.
struct Decoded {
    body: Body,
    /// What came of it and is not decoded yet.
    chunk: Bytes,
    /// `None` at the end.
    decoder: Option<MultiGzDecoder<Vec<u8>>>,
}

impl Decoded {
    fn new(body: Body) -> Self {
        Self {
            body,
            chunk: Bytes::new(),
            decoder: Some(MultiGzDecoder::new(Vec::new())),
        }
    }

    /// Decodes the next piece of the chunk; gives what was decoded.
    fn decode_piece(&mut self) -> std::io::Result<Vec<u8>> {
        let Some(decoder) = &mut self.decoder else {
            return Ok(Vec::new());
        };
        let piece = self.chunk.split_to(self.chunk.len().min(PIECE));
        decoder.write_all(&piece)?;
        Ok(std::mem::take(decoder.get_mut()))
    }

    /// The rest, unless the body ended early.
    fn finish(&mut self) -> std::io::Result<Vec<u8>> {
        let decoder = self.decoder.take();
        decoder.map_or(Ok(Vec::new()), MultiGzDecoder::finish)
    }

    /// Waits for the next chunk; gives what was decoded so far.
    fn poll_decoded(&mut self, context: &mut Context<'_>) -> Poll<Result<Vec<u8>, BoxError>> {
        if !self.chunk.is_empty() {
            return Poll::Ready(self.decode_piece().map_err(Into::into));
        }
        let frame = ready!(http_body::Body::poll_frame(
            Pin::new(&mut self.body),
            context
        ));
        Poll::Ready(match frame {
            Some(Ok(frame)) => {
                self.chunk = frame.into_data().unwrap_or_default();
                Ok(Vec::new())
            }
            // The error below it says whether the body was too large.
            Some(Err(error)) => Err(error.into_inner()),
            None => self.finish().map_err(Into::into),
        })
    }
}

impl http_body::Body for Decoded {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        while self.decoder.is_some() {
            match ready!(self.poll_decoded(context)) {
                Ok(decoded) if decoded.is_empty() => {}
                Ok(decoded) => return Poll::Ready(Some(Ok(Frame::data(decoded.into())))),
                Err(error) => {
                    self.decoder = None;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        Poll::Ready(None)
    }
}
