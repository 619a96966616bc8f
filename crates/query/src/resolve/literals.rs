//! Resolves exact texts of the query to string literals of the code: the function that declares an option
//! or a route, raises a code, reads a setting. The lexical index finds the chunks that have the words; then
//! their string literals are compared.

use foldhash::HashSet;
use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{ChunkId, DefId, FileId, Snapshot};
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
/// Maximum names that are looked up as string literals.
const MAX_NAMES: usize = 12;

impl Resolver<'_> {
    /// Resolves the exact texts of the query.
    pub(super) fn literals(&mut self, text: &QueryText) {
        for literal in self.in_time(&text.literals) {
            let known =
                literal.kind == LiteralKind::Setting && self.is_defined_in_sources(&literal.text);
            if !known {
                self.literal(literal);
            }
        }
    }

    /// Resolves names to the string literals that are these names: `name = "open_timeout"` declares a setting that is read
    /// as an attribute, `'open_timeout' => 3` gives it a default. That is done for names that lead to no source, and for those
    /// whose default a short query is about.
    pub(super) fn literal_names(&mut self, text: &QueryText) {
        let asks_default = intent::is_about_default(text);
        let is_meant = |mention: &&Mention| match mention.kind {
            MentionKind::InlineCode | MentionKind::Title => {
                is_parted(last_part(mention)) || asks_default && !mention.name.contains('.')
            }
            MentionKind::Prose => is_parted(last_part(mention)),
            _ => false,
        };
        let names = text.mentions.iter().filter(is_meant).map(last_part);
        let mut seen: HashSet<&str> = text.literals.iter().map(|known| &*known.text).collect();
        let names = names.filter(|name| seen.insert(name));
        for name in self.in_time(names.take(MAX_NAMES)) {
            let is_known = self.is_defined_in_sources(name) || self.leads_to_sources_by_name(name);
            if asks_default || !is_known {
                self.literal_name(name);
            }
        }
    }

    fn literal_name(&mut self, name: &str) {
        let literal = Literal {
            text: name.to_owned(),
            kind: LiteralKind::Setting,
        };
        let mut holders = self.holders(&literal);
        holders.retain(|chunk| {
            let role = self.snapshot.files.chunk_role(*chunk);
            matches!(role, Role::Source | Role::Configuration)
        });
        // A name that several chunks have is used there, not declared.
        if holders.len() == 1 {
            self.add_holders(name, &holders);
        }
    }

    /// Whether a name was resolved to code of sources with a similar name.
    fn leads_to_sources_by_name(&self, name: &str) -> bool {
        let mut resolved = self
            .found
            .symbols
            .iter()
            .filter(|symbol| symbol.name == name);
        let is_source = |id: &DefId| self.snapshot.files.role_of(*id) == Role::Source;
        resolved.any(|symbol| symbol.definitions.iter().any(is_source))
    }

    fn is_defined_in_sources(&self, name: &str) -> bool {
        let Snapshot { files, symbols, .. } = self.snapshot;
        let mut named = symbols.named(name).iter();
        named.any(|id| files.role_of(*id) == Role::Source)
    }

    fn literal(&mut self, literal: &Literal) {
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
                self.option_name(&literal.text, self.config.strength.literal);
            }
            return;
        }
        self.add_holders(&literal.text, &holders);
    }

    /// Records the definitions and files that hold a literal.
    pub(super) fn add_holders(&mut self, literal: &str, holders: &[ChunkId]) {
        let strength = self.config.strength.literal;
        let files = &self.snapshot.files;
        let definitions: Vec<DefId> = holders
            .iter()
            .filter_map(|chunk| files.chunk_definition(*chunk))
            .collect();
        let mut places: Vec<FileId> = holders.iter().map(|c| files.chunk_file(*c)).collect();
        places.dedup();
        self.add_definitions(literal, EvidenceSource::Literal, strength, &definitions);
        if places.len() <= self.config.max_files_of_path {
            for file in &places {
                let share = strength / places.len() as f32;
                self.add_file(*file, EvidenceSource::Literal, share);
            }
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

/// Returns the last part of a name, without the mark of a question.
fn last_part(mention: &Mention) -> &str {
    let name = mention.name.trim_end_matches('?');
    name.rsplit('.').next().unwrap_or_default()
}

/// Whether a name has several parts with small letters: `open_timeout`. A single word may be any text, and capitals are read
/// as settings.
fn is_parted(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.trim_matches('_').contains('_')
        && name.contains(|c: char| c.is_ascii_lowercase())
        && name.chars().all(plain)
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
