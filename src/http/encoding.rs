//! Decodes request bodies compressed with gzip. tower-http's layer accepts only one spelling of the coding,
//! and stops after the first gzip member.

use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use flate2::write::GzDecoder;
use http_body::Frame;

use super::problem::Problem;

/// Bytes that are decoded at a time. The output, at most about a thousand times as much, is held in memory.
const DECODE_BYTES: usize = 1024;

/// Maximum gzip members of a body. Each costs time, even if it is empty.
const MAX_MEMBERS: usize = 64;

/// Decodes the body of a request, if it is compressed.
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

/// Decodes a body of one or more gzip members.
struct Decoded {
    body: Body,
    /// Received bytes that are not decoded yet.
    chunk: Bytes,
    /// `None` after the end or an error.
    decoder: Option<GzDecoder<Vec<u8>>>,
    /// Number of members that have begun.
    members: usize,
}

impl Decoded {
    fn new(body: Body) -> Self {
        Self {
            body,
            chunk: Bytes::new(),
            decoder: Some(GzDecoder::new(Vec::new())),
            members: 1,
        }
    }

    /// Decodes the next part of the chunk and returns the output.
    fn decode_piece(&mut self) -> io::Result<Vec<u8>> {
        let mut piece = self.chunk.split_to(self.chunk.len().min(DECODE_BYTES));
        while !piece.is_empty() {
            let Some(decoder) = &mut self.decoder else {
                break;
            };
            let decoded = decoder.write(&piece)?;
            if decoded == 0 {
                self.begin_member()?;
            }
            piece = piece.slice(decoded..);
        }
        let output = self.decoder.as_mut().map(GzDecoder::get_mut);
        Ok(output.map(std::mem::take).unwrap_or_default())
    }

    /// Ends a member and begins the next one with its output.
    fn begin_member(&mut self) -> io::Result<()> {
        self.members += 1;
        if self.members > MAX_MEMBERS {
            let text = format!("it has more than {MAX_MEMBERS} gzip members");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let output = self.finish()?;
        self.decoder = Some(GzDecoder::new(output));
        Ok(())
    }

    /// Returns the rest of the output, or an error if the member is truncated.
    fn finish(&mut self) -> io::Result<Vec<u8>> {
        let decoder = self.decoder.take();
        decoder.map_or(Ok(Vec::new()), GzDecoder::finish)
    }

    /// Decodes part of the chunk, or waits for the next chunk. The output may be empty.
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
            // The inner error tells whether the body was too large.
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
