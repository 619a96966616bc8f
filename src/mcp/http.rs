//! `/mcp`: the streamable HTTP transport. Every request stands alone, so that nothing is kept of clients
//! between requests. Hosts, tokens, sizes and numbers of requests are checked by the layers around it.

use std::sync::Arc;

use axum::Router;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::Agents;

/// Where it is.
pub const PATH: &str = "/mcp";

/// The route, for programs, and for pages of these `origins` in browsers. Open streams end when `stop` is
/// cancelled.
pub fn route<S: Clone + Send + Sync + 'static>(
    agents: Agents,
    origins: &[String],
    max_body_bytes: usize,
    stop: CancellationToken,
) -> Router<S> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(max_body_bytes)
        .with_cancellation_token(stop)
        // A layer around all routes checks the host.
        .disable_allowed_hosts()
        .with_allowed_origins(origins.to_vec())
        .enforce_origin_validation();
    let service = StreamableHttpService::new(
        move || Ok(agents.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new().route_service(PATH, service)
}
