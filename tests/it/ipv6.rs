//! Tests git servers named by an IPv6 address.

use std::net::TcpListener;

use foveate::config::Config;
use reqwest::StatusCode;
use serde_json::json;

use crate::app::{SHOP, TestApp, commit, tree};
use crate::git_server::{Hub, Mood};

#[tokio::test(flavor = "multi_thread")]
async fn git_server_is_reached_by_its_ipv6_address() {
    if TcpListener::bind("[::1]:0").is_err() {
        eprintln!("skipped: this machine has no IPv6");
        return;
    }
    let (_keep, root) = tree(SHOP);
    commit(&root, "open the shop");
    let hub = Hub::serving_at("[::1]:0", &root).await;
    // `x-access-token:foveate`. The token is read from `CARGO_PKG_NAME`, which cargo sets for tests.
    hub.set_mood(Mood::RequireLogin("Basic eC1hY2Nlc3MtdG9rZW46Zm92ZWF0ZQ=="));
    for (private_hosts, token_host, state) in [
        ("fd00::1", "::1", "failed"),
        ("::1", "::1", "ready"),
        ("[::1]", "[0:0::1]", "ready"),
    ] {
        let app = TestApp::start_with(|config: &mut Config| {
            config.git.schemes.push("http".to_owned());
            config.git.private_hosts = vec![private_hosts.to_owned()];
            let token = (token_host.to_owned(), "CARGO_PKG_NAME".to_owned());
            config.git.tokens.extend([token]);
        })
        .await;
        let body = json!({"name": "shop", "source": {"git": hub.url}});
        let response = app.post("/repos", body).await;
        assert_eq!(response.status, StatusCode::CREATED, "{}", response.text);
        app.repo_until("shop", |repo| repo["state"] == state).await;
        if state == "failed" {
            assert!(hub.seen().is_empty(), "nobody asked there");
        }
        app.end().await;
    }
}
