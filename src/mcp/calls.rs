//! Handles tool calls: converts arguments to a question or lookup, and the answer to text and JSON.

use std::sync::Arc;

use axum::http::request::Parts;
use foveate_model::escape::shorten;
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use rmcp::service::RequestContext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tower_http::request_id::RequestId;

use super::failure::Failure;
use super::resources::FileUri;
use super::text::{self, ContextToolAnswer, Readable};
use super::tools::{ArgumentError, Call, ContextCall, ToolName};
use super::{Caller, McpService, Session, lenient};
use crate::access::Grant;
use crate::access::audit::{self, Action, Outcome};
use crate::engine::{AnswerWithSnapshot, AskError, Repository, Source};
use crate::feedback::AnswerOrigin;
use crate::wire::answer::{AnswerOptions, ContextAnswer};
use crate::wire::diff_range;
use crate::wire::lookup::{
    FILE_LIMIT, Lookup, LookupContext, RawDefinitions, RawFile, RawOutline, RawReferences,
    RawSearch,
};
use crate::wire::request::RawRequest;
use crate::wire::unknown_field::UnknownField;
use crate::wire::whole_number::WholeNumber;
use crate::wire::wrong_value;

/// Maximum number of repositories that the error lists if a call names none, or one that does not exist.
const MAX_NAMED: usize = 20;
/// Explains that there is nothing to ask.
const NO_REPOSITORY: &str =
    "no repository is registered; the user adds one with `foveate repo add`";
/// Stands for all places that the session has shown.
const SESSION: &str = "session";

type Context = RequestContext<RoleServer>;

impl McpService {
    pub(super) async fn call(
        &self,
        tool: ToolName,
        arguments: JsonObject,
        grant: &Grant,
        context: &Context,
    ) -> Result<CallToolResult, Failure> {
        let arguments = self.with_relative_paths(arguments, grant);
        match tool {
            ToolName::Context => self.context(read(tool, arguments)?, grant, context).await,
            ToolName::Definition => {
                let call: Call<RawDefinitions> = read(tool, arguments)?;
                self.lookup(call, grant, context).await
            }
            ToolName::References => {
                let call: Call<RawReferences> = read(tool, arguments)?;
                self.lookup(call, grant, context).await
            }
            ToolName::Outline => {
                let call: Call<RawOutline> = read(tool, arguments)?;
                self.lookup(call, grant, context).await
            }
            ToolName::Search => {
                let call: Call<RawSearch> = read(tool, arguments)?;
                self.lookup(call, grant, context).await
            }
        }
    }

    /// Makes absolute paths below the directory of the repository that is asked relative to it.
    fn with_relative_paths(&self, mut arguments: JsonObject, grant: &Grant) -> JsonObject {
        let name = arguments.get("repo").and_then(|name| name.as_str());
        let repository = match name {
            Some(name) => self.engine.get(grant, name),
            // Of several, the call would have to name one.
            None => self.engine.repositories(grant).pop(),
        };
        if let Some(Source::WorkingTree { path, .. }) = repository.as_deref().map(|r| &r.source) {
            lenient::relative_to(path, &mut arguments);
        }
        arguments
    }

    async fn lookup<L: Lookup<Answer: Readable + Serialize>>(
        &self,
        call: Call<L>,
        grant: &Grant,
        context: &Context,
    ) -> Result<CallToolResult, Failure> {
        let repository = self.repository(grant, call.repo.as_deref(), Action::LookUp)?;
        let lookup_context = self.lookup_context(grant, repository.name.as_str());
        let looking = async { call.what.run(lookup_context).await.map_err(Failure::from) };
        let answer = self.when_ready(context, &repository, looking).await?;
        result(&answer)
    }

    fn lookup_context<'a>(&'a self, grant: &'a Grant, repo: &'a str) -> LookupContext<'a> {
        LookupContext {
            engine: &self.engine,
            grant,
            repo,
        }
    }

    async fn context(
        &self,
        call: Call<ContextCall>,
        grant: &Grant,
        context: &Context,
    ) -> Result<CallToolResult, Failure> {
        let repository = self.repository(grant, call.repo.as_deref(), Action::Ask)?;
        let call = call.what;
        let seen = self.seen(call.seen.unwrap_or_default())?;
        let (seen_places, seen_paths) = seen.into_iter().partition(|seen| seen.contains(':'));
        let diff = call.diff.as_deref().map(diff_range::ends).transpose();
        let diff = diff.map_err(|reason| Failure(format!("`diff`: {reason}")))?;
        let explain: fn(AskError) -> Failure = match diff {
            Some(_) => Failure::of_diff,
            None => Failure::from,
        };
        let raw = RawRequest {
            repo: Some(repository.name.to_string()),
            query: call.query,
            reference: call.r#ref,
            diff,
            budget_tokens: call.budget_tokens.map(|WholeNumber(tokens)| tokens),
            breadth: call.breadth,
            intent: call.intent,
            // The path of a file is taken as one, so that one list is enough.
            focus_symbols: call.focus.unwrap_or_default(),
            seen_places,
            seen_paths,
            ..RawRequest::default()
        };
        let question = raw.validate(self.limits.max_query_bytes)?;
        let options = AnswerOptions {
            budget_tokens: question.request.budget_tokens,
            ..AnswerOptions::default()
        };
        let feedback = self.feedback.as_ref();
        let query = feedback.and_then(|feedback| feedback.query(&question.request.query));
        let asking = async {
            let answered = self.engine.ask(grant, question).await;
            answered.map_err(explain)
        };
        let answered = self.when_ready(context, &repository, asking).await?;
        self.record(&answered, query, context);
        let answer = ContextToolAnswer::new(ContextAnswer::new(answered, options));
        if let Some(session) = self.session() {
            session.add(&answer.shown);
        }
        result(&answer)
    }

    /// Records an answer under the id of the HTTP request.
    fn record(&self, answered: &AnswerWithSnapshot, query: Option<String>, context: &Context) {
        let request = context.extensions.get::<Parts>();
        let id = request.and_then(|request| request.extensions.get::<RequestId>());
        let id = id.and_then(|id| id.header_value().to_str().ok());
        if let (Some(feedback), Some(id)) = (&self.feedback, id) {
            let origin = AnswerOrigin {
                request_id: id.to_owned(),
                thread: None,
                query,
            };
            feedback.record(answered, origin);
        }
    }

    /// Returns the whole text of a file.
    pub(super) async fn read(
        &self,
        uri: &str,
        grant: &Grant,
        context: &Context,
    ) -> Result<String, Failure> {
        let uri = FileUri::parse(uri)?;
        let repository = self.repository(grant, Some(&uri.repo), Action::LookUp)?;
        let reading = self.whole_text(&uri, grant);
        self.when_ready(context, &repository, reading).await
    }

    async fn whole_text(&self, uri: &FileUri, grant: &Grant) -> Result<String, Failure> {
        let mut text = String::new();
        let (mut cursor, mut first) = (None, None);
        loop {
            let raw = RawFile {
                path: Some(uri.path.clone()),
                lines: None,
                r#ref: uri.reference.clone(),
                limit: Some(WholeNumber(FILE_LIMIT.max as u64)),
                cursor,
            };
            let page = raw.run(self.lookup_context(grant, &uri.repo)).await?;
            let now = (page.revision.commit, page.revision.generation);
            if *first.get_or_insert_with(|| now.clone()) != now {
                let message = "the repository changed while the file was read: call again";
                return Err(Failure(message.to_owned()));
            }
            text.push_str(&page.text);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(text);
            }
        }
    }

    /// Returns the named repository, or the only one if the call names none.
    fn repository(
        &self,
        grant: &Grant,
        name: Option<&str>,
        action: Action,
    ) -> Result<Arc<Repository>, Failure> {
        if let Some(name) = name {
            return self.engine.get(grant, name).ok_or_else(|| {
                audit::record(grant, action, None, Outcome::Unknown);
                unknown_repository(name, &self.engine.repositories(grant))
            });
        }
        match &self.engine.repositories(grant)[..] {
            [] => Err(Failure(NO_REPOSITORY.to_owned())),
            [only] => Ok(Arc::clone(only)),
            seen => {
                let text = format!("`repo` is missing: name one of {}", list(seen));
                Err(Failure(text))
            }
        }
    }

    fn session(&self) -> Option<&Session> {
        match &self.caller {
            Caller::Local(_, session) => Some(session),
            Caller::Http => None,
        }
    }

    /// Returns the places to omit, with `session` replaced by the places that the session has shown.
    fn seen(&self, mut seen: Vec<String>) -> Result<Vec<String>, Failure> {
        let given = seen.len();
        seen.retain(|place| place != SESSION);
        if seen.len() == given {
            return Ok(seen);
        }
        let session = self.session().ok_or_else(|| {
            Failure(
                "`seen`: this server keeps no sessions; send the places in `shown` of its earlier \
                 answers instead of `session`"
                    .to_owned(),
            )
        })?;
        seen.extend(session.shown.lock().iter().cloned());
        Ok(seen)
    }
}

/// Explains that no repository is called so, and which ones there are.
fn unknown_repository(name: &str, known: &[Arc<Repository>]) -> Failure {
    let error = AskError::UnknownRepo(shorten(name, 100).into_owned());
    Failure(match known {
        [] => format!("{error}; {NO_REPOSITORY}"),
        [only] => format!("{error}; the only one is {}: leave `repo` out", only.name),
        _ => format!("{error}; name one of {}", list(known)),
    })
}

/// Returns the names of the first repositories, and the number of the others.
fn list(repositories: &[Arc<Repository>]) -> String {
    let names = repositories.iter().take(MAX_NAMED);
    let names: Vec<&str> = names.map(|r| r.name.as_str()).collect();
    match repositories.len() - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Parses the arguments of a call.
fn read<T: DeserializeOwned>(tool: ToolName, arguments: JsonObject) -> Result<Call<T>, Failure> {
    let arguments = lenient::in_form_of_schema(tool, arguments);
    Call::read(arguments).map_err(|error| {
        let reason = refusal(tool, &error);
        Failure(format!("invalid arguments: {reason}"))
    })
}

/// Says which argument cannot be used, and what can be.
fn refusal(tool: ToolName, error: &ArgumentError) -> String {
    if let Some(unknown) = UnknownField::parse(&error.reason) {
        let meant = match unknown.nearest() {
            Some(nearest) => format!(" (did you mean `{nearest}`?)"),
            None => String::new(),
        };
        let (name, tool_name) = (unknown.name, tool.name());
        let parameters = tool.parameters().join(", ");
        return format!("there is no `{name}`{meant}; `{tool_name}` takes {parameters}");
    }
    let explained = wrong_value::explain(&error.reason);
    match &error.name {
        Some(name) => format!("`{name}`: {explained}"),
        None => explained,
    }
}

fn result<T: Readable + Serialize>(answer: &T) -> Result<CallToolResult, Failure> {
    let json = serde_json::to_value(answer);
    let json = json.map_err(|_| Failure::from(AskError::Internal))?;
    let mut result = CallToolResult::structured(json);
    result.content = vec![ContentBlock::text(text::readable(answer))];
    Ok(result)
}
