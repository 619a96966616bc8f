//! Tests how the page at `/` is served, and that it explains every signal. Its behaviour in a browser is tested by
//! `tests/page`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::app::{Response, TestApp, tree};

const FILES: [(&str, &str); 6] = [
    ("/", "text/html; charset=utf-8"),
    ("/page/page.js", "text/javascript; charset=utf-8"),
    ("/page/highlight.js", "text/javascript; charset=utf-8"),
    ("/page/style.css", "text/css; charset=utf-8"),
    ("/page/icon.svg", "image/svg+xml"),
    ("/page/licenses.txt", "text/plain; charset=utf-8"),
];

async fn get_with(app: &TestApp, path: &str, headers: &[(&str, &str)]) -> Response {
    let request = app.client().get(format!("{}{path}", app.url));
    let add = |request: reqwest::RequestBuilder, (name, value): &(&str, &str)| {
        request.header(*name, *value)
    };
    app.send(headers.iter().fold(request, add)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn page_needs_no_token_and_reveals_nothing() {
    let app = TestApp::start().await;
    let (_keep, root) = tree("//- secret_name.py\nx = 1\n");
    app.add_tree("secret/name", &root, false).await;
    crate::access::create(app.data(), &[]);
    crate::access::wait_until_token_is_refused(&app, "unknown").await;
    for (path, media_type) in FILES {
        let file = app.get(path).await;
        assert_eq!(file.status, StatusCode::OK, "{path}");
        assert_eq!(file.header("content-type"), media_type);
        assert!(!file.text.is_empty() && !file.text.contains("secret"));
        let head = app.call(Method::HEAD, path, None).await;
        assert_eq!((head.status, &*head.text), (StatusCode::OK, ""));
        let posted = app.call(Method::POST, path, None).await;
        assert_eq!(posted.code(), "method_not_allowed");
    }
    assert_eq!(app.get("/repos").await.code(), "missing_token");
    assert_eq!(app.get("/page/").await.code(), "not_found");
    assert_eq!(app.get("/page/..%2FCargo.toml").await.code(), "not_found");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn content_security_policy_allows_only_own_files() {
    let app = TestApp::start().await;
    for (path, _) in FILES {
        let file = app.get(path).await;
        let policy = file.header("content-security-policy");
        let rules: BTreeMap<&str, &str> = policy
            .split("; ")
            .filter_map(|rule| rule.split_once(' '))
            .collect();
        for name in ["default-src", "base-uri", "form-action", "frame-ancestors"] {
            assert_eq!(rules[name], "'none'", "{name}");
        }
        for name in ["script-src", "style-src", "connect-src", "img-src"] {
            assert_eq!(rules[name], "'self'", "{name}");
        }
        assert_eq!(rules["require-trusted-types-for"], "'script'");
        assert!(!policy.contains("unsafe") && !policy.contains("http"));
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert_eq!(file.header("referrer-policy"), "no-referrer");
        assert_eq!(file.header("cross-origin-opener-policy"), "same-origin");
    }
    let page = app.get("/").await.text;
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("//"));
    assert!(
        page.split("<script")
            .skip(1)
            .all(|script| script.starts_with(" src=\"/page/"))
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn api_answers_have_restrictive_headers() {
    let app = TestApp::start().await;
    for path in ["/repos", "/openapi.yaml", "/healthz", "/nowhere"] {
        let answer = app.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let policy = answer.header("content-security-policy");
        assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_page_file_is_not_sent_again() {
    let app = TestApp::start().await;
    for (path, _) in FILES {
        let first = app.get(path).await;
        let tag = first.header("etag");
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{tag}");
        assert_eq!(first.header("cache-control"), "no-cache");
        let list = format!("\"other\", {tag}");
        for known in [tag, tag.trim_start_matches("W/"), &list, "*"] {
            let again = get_with(&app, path, &[("if-none-match", known)]).await;
            assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{known}");
            assert_eq!((again.header("etag"), &*again.text), (tag, ""));
        }
        let other = get_with(&app, path, &[("if-none-match", "W/\"other\"")]).await;
        assert_eq!(other.status, StatusCode::OK);
    }
    let compressed = get_with(&app, "/page/page.js", &[("accept-encoding", "gzip")]).await;
    assert_eq!(compressed.header("content-encoding"), "gzip");
    app.end().await;
}

/// Any page can send requests without a body to any server, without a preflight.
#[tokio::test(flavor = "multi_thread")]
async fn unsafe_requests_of_foreign_origins_are_refused() {
    const NAMED: &str = "https://app.example.org";
    let app = TestApp::start_with(|config| config.server.allow_origins = vec![NAMED.to_owned()]);
    let app = app.await;
    let send = async |method: Method, path: &str, site: &str, origin: &str| {
        let request = app.client().request(method, format!("{}{path}", app.url));
        let request = request.header("sec-fetch-site", site);
        app.send(request.header("origin", origin)).await
    };
    for (method, path) in [
        (Method::POST, "/gc"),
        (Method::POST, "/repos/none/sync"),
        (Method::DELETE, "/repos/none"),
        (Method::POST, "/context"),
        (Method::POST, "/mcp"),
    ] {
        for site in ["cross-site", "same-site", ""] {
            let refused = send(method.clone(), path, site, "https://evil.example.org").await;
            let got = (refused.status, refused.code());
            let wanted = (StatusCode::FORBIDDEN, "origin_not_allowed".to_owned());
            assert_eq!(got, wanted, "{method} {path} {site}");
        }
        for (site, origin) in [
            ("same-origin", &*app.url),
            ("none", "null"),
            ("cross-site", NAMED),
        ] {
            let allowed = send(method.clone(), path, site, origin).await;
            assert_ne!(
                allowed.code(),
                "origin_not_allowed",
                "{method} {path} {site}"
            );
        }
        // Browsers too old to send `sec-fetch-site`.
        let old = async |origin: &str| {
            let request = app
                .client()
                .request(method.clone(), format!("{}{path}", app.url));
            app.send(request.header("origin", origin)).await.code()
        };
        for origin in ["https://evil.example.org", "http://127.0.0.1:1", "null", ""] {
            assert_eq!(old(origin).await, "origin_not_allowed", "{path} {origin}");
        }
        for origin in [NAMED, &app.url] {
            assert_ne!(old(origin).await, "origin_not_allowed", "{path} {origin}");
        }
        // A program that is not a browser.
        let plain = app.call(method, path, None).await;
        assert_ne!(plain.code(), "origin_not_allowed", "{path}");
    }
    let read = send(
        Method::GET,
        "/repos",
        "cross-site",
        "https://evil.example.org",
    )
    .await;
    assert_eq!(read.status, StatusCode::OK);
    assert_eq!(read.header("access-control-allow-origin"), "");
    app.end().await;
}

#[test]
fn page_explains_every_signal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let weights: toml::Table = toml::from_str(&read("config/ranking.toml")).unwrap();
    let explained: Value = serde_json::from_str(&read("src/http/page/src/signals.json")).unwrap();
    let families = explained["families"].as_object().unwrap();
    for (list, tables) in [("file", &["file"][..]), ("place", &["function", "stretch"])] {
        let names = tables
            .iter()
            .flat_map(|table| weights["rank"][*table].as_table().unwrap().keys());
        // The role and purpose of the file add the rest of the score.
        let of_file = ["role", "kind", "described"];
        let wanted: BTreeSet<&str> = names.map(String::as_str).chain(of_file).collect();
        let texts = explained[list].as_object().unwrap();
        let known: BTreeSet<&str> = texts.keys().map(String::as_str).collect();
        assert_eq!(known, wanted, "{list}");
        for (name, text) in texts {
            let family = text[0].as_str().unwrap();
            assert!(families.contains_key(family), "{name}: {family}");
            assert!(text[1].as_str().unwrap().len() > 10, "{name}");
        }
    }
}
