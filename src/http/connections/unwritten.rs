//! Keeps what answers hold until they are written to their connection. hyper drops the body of an answer once the
//! body is in its write buffer, although the client may be slow to read it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::AnswerGuards;

/// Guards of the answers that are in the write buffer of a connection.
#[derive(Clone, Default)]
pub(super) struct Unwritten(Arc<Mutex<Vec<AnswerGuards>>>);

impl Unwritten {
    /// Keeps guards until the next flush of the connection.
    pub(super) fn add(&self, guards: AnswerGuards) {
        self.0.lock().push(guards);
    }
}

/// A stream that releases the guards once it is flushed. hyper flushes the stream only after it has written its whole
/// buffer.
pub(super) struct FlushNotifier<S> {
    pub(super) stream: S,
    pub(super) unwritten: Unwritten,
}

impl<S: AsyncRead + Unpin> AsyncRead for FlushNotifier<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FlushNotifier<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.stream).poll_flush(context));
        // Released after the lock.
        let _written = std::mem::take(&mut *self.unwritten.0.lock());
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
