//! Converts the query to weighted index terms.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use foldhash::HashSet;
use foveate_index::lexical::QueryTerm;
use foveate_index::tokens::{for_each_term, terms};

use super::weights::{RankConfig, SegmentWeights};
use crate::resolve::is_stop_word;
use crate::text::{QueryText, SegmentKind};

/// Keywords and similar words that are frequent in pasted code. They occur in a third of all chunks, so they tell
/// none apart, and reading their posting lists would be most of the cost of a long query.
const KEYWORDS: &str = "assert async await class const def elif else except false func function \
    import lambda let new none null nil return self str this true try undefined var void";

static KEYWORD_TERMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| terms(KEYWORDS).into_iter().collect());

/// How often a term occurs in the segments of each kind, in the order of [`SegmentKind::ALL`].
type Counts = [f32; SegmentKind::ALL.len()];

/// The terms of a query.
#[derive(Debug, Default)]
pub(super) struct QueryTerms {
    /// The terms, in alphabetical order.
    pub weighted: Vec<QueryTerm>,
    /// Whether the title or inline code has each of them.
    pub prominent: Vec<bool>,
}

/// Returns the `max_terms` heaviest distinct terms of a query, in alphabetical order. Each has the weight
/// `Σ_kind weight(kind) · log2(1 + tf_kind)`.
pub(super) fn query_terms(text: &QueryText, config: &RankConfig) -> QueryTerms {
    // Initialized before the query is split, because calls of `for_each_term` must not nest.
    let keywords = &*KEYWORD_TERMS;
    let mut frequencies: BTreeMap<String, Counts> = BTreeMap::new();
    for segment in &text.segments {
        let position = segment.kind as usize;
        for_each_term(&segment.text, |term| {
            if keywords.contains(term) || is_stop_word(term) {
                return;
            }
            match frequencies.get_mut(term) {
                Some(counts) => counts[position] += 1.0,
                None => {
                    let mut counts = Counts::default();
                    counts[position] = 1.0;
                    frequencies.insert(term.to_owned(), counts);
                }
            }
        });
    }
    let sum = |counts: &Counts, weights: &SegmentWeights| {
        let kinds = SegmentKind::ALL.into_iter().zip(counts);
        kinds
            .map(|(kind, tf)| weight(weights, kind) * (1.0 + tf).log2())
            .sum()
    };
    let mut terms: Vec<(QueryTerm, bool)> = frequencies
        .into_iter()
        .map(|(term, counts)| {
            let weighted = QueryTerm {
                file: sum(&counts, &config.segments.file),
                chunk: sum(&counts, &config.segments.chunk),
                title: of_kinds(&counts, |kind| kind == SegmentKind::Title),
                code: of_kinds(&counts, is_code),
                term,
            };
            (weighted, of_kinds(&counts, is_prominent) > 0.0)
        })
        .collect();
    if terms.len() > config.max_terms {
        terms.sort_by(|(a, _), (b, _)| {
            let heaviest = b.file.total_cmp(&a.file);
            heaviest.then_with(|| a.term.cmp(&b.term))
        });
        terms.truncate(config.max_terms);
        terms.sort_by(|(a, _), (b, _)| a.term.cmp(&b.term));
    }
    let (weighted, prominent) = terms.into_iter().unzip();
    QueryTerms {
        weighted,
        prominent,
    }
}

fn weight(weights: &SegmentWeights, kind: SegmentKind) -> f32 {
    match kind {
        SegmentKind::Title => weights.title,
        SegmentKind::Prose => weights.prose,
        SegmentKind::InlineCode => weights.inline_code,
        SegmentKind::CodeBlock => weights.code_block,
        SegmentKind::Traceback => weights.traceback,
        SegmentKind::ErrorMessage => weights.error_message,
        SegmentKind::Quoted => weights.quoted,
    }
}

/// Returns `Σ_kind log2(1 + tf_kind)` over the kinds that `counted` accepts.
fn of_kinds(counts: &Counts, counted: impl Fn(SegmentKind) -> bool) -> f32 {
    let kinds = SegmentKind::ALL.into_iter().zip(counts);
    let kinds = kinds.filter(|(kind, _)| counted(*kind));
    kinds.map(|(_, tf)| (1.0 + tf).log2()).sum()
}

fn is_code(kind: SegmentKind) -> bool {
    matches!(
        kind,
        SegmentKind::InlineCode | SegmentKind::CodeBlock | SegmentKind::Traceback
    )
}

fn is_prominent(kind: SegmentKind) -> bool {
    matches!(kind, SegmentKind::Title | SegmentKind::InlineCode)
}
