//! Keeps what answers hold until they are written to their connection. hyper drops the body of an answer once the
//! body is in its write buffer, although the client may be slow to read it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Guards of the answers that are in the write buffer of a connection.
#[derive(Debug)]
pub(super) struct Unwritten<G>(Arc<Mutex<Vec<G>>>);

impl<G> Unwritten<G> {
    /// Keeps a guard until the next flush of the connection.
    pub(super) fn add(&self, guard: G) {
        self.0.lock().push(guard);
    }

    fn release(&self) {
        let written = std::mem::take(&mut *self.0.lock());
        drop(written);
    }
}

impl<G> Default for Unwritten<G> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<G> Clone for Unwritten<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A stream that releases the guards once it is flushed. hyper flushes the stream only after it has written its whole
/// buffer.
#[derive(Debug)]
pub(super) struct FlushNotifier<S, G> {
    stream: S,
    unwritten: Unwritten<G>,
}

impl<S, G> FlushNotifier<S, G> {
    pub(super) fn new(stream: S, unwritten: Unwritten<G>) -> Self {
        Self { stream, unwritten }
    }
}

impl<S: AsyncRead + Unpin, G> AsyncRead for FlushNotifier<S, G> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin, G> AsyncWrite for FlushNotifier<S, G> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.stream).poll_flush(context));
        self.unwritten.release();
        Poll::Ready(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }
}
