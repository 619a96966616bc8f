//! Tests CORS: pages of other origins may call the API only if `server.allow_origins` names them.

use reqwest::{Method, StatusCode};

use crate::app::{Response, TestApp};

const ORIGIN: &str = "https://app.example.org";

async fn preflight(app: &TestApp, origin: &str) -> Response {
    let request = app
        .client()
        .request(Method::OPTIONS, format!("{}/context", app.url));
    let request = request
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,content-type",
        );
    app.send(request).await
}

async fn ask(app: &TestApp, origin: &str) -> Response {
    let request = app.client().get(format!("{}/repos/nothing", app.url));
    app.send(request.header("origin", origin)).await
}

fn has_cors_headers(response: &Response) -> bool {
    let mut names = response.headers.keys().map(|name| name.as_str());
    names.any(|name| name.starts_with("access-control-allow"))
}

#[tokio::test(flavor = "multi_thread")]
async fn unlisted_origin_gets_no_cors_headers() {
    let app = TestApp::start().await;
    let refused = preflight(&app, ORIGIN).await;
    assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED);
    assert!(!has_cors_headers(&refused) && !has_cors_headers(&ask(&app, ORIGIN).await));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn allowed_origin_reads_answers_and_problems() {
    let app = TestApp::start_with(|config| {
        config.server.allow_origins = vec![ORIGIN.to_owned()];
    })
    .await;
    // A browser sends its preflight without a token, even where a key exists.
    crate::access::create(app.data(), &[]);
    crate::access::wait_until_token_is_refused(&app, "unknown").await;
    let allowed = preflight(&app, ORIGIN).await;
    assert_eq!(allowed.status, StatusCode::OK);
    assert_eq!(allowed.header("access-control-allow-origin"), ORIGIN);
    let headers = allowed.header("access-control-allow-headers");
    for needed in [
        "authorization", "content-encoding", "mcp-protocol-version", "mcp-method", "mcp-name",
    ] {
        assert!(headers.contains(needed), "{headers}");
    }
    let problem = ask(&app, ORIGIN).await;
    assert_eq!(problem.status, StatusCode::UNAUTHORIZED);
    assert_eq!(problem.header("access-control-allow-origin"), ORIGIN);
    assert!(
        problem
            .header("access-control-expose-headers")
            .contains("retry-after")
    );

    for other in ["https://evil.example.org", "http://app.example.org", "null"] {
        assert!(!has_cors_headers(&ask(&app, other).await), "{other}");
        let header = preflight(&app, other).await;
        assert_eq!(header.header("access-control-allow-origin"), "", "{other}");
    }
    app.end().await;
}
