//! Tests that the rules, alerts and dashboard of `config/` use metrics that a server exports from its start, and that
//! alerts link to existing sections. The gate runs the rest with a real Prometheus (`.ci/monitoring.py`).

use std::collections::BTreeSet;
use std::path::Path;

use reqwest::Method;
use serde_json::Value;

use crate::app::{SHOP, tree, until};
use crate::index_report::Service as _;
use crate::process::Process;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The words of a text that are names of metrics or of recorded series.
fn metric_names(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_:".contains(c);
    let words = text.split(|c| !is_part(c));
    let is_name = |word: &&str| {
        let name = word.rsplit_once(":foveate_").map_or(*word, |_| "foveate_");
        name.starts_with("foveate_") || name.starts_with("process_") || word.contains(":process_")
    };
    words.filter(is_name).collect()
}

/// Collects all strings at keys of this name.
fn collect_strings<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if name == key => found.push(text),
                    _ => collect_strings(value, key, found),
                }
            }
        }
        Value::Array(values) => values
            .iter()
            .for_each(|value| collect_strings(value, key, found)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_dashboard_use_existing_metrics() {
    let server = Process::start(&["env"], None);
    // Metrics of repositories and answers exist once there is a repository and an answer.
    let (_keep, root) = tree(SHOP);
    server.add(&root).await;
    server.ask("total_price").await;
    let text = until("a kept answer", async || {
        let request = server.client().get(format!("{}/metrics", server.url()));
        let text = request.send().await.unwrap().text().await.unwrap();
        text.contains("\nfoveate_repository_answers{")
            .then_some(text)
    })
    .await;
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let names = samples.filter_map(|line| line.split(['{', ' ']).next());
    let mut known: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    // Descriptions name families instead of their series.
    let families = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    known.extend(families.filter_map(|family| family.split(' ').next()));

    let rules = read("config/prometheus/rules.yml");
    let recorded = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- record: "));
    known.extend(recorded);
    let of_groups = |line: &&str| !line.trim().starts_with("- name: ");
    for file in ["rules.yml", "alerts.yml", "rules_test.yml"] {
        let text = read(&format!("config/prometheus/{file}"));
        let text: Vec<&str> = text.lines().filter(of_groups).collect();
        let text = text.join("\n");
        let asked = metric_names(&text);
        assert!(asked.len() > 10, "{file}: {asked:?}");
        let unknown: Vec<_> = asked.difference(&known).collect();
        assert!(unknown.is_empty(), "{file} asks for {unknown:?}");
    }
    let dashboard = read("config/grafana/dashboards/foveate.json");
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let mut queries = Vec::new();
    collect_strings(&dashboard, "expr", &mut queries);
    collect_strings(&dashboard, "query", &mut queries);
    assert!(queries.len() > 30, "{}", queries.len());
    let text = queries.join("\n");
    let unknown: Vec<_> = metric_names(&text).difference(&known).copied().collect();
    assert!(unknown.is_empty(), "the dashboard asks for {unknown:?}");
    server
        .call(Method::DELETE, "/repos/shop", Value::Null)
        .await;
}

#[test]
fn every_alert_links_to_an_existing_section() {
    let alerts = read("config/prometheus/alerts.yml");
    let guide = read("docs/monitoring.md");
    let headings = guide.lines().filter(|line| line.starts_with('#'));
    let anchors: BTreeSet<String> = headings
        .map(|line| line.trim_start_matches('#').trim())
        .map(|title| title.to_lowercase().replace(' ', "-"))
        .collect();
    let of = |key: &str| -> Vec<&str> {
        let lines = alerts.lines().map(str::trim);
        lines.filter_map(|line| line.strip_prefix(key)).collect()
    };
    let names = of("- alert: ");
    let links = of("runbook_url: ");
    assert!(names.len() > 10);
    for all in [&links, &of("summary: "), &of("description: ")] {
        assert_eq!(all.len(), names.len());
    }
    for link in links {
        let anchor = link.strip_prefix("docs/monitoring.md#").expect(link);
        assert!(anchors.contains(anchor), "{link} leads nowhere");
    }
    let tests = read("config/prometheus/rules_test.yml");
    for name in names {
        assert!(
            tests.contains(name),
            "rules_test.yml does not make {name} fire"
        );
        assert!(guide.contains(name), "docs/monitoring.md lacks {name}");
    }
}
