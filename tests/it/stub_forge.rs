//! Serves a stub forge on the loopback address: git repositories through git's own backend, and the documented
//! parts of the APIs of GitHub, GitLab and Gitea for comments, pull requests and tokens. On request it is busy,
//! fails or hangs.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use axum::{Json, Router, response::IntoResponse as _};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::app::git;

/// How the next API request is answered.
#[derive(Clone, Debug)]
pub enum Mood {
    /// With this status.
    Status(u16),
    /// The rate limit is used up for this many seconds.
    UsedUp(u64),
    /// Too many requests, with this `Retry-After`.
    RetryAfter(u64),
    /// A secondary limit is exceeded, without a header that says for how long.
    SecondaryLimit,
    /// With status 200 and this body, whatever the request.
    Page(&'static str),
    /// Never.
    Silent,
    /// With a redirect to this address.
    Redirect(String),
    /// With an empty page whose next page is at this address.
    NextPage(String),
    /// Normally, after this time, unless the client has disconnected.
    Slow(Duration),
    /// Normally, after this time, even if the client has disconnected.
    Unstoppable(Duration),
}

/// A comment of a thread.
#[derive(Clone, Debug)]
pub struct Comment {
    pub id: u64,
    /// As in an API path: `corner/shop/12`.
    pub thread: String,
    pub author: String,
    pub body: String,
}

/// A received request: method, path with query, and the token that was sent.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub token: String,
    /// The `traceparent` header; may be empty.
    pub traceparent: String,
}

#[derive(Default)]
struct Inner {
    comments: Vec<Comment>,
    moods: VecDeque<Mood>,
    seen: Vec<Seen>,
    /// The projects that each installation can access.
    installations: HashMap<u64, Vec<String>>,
    /// Issued tokens, with the projects that each can access.
    tokens: HashMap<String, Vec<String>>,
    /// The base and head commits of pull requests, by thread.
    pull_request_commits: HashMap<String, (String, String)>,
    /// The permission or membership of an account, by its login or id, for every project.
    memberships: HashMap<String, Value>,
    /// Further tokens without restrictions, with their accounts.
    accounts: HashMap<String, String>,
    /// The account of the app after it was renamed.
    app_account: Option<String>,
    /// The base URL in links to other pages, if it differs from the real one.
    advertised_url: Option<String>,
    /// A renamed GitHub project: requests by its old name are redirected to this number.
    renamed: Option<(String, u64)>,
    /// Whether git needs a token.
    is_private: bool,
}

struct Shared {
    url: String,
    root: PathBuf,
    inner: Mutex<Inner>,
}

/// A running forge.
pub struct StubForge {
    pub url: String,
    shared: Arc<Shared>,
    _directory: TempDir,
}

/// A token without restrictions.
pub const TOKEN: &str = "plain-token-1";
/// The account of that token.
pub const ACCOUNT: &str = "helper";
/// The account of the app.
pub const APP_ACCOUNT: &str = "foveate-app[bot]";

impl StubForge {
    pub async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            url: url.clone(),
            root,
            inner: Mutex::default(),
        });
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url,
            shared,
            _directory: directory,
        }
    }

    /// Serves a bare copy of the repository at `root` as this project.
    pub fn host(&self, project: &str, root: &Path) {
        let bare = self.bare(project);
        std::fs::create_dir_all(bare.parent().unwrap()).unwrap();
        let at = bare.to_str().unwrap();
        git(root, &["clone", "-q", "--bare", ".", at]);
        git(&bare, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    }

    pub fn bare(&self, project: &str) -> PathBuf {
        self.shared.root.join(format!("{project}.git"))
    }

    /// Pushes refs from a clone into a project.
    pub fn push(&self, project: &str, root: &Path, refs: &str) {
        git(
            root,
            &["push", "-q", self.bare(project).to_str().unwrap(), refs],
        );
    }

    pub fn install(&self, installation: u64, projects: &[&str]) {
        let projects = projects.iter().map(|&p| p.to_owned()).collect();
        let mut inner = self.shared.inner.lock();
        inner.installations.insert(installation, projects);
    }

    pub fn make_private(&self) {
        self.shared.inner.lock().is_private = true;
    }

    /// Adds a token without restrictions for an account.
    pub fn add_account(&self, token: &str, account: &str) {
        let mut inner = self.shared.inner.lock();
        inner.accounts.insert(token.to_owned(), account.to_owned());
    }

    /// Renames the app, also as the author of its comments.
    pub fn rename_app(&self, slug: &str) {
        let account = format!("{slug}[bot]");
        let mut inner = self.shared.inner.lock();
        let earlier = inner.app_account().to_owned();
        for comment in &mut inner.comments {
            if comment.author == earlier {
                comment.author.clone_from(&account);
            }
        }
        inner.app_account = Some(account);
    }

    /// Uses this base URL in links, like a server behind a proxy.
    pub fn advertise_url(&self, url: &str) {
        self.shared.inner.lock().advertised_url = Some(url.to_owned());
    }

    /// Redirects GitHub requests for a project to the path with its number.
    pub fn rename(&self, project: &str, number: u64) {
        self.shared.inner.lock().renamed = Some((project.to_owned(), number));
    }

    pub fn set_pull_request_commits(&self, thread: &str, base: &str, head: &str) {
        let pull_request_commits = (base.to_owned(), head.to_owned());
        self.shared
            .inner
            .lock()
            .pull_request_commits
            .insert(thread.to_owned(), pull_request_commits);
    }

    pub fn set_membership(&self, person: &str, membership: Value) {
        let mut inner = self.shared.inner.lock();
        inner.memberships.insert(person.to_owned(), membership);
    }

    pub fn queue_moods(&self, moods: &[Mood]) {
        self.shared.inner.lock().moods.extend(moods.iter().cloned());
    }

    /// How many queued moods are left.
    pub fn moods_left(&self) -> usize {
        self.shared.inner.lock().moods.len()
    }

    pub fn add_comment(&self, thread: &str, author: &str, body: &str) -> u64 {
        self.shared.inner.lock().add(thread, author, body)
    }

    pub fn comments(&self, thread: &str) -> Vec<Comment> {
        let inner = self.shared.inner.lock();
        let of_thread = inner.comments.iter().filter(|c| c.thread == thread);
        of_thread.cloned().collect()
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.shared.inner.lock().seen.clone()
    }

    /// How many requests had this method and this part in their path.
    pub fn count(&self, method: &str, part: &str) -> usize {
        let is_one = |seen: &&Seen| seen.method == method && seen.path.contains(part);
        self.seen().iter().filter(is_one).count()
    }
}

impl Inner {
    fn add(&mut self, thread: &str, author: &str, body: &str) -> u64 {
        let id = 1000 + self.comments.len() as u64;
        self.comments.push(Comment {
            id,
            thread: thread.to_owned(),
            author: author.to_owned(),
            body: body.to_owned(),
        });
        id
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mood = shared.mood(&method, &uri, &headers);
    match mood {
        Some(Mood::Unstoppable(time)) => {
            let task = async move {
                tokio::time::sleep(time).await;
                answer_normally(&shared, &method, &uri, &headers, &body).await
            };
            return tokio::spawn(task).await.unwrap();
        }
        Some(Mood::Slow(time)) => tokio::time::sleep(time).await,
        Some(mood) => return answer_in_mood(mood).await,
        None => {}
    }
    answer_normally(&shared, &method, &uri, &headers, &body).await
}

impl Shared {
    /// Records a request, and takes the mood for it if it is an API request.
    fn mood(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Mood> {
        let mut inner = self.inner.lock();
        inner.seen.push(Seen {
            method: method.to_string(),
            path: uri.to_string(),
            token: token(headers),
            traceparent: headers
                .get("traceparent")
                .map_or_else(String::new, |parent| parent.to_str().unwrap().to_owned()),
        });
        match uri.path().starts_with("/api/") {
            true => inner.moods.pop_front(),
            false => None,
        }
    }
}

/// Answers a request as the forge would.
async fn answer_normally(
    shared: &Shared,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    body: &Bytes,
) -> Response<Body> {
    let token = token(headers);
    let path = uri.path().to_owned();
    let renamed = shared.inner.lock().renamed.clone();
    let mut path = path;
    if let Some((project, number)) = renamed {
        let by_name = format!("/api/v3/repos/{project}/");
        let by_number = format!("/api/v3/repositories/{number}/");
        if path.starts_with(&by_name) {
            let to = uri.to_string().replace(&by_name, &by_number);
            return redirect_permanently(method, &format!("{}{to}", shared.url));
        }
        path = path.replace(&by_number, &by_name);
    }
    if !path.starts_with("/api/") {
        return serve_git(shared, method, uri, headers, body).await;
    }
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let query = uri.query().unwrap_or_default();
    let request = Request {
        method: method.as_str(),
        segments: path.trim_matches('/').split('/').skip(2).collect(),
        query,
        token,
        body,
    };
    let mut inner = shared.inner.lock();
    let url = inner.advertised_url.as_ref().unwrap_or(&shared.url);
    let base = format!("{url}{path}");
    match path.split('/').nth(2) {
        Some("v3") => inner.github(&request, &base),
        Some("v4") => inner.gitlab(&request),
        _ => inner.gitea(&request),
    }
}

struct Request<'a> {
    method: &'a str,
    segments: Vec<&'a str>,
    query: &'a str,
    token: String,
    body: Value,
}

/// The token of a request, in any of the headers that forges accept.
fn token(headers: &HeaderMap) -> String {
    let text = |name: &str| {
        headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    };
    let authorization = text("authorization");
    let bare = authorization
        .strip_prefix("Bearer ")
        .or_else(|| authorization.strip_prefix("token "));
    match (bare, authorization.strip_prefix("Basic ")) {
        (Some(token), _) => token.to_owned(),
        (None, Some(basic)) => {
            use base64::Engine as _;
            let engine = base64::engine::general_purpose::STANDARD;
            let login = String::from_utf8(engine.decode(basic).unwrap()).unwrap();
            login.split_once(':').unwrap().1.to_owned()
        }
        _ => text("private-token").to_owned(),
    }
}

async fn answer_in_mood(mood: Mood) -> Response<Body> {
    let limited = |status: u16, headers: &[(&'static str, String)]| {
        let mut response = json_response(status, json!({"message": "API rate limit exceeded"}));
        for (name, value) in headers {
            response.headers_mut().insert(*name, value.parse().unwrap());
        }
        response
    };
    match mood {
        Mood::Status(status) => json_response(status, json!({"message": "as you wish"})),
        Mood::UsedUp(seconds) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            let reset = (now.as_secs() + seconds).to_string();
            let used_up = ("x-ratelimit-remaining", "0".to_owned());
            limited(403, &[used_up, ("x-ratelimit-reset", reset)])
        }
        Mood::RetryAfter(seconds) => limited(429, &[("retry-after", seconds.to_string())]),
        Mood::Page(text) => text.into_response(),
        Mood::SecondaryLimit => {
            let message = "You have exceeded a secondary rate limit. Please wait a few minutes.";
            json_response(403, json!({"message": message}))
        }
        Mood::Redirect(to) => limited(302, &[("location", to)]),
        Mood::NextPage(to) => {
            let mut response = json_response(200, json!([]));
            let link = format!("<{to}>; rel=\"next\"").parse().unwrap();
            response.headers_mut().insert("link", link);
            response
        }
        Mood::Silent | Mood::Slow(_) | Mood::Unstoppable(_) => std::future::pending().await,
    }
}

/// A permanent redirect as GitHub answers it.
fn redirect_permanently(method: &Method, to: &str) -> Response<Body> {
    let status = if method == Method::GET { 301 } else { 307 };
    let mut response = json_response(status, json!({"message": "Moved Permanently", "url": to}));
    response
        .headers_mut()
        .insert("location", to.parse().unwrap());
    response
}

fn json_response(status: u16, body: Value) -> Response<Body> {
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}

fn not_found() -> Response<Body> {
    json_response(404, json!({"message": "Not Found"}))
}

impl Inner {
    /// Whether a token can access a project. Without access the project is answered as not found.
    fn can_access(&self, token: &str, project: &str) -> bool {
        let given = self.tokens.get(token);
        token == TOKEN
            || self.accounts.contains_key(token)
            || given.is_some_and(|projects| projects.iter().any(|p| p == project))
    }

    fn account(&self, token: &str) -> &str {
        match token {
            TOKEN => ACCOUNT,
            token => self.accounts.get(token).map_or(self.app_account(), |a| a),
        }
    }

    fn app_account(&self) -> &str {
        self.app_account.as_deref().unwrap_or(APP_ACCOUNT)
    }

    fn github(&mut self, request: &Request<'_>, base: &str) -> Response<Body> {
        match (request.method, &*request.segments) {
            ("GET", ["app"]) if is_signed(&request.token) => {
                let slug = self.app_account().trim_end_matches("[bot]");
                json_response(200, json!({"id": 7, "slug": slug}))
            }
            ("POST", ["app", "installations", id, "access_tokens"])
                if is_signed(&request.token) =>
            {
                self.give_token(id.parse().unwrap(), &request.body["repositories"])
            }
            ("GET", ["repos", owner, name, "installation"]) if is_signed(&request.token) => {
                let project = format!("{owner}/{name}");
                let mut all = self.installations.iter();
                let found = all.find(|(_, projects)| projects.contains(&project));
                found.map_or_else(not_found, |(id, _)| json_response(200, json!({"id": id})))
            }
            ("GET", ["user"]) => json_response(200, json!({"login": self.account(&request.token)})),
            ("GET", ["repos", _, _, "collaborators", login, "permission"]) => {
                self.membership(login)
            }
            ("GET", ["repos", owner, name, "pulls", number]) => {
                self.pull_request(&request.token, &format!("{owner}/{name}"), number)
            }
            ("GET", ["repos", owner, name, "issues", number, "comments"]) => {
                let project = format!("{owner}/{name}");
                let thread = format!("{project}/{number}");
                self.page(&request.token, &project, &thread, request.query, base)
            }
            ("POST", ["repos", owner, name, "issues", number, "comments"]) => {
                let project = format!("{owner}/{name}");
                let thread = format!("{project}/{number}");
                self.write(request, &project, &thread, None)
            }
            ("PATCH", ["repos", owner, name, "issues", "comments", id]) => {
                let project = format!("{owner}/{name}");
                self.write(request, &project, "", Some(id))
            }
            _ => not_found(),
        }
    }

    fn give_token(&mut self, installation: u64, names: &Value) -> Response<Body> {
        let seen = self.installations.get(&installation).cloned();
        let wanted: Vec<&str> = names.as_array().map_or(Vec::new(), |names| {
            names.iter().filter_map(Value::as_str).collect()
        });
        let is_wanted = |p: &String| wanted.contains(&p.split('/').nth(1).unwrap());
        let projects: Vec<String> = seen.into_iter().flatten().filter(is_wanted).collect();
        if projects.is_empty() {
            return json_response(
                422,
                json!({"message": "There is at least one repository that does not exist"}),
            );
        }
        let token = format!("installation-token-{installation}-{}", self.tokens.len());
        self.tokens.insert(token.clone(), projects);
        json_response(
            201,
            json!({"token": token, "expires_at": "2099-01-01T00:00:00Z"}),
        )
    }

    fn pull_request(&self, token: &str, project: &str, number: &str) -> Response<Body> {
        let pull_request_commits = self
            .pull_request_commits
            .get(&format!("{project}/{number}"));
        match pull_request_commits.filter(|_| self.can_access(token, project)) {
            Some((base, head)) => json_response(
                200,
                json!({
                    "number": 1, "base": {"sha": base}, "head": {"sha": head},
                    "sha": head, "diff_refs": {"base_sha": base, "head_sha": head},
                }),
            ),
            None => not_found(),
        }
    }

    fn comments_json(&self, thread: &str) -> Vec<Value> {
        let of_thread = self.comments.iter().filter(|c| c.thread == thread);
        let object = |c: &Comment| {
            json!({
                "id": c.id, "body": c.body,
                "user": {"login": c.author}, "author": {"username": c.author},
            })
        };
        of_thread.map(object).collect()
    }

    /// A page of comments, with links to the others as GitHub gives them.
    fn page(
        &self,
        token: &str,
        project: &str,
        thread: &str,
        query: &str,
        base: &str,
    ) -> Response<Body> {
        if !self.can_access(token, project) {
            return not_found();
        }
        let number = |name: &str, default: usize| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let found = pairs.find(|(key, _)| *key == name);
            found.map_or(default, |(_, value)| value.parse().unwrap())
        };
        let (size, page) = (number("per_page", 30), number("page", 1));
        let all = self.comments_json(thread);
        let shown: Vec<_> = all.iter().skip((page - 1) * size).take(size).collect();
        let mut response = json_response(200, json!(shown));
        if page * size < all.len() {
            let link = format!(
                "<{base}?per_page={size}&page={}>; rel=\"next\", <{base}?per_page={size}&page=9>; rel=\"last\"",
                page + 1
            );
            response.headers_mut().insert("link", link.parse().unwrap());
        }
        response
    }

    fn write(
        &mut self,
        request: &Request<'_>,
        project: &str,
        thread: &str,
        id: Option<&str>,
    ) -> Response<Body> {
        if !self.can_access(&request.token, project) {
            return not_found();
        }
        let body = request.body["body"].as_str().unwrap_or_default();
        if body.is_empty() || body.chars().count() > 65_536 {
            return json_response(422, json!({"message": "Validation Failed"}));
        }
        let Some(id) = id else {
            let author = self.account(&request.token).to_owned();
            let id = self.add(thread, &author, body);
            return json_response(201, json!({"id": id}));
        };
        let id: u64 = id.parse().unwrap();
        match self.comments.iter_mut().find(|c| c.id == id) {
            Some(comment) => {
                comment.body = body.to_owned();
                json_response(200, json!({"id": id}))
            }
            None => not_found(),
        }
    }

    fn gitlab(&mut self, request: &Request<'_>) -> Response<Body> {
        let decode = |text: &str| text.replace("%2F", "/");
        match (request.method, &*request.segments) {
            ("GET", ["user"]) => {
                json_response(200, json!({"username": self.account(&request.token)}))
            }
            ("GET", ["projects", _, "members", "all", id]) => self.membership(id),
            ("GET", ["projects", project, "merge_requests", number]) => {
                self.pull_request(&request.token, &decode(project), number)
            }
            (method, ["projects", project, kind, number, "notes", rest @ ..]) => {
                let project = decode(project);
                let thread = format!("{project}/{kind}/{number}");
                match (method, rest) {
                    ("GET", []) => self.page(&request.token, &project, &thread, request.query, ""),
                    ("POST", []) => self.write(request, &project, &thread, None),
                    ("PUT", [id]) => self.write(request, &project, &thread, Some(id)),
                    _ => not_found(),
                }
            }
            _ => not_found(),
        }
    }

    fn gitea(&mut self, request: &Request<'_>) -> Response<Body> {
        match (request.method, &*request.segments) {
            // Like GitHub, except that there are no pages.
            ("GET", ["repos", owner, name, "issues", number, "comments"]) => {
                let thread = format!("{owner}/{name}/{number}");
                json_response(200, json!(self.comments_json(&thread)))
            }
            _ => self.github(request, ""),
        }
    }

    fn membership(&self, person: &str) -> Response<Body> {
        let membership = self.memberships.get(person);
        membership.map_or_else(not_found, |membership| {
            json_response(200, membership.clone())
        })
    }
}

/// Whether a token is a JSON web token signed with the tests' app key.
fn is_signed(token: &str) -> bool {
    use base64::Engine as _;
    use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
    use rustls::pki_types::PrivatePkcs1KeyDer;
    use rustls::pki_types::pem::PemObject as _;
    let Some((signed, signature)) = token.rsplit_once('.') else {
        return false;
    };
    let der = PrivatePkcs1KeyDer::from_pem_file(app_key()).unwrap();
    let pair = RsaKeyPair::from_der(der.secret_pkcs1_der()).unwrap();
    let engine = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let Ok(signature) = engine.decode(signature) else {
        return false;
    };
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public());
    public.verify(signed.as_bytes(), &signature).is_ok()
}

/// The private key of the app.
pub fn app_key() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/github/app_key.pem")
}

/// Serves a git repository to clients that may read it.
async fn serve_git(
    shared: &Shared,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    body: &Bytes,
) -> Response<Body> {
    let project = uri.path().trim_start_matches('/').split(".git").next();
    let project = project.unwrap_or_default().to_owned();
    let may_read = {
        let inner = shared.inner.lock();
        !inner.is_private || inner.can_access(&token(headers), &project)
    };
    if !may_read {
        let mut response = json_response(401, Value::Null);
        let challenge = "Basic realm=\"forge\"".parse().unwrap();
        response.headers_mut().insert("www-authenticate", challenge);
        return response;
    }
    let header = |name: &str| {
        headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    };
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", &shared.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("PATH_INFO", uri.path())
        .env("QUERY_STRING", uri.query().unwrap_or_default())
        .env("REQUEST_METHOD", method.as_str())
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("HTTP_GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(body).await;
    drop(stdin);
    let output = child.wait_with_output().await.unwrap().stdout;
    let end = output.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let mut response = Response::builder();
    for line in String::from_utf8_lossy(&output[..end]).lines() {
        let (name, value) = line.split_once(": ").unwrap();
        response = match name {
            "Status" => response.status(&value[..3]),
            name => response.header(name, value),
        };
    }
    response
        .body(Body::from(output[end + 4..].to_vec()))
        .unwrap()
}
