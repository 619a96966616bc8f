//! Implements the SDK's server interface: the list of tools, their calls, and resources.

use std::borrow::Cow;

use axum::http::request::Parts;
use foveate_model::escape::escape_lines;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, InitializeRequestParams, InitializeResult, ListResourceTemplatesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use tracing::{Instrument as _, Span};

use super::failure::Failure;
use super::resources;
use super::tools::ToolName;
use super::{Caller, McpService};
use crate::access::Grant;

const INSTRUCTIONS: &str = "Finds the code to read in an indexed repository. Begin with `context`, \
    giving it the whole issue or error; then follow names with `definition` and `references`.";

/// The supported versions of the protocol. Version 2025-03-26 is missing because it requires batches, which
/// the versions before and after it do not have; a client that asks for it gets the version before.
const VERSIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

impl ServerHandler for McpService {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&VERSIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut answer = self.negotiate_initialize(&request)?;
        if request.protocol_version == ProtocolVersion::V_2025_03_26 {
            answer.protocol_version = ProtocolVersion::V_2024_11_05;
        }
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = Implementation::new("foveate", env!("CARGO_PKG_VERSION"));
        config.instructions = Some(INSTRUCTIONS.to_owned());
        config
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = match self.caller {
            Caller::Http => ToolName::ALL.map(ToolName::tool),
            Caller::Local(..) => ToolName::ALL.map(ToolName::tool_in_session),
        };
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = ToolName::named(&request.name).ok_or_else(|| {
            let names = ToolName::ALL.map(ToolName::name).join(", ");
            ErrorData::invalid_params(format!("unknown tool; the tools are {names}"), None)
        })?;
        let grant = self.grant(&context)?;
        let arguments = request.arguments.unwrap_or_default();
        let called = self.call(tool, arguments, &grant, &context);
        let called = called.instrument(span(&context)).await;
        let result = called.unwrap_or_else(|Failure(text)| {
            CallToolResult::error(vec![ContentBlock::text(escape_lines(&text))])
        });
        Ok(result.into())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![resources::template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let grant = self.grant(&context)?;
        let read = self.read(&request.uri, &grant, &context);
        let read = read.instrument(span(&context)).await;
        let text =
            read.map_err(|Failure(text)| ErrorData::resource_not_found(escape_lines(&text), None))?;
        let contents = ResourceContents::text(text, request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

/// Returns the span of the HTTP request of a call, or the current span.
fn span(context: &RequestContext<RoleServer>) -> Span {
    let request = context.extensions.get::<Parts>();
    let span = request.and_then(|request| request.extensions.get::<Span>());
    span.cloned().unwrap_or_else(Span::current)
}

impl McpService {
    fn grant(&self, context: &RequestContext<RoleServer>) -> Result<Grant, ErrorData> {
        match &self.caller {
            Caller::Local(grant, _) => Ok(grant.clone()),
            Caller::Http => {
                let request = context.extensions.get::<Parts>();
                let grant = request.and_then(|request| request.extensions.get::<Grant>());
                // A request without a grant may do nothing.
                let refuse = || ErrorData::internal_error("the request has no grant", None);
                grant.cloned().ok_or_else(refuse)
            }
        }
    }
}
