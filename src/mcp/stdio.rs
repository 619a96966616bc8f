//! The stdio transport: one message a line, until the client closes the input.

use rmcp::ServiceExt as _;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::io::stdio_pipes;
use tokio_util::sync::CancellationToken;

use super::Agents;

/// Why a session failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The client did not begin as the protocol wants it.
    #[error("the client did not begin a session of the Model Context Protocol: {0}")]
    Begin(Box<ServerInitializeError>),
    /// A defect.
    #[error("the session failed: {0}")]
    Defect(tokio::task::JoinError),
}

/// Serves one session on standard input and output.
///
/// # Errors
/// See [`SessionError`].
pub async fn serve(agents: Agents, stop: CancellationToken) -> Result<(), SessionError> {
    let starting = agents.serve_with_ct(stdio_pipes(), stop);
    let running = match starting.await {
        Ok(running) => running,
        // Who leaves before the beginning, or is told to, is done.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(SessionError::Begin(Box::new(error))),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(SessionError::Defect(error)),
        Ok(_) => Ok(()),
    }
}
