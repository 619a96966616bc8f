//! Serves a git repository over HTTP on the loopback address, through git's own backend, and misbehaves on
//! request: requires a login, never answers, corrupts packs, redirects.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use parking_lot::Mutex;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use crate::app::git;

/// How the server answers requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mood {
    Normal,
    /// Answers 401 unless the `authorization` header has exactly this value.
    RequireLogin(&'static str),
    /// Keeps the connection open and never answers.
    Silent,
    /// Sends packs with corrupted objects.
    CorruptPacks,
    /// Redirects to the same path under this base URL.
    RedirectTo(String),
}

/// A running server of the bare repository `shop.git`.
pub struct Hub {
    pub url: String,
    pub bare: PathBuf,
    state: Arc<State>,
    _directory: TempDir,
}

struct State {
    root: PathBuf,
    mood: Mutex<Mood>,
    seen: Mutex<Vec<String>>,
}

impl Hub {
    /// Starts a server of a bare copy of the repository at `root`.
    pub async fn serving(root: &Path) -> Self {
        Self::serving_at("127.0.0.1:0", root).await
    }

    /// As [`Self::serving`], listening on `address`.
    pub async fn serving_at(address: &str, root: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap();
        let bare = path.join("shop.git");
        git(
            root,
            &["clone", "-q", "--bare", ".", bare.to_str().unwrap()],
        );
        let listener = TcpListener::bind(address).await.unwrap();
        let url = format!("http://{}/shop.git", listener.local_addr().unwrap());
        let state = Arc::new(State {
            root: path,
            mood: Mutex::new(Mood::Normal),
            seen: Mutex::default(),
        });
        tokio::spawn({
            let state = Arc::clone(&state);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, Arc::clone(&state)));
                }
            }
        });
        Self {
            url,
            bare,
            state,
            _directory: directory,
        }
    }

    pub fn set_mood(&self, mood: Mood) {
        *self.state.mood.lock() = mood;
    }

    /// The requests so far, each followed by the command lines of the git processes that ran at that moment.
    pub fn seen(&self) -> Vec<String> {
        self.state.seen.lock().clone()
    }

    /// Pushes refs from a clone into the served repository.
    pub fn push(&self, root: &Path, refs: &str) {
        git(root, &["push", "-q", self.bare.to_str().unwrap(), refs]);
    }
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers
        .get("content-length")
        .map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body,
    })
}

async fn serve(stream: TcpStream, state: Arc<State>) {
    let mut stream = BufReader::new(stream);
    let Some(request) = read(&mut stream).await else {
        return;
    };
    {
        let mut seen = state.seen.lock();
        seen.push(format!("{} {}", request.method, request.path));
        seen.extend(command_lines());
    }
    let mood = state.mood.lock().clone();
    let empty = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
    let answer = match &mood {
        Mood::Silent => return std::future::pending().await,
        Mood::RequireLogin(wanted)
            if request
                .headers
                .get("authorization")
                .is_none_or(|a| a != wanted) =>
        {
            let status = "401 Unauthorized\r\nwww-authenticate: Basic realm=\"hub\"";
            empty(status).into_bytes()
        }
        Mood::RedirectTo(base) => {
            let to = format!("{base}{}?{}", request.path, request.query);
            empty(&format!("302 Found\r\nlocation: {to}")).into_bytes()
        }
        _ => backend(&request, &state.root, mood == Mood::CorruptPacks).await,
    };
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
}

async fn backend(request: &Request, root: &Path, corrupt: bool) -> Vec<u8> {
    let header = |name: &str| request.headers.get(name).map_or("", |value| &**value);
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("HTTP_GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(&request.body).await;
    drop(stdin);
    let mut output = child.wait_with_output().await.unwrap().stdout;
    let end = output.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    if corrupt && let Some(pack) = output.windows(4).position(|w| w == b"PACK") {
        // The length stays right; the content of the objects does not.
        let objects = pack + 12;
        for byte in &mut output[objects..objects + 16] {
            *byte ^= 0xff;
        }
    }
    let headers = String::from_utf8_lossy(&output[..end]).into_owned();
    let status = headers
        .lines()
        .find_map(|line| line.strip_prefix("Status: "));
    let mut answer = format!("HTTP/1.1 {}\r\n{headers}\r\n", status.unwrap_or("200 OK"));
    answer += &format!("content-length: {}\r\n\r\n", output.len() - end - 4);
    let mut answer = answer.into_bytes();
    answer.extend(&output[end + 4..]);
    answer
}

/// The command lines of all processes that mention git, as any user of this machine can read them.
fn command_lines() -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .filter(|line| line.contains("git"))
        .collect()
}
