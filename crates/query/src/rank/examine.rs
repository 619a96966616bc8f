//! The signals of all candidates, for fitting the weights.

use foveate_index::Snapshot;
use foveate_model::Lines;

use super::evidence::{Evidence, Words};
use super::weights::{FileSignals, FunctionSignals};
use super::{files, functions};
use crate::config::RankingConfig;
use crate::intent;
use crate::request::Request;
use crate::resolve;
use crate::text::QueryText;

/// A candidate and its signals, each multiplied by the factor of the file's role: the score is the
/// sum of these numbers times the weights.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The file that it is or lies in.
    pub path: String,
    /// The function's qualified name and lines; none for a file.
    pub function: Option<(String, Lines)>,
    /// In the order of [`Examined::FILE_SIGNALS`] or [`Examined::FUNCTION_SIGNALS`].
    pub signals: Vec<f32>,
}

impl Examined {
    /// Names of a file's signals.
    pub const FILE_SIGNALS: &'static [&'static str] = FileSignals::NAMES;
    /// Names of a function's signals.
    pub const FUNCTION_SIGNALS: &'static [&'static str] = FunctionSignals::NAMES;
}

/// The candidates among the files and functions, each kind in path order.
pub fn examine(
    snapshot: &Snapshot,
    request: &Request,
    config: &RankingConfig,
) -> (Vec<Examined>, Vec<Examined>) {
    let text = QueryText::parse(&request.query);
    let candidates = resolve::resolve(snapshot, &text, &request.focus, &config.resolve);
    let config = &config.rank;
    let intent = intent::detect(&text, request.intent).kind;
    let words = Words::search(snapshot, &text, config);
    let evidence = Evidence::gather(snapshot, words, &candidates, intent, config);
    let ranked = files::rank(snapshot, &evidence, config, 0);
    let factor = |file| evidence.roles.factor(snapshot.files.file(file).role);
    let scaled = |signals: &[f32], factor: f32| signals.iter().map(|s| s * factor).collect();
    let files = files::signals(snapshot, &evidence, config)
        .into_iter()
        .map(|(id, signals)| Examined {
            path: snapshot.files.path(id).to_owned(),
            function: None,
            signals: scaled(&signals.array(), factor(id)),
        })
        .collect();
    let functions = functions::signals(snapshot, &evidence, &ranked, config)
        .into_iter()
        .map(|(id, signals)| {
            let file = snapshot.files.file_of(id);
            let definition = snapshot.files.definition(id);
            Examined {
                path: snapshot.files.path(file).to_owned(),
                function: Some((definition.qualified_name.to_string(), definition.lines)),
                signals: scaled(&signals.array(), factor(file)),
            }
        })
        .collect();
    (files, functions)
}
