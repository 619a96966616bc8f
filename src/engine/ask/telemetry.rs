//! Reports questions and answers: fields of the request's span, spans of the stages, metrics. It decides nothing.

use std::time::{Duration, SystemTime};

use foveate_query::Answer;

use crate::engine::Repository;
use crate::telemetry::{round_milliseconds, trace};

/// Adds the repository of a request to its span.
pub(super) fn trace_repository(repository: &Repository) {
    tracing::Span::current().record("repo", repository.name.as_str());
}

/// Sends a span for each stage of an answer that was begun at `begun`.
pub(super) fn trace_stages(answer: &Answer, begun: SystemTime) {
    let stages = stages(answer).map(|(stage, milliseconds)| {
        let seconds = milliseconds.max(0.0) / 1000.0;
        (stage, Duration::from_secs_f64(seconds))
    });
    trace::stages(begun, &stages);
}

/// Adds the intent and the timings of an answer to the span of its request, and counts it. `total` includes waiting.
pub(super) fn record(answer: &Answer, total: Duration) {
    let intent = answer.intent.kind.name();
    let span = tracing::Span::current();
    span.record("intent", intent);
    for (field, milliseconds) in [
        ("intent_ms", answer.timings.intent),
        ("resolve_ms", answer.timings.resolve),
        ("rank_ms", answer.timings.rank),
        ("assemble_ms", answer.timings.assemble),
    ] {
        span.record(field, round_milliseconds(milliseconds));
    }
    let codes = answer.issues.iter().map(|issue| issue.code);
    for code in codes.filter(|code| code.is_degrading()) {
        metrics::counter!("foveate_degraded_answers_total", "code" => code.name()).increment(1);
    }
    for (stage, milliseconds) in stages(answer) {
        metrics::histogram!("foveate_stage_seconds", "stage" => stage, "intent" => intent)
            .record(milliseconds / 1000.0);
    }
    metrics::histogram!("foveate_stage_seconds", "stage" => "total", "intent" => intent)
        .record(total);
}

/// Returns the stages of an answer in their order, with milliseconds.
fn stages(answer: &Answer) -> [(&'static str, f64); 4] {
    [
        ("intent", answer.timings.intent),
        ("resolve", answer.timings.resolve),
        ("rank", answer.timings.rank),
        ("assemble", answer.timings.assemble),
    ]
}
