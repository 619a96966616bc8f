//! Computes the signals of all candidates, for fitting the weights.

use foveate_index::{FileId, Snapshot};
use foveate_model::{Lines, Role};

use super::evidence::{Evidence, WordHits};
use super::weights::{FileSignals, FunctionSignals, StretchSignals};
use super::{RankConfig, files, functions};
use crate::deadline::Deadline;
use crate::intent;
use crate::request::Request;
use crate::resolve::{self, ResolveConfig};

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
    /// The factor of the file's role.
    pub factor: f32,
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
    /// The file's signal that regression trees compute from the others: see [`super::Interactions`].
    pub const INTERACTIONS: &'static str = "interactions";
    /// Names of a function's signals.
    pub const FUNCTION_SIGNALS: &'static [&'static str] = FunctionSignals::NAMES;
    /// Names of a stretch's signals.
    pub const STRETCH_SIGNALS: &'static [&'static str] = StretchSignals::NAMES;
}

/// Returns the candidates among files, functions and stretches, with their signals.
pub fn candidate_signals(
    snapshot: &Snapshot,
    request: &Request,
    resolving: &ResolveConfig,
    config: &RankConfig,
) -> CandidateSignals {
    let text = request.text();
    let deadline = Deadline::none();
    let resolution = resolve::resolve(snapshot, &text, request, resolving, &deadline);
    let intent = intent::detect(&text, request.intent).profile();
    let words = WordHits::search(snapshot, &text, config, &deadline);
    let evidence = Evidence::gather(snapshot, words, &resolution, intent, config);
    let ranked = files::rank(snapshot, &evidence, config, 0);
    let of_files = files::signals(snapshot, &evidence, config);
    let candidates = functions::Candidates::gather(snapshot, &evidence, &ranked, config, &deadline);
    let (files, adjustments) = (&snapshot.files, &evidence.adjustments);
    let of_stretches = candidates.stretches.candidates(files, adjustments, config);
    let values = |file: FileId, role: Role, place: Option<(String, Lines)>, signals: &[f32]| {
        let factor = adjustments.factor(files, file, role);
        SignalValues {
            path: files.path(file).to_owned(),
            place,
            signals: signals.iter().map(|signal| signal * factor).collect(),
            factor,
        }
    };
    CandidateSignals {
        files: of_files
            .into_iter()
            .map(|(id, signals)| values(id, files.file(id).role, None, &signals.array()))
            .collect(),
        functions: candidates
            .signals()
            .map(|(id, signals)| {
                let definition = files.definition(id);
                let place = (
                    definition.qualified_name.to_string(),
                    definition.own_lines(),
                );
                values(id.file, files.role_of(id), Some(place), &signals.array())
            })
            .collect(),
        stretches: of_stretches
            .map(|(id, signals)| {
                let place = (String::new(), files.chunk(id).lines);
                let (file, role) = (files.chunk_file(id), files.chunk_role(id));
                values(file, role, Some(place), &signals.array())
            })
            .collect(),
    }
}
