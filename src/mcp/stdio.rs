//! Serves MCP over standard input and output: one message per line, until the client closes the input. An
//! invalid message is answered with an error here, and the session continues.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::Transport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServiceExt as _};
use serde::Serialize;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::McpService;
use super::message::{self, Refusal};

/// Why a session failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum SessionError {
    #[error("the client did not start a session of the Model Context Protocol: {0}")]
    Begin(Box<ServerInitializeError>),
    /// A defect.
    #[error("the session failed: {0}")]
    Internal(tokio::task::JoinError),
}

/// Serves one session on standard input and output.
pub async fn serve(service: McpService, stop: CancellationToken) -> Result<(), SessionError> {
    let (input, output) = stdio_pipes();
    let starting = service.serve_with_ct(Lines::new(input, output), stop);
    let running = match starting.await {
        Ok(running) => running,
        // The client disconnected, or the server is stopping, before initialization: not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(SessionError::Begin(Box::new(error))),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(SessionError::Internal(error)),
        Ok(_) => Ok(()),
    }
}

/// Longest message, in bytes.
const MAX_LINE_BYTES: usize = 16 << 20;

type WriteFuture = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Transport with one message per line.
struct Lines<R, W> {
    input: BufReader<R>,
    /// The part of the next line that was read so far. It is kept here because `receive` may be cancelled and
    /// called again.
    line: Vec<u8>,
    /// Whether the line exceeds the limit and is being skipped.
    is_too_long: bool,
    output: Arc<Mutex<W>>,
    /// The error response to an invalid message, while it is being written.
    refusing: Option<WriteFuture>,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_too_long: false,
            output: Arc::new(Mutex::new(output)),
            refusing: None,
        }
    }

    /// Reads a line into `self.line`; the last one may lack its newline. Returns false at the end of the
    /// input.
    async fn fill_line(&mut self) -> io::Result<bool> {
        while self.line.last() != Some(&b'\n') {
            if self.line.len() > MAX_LINE_BYTES {
                self.is_too_long = true;
                self.line.clear();
            }
            let room = MAX_LINE_BYTES + 1 - self.line.len();
            let mut rest = (&mut self.input).take(room as u64);
            if rest.read_until(b'\n', &mut self.line).await? == 0 {
                return Ok(!self.line.is_empty() || self.is_too_long);
            }
        }
        Ok(true)
    }

    /// Takes the line and parses it; `None` if it is blank.
    fn take_message(&mut self) -> Option<Result<ClientJsonRpcMessage, Refusal>> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            let reason = format!("it has more than {MAX_LINE_BYTES} bytes");
            return Some(Err(Refusal::invalid(None, reason)));
        }
        let line = line.trim_ascii();
        (!line.is_empty()).then(|| message::read(line))
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        write(Arc::clone(&self.output), message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let written = refusing.await;
                self.refusing = None;
                written.ok()?;
            }
            if !self.fill_line().await.ok()? {
                return None;
            }
            match self.take_message() {
                Some(Ok(message)) => return Some(message),
                Some(Err(refusal)) => {
                    let answer = refusal.answer();
                    self.refusing = Some(Box::pin(write(Arc::clone(&self.output), answer)));
                }
                None => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.shutdown().await
    }
}

/// Writes a message as one line.
async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<W>>,
    message: impl Serialize,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
