//! Tests the telemetry that an OTLP collector receives: spans in the caller's trace, and the metrics of `/metrics`. A
//! collector that is down, slow or refuses delays nothing and is reported once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{Metric, metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::{
    Span, span::SpanKind, status::StatusCode as SpanStatus,
};
use parking_lot::Mutex;
use prost::Message as _;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::app::{SHOP, commit, tree, until};
use crate::index_report::Service as _;
use crate::process::Process;
use crate::stub_forge::{StubForge, TOKEN};
use crate::webhooks::{SECRET, SHOP_PROJECT, fixture, sign};

/// The ids of a caller's trace and span.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
/// A word of queries that must not appear in anything sent or logged.
const HIDDEN: &str = "hidden_word";

#[derive(Default)]
struct Received {
    spans: Mutex<Vec<Span>>,
    metrics: Mutex<Vec<Metric>>,
    resource: Mutex<Vec<KeyValue>>,
    /// All request bodies, concatenated.
    bytes: Mutex<Vec<u8>>,
    authorization: Mutex<String>,
    requests: AtomicU16,
    /// The status to answer with; 0: never answer.
    status: AtomicU16,
    /// Whether a request was not OTLP.
    has_invalid_request: AtomicBool,
}

/// A collector on the loopback address.
struct Collector {
    url: String,
    received: Arc<Received>,
}

impl Collector {
    async fn start(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Received::default());
        received.status.store(status, Ordering::SeqCst);
        let router = Router::new()
            .fallback(receive)
            .with_state(Arc::clone(&received));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, received }
    }

    fn spans(&self) -> Vec<Span> {
        self.received.spans.lock().clone()
    }

    /// Waits for the span of a request with this id.
    async fn request_span(&self, request_id: &str) -> Span {
        until("the span of a request", async || {
            let spans = self.spans();
            let id = "http.request.header.x-request-id";
            spans
                .into_iter()
                .find(|span| text(&span.attributes, id) == Some(request_id))
        })
        .await
    }

    fn has(&self, bytes: &str) -> bool {
        let all = self.received.bytes.lock();
        all.windows(bytes.len())
            .any(|part| part == bytes.as_bytes())
    }
}

async fn receive(
    State(received): State<Arc<Received>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    received.requests.fetch_add(1, Ordering::SeqCst);
    let status = received.status.load(Ordering::SeqCst);
    if status == 0 {
        std::future::pending::<()>().await;
    }
    if status != 200 {
        return StatusCode::from_u16(status).unwrap();
    }
    received.bytes.lock().extend_from_slice(&body);
    if let Some(value) = headers.get("authorization") {
        *received.authorization.lock() = value.to_str().unwrap().to_owned();
    }
    if headers.get("content-type").unwrap() != "application/x-protobuf" {
        received.has_invalid_request.store(true, Ordering::SeqCst);
    }
    match uri.path() {
        "/v1/traces" => {
            let request = ExportTraceServiceRequest::decode(body).unwrap();
            for group in request.resource_spans {
                *received.resource.lock() = group.resource.unwrap().attributes;
                let spans = group.scope_spans.into_iter().flat_map(|scope| scope.spans);
                received.spans.lock().extend(spans);
            }
        }
        "/v1/metrics" => {
            let request = ExportMetricsServiceRequest::decode(body).unwrap();
            let groups = request.resource_metrics.into_iter();
            let scopes = groups.flat_map(|group| group.scope_metrics);
            *received.metrics.lock() = scopes.flat_map(|scope| scope.metrics).collect();
        }
        _ => received.has_invalid_request.store(true, Ordering::SeqCst),
    }
    StatusCode::OK
}

fn text<'k>(attributes: &'k [KeyValue], key: &str) -> Option<&'k str> {
    let attribute = attributes.iter().find(|attribute| attribute.key == key)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => Some(text),
        _ => None,
    }
}

fn number(attributes: &[KeyValue], key: &str) -> Option<i64> {
    let attribute = attributes.iter().find(|attribute| attribute.key == key)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        any_value::Value::IntValue(number) => Some(*number),
        _ => None,
    }
}

/// Starts a server that logs to a file and exports to this URL, with further environment variables.
fn server(url: &str, variables: &[&str]) -> (Process, PathBuf, TempDir) {
    let keep = tempfile::tempdir().unwrap();
    let log = keep.path().join("log");
    let redirect = format!("exec \"$@\" 2>'{}'", log.display());
    let endpoint = format!("OTEL_EXPORTER_OTLP_ENDPOINT={url}");
    let mut before = vec!["sh", "-c", &redirect, "sh", "env"];
    before.extend([
        "FOVEATE__LOG__FORMAT=json",
        "FOVEATE__LOG__FILTER=debug",
        "OTEL_BSP_SCHEDULE_DELAY=50",
        "OTEL_METRIC_EXPORT_INTERVAL=100",
        &endpoint,
    ]);
    before.extend(variables);
    (Process::start(&before, None), log, keep)
}

async fn ask(server: &Process, id: &str, traceparent: &str) -> Response {
    let body = json!({"repo": "shop", "query": format!("the {HIDDEN} of `total_price` fails")});
    let request = server.client().post(format!("{}/context", server.url()));
    let request = request.header("x-request-id", id).json(&body);
    let request = request.header("authorization", "Bearer hidden-token");
    let request = match traceparent {
        "" => request,
        traceparent => request.header("traceparent", traceparent),
    };
    request.send().await.unwrap()
}

fn read_log(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn lines_with_message<'l>(lines: &'l [Value], message: &str) -> Vec<&'l Value> {
    let is_one = |line: &&Value| line["message"].as_str().unwrap_or("").contains(message);
    lines.iter().filter(is_one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_continue_the_trace_of_the_caller() {
    let collector = Collector::start(200).await;
    let variables = [
        "OTEL_SERVICE_NAME=shop-answers",
        "OTEL_RESOURCE_ATTRIBUTES=deployment.environment=test",
        "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20collector-secret",
    ];
    let (server, log, _keep) = server(&collector.url, &variables);
    let (_tree, root) = tree(SHOP);
    commit(&root, "first");
    server.add(&root).await;
    let traceparent = format!("00-{TRACE}-{CALLER}-01");
    let response = ask(&server, "traced-1", &traceparent).await;
    assert_eq!(response.status(), 200);
    let answered = response.headers()["traceparent"]
        .to_str()
        .unwrap()
        .to_owned();
    let span = collector.request_span("traced-1").await;
    assert_eq!(hex::encode(&span.trace_id), TRACE);
    assert_eq!(hex::encode(&span.parent_span_id), CALLER);
    let own = hex::encode(&span.span_id);
    assert_eq!(answered, format!("00-{TRACE}-{own}-01"));
    assert_eq!(span.name, "POST /context");
    assert_eq!(span.kind(), SpanKind::Server);
    for (key, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/context"),
        ("foveate.repo", "shop"),
        ("foveate.intent", "BUG_FIX"),
    ] {
        assert_eq!(
            text(&span.attributes, key),
            Some(value),
            "{:?}",
            span.attributes
        );
    }
    let status = number(&span.attributes, "http.response.status_code");
    assert_eq!(status, Some(200));
    let resource = collector.received.resource.lock().clone();
    assert_eq!(text(&resource, "service.name"), Some("shop-answers"));
    assert_eq!(text(&resource, "deployment.environment"), Some("test"));
    assert_eq!(
        *collector.received.authorization.lock(),
        "Bearer collector-secret"
    );

    // The stages are its children, one after the other and within its time.
    let mut begun = span.start_time_unix_nano;
    for stage in ["wait", "intent", "resolve", "rank", "assemble"] {
        let found = until("a stage", async || {
            let mut spans = collector.spans().into_iter();
            spans.find(|s| s.name == stage && hex::encode(&s.trace_id) == TRACE)
        });
        let found = found.await;
        assert_eq!(hex::encode(&found.parent_span_id), own, "{stage}");
        let (start, end) = (found.start_time_unix_nano, found.end_time_unix_nano);
        assert!(begun <= start && start <= end, "{stage}");
        assert!(end <= span.end_time_unix_nano, "{stage}");
        begun = start;
    }
    // Work without a request, such as reading the repository with git, has traces of its own.
    let spans = collector.spans();
    let git = spans.iter().find(|span| span.name.starts_with("git "));
    assert!(git.is_some_and(|git| hex::encode(&git.trace_id) != TRACE));

    // Background work of the server, such as polling for jobs every second, is not traced.
    let roots = spans.iter().filter(|span| span.parent_span_id.is_empty());
    for root in roots {
        let is_request = root.kind() == SpanKind::Server;
        assert!(is_request || root.name == "index", "{}", root.name);
    }

    // The trace is an exemplar of the request's histogram bucket, in the format that supports exemplars.
    let scrape = async |accept: &str| {
        let request = server.client().get(format!("{}/metrics", server.url()));
        let response = request.header("accept", accept).send().await.unwrap();
        let kind = response.headers()["content-type"]
            .to_str()
            .unwrap()
            .to_owned();
        (kind, response.text().await.unwrap())
    };
    let prometheus =
        "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
    let (kind, shown) = scrape(prometheus).await;
    assert_eq!(
        kind,
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    let exemplar = format!(" # {{trace_id=\"{TRACE}\"}} ");
    let buckets = shown.lines().filter(|line| line.contains(&exemplar));
    let buckets: Vec<&str> = buckets.collect();
    let of_route = "foveate_http_request_seconds_bucket{route=\"/context\",";
    assert!(
        buckets.len() == 1 && buckets[0].starts_with(of_route),
        "{buckets:?}"
    );
    assert!(shown.ends_with("# EOF\n"));
    let (kind, shown) = scrape("text/plain, */*").await;
    assert!(kind.starts_with("text/plain; version=0.0.4") && !shown.contains(" # {"));

    // A request without a valid `traceparent` gets a new trace; also the log lines of problems have its id.
    let response = ask(&server, "traced-2", "00-nonsense-01").await;
    let traceparent = response.headers()["traceparent"]
        .to_str()
        .unwrap()
        .to_owned();
    let own = collector.request_span("traced-2").await;
    assert!(own.parent_span_id.is_empty());
    assert!(traceparent.contains(&hex::encode(&own.trace_id)));
    let request = server.client().get(format!("{}/repos/none", server.url()));
    let refused = request
        .header("x-request-id", "traced-3")
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 404);
    let refused = collector.request_span("traced-3").await;
    assert_eq!(
        text(&refused.attributes, "error.type"),
        Some("unknown_repo")
    );
    assert_ne!(refused.status.unwrap_or_default().code(), SpanStatus::Error);
    drop(server);
    let lines = read_log(&log);
    for (id, span) in [
        ("traced-1", span),
        ("traced-3", span_of_request(&collector, "traced-3")),
    ] {
        let of_request = lines_with_message(&lines, "request")
            .into_iter()
            .find_map(|line| {
                let spans = line["spans"].as_array()?;
                spans.iter().find(|span| span["request_id"] == id)
            });
        let trace_id = hex::encode(&span.trace_id);
        assert_eq!(of_request.unwrap()["trace_id"], trace_id.as_str());
    }
    assert!(
        !collector
            .received
            .has_invalid_request
            .load(Ordering::SeqCst)
    );
    let text = std::fs::read_to_string(&log).unwrap();
    for secret in [
        HIDDEN, "hidden-token", "collector-secret", "def total_price",
    ] {
        assert!(!collector.has(secret), "{secret} was sent");
        assert!(!text.contains(secret), "{secret} is in the log");
    }
}

fn span_of_request(collector: &Collector, id: &str) -> Span {
    let spans = collector.spans();
    let key = "http.request.header.x-request-id";
    let mut found = spans.into_iter();
    found
        .find(|span| text(&span.attributes, key) == Some(id))
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn job_and_forge_requests_join_the_webhook_trace() {
    let collector = Collector::start(200).await;
    let forge = StubForge::start().await;
    let (_tree, root) = tree(SHOP);
    commit(&root, "open the shop");
    forge.host(SHOP_PROJECT, &root);
    let variables = [
        format!("FOVEATE__FORGE__GITHUB__URL={}", forge.url),
        format!("HOOK={SECRET}"),
        format!("FORGE_TOKEN={TOKEN}"),
    ];
    let mut variables: Vec<&str> = variables.iter().map(String::as_str).collect();
    variables.extend([
        "FOVEATE__FORGE__GITHUB__WEBHOOK_SECRET=env:HOOK",
        "FOVEATE__FORGE__GITHUB__TOKEN=env:FORGE_TOKEN",
        "FOVEATE__FORGE__MIN_CONFIDENCE=0.0",
        "FOVEATE__GIT__SCHEMES=[http]",
    ]);
    let (server, log, _keep) = server(&collector.url, &variables);
    let source = json!({"git": format!("{}/{SHOP_PROJECT}.git", forge.url)});
    let body = json!({"name": SHOP_PROJECT, "source": source});
    server.call(Method::POST, "/repos", body).await;
    until("an index", async || {
        let repo = server.call(Method::GET, "/repos/corner%2Fshop", Value::Null);
        (repo.await["history"] == true).then_some(())
    })
    .await;
    let body = fixture("github/issues").to_string();
    let request = server
        .client()
        .post(format!("{}/webhooks/github", server.url()));
    let response = request
        .header("traceparent", format!("00-{TRACE}-{CALLER}-01"))
        .header("tracestate", "shop=1")
        .header("x-request-id", "delivery-1")
        .header("x-github-event", "issues")
        .header("x-github-delivery", "1")
        .header(
            "x-hub-signature-256",
            format!("sha256={}", sign(SECRET, &body)),
        )
        .body(body);
    assert_eq!(response.send().await.unwrap().status(), 202);
    let delivery = collector.request_span("delivery-1").await;
    let job = until("the span of the job", async || {
        let mut spans = collector.spans().into_iter();
        spans.find(|span| span.name == "job")
    })
    .await;
    assert_eq!(hex::encode(&job.trace_id), TRACE);
    assert_eq!(job.parent_span_id, delivery.span_id);
    let parent = format!("00-{TRACE}-{}-01", hex::encode(&job.span_id));
    let asked = forge.seen();
    let asked: Vec<_> = asked
        .iter()
        .filter(|seen| seen.path.starts_with("/api/"))
        .collect();
    assert!(asked.iter().any(|seen| seen.method == "POST"), "{asked:?}");
    for seen in asked {
        assert_eq!(seen.traceparent, parent, "{seen:?}");
    }
    drop(server);
    let lines = read_log(&log);
    let done = lines_with_message(&lines, "job done");
    assert_eq!(done[0]["spans"][0]["trace_id"], TRACE);
}

#[tokio::test(flavor = "multi_thread")]
async fn exported_metrics_equal_the_scraped_ones() {
    let collector = Collector::start(200).await;
    let (server, _log, _keep) = server(&collector.url, &["OTEL_TRACES_EXPORTER=none"]);
    let (_tree, root) = tree(SHOP);
    server.add(&root).await;
    for id in ["a", "b", "c"] {
        assert_eq!(ask(&server, id, "").await.status(), 200);
    }
    let family = |name: &str| {
        let metrics = collector.received.metrics.lock();
        metrics.iter().find(|metric| metric.name == name).cloned()
    };
    let requests = until("three requests", async || {
        let Some(metric::Data::Sum(sum)) = family("foveate_http_requests_total")?.data else {
            return None;
        };
        let mut points = sum.data_points.iter();
        let of_route = points.find(|p| text(&p.attributes, "route") == Some("/context"))?;
        (of_route.value == Some(number_data_point::Value::AsDouble(3.0))).then_some(sum)
    })
    .await;
    assert!(requests.is_monotonic);
    assert_eq!(requests.aggregation_temporality, 2, "since the start");
    let time = family("foveate_http_request_seconds").unwrap();
    assert_eq!(time.unit, "s");
    let Some(metric::Data::Histogram(histogram)) = time.data else {
        panic!("{time:?}");
    };
    for point in &histogram.data_points {
        assert_eq!(point.bucket_counts.iter().sum::<u64>(), point.count);
        assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
    }
    let files = family("foveate_repository_files").unwrap();
    let Some(metric::Data::Gauge(gauge)) = files.data else {
        panic!("{files:?}");
    };
    assert_eq!(text(&gauge.data_points[0].attributes, "repo"), Some("shop"));
    // Every family of a scrape is exported; those newer than the last export come with the next.
    let request = server.client().get(format!("{}/metrics", server.url()));
    let scrape = request.send().await.unwrap().text().await.unwrap();
    let families = scrape
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    for name in families.filter_map(|family| family.split(' ').next()) {
        until(name, async || family(name)).await;
    }
    assert!(collector.spans().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn sampler_and_caller_decide_which_spans_are_sent() {
    let collector = Collector::start(200).await;
    let (server, ..) = server(
        &collector.url,
        &["OTEL_TRACES_SAMPLER=parentbased_always_off"],
    );
    let (_tree, root) = tree(SHOP);
    server.add(&root).await;
    assert_eq!(ask(&server, "not-sampled", "").await.status(), 200);
    let not = format!("00-{TRACE}-{CALLER}-00");
    let response = ask(&server, "not-sampled", &not).await;
    let answered = response.headers()["traceparent"].to_str().unwrap();
    assert!(answered.starts_with(&format!("00-{TRACE}-")) && answered.ends_with("-00"));
    let sampled = format!("00-{TRACE}-{CALLER}-01");
    ask(&server, "sampled", &sampled).await;
    collector.request_span("sampled").await;
    let spans = collector.spans();
    assert!(
        spans
            .iter()
            .all(|span| hex::encode(&span.trace_id) == TRACE)
    );
    assert!(!collector.has("not-sampled"));
}

#[tokio::test(flavor = "multi_thread")]
async fn refusing_collector_is_reported_once() {
    let collector = Collector::start(400).await;
    let (server, log, _keep) = server(&collector.url, &[]);
    let (_tree, root) = tree(SHOP);
    server.add(&root).await;
    until("many attempts", async || {
        assert_eq!(ask(&server, "again", "").await.status(), 200);
        (collector.received.requests.load(Ordering::SeqCst) >= 12).then_some(())
    })
    .await;
    let refusals = || lines_with_message(&read_log(&log), "cannot send telemetry").len();
    until("both lines", async || (refusals() == 2).then_some(())).await;
    collector.received.status.store(200, Ordering::SeqCst);
    until("both lines that it is back", async || {
        ask(&server, "back", "").await;
        (lines_with_message(&read_log(&log), "telemetry is sent again").len() == 2).then_some(())
    })
    .await;
    assert_eq!(refusals(), 2, "once for spans and once for metrics");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_collector_delays_nothing() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let silent = Collector::start(0).await;
    for url in [&closed, &silent.url] {
        // The export does not time out, and the queue of spans is soon full.
        let variables = [
            "OTEL_EXPORTER_OTLP_TIMEOUT=600000",
            "OTEL_BSP_MAX_QUEUE_SIZE=8",
        ];
        let (server, log, _keep) = server(url, &variables);
        let (_tree, root) = tree(SHOP);
        server.add(&root).await;
        for number in 0..40 {
            let response = ask(&server, &number.to_string(), "").await;
            assert_eq!(response.status(), 200);
        }
        // The server also stops in time.
        server.stop();
        let lines = read_log(&log);
        assert!(lines_with_message(&lines, "request").len() >= 40);
        assert!(lines_with_message(&lines, "cannot send telemetry").len() <= 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn span_of_an_index_run_ends_with_its_work() {
    let collector = Collector::start(200).await;
    let (server, ..) = server(&collector.url, &[]);
    let (_tree, root) = tree(SHOP);
    commit(&root, "first");
    server.add(&root).await;
    // Nothing else happens to the repository.
    let run = until("the span of the run", async || {
        let mut spans = collector.spans().into_iter();
        spans.find(|span| span.name == "index")
    });
    let run = run.await;
    let cause = text(&run.attributes, "foveate.cause");
    assert_eq!(cause, Some("registered"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_telemetry_is_sent_at_shutdown() {
    let collector = Collector::start(200).await;
    let late = [
        "OTEL_BSP_SCHEDULE_DELAY=3600000",
        "OTEL_METRIC_EXPORT_INTERVAL=3600000",
    ];
    let (server, ..) = server(&collector.url, &late);
    let (_tree, root) = tree(SHOP);
    server.add(&root).await;
    ask(&server, "last", "").await;
    server.stop();
    assert!(span_of_request(&collector, "last").end_time_unix_nano > 0);
    let metrics = collector.received.metrics.lock();
    assert!(
        metrics
            .iter()
            .any(|metric| metric.name == "foveate_http_requests_total")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_traced_without_an_endpoint() {
    let (server, log, _keep) = server("", &[]);
    let (_tree, root) = tree(SHOP);
    server.add(&root).await;
    let traceparent = format!("00-{TRACE}-{CALLER}-01");
    let response = ask(&server, "plain", &traceparent).await;
    assert!(response.headers().get("traceparent").is_none());
    drop(server);
    // Log lines still carry the caller's trace id.
    let lines = read_log(&log);
    let of_request = lines_with_message(&lines, "request")
        .into_iter()
        .find_map(|line| {
            let spans = line["spans"].as_array()?;
            spans.iter().find(|span| span["request_id"] == "plain")
        });
    assert_eq!(of_request.unwrap()["trace_id"], TRACE);
}

#[test]
fn invalid_otel_variables_fail_the_start() {
    for (variable, expected) in [
        ("OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "http/protobuf"),
        (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=here",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        ),
    ] {
        let data = tempfile::tempdir().unwrap();
        let (name, value) = variable.split_once('=').unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_foveate"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data.path())
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
            .env(name, value)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(expected), "{text}");
    }
}
