//! Computes a checksum of answers, to show that two versions of the program answer the same.

use foveate_query::Answer;
use foveate_query::rank::Signal;
use xxhash_rust::xxh3::Xxh3;

/// Hashes the content of answers, independent of the names of types and fields.
#[derive(Default)]
pub struct Checksum(Xxh3);

impl Checksum {
    /// Adds the rankings with their scores, probabilities and signals, the context, the places that were left out
    /// of it, and the codes of the issues.
    pub fn add(&mut self, answer: &Answer) {
        for file in &answer.files {
            self.text(&file.path);
            self.scored(file.score, file.probability, &file.signals);
        }
        for place in answer.functions.iter().chain(&answer.places) {
            self.text(&place.path);
            self.text(&place.name);
            for line in [place.lines.start, place.lines.end] {
                self.0.update(&line.to_le_bytes());
            }
            self.scored(place.score, place.probability, &place.signals);
        }
        self.text(&answer.pack.context);
        for dropped in &answer.pack.dropped {
            self.text(&dropped.path);
            self.text(&dropped.name);
        }
        for issue in &answer.issues {
            self.text(issue.code.name());
        }
    }

    /// Returns the checksum as sixteen hexadecimal digits.
    pub fn finish(&self) -> String {
        format!("{:016x}", self.0.digest())
    }

    fn scored(&mut self, score: f32, probability: f32, signals: &[Signal]) {
        self.0.update(&score.to_le_bytes());
        self.0.update(&probability.to_le_bytes());
        for signal in signals {
            self.text(signal.name);
            self.0.update(&signal.value.to_le_bytes());
        }
    }

    fn text(&mut self, text: &str) {
        self.0.update(text.as_bytes());
        self.0.update(&[0]);
    }
}
