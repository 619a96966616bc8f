//! Computes the signals of all candidates, for fitting the weights.

use foveate_index::{ChunkId, DefId, FileId, Files, Snapshot};
use foveate_model::Lines;

use super::adjustments::Adjustments;
use super::evidence::{Evidence, WordHits};
use super::weights::{FileSignals, FunctionSignals, StretchSignals};
use super::{files, functions};
use crate::config::RankingConfig;
use crate::deadline::Deadline;
use crate::intent;
use crate::request::Request;
use crate::resolve;

/// A candidate and its signals, each multiplied by the factor of the file's role: the score is the
/// sum of these numbers times the weights.
#[derive(Clone, Debug)]
pub struct SignalValues {
    /// The path of the file, or of the file that contains the candidate.
    pub path: String,
    /// The qualified name (empty for a stretch) and lines of a place; `None` for a file.
    pub place: Option<(String, Lines)>,
    /// The signals, in the order of [`SignalValues::FILE_SIGNALS`], [`SignalValues::FUNCTION_SIGNALS`] or
    /// [`SignalValues::STRETCH_SIGNALS`].
    pub signals: Vec<f32>,
}

/// The candidates of a query, each kind in path order.
#[derive(Clone, Debug, Default)]
pub struct CandidateSignals {
    /// The files.
    pub files: Vec<SignalValues>,
    /// The functions.
    pub functions: Vec<SignalValues>,
    /// The stretches outside functions.
    pub stretches: Vec<SignalValues>,
}

impl SignalValues {
    /// Names of a file's signals.
    pub const FILE_SIGNALS: &'static [&'static str] = FileSignals::NAMES;
    /// Names of a function's signals.
    pub const FUNCTION_SIGNALS: &'static [&'static str] = FunctionSignals::NAMES;
    /// Names of a stretch's signals.
    pub const STRETCH_SIGNALS: &'static [&'static str] = StretchSignals::NAMES;
}

/// Returns the candidates among files, functions and stretches, with their signals.
pub fn candidate_signals(
    snapshot: &Snapshot,
    request: &Request,
    config: &RankingConfig,
) -> CandidateSignals {
    let text = request.text();
    let deadline = Deadline::none();
    let resolution = resolve::resolve(snapshot, &text, request, &config.resolve, &deadline);
    let config = &config.rank;
    let intent = intent::detect(&text, request.intent).profile();
    let words = WordHits::search(snapshot, &text, config, &deadline);
    let evidence = Evidence::gather(snapshot, words, &resolution, intent, config);
    let ranked = files::rank(snapshot, &evidence, config, 0);
    let of_files = files::signals(snapshot, &evidence, config);
    let candidates = functions::Candidates::gather(snapshot, &evidence, &ranked, config, &deadline);
    let (files, adjustments) = (&snapshot.files, &evidence.adjustments);
    let of_stretches = candidates.stretches.candidates(files, adjustments, config);
    CandidateSignals {
        files: of_files
            .into_iter()
            .map(|(id, signals)| of_file(files, adjustments, id, &signals))
            .collect(),
        functions: candidates
            .signals()
            .map(|(id, signals)| of_function(files, adjustments, id, signals))
            .collect(),
        stretches: of_stretches
            .map(|(id, signals)| of_stretch(files, adjustments, id, signals))
            .collect(),
    }
}

fn of_file(
    files: &Files,
    adjustments: &Adjustments,
    id: FileId,
    signals: &FileSignals,
) -> SignalValues {
    SignalValues {
        path: files.path(id).to_owned(),
        place: None,
        signals: scaled(
            &signals.array(),
            adjustments.factor(files, id, files.file(id).role),
        ),
    }
}

fn of_function(
    files: &Files,
    adjustments: &Adjustments,
    id: DefId,
    signals: &FunctionSignals,
) -> SignalValues {
    let definition = files.definition(id);
    let name = definition.qualified_name.to_string();
    SignalValues {
        path: files.path(id.file).to_owned(),
        place: Some((name, definition.own_lines())),
        signals: scaled(
            &signals.array(),
            adjustments.factor(files, id.file, files.role_of(id)),
        ),
    }
}

fn of_stretch(
    files: &Files,
    adjustments: &Adjustments,
    id: ChunkId,
    signals: &StretchSignals,
) -> SignalValues {
    let file = files.chunk_file(id);
    SignalValues {
        path: files.path(file).to_owned(),
        place: Some((String::new(), files.chunk(id).lines)),
        signals: scaled(
            &signals.array(),
            adjustments.factor(files, file, files.chunk_role(id)),
        ),
    }
}

/// Returns the signals multiplied by the factor of a role.
fn scaled(signals: &[f32], factor: f32) -> Vec<f32> {
    signals.iter().map(|signal| signal * factor).collect()
}
