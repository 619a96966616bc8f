//! Calls the API of one configured forge: verifies its webhooks, chooses its token, sends requests. The token
//! of an app's installation is limited to one repository and cached until shortly before it expires.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

use axum::http::Method;
use foveate_query::permalink::WebPage;
use parking_lot::Mutex;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::client::{CallError, Client, Reply, http_client, missing, unexpected};
use super::dialect::{Dialect, ThreadId, segments, text};
use super::event::Person;
use super::gitea::Gitea;
use super::github::GitHub;
use super::github::app::{self, App};
use super::gitlab::GitLab;
use super::secret::{Secret, SecretError, SecretSource};
use crate::config::{Association, ForgeConfig, HostConfig};
use crate::engine::{CloneAddress, DiffEnds};

/// Maximum cached installation tokens.
const MAX_TOKENS: usize = 10_000;

/// A configured forge.
#[derive(Debug)]
pub struct Host {
    /// The formats of this kind of forge.
    pub dialect: &'static dyn Dialect,
    /// URL without a trailing slash.
    pub url: String,
    /// Where the secret of its webhooks is stored.
    pub webhook_secret: Option<SecretSource>,
    /// Timeout of one request.
    pub timeout: Duration,
    api: String,
    token: Option<SecretSource>,
    app: Option<App>,
    client: Client,
    /// Installation tokens with their expiry, by installation and project.
    tokens: Mutex<HashMap<(u64, String), (Secret, Instant)>>,
    /// Installation ids by project.
    installations: Mutex<HashMap<String, u64>>,
}

/// What a token is used for.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// `owner/name`; in GitLab also `group/subgroup/name`.
    pub project: &'a str,
    /// The installation that got the webhook.
    pub installation: Option<u64>,
}

/// Returns the configured forges. A URL belongs to at most one of them.
///
/// # Errors
/// When the system's certificates cannot be read.
pub fn hosts(config: &ForgeConfig) -> Result<Vec<Host>, reqwest::Error> {
    let github = HostConfig {
        url: config.github.url.clone(),
        webhook_secret: config.github.webhook_secret.clone(),
        token: config.github.token.clone(),
    };
    let key = SecretSource::new(&config.github.private_key);
    let app = key.map(|key| App {
        id: config.github.app_id,
        key,
    });
    let timeout = Duration::from_secs(config.timeout_seconds);
    let http = http_client(timeout)?;
    let host = |dialect: &'static dyn Dialect, config: &HostConfig, app: Option<App>| {
        let url = config.url.trim_end_matches('/').to_owned();
        Host {
            api: dialect.api(&url),
            dialect,
            url,
            webhook_secret: SecretSource::new(&config.webhook_secret),
            token: SecretSource::new(&config.token),
            timeout,
            app,
            client: Client::new(http.clone()),
            tokens: Mutex::default(),
            installations: Mutex::default(),
        }
    };
    Ok(vec![
        host(&GitHub, &github, app),
        host(&GitLab, &config.gitlab, None),
        host(&Gitea, &config.gitea, None),
    ])
}

impl Host {
    /// Returns the URL of a project's web page.
    pub fn address(&self, project: &str) -> String {
        format!("{}/{project}", self.url)
    }

    /// Returns a project's web page, for links to its files.
    pub fn page(&self, project: &str) -> WebPage {
        WebPage::new(&self.address(project), self.dialect.web_host())
    }

    /// Returns the project that is cloned from an address, if the forge's token may be sent there: only over the scheme
    /// of the forge's URL, and to its host and port.
    pub fn project<'a>(&self, address: &'a CloneAddress) -> Option<&'a str> {
        let forge = CloneAddress::parse(&self.url).ok()?;
        let project = address.project_on(&forge)?;
        (address.has_origin_of(&forge) && project.contains('/')).then_some(project)
    }

    /// Whether a token or app is configured.
    pub fn has_token(&self) -> bool {
        self.token.is_some() || self.app.is_some()
    }

    /// Checks that the token, or else the private key of the app, can be read.
    ///
    /// # Errors
    /// The name of its setting, and why it cannot be read.
    pub fn check_token(&self) -> Result<(), (&'static str, SecretError)> {
        let (setting, source) = match (&self.token, &self.app) {
            (Some(token), _) => ("token", token),
            (None, Some(app)) => ("private_key", &app.key),
            (None, None) => return Ok(()),
        };
        source.read().map(drop).map_err(|error| (setting, error))
    }

    /// Returns the secrets that cannot be read now, each with the name of its setting in the forge's table.
    pub fn unreadable_secrets(&self) -> Vec<(&'static str, SecretError)> {
        let webhook = self.webhook_secret.as_ref();
        let webhook = webhook.and_then(|source| source.read().err());
        let webhook = webhook.map(|error| ("webhook_secret", error));
        let token = self.check_token().err();
        webhook.into_iter().chain(token).collect()
    }

    /// Returns the token for a project.
    ///
    /// # Errors
    /// When none is configured, or the forge does not issue one.
    pub async fn token(&self, scope: Scope<'_>) -> Result<Secret, CallError> {
        if let Some(source) = &self.token {
            return source
                .read()
                .map_err(|error| CallError::Failed(error.to_string()));
        }
        let Some(app) = &self.app else {
            let name = self.dialect.name();
            return Err(CallError::Refused(format!("forge.{name}.token is not set")));
        };
        let installation = match scope.installation {
            Some(installation) => installation,
            None => self.installation(app, scope.project).await?,
        };
        let key = (installation, scope.project.to_owned());
        if let Some((token, until)) = self.tokens.lock().get(&key)
            && *until > Instant::now()
        {
            return Ok(token.clone());
        }
        let token = self.new_token(app, key).await;
        if token.is_err() {
            // The app may have been reinstalled under another id.
            self.installations.lock().remove(scope.project);
        }
        token
    }

    /// Returns the installation that a project belongs to.
    async fn installation(&self, app: &App, project: &str) -> Result<u64, CallError> {
        if let Some(installation) = self.installations.lock().get(project) {
            return Ok(*installation);
        }
        let path = format!("/repos/{}/installation", segments(project));
        let reply = self.call_as_app(app, Method::GET, &path, None).await?;
        let installation = reply.body["id"].as_u64().ok_or_else(unexpected)?;
        let mut installations = self.installations.lock();
        if installations.len() < MAX_TOKENS {
            installations.insert(project.to_owned(), installation);
        }
        Ok(installation)
    }

    /// Requests a token that is limited to one project.
    async fn new_token(&self, app: &App, key: (u64, String)) -> Result<Secret, CallError> {
        let (installation, project) = &key;
        let name = project.rsplit('/').next().unwrap_or_default();
        let path = format!("/app/installations/{installation}/access_tokens");
        let for_one = json!({"repositories": [name]});
        let reply = self.call_as_app(app, Method::POST, &path, Some(&for_one));
        let body = reply.await?.body;
        let token = Secret::new(text(&body, "/token").ok_or_else(unexpected)?);
        let end = text(&body, "/expires_at").unwrap_or_default();
        let now = Instant::now();
        let until = now + app::usable(&end, SystemTime::now());
        let mut tokens = self.tokens.lock();
        tokens.retain(|_, (_, until)| *until > now);
        if tokens.len() < MAX_TOKENS {
            tokens.insert(key, (token.clone(), until));
        }
        Ok(token)
    }

    fn request(
        &self,
        token: &Secret,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> RequestBuilder {
        let request = self.client.request(method, &format!("{}{path}", self.api));
        let request = self.dialect.authorize(request, token);
        match body {
            Some(body) => request.json(body),
            None => request,
        }
    }

    async fn call_as_app(
        &self,
        app: &App,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Reply, CallError> {
        let jwt = app.sign_in(SystemTime::now());
        let jwt = jwt.map_err(|error| CallError::Failed(error.to_string()))?;
        let request = self.request(&jwt, method, path, body);
        let reply = self.client.send("app", request).await?;
        reply.ok_or_else(missing)
    }

    /// Sends a request with the token for a project; `None` if what it names does not exist.
    async fn call(
        &self,
        scope: Scope<'_>,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<Reply>, CallError> {
        let token = self.token(scope).await?;
        let request = self.request(&token, method, path, body);
        let token_id = match scope.installation {
            Some(installation) => installation.to_string(),
            None => "token".to_owned(),
        };
        let reply = self.client.send(&token_id, request).await;
        if matches!(reply, Err(CallError::Failed(_))) {
            // The token may have been revoked; the next attempt requests a new one.
            self.tokens
                .lock()
                .retain(|(_, project), _| project != scope.project);
        }
        reply
    }

    async fn find(&self, scope: Scope<'_>, path: &str) -> Result<Option<Value>, CallError> {
        let reply = self.call(scope, Method::GET, path, None).await?;
        Ok(reply.map(|reply| reply.body))
    }

    async fn get(&self, scope: Scope<'_>, path: &str) -> Result<Value, CallError> {
        self.find(scope, path).await?.ok_or_else(missing)
    }

    /// Asks for a person's role in a project. Somebody unknown to the forge or to the project has none.
    ///
    /// # Errors
    /// When the request fails, or the token may not ask for permissions.
    pub async fn association(
        &self,
        scope: Scope<'_>,
        person: &Person,
    ) -> Result<Association, CallError> {
        let path = self.dialect.permission(scope.project, person);
        let permission = self.find(scope, &path).await?;
        let association = permission.map(|permission| self.dialect.association(&permission));
        Ok(association.unwrap_or(Association::Unrelated))
    }

    /// Returns base and head of a pull request.
    pub async fn ends(&self, scope: Scope<'_>, thread: &ThreadId) -> Result<DiffEnds, CallError> {
        let path = self.dialect.pull_request(thread);
        let pull_request = self.get(scope, &path).await?;
        self.dialect.ends(&pull_request).ok_or_else(unexpected)
    }

    /// Returns the name of the account that comments are written with. It is not cached: the token may be
    /// replaced by that of another account, and an app or account may be renamed.
    pub async fn account(&self, scope: Scope<'_>) -> Result<String, CallError> {
        match (&self.app, &self.token) {
            (Some(app), None) => {
                let reply = self.call_as_app(app, Method::GET, "/app", None).await?;
                let slug = text(&reply.body, "/slug").ok_or_else(unexpected)?;
                Ok(format!("{slug}[bot]"))
            }
            _ => {
                let user = self.get(scope, "/user").await?;
                let login = user[self.dialect.login_field()].as_str();
                login.map(str::to_owned).ok_or_else(unexpected)
            }
        }
    }

    /// Returns one page of a thread's comments, and the query string of the next page. `query` selects the
    /// page; `None` is the first one.
    pub async fn comments(
        &self,
        scope: Scope<'_>,
        thread: &ThreadId,
        query: Option<&str>,
    ) -> Result<(Vec<Value>, Option<String>), CallError> {
        let first = self.dialect.comments(thread);
        let path = match query {
            Some(query) => format!("{}?{query}", without_query(&first)),
            None => first,
        };
        let reply = self.call(scope, Method::GET, &path, None).await?;
        let reply = reply.ok_or_else(missing)?;
        match reply.body {
            Value::Array(comments) => Ok((comments, reply.next)),
            _ => Err(unexpected()),
        }
    }

    /// Posts a new comment, or replaces the text of the comment `id`.
    ///
    /// # Errors
    /// When the request fails or is refused, or the response is not the comment, which then may not have been
    /// written.
    pub async fn write_comment(
        &self,
        scope: Scope<'_>,
        thread: &ThreadId,
        id: Option<u64>,
        body: &str,
    ) -> Result<(), CallError> {
        let (method, path) = match id {
            Some(id) => (self.dialect.edit_method(), self.dialect.comment(thread, id)),
            None => (Method::POST, self.dialect.comments(thread)),
        };
        let body = json!({"body": body});
        let path = without_query(&path);
        let reply = self.call(scope, method, path, Some(&body)).await?;
        let reply = reply.ok_or_else(missing)?;
        match reply.body["id"].as_u64() {
            Some(_) => Ok(()),
            None => Err(CallError::Failed(
                "the forge did not return the comment, which may not have been written".to_owned(),
            )),
        }
    }
}

fn without_query(path: &str) -> &str {
    path.split_once('?').map_or(path, |(path, _)| path)
}
