//! Tests `/metrics` with a real parser.

use std::collections::{BTreeSet, HashMap};

use prometheus_parse::{Scrape, Value};
use serde_json::json;

use crate::app::{SHOP, TestApp, commit, tree};

async fn scrape(app: &TestApp) -> (Scrape, String) {
    let response = app.get("/metrics").await;
    assert!(
        response
            .header("content-type")
            .starts_with("text/plain; version=0.0.4")
    );
    let lines = response.text.lines().map(|line| Ok(line.to_owned()));
    (Scrape::parse(lines).unwrap(), response.text)
}

/// The value of the first sample with these labels.
fn value(scrape: &Scrape, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let mut found = scrape.samples.iter().filter(|sample| {
        sample.metric == name
            && labels
                .iter()
                .all(|(label, text)| sample.labels.get(label) == Some(text))
    });
    let sample = found.next()?;
    match sample.value {
        Value::Counter(v) | Value::Gauge(v) | Value::Untyped(v) => Some(v),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_metric_family_is_exported_and_parses() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    commit(&root, "first");
    std::fs::write(root.join("legacy.py"), b"# caf\xe9\x01\n").unwrap();
    let name = "metrics-shop";
    app.add_tree(name, &root, true).await;
    app.repo_until(name, |repo| repo["history"] == true).await;
    app.ask(name, "TypeError in `Cart.checkout`").await;
    app.post("/context", json!({"repo": name, "query": ""}))
        .await;
    let (scrape, text) = scrape(&app).await;

    let of_repo = [("repo", name)];
    assert_eq!(
        value(&scrape, "foveate_repository_files", &of_repo),
        Some(5.0)
    );
    assert!(value(&scrape, "foveate_repository_definitions", &of_repo) > Some(5.0));
    assert_eq!(
        value(&scrape, "foveate_repository_segments", &of_repo),
        Some(1.0)
    );
    assert_eq!(
        value(&scrape, "foveate_repository_generation", &of_repo),
        Some(2.0)
    );
    assert_eq!(
        value(&scrape, "foveate_repository_pending_files", &of_repo),
        Some(0.0)
    );
    let bytes_of = |structure| {
        let labels = [("repo", name), ("structure", structure)];
        value(&scrape, "foveate_repository_index_bytes", &labels)
    };
    for structure in [
        "text", "facts", "symbols", "lexical", "graph", "files", "history", "records",
    ] {
        let bytes = bytes_of(structure);
        assert!(bytes > Some(0.0), "{structure}: {bytes:?}");
    }
    // No code in this repository raises or logs a message.
    assert_eq!(bytes_of("messages"), Some(0.0));
    let skipped = [("repo", name), ("reason", "not_utf8")];
    assert_eq!(
        value(&scrape, "foveate_repository_skipped_files", &skipped),
        Some(1.0)
    );
    for (state, count) in [("ready", 1.0), ("indexing", 0.0), ("failed", 0.0)] {
        let got = value(&scrape, "foveate_repositories", &[("state", state)]);
        assert_eq!(got, Some(count), "{state}");
    }
    for name in [
        "foveate_answers_in_progress",
        "foveate_answer_queue_depth",
        "foveate_blobs_parsed_total",
        "foveate_blob_cache_bytes",
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_max_fds",
        "process_threads",
        "process_virtual_memory_bytes",
        "process_start_time_seconds",
    ] {
        assert!(value(&scrape, name, &[]).is_some(), "{name}");
    }
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    assert_eq!(value(&scrape, "foveate_build_info", &version), Some(1.0));
    let answered = [("route", "/context"), ("method", "POST"), ("status", "200")];
    assert!(value(&scrape, "foveate_http_requests_total", &answered) >= Some(1.0));
    assert!(
        value(
            &scrape,
            "foveate_problems_total",
            &[("code", "empty_query")]
        ) >= Some(1.0)
    );

    check_histograms(&scrape);
    check_text(&text);
    app.delete(&format!("/repos/{name}")).await;
    let (after, _) = self::scrape(&app).await;
    assert_eq!(
        value(&after, "foveate_repository_files", &of_repo),
        None,
        "gone is gone"
    );
    app.end().await;
}

/// Asserts that buckets increase, end at infinity and agree with the count.
fn check_histograms(scrape: &Scrape) {
    let mut stages = BTreeSet::new();
    let mut counts: HashMap<String, f64> = HashMap::new();
    let key = |name: &str, labels: &prometheus_parse::Labels| {
        let mut labels: Vec<_> = labels.iter().filter(|(l, _)| *l != "le").collect();
        labels.sort();
        format!("{name}{labels:?}")
    };
    for sample in &scrape.samples {
        if let (Some(name), Value::Counter(v) | Value::Untyped(v)) =
            (sample.metric.strip_suffix("_count"), &sample.value)
        {
            counts.insert(key(name, &sample.labels), *v);
        }
    }
    let mut seen = 0;
    for sample in &scrape.samples {
        let Value::Histogram(buckets) = &sample.value else {
            continue;
        };
        seen += 1;
        assert!(buckets.windows(2).all(|w| w[0].less_than < w[1].less_than));
        assert!(
            buckets.windows(2).all(|w| w[0].count <= w[1].count),
            "{}",
            sample.metric
        );
        let last = buckets.last().unwrap();
        assert!(last.less_than.is_infinite());
        let count = counts.get(&key(&sample.metric, &sample.labels));
        assert_eq!(count, Some(&last.count), "{}", sample.metric);
        if sample.metric == "foveate_stage_seconds" {
            assert!(sample.labels.get("intent").is_some());
            stages.insert(sample.labels.get("stage").unwrap().to_owned());
        }
    }
    assert!(seen > 5, "histograms are histograms, not summaries");
    let expected = ["assemble", "intent", "rank", "resolve", "total"];
    assert_eq!(stages.into_iter().collect::<Vec<_>>(), expected);
}

/// Asserts that each family has one HELP and one TYPE before its samples, and that no sample appears twice.
fn check_text(text: &str) {
    let mut helped = BTreeSet::new();
    let mut typed = BTreeSet::new();
    let mut samples = BTreeSet::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(helped.insert(name), "two HELP for {name}");
            assert!(help.len() > 5);
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(typed.insert(name), "two TYPE for {name}");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(kind != "counter" || name.ends_with("_total"), "{line}");
        } else {
            let series = line.rsplit_once(' ').unwrap().0;
            assert!(samples.insert(series), "twice: {series}");
            let name = series.split('{').next().unwrap();
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|s| {
                let family = name.strip_suffix(s)?;
                typed.contains(family).then_some(family)
            });
            let family = family.unwrap_or(name);
            assert!(typed.contains(family) && helped.contains(family), "{line}");
        }
    }
}
