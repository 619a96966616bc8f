//! Reports questions and answers: fields of the request's span, spans of the stages, metrics. It decides nothing.

use std::time::{Duration, SystemTime};

use foveate_query::Answer;

use crate::telemetry::{round_milliseconds, trace};

/// Sends a span for each stage of an answer that was begun at `begun`.
pub(super) fn trace_stages(answer: &Answer, begun: SystemTime) {
    let stages = stages(answer).map(|(stage, _, milliseconds)| {
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
    let codes = answer.issues.iter().map(|issue| issue.code);
    for code in codes.filter(|code| code.is_degrading()) {
        metrics::counter!("foveate_degraded_answers_total", "code" => code.name()).increment(1);
    }
    for (stage, field, milliseconds) in stages(answer) {
        span.record(field, round_milliseconds(milliseconds));
        metrics::histogram!("foveate_stage_seconds", "stage" => stage, "intent" => intent)
            .record(milliseconds / 1000.0);
    }
    metrics::histogram!("foveate_stage_seconds", "stage" => "total", "intent" => intent)
        .record(total);
}

/// Returns the stages of an answer in their order, each with its field of the span and milliseconds.
fn stages(answer: &Answer) -> [(&'static str, &'static str, f64); 4] {
    let timings = &answer.timings;
    [
        ("intent", "intent_ms", timings.intent),
        ("resolve", "resolve_ms", timings.resolve),
        ("rank", "rank_ms", timings.rank),
        ("assemble", "assemble_ms", timings.assemble),
    ]
}
