//! Resolves exact texts of the query to string literals of the code: the function that declares an option
//! or a route, raises a code, reads a setting. The lexical index finds the chunks that have the words; then
//! their string literals are compared.

use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{ChunkId, DefId, FileId};
use foveate_model::{RegionKind, Role};

use super::{EvidenceSource, Resolver};
use crate::intent;
use crate::text::{Literal, LiteralKind, Mention, MentionKind, QueryText};

/// Maximum chunks with the rarest word of a text; a text of more common words is not looked up.
const MAX_POSTINGS: usize = 2_000;
/// Maximum chunks that may declare an option without its dashes; more are other uses of the word.
const MAX_DECLARATIONS: usize = 8;
/// Maximum chunks whose string literals are compared.
const MAX_CHUNKS: usize = 64;
/// Maximum names of a query that are looked up as those of settings with a default.
const MAX_DEFAULTS: usize = 4;

impl Resolver<'_> {
    /// Resolves the exact texts of the query.
    pub(super) fn literals(&mut self, text: &QueryText) {
        for (position, literal) in text.literals.iter().enumerate() {
            if !self.has_time_for(position) {
                break;
            }
            let known = literal.kind == LiteralKind::Setting
                && !self.snapshot.symbols.named(&literal.text).is_empty();
            if !known {
                self.literal(literal);
            }
        }
    }

    /// Resolves the names of settings whose default a short query is about: code often declares them by string literals
    /// (`name = "max_size"`, `'max_size' => 3`), and its variables of the name only use them.
    pub(super) fn defaults(&mut self, text: &QueryText) {
        if !intent::is_about_default(text) {
            return;
        }
        let is_asked = |mention: &&Mention| {
            let name = mention.name.as_str();
            matches!(mention.kind, MentionKind::Title | MentionKind::InlineCode)
                && !name.contains('.')
                && text.literals.iter().all(|literal| literal.text != name)
        };
        let mut names: Vec<&str> = Vec::new();
        for mention in text.mentions.iter().filter(is_asked) {
            if names.len() < MAX_DEFAULTS && !names.contains(&mention.name.as_str()) {
                names.push(&mention.name);
            }
        }
        for name in names {
            self.literal(&Literal {
                kind: LiteralKind::Setting,
                text: name.to_owned(),
            });
        }
    }

    fn literal(&mut self, literal: &Literal) {
        let strength = self.config.strength.literal;
        let mut holders = self.holders(literal);
        if literal.kind == LiteralKind::Option && !self.has_source(&holders) {
            // A declaration may leave out the dashes.
            let name = literal.text.trim_start_matches('-').to_owned();
            let bare = Literal {
                text: name,
                kind: literal.kind,
            };
            let declared = self.holders(&bare);
            if self.has_source(&declared) && declared.len() <= MAX_DECLARATIONS {
                holders = declared;
            }
        }
        if holders.is_empty() {
            if literal.kind == LiteralKind::Option {
                self.option_name(&literal.text, strength);
            }
            return;
        }
        let files = &self.snapshot.files;
        let definitions: Vec<DefId> = holders
            .iter()
            .filter_map(|chunk| files.chunk_definition(*chunk))
            .collect();
        let mut places: Vec<FileId> = holders.iter().map(|c| files.chunk_file(*c)).collect();
        places.dedup();
        self.add_definitions(
            &literal.text,
            EvidenceSource::Literal,
            strength,
            &definitions,
        );
        if places.len() <= self.config.max_files_of_path {
            self.add_files_sharing(&places, EvidenceSource::Literal, strength);
        }
    }

    /// Whether any chunk is in a source file.
    fn has_source(&self, chunks: &[ChunkId]) -> bool {
        let files = &self.snapshot.files;
        let mut roles = chunks.iter().map(|chunk| files.chunk_role(*chunk));
        roles.any(|role| role == Role::Source)
    }

    /// Resolves `--no-input` to definitions named `no_input`.
    fn option_name(&mut self, option: &str, strength: f32) {
        let name = option.trim_start_matches('-').replace('-', "_");
        let found = self.snapshot.symbols.named(&name);
        if name.contains('_') {
            self.add_definitions(option, EvidenceSource::Literal, strength, found);
        }
    }

    /// Returns the chunks that contain the text as a string literal.
    fn holders(&self, literal: &Literal) -> Vec<ChunkId> {
        let lexical = &self.snapshot.lexical;
        // The search for the words of the query reports an index that cannot be read.
        let mut chunks = lexical
            .chunks_with(&terms(&literal.text), Field::Text, MAX_POSTINGS)
            .unwrap_or_default();
        chunks.truncate(MAX_CHUNKS);
        chunks.retain(|chunk| self.holds(*chunk, literal));
        chunks
    }

    fn holds(&self, chunk: ChunkId, literal: &Literal) -> bool {
        let files = &self.snapshot.files;
        let Some(content) = files.content(files.chunk_file(chunk)) else {
            return false;
        };
        let span = files.chunk(chunk).span;
        let regions = &content.facts.regions;
        let first = regions.partition_point(|region| region.span.start < span.start);
        regions
            .iter()
            .skip(first)
            .take_while(|region| region.span.end <= span.end)
            .filter(|region| region.kind == RegionKind::Text)
            .any(|region| matches_literal(region.span.of(&content.text), literal))
    }
}

/// Whether a string literal, quotes included, is the text or begins with it as a whole word; a route may also
/// occur inside, between slashes.
fn matches_literal(written: &str, literal: &Literal) -> bool {
    let inside = written.trim_start_matches(char::is_alphabetic);
    let inside = inside.trim_matches(['"', '\'', '`']);
    let ends =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
    if literal.kind == LiteralKind::Route {
        let mut found = inside.match_indices(literal.text.as_str());
        return found.any(|(at, text)| {
            let before = inside.get(..at).unwrap_or("");
            let starts = before.is_empty() || before.ends_with(['/', '^']);
            starts && ends(inside.get(at + text.len()..).unwrap_or(""))
        });
    }
    inside.strip_prefix(literal.text.as_str()).is_some_and(ends)
}
