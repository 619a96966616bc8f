//! `foveate repo`: registers, lists and removes repositories of a running server, and checks whether a server is
//! up. It prints the server's answers.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, bail};
use foveate_model::escape::escape;
use indicatif::HumanBytes;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{NotFound, UsageError, client, stdout};
use crate::engine::RepoName;
use crate::wire::whole_number;

/// Register, list and remove repositories of a running server.
#[derive(Debug, clap::Args)]
pub struct RepoArgs {
    #[command(flatten)]
    server: Server,
    /// Print the server's answer as JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: RepoCommand,
}

#[derive(Debug, clap::Args)]
struct Server {
    /// Address of the server.
    #[arg(
        long,
        global = true,
        default_value = "http://127.0.0.1:7878",
        env = "FOVEATE_SERVER",
        value_name = "URL"
    )]
    server: String,
    /// A file with the token to send in its first line; FOVEATE_TOKEN may hold the token itself.
    #[arg(long, global = true, env = "FOVEATE_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum RepoCommand {
    /// Register a repository: a working tree, a git repository or a URL.
    Add(AddArgs),
    /// List all repositories.
    List,
    /// Show the properties of one repository.
    Show {
        /// Its name.
        name: String,
    },
    /// Scan a repository's source again; fetches a remote one.
    Sync {
        /// Its name.
        name: String,
    },
    /// Delete stored data that no loaded revision uses, and the data of removed repositories.
    Gc,
    /// Forget a repository. Its files are not touched.
    Rm {
        /// Its name.
        name: String,
    },
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// A directory with files, or the URL or, with --git, the path of a git repository.
    source: String,
    /// The repository's name, NAME or OWNER/NAME [default: the last part of the source].
    #[arg(long)]
    name: Option<String>,
    /// Read git objects at a ref instead of files; a URL is always read so.
    #[arg(long)]
    git: bool,
    /// The commit, branch or tag of the git repository to keep indexed [default: HEAD].
    #[arg(long, value_name = "REF")]
    r#ref: Option<String>,
    /// Seconds between two polls of the git repository; 0: only on request [default: the server's].
    #[arg(long, value_parser = whole_number::parse::<u32>, value_name = "SECONDS")]
    poll: Option<u32>,
    /// Do not watch the directory with files for changes.
    #[arg(long)]
    no_watch: bool,
}

/// Check whether a server is up; for health checks of containers.
#[derive(Debug, clap::Args)]
pub struct HealthArgs {
    #[command(flatten)]
    server: Server,
}

/// Runs one `repo` command.
///
/// # Errors
/// When the server cannot be reached or refuses the request.
pub fn run(args: &RepoArgs) -> anyhow::Result<ExitCode> {
    let (method, path, body) = match &args.command {
        RepoCommand::Add(add) => (Method::POST, "/repos".to_owned(), Some(registration(add)?)),
        RepoCommand::List => (Method::GET, "/repos".to_owned(), None),
        RepoCommand::Show { name } => (Method::GET, client::path_of(name)?, None),
        RepoCommand::Sync { name } => (Method::POST, client::path_of(name)? + "/sync", None),
        RepoCommand::Gc => (Method::POST, "/gc".to_owned(), None),
        RepoCommand::Rm { name } => (Method::DELETE, client::path_of(name)?, None),
    };
    let answer = client::Call {
        server: &args.server.server,
        token_file: args.server.token_file.as_deref(),
        method,
        path: &path,
        body,
        any_certificate: false,
    }
    .send()
    .map_err(not_found)?;
    let mut out = stdout();
    if args.json {
        if !answer.is_null() {
            super::print_json(&mut out, &answer)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    match &args.command {
        RepoCommand::Gc => {
            let freed = answer.get("freed_bytes").and_then(Value::as_u64);
            writeln!(out, "freed {} bytes", freed.unwrap_or(0))?;
        }
        RepoCommand::Rm { name } => writeln!(out, "removed {name}")?,
        RepoCommand::List => {
            let repos = answer.get("repos").and_then(Value::as_array);
            let server = &args.server.server;
            let repos = repos.with_context(|| client::foreign_answer(server, StatusCode::OK))?;
            if repos.is_empty() {
                let text = "no repository is registered; add one with `foveate repo add DIR`";
                writeln!(out, "{text}")?;
            }
            for repo in repos {
                line(&mut out, repo)?;
            }
        }
        RepoCommand::Show { .. } => properties(&mut out, &answer)?,
        RepoCommand::Add(_) => line(&mut out, &answer)?,
        // The answer has the state before the sync, perhaps the error that it is to mend.
        RepoCommand::Sync { name } => {
            writeln!(
                out,
                "syncing {name}; `foveate repo show {name}` has its state"
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Gives the error of an unknown repository the exit code of things that do not exist.
fn not_found(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<client::Refused>() {
        Ok(refused) if refused.is_unknown_repo() => NotFound(refused.to_string()).into(),
        Ok(refused) => refused.into(),
        Err(error) => error,
    }
}

/// Requests `/healthz`.
///
/// # Errors
/// When the server does not answer that it is up.
pub fn health(args: &HealthArgs) -> anyhow::Result<ExitCode> {
    let server = &*args.server.server;
    client::Call {
        server,
        token_file: args.server.token_file.as_deref(),
        method: Method::GET,
        path: "/healthz",
        body: None,
        // A server's certificate does not cover the loopback address at which its container checks it.
        any_certificate: server.starts_with("https:") && client::is_loopback(server),
    }
    .send()?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the request that registers a source.
fn registration(add: &AddArgs) -> anyhow::Result<Value> {
    let is_git = add.git || is_url(&add.source);
    if is_git && add.no_watch {
        let text = "--no-watch: a git repository is polled, not watched; use --poll";
        bail!(UsageError(text.to_owned()));
    }
    if !is_git && (add.r#ref.is_some() || add.poll.is_some()) {
        let text = "--ref and --poll: only a git repository has refs and is polled; add --git";
        bail!(UsageError(text.to_owned()));
    }
    // A relative path names a directory of this machine, so the server must run here, too. A URL and the absolute
    // path of a git repository are sent as they are.
    let location = match is_url(&add.source) || (is_git && add.source.starts_with('/')) {
        true => add.source.clone(),
        false => directory(&add.source)?,
    };
    let name = add.name.clone().unwrap_or_else(|| name_in(&location));
    if !is_git {
        return Ok(json!({"name": name, "source": {"path": location}, "watch": !add.no_watch}));
    }
    let mut body = json!({"name": name, "source": {"git": location}});
    if let Some(reference) = &add.r#ref {
        body["source"]["ref"] = json!(reference);
    }
    if let Some(seconds) = add.poll {
        body["poll_seconds"] = json!(seconds);
    }
    Ok(body)
}

/// Whether a source is a URL or `host:path`, by the rule of git: it has a colon before its first slash.
fn is_url(source: &str) -> bool {
    let before_slash = source.split('/').next().unwrap_or_default();
    before_slash.contains(':')
}

/// Returns the absolute path of a directory of this machine.
fn directory(given: &str) -> anyhow::Result<String> {
    let path = std::fs::canonicalize(given)
        .map_err(|error| anyhow!(UsageError(format!("{given}: {error}"))))?;
    if !path.is_dir() {
        bail!(UsageError(format!("{given} is not a directory")));
    }
    let path = path.to_str().context("the path is not UTF-8")?;
    Ok(path.to_owned())
}

/// Derives a repository name from the last part of a path or URL.
fn name_in(location: &str) -> String {
    let trimmed = location.trim_end_matches('/');
    let last = trimmed.rsplit(['/', ':']).next().unwrap_or(trimmed);
    RepoName::from_directory(last.strip_suffix(".git").unwrap_or(last)).to_string()
}

/// Prints one repository on one line; the server's texts are escaped so that they cannot break it.
fn line(out: &mut impl std::io::Write, repo: &Value) -> std::io::Result<()> {
    let text = |name: &str| {
        let text = repo.get(name).and_then(Value::as_str);
        escape(text.unwrap_or("")).into_owned()
    };
    let number = |name: &str| repo.get(name).and_then(Value::as_u64).unwrap_or(0);
    let commit: String = text("commit").chars().take(12).collect();
    write!(
        out,
        "{:24} {:9} {:12} generation {} files {} definitions {}",
        text("name"),
        text("state"),
        commit,
        number("generation"),
        number("files"),
        number("definitions")
    )?;
    match text("error").as_str() {
        "" => writeln!(out),
        error => writeln!(out, "  {error}"),
    }
}

/// Prints one repository, each property that it has on a line of its own.
fn properties(out: &mut impl std::io::Write, repo: &Value) -> std::io::Result<()> {
    let text = |pointer: &str| {
        let text = repo.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let number = |pointer: &str| repo.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let is_true = |pointer: &str| repo.pointer(pointer).and_then(Value::as_bool) == Some(true);
    let bytes = |pointer: &str| HumanBytes(number(pointer)).to_string();
    let dirty = match is_true("/dirty") && !text("/commit").is_empty() {
        true => ", with changes",
        false => "",
    };
    let unloaded = match is_true("/memory/resident") {
        true => "",
        false => ", the index is not loaded",
    };
    let all = [
        ("name", text("/name")),
        ("source", text("/source/path") + &text("/source/git")),
        ("ref", text("/source/ref")),
        ("state", text("/state")),
        ("error", text("/error")),
        ("commit", text("/commit") + dirty),
        ("generation", number("/generation").to_string()),
        ("files", number("/files").to_string()),
        ("definitions", number("/definitions").to_string()),
        ("languages", languages(repo)),
        ("memory", bytes("/memory/bytes") + unloaded),
        ("disk", bytes("/disk/bytes")),
        ("disk error", text("/disk/error")),
        ("watch", watch(repo)),
        ("poll", poll(repo)),
    ];
    for (name, value) in all.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "{name}: {}", escape(value))?;
    }
    Ok(())
}

/// Describes the languages of a repository, those with the most files first.
fn languages(repo: &Value) -> String {
    let languages = repo.get("languages").and_then(Value::as_object);
    let languages = languages.into_iter().flatten();
    let mut counted: Vec<(u64, &str)> = languages
        .map(|(name, files)| (files.as_u64().unwrap_or(0), name.as_str()))
        .collect();
    counted.sort_by(|(a, first), (b, second)| b.cmp(a).then(first.cmp(second)));
    let counted = counted
        .iter()
        .map(|(files, name)| format!("{name} {files}"));
    counted.collect::<Vec<_>>().join(", ")
}

/// Describes how changes of a working tree are noticed; empty for a git repository.
fn watch(repo: &Value) -> String {
    if repo.pointer("/source/git").is_some() {
        return String::new();
    }
    let at = |name: &str| repo.get("watch").and_then(|watch| watch.get(name));
    let mode = at("mode").and_then(Value::as_str).unwrap_or_default();
    let directories = at("directories").and_then(Value::as_u64);
    let reason = at("reason").and_then(Value::as_str);
    let pending = at("pending_files").and_then(Value::as_u64);
    let mut parts = vec![mode.to_owned()];
    parts.extend(directories.map(|count| format!("{count} directories")));
    parts.extend(reason.map(str::to_owned));
    let pending = pending.filter(|count| *count > 0);
    parts.extend(pending.map(|count| format!("{count} changed files pending")));
    parts.join(", ")
}

/// Describes how a git repository is polled; empty if it is not polled.
fn poll(repo: &Value) -> String {
    let number = |name: &str| repo.get("poll")?.get(name)?.as_u64();
    let Some(seconds) = number("seconds") else {
        return String::new();
    };
    let mut parts = vec![match seconds {
        0 => "only on request".to_owned(),
        seconds => format!("every {seconds} s"),
    }];
    parts.extend(number("checked_seconds_ago").map(|ago| format!("last {ago} s ago")));
    parts.extend(number("next_in_seconds").map(|left| format!("next in {left} s")));
    let failures = number("failures").filter(|count| *count > 0);
    parts.extend(failures.map(|count| match count {
        1 => "1 failure".to_owned(),
        count => format!("{count} failures in a row"),
    }));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(repo: &Value) -> String {
        let mut out = Vec::new();
        properties(&mut out, repo).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn repository_is_shown_with_its_properties() {
        let tree = json!({
            "name": "shop", "source": {"path": "/srv/shop"}, "state": "ready", "error": null,
            "commit": "4be1", "dirty": true, "generation": 3, "files": 9, "definitions": 20,
            "languages": {"go": 1, "python": 5, "c": 1}, "poll": null,
            "memory": {"resident": true, "bytes": 2048}, "disk": {"bytes": 1024, "error": null},
            "watch": {"mode": "events", "directories": 4, "pending_files": 2},
        });
        assert_eq!(
            shown(&tree),
            "name: shop\nsource: /srv/shop\nstate: ready\ncommit: 4be1, with changes\ngeneration: 3\nfiles: 9\n\
             definitions: 20\nlanguages: python 5, c 1, go 1\nmemory: 2.00 KiB\ndisk: 1.00 KiB\n\
             watch: events, 4 directories, 2 changed files pending\n"
        );
        let git = json!({
            "name": "far", "source": {"git": "https://a.example/far.git", "ref": "main"}, "state": "failed",
            "error": "no\u{1b} route", "commit": "", "generation": 0, "files": 0, "definitions": 0, "languages": {},
            "memory": {"resident": false, "bytes": 0}, "disk": {"bytes": 0, "error": "the disk is full"},
            "watch": {"mode": "off", "pending_files": 0},
            "poll": {"seconds": 60, "failures": 2, "checked_seconds_ago": null, "next_in_seconds": 7},
        });
        assert_eq!(
            shown(&git),
            "name: far\nsource: https://a.example/far.git\nref: main\nstate: failed\nerror: no\\u{1b} route\n\
             generation: 0\nfiles: 0\ndefinitions: 0\nmemory: 0 B, the index is not loaded\ndisk: 0 B\n\
             disk error: the disk is full\npoll: every 60 s, next in 7 s, 2 failures in a row\n"
        );
    }
}
