//! Resolves natural language to identifiers: `bulk creation` in a title may mean `bulk_create`. Adjacent
//! words are joined in both orders, singular and plural, with and without verb endings, and looked up
//! regardless of case; a pair without a definition is matched fuzzily.

use foldhash::HashSet;
use foveate_index::DefId;
use foveate_model::{DefinitionKind, Role};

use super::{EvidenceSource, Resolver, count_meanings};
use crate::intent::{self, LookUp};
use crate::text::{QueryText, SegmentKind, without_fixed_wording};

/// Maximum words of a title that are resolved. Titles are short; a longer first line is prose.
const MAX_WORDS: usize = 24;

/// Words that name nothing on their own.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before",
    "being", "between", "but", "by", "can", "cannot", "could", "did", "do", "does", "doesn", "don",
    "due", "each", "for", "from", "get", "gets", "has", "have", "how", "if", "in", "incorrect",
    "instead", "into", "is", "isn", "it", "its", "make", "more", "need", "no", "not", "of", "off",
    "on", "only", "or", "other", "out", "over", "same", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "too", "under",
    "up", "use", "used", "using", "via", "was", "way", "were", "what", "when", "where", "which",
    "while", "who", "why", "will", "with", "without", "won", "work", "works", "would", "wrong",
    "you", "your",
];

/// Words beside the name that a question looks up: "list the classes that extend Shelf", "the Shelf class".
const BESIDE_NAMES: &[&str] = &[
    "annotation", "class", "classes", "code", "component", "constant", "declaration", "decorator",
    "definition", "direct", "else", "enum", "enums", "field", "file", "files", "find", "function",
    "functions", "give", "implementation", "interface", "interfaces", "list", "macro", "me",
    "method", "methods", "module", "modules", "my", "object", "our", "please", "show", "source",
    "still", "struct", "structs", "tell", "trait", "traits", "type", "types", "us", "variable",
    "we",
];

/// Maximum functions and types of a plain word that a question for uses, tests or dependencies may mean. A word that more
/// of them have is a common one.
const MAX_PLAIN_MEANINGS: usize = 3;
/// Sigils that may begin or end a name. Texts also emphasise words with underscores.
const SIGILS: [char; 2] = ['_', '$'];

/// Words by which a question asks for code of a name: "where is x defined", "who uses the x function". What is
/// "implemented" or "located" may be more than that.
const DECLARING: &[&str] = &[
    "class", "declaration", "declared", "decorator", "defined", "definition", "enum", "function",
    "interface", "macro", "method", "struct", "trait", "type",
];

/// Words by which a question for dependencies asks for those of a function: "what does x call".
const CALLING: &[&str] = &["call", "called", "callees", "invoke", "invoked"];

/// Words for kinds of types: the capitalised word beside one is a name, as in "the Cart class".
const KINDS_OF_TYPES: [&str; 8] = [
    "class", "enum", "interface", "protocol", "record", "struct", "trait", "type",
];

/// Whether a word carries no meaning about code.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

impl Resolver<'_> {
    /// Resolves the words of the title, alone and joined.
    pub(super) fn title_words(&mut self, text: &QueryText) {
        let Some(title) = text
            .segments
            .iter()
            .find(|segment| segment.kind == SegmentKind::Title)
        else {
            return;
        };
        let names = self.resolved_names();
        let asking = intent::asking_words(text);
        let mut title = without_paths(&without_fixed_wording(&title.text), text);
        if self.asks.is_some() {
            title = self.without_file_names(&without_type_arguments(&title));
        }
        let mut clauses = clauses(&without_names(&title, |name| names.contains(name)));
        // "Who uses x" is not about a function `use`.
        for clause in &mut clauses {
            clause.retain(|word| !asking.contains(word));
        }
        match self.asks {
            Some(asks) => {
                self.looked_up(asks, &title, &names, &mut clauses);
                self.found.has_only_names = self.are_parts_of_names(clauses.iter().flatten());
            }
            None => self.called_types(&title, &names),
        }
        for words in &clauses {
            for [a, b, c] in words.array_windows::<3>() {
                self.joined(&[a, b, c]);
            }
            for [a, b] in words.array_windows::<2>() {
                self.joined(&[a, b]);
                self.joined(&[b, a]);
                self.passive(a, b);
            }
        }
        for word in clauses.iter().flatten().filter(|word| word.len() >= 4) {
            let found = self.variants_of(word);
            let strength = self.config.strength.word;
            self.add_definitions(word, EvidenceSource::Word, strength, &found);
        }
    }

    /// Resolves the plain words that a title calls types and that are the names of some: `Cart` of "the Cart class is empty".
    fn called_types(&mut self, title: &str, resolved: &HashSet<String>) {
        let words = title.split(|c: char| !c.is_alphanumeric() && !SIGILS.contains(&c));
        let words = words.filter(|word| !word.is_empty()).take(MAX_WORDS);
        let words: Vec<&str> = words.collect();
        for (at, pair) in words.array_windows::<2>().enumerate() {
            let name = match pair {
                [kind, name] if KINDS_OF_TYPES.contains(kind) => name,
                // A sentence begins in upper case.
                [name, kind] if at > 0 && KINDS_OF_TYPES.contains(kind) => name,
                _ => continue,
            };
            if !name.starts_with(char::is_uppercase) || resolved.contains(*name) {
                continue;
            }
            let mut types = self.known_as(name);
            types.retain(|id| self.snapshot.files.definition(*id).kind.is_class());
            let strength = self.config.strength.title;
            self.add_definitions(name, EvidenceSource::Title, strength, &types);
        }
    }

    /// Returns a title without the names of the files that it names, with or without their directories: `event.h`.
    fn without_file_names(&self, title: &str) -> String {
        let files = self.found.files.iter();
        let named = files.filter(|found| found.from == EvidenceSource::Path);
        let names = named.map(|found| self.snapshot.files.file(found.file).path.file_name());
        let names: HashSet<&str> = names.collect();
        let is_outside = |c: char| !c.is_alphanumeric() && c != '_';
        let tokens = title.split_inclusive(char::is_whitespace);
        let kept = tokens.map(
            |token| match names.contains(token.trim_matches(is_outside)) {
                true => ", ",
                false => token,
            },
        );
        kept.collect()
    }

    /// Resolves the plain words that a short question looks up, if they are spelled like definitions, and removes them:
    /// `Group` of "where is Group defined?". More words than the question has names are a phrase.
    fn looked_up(
        &mut self,
        asks: LookUp,
        title: &str,
        resolved: &HashSet<String>,
        clauses: &mut [Vec<String>],
    ) {
        let max_names = match asks {
            LookUp::Difference => 2,
            _ => 1,
        };
        let symbols = self.found.symbols.iter();
        let names = symbols.filter(|symbol| symbol.is_identifier());
        let names: HashSet<&str> = names.map(|symbol| symbol.name.as_str()).collect();
        let max_words = max_names - names.len().min(max_names);
        let is_resolved = |word: &String| resolved.iter().any(|name| name.to_lowercase() == *word);
        let mut words: Vec<String> = clauses.iter().flatten().cloned().collect();
        words.retain(|word| !is_resolved(word));
        if words.len() > max_words {
            words.retain(|word| !BESIDE_NAMES.contains(&word.as_str()));
        }
        if words.len() > max_words {
            return;
        }
        for word in words {
            let Some(name) = self.spelled_like_definition(&word, asks, title) else {
                continue;
            };
            self.name(name, EvidenceSource::Title, self.config.strength.title);
            for clause in &mut *clauses {
                clause.retain(|other| *other != word);
            }
        }
    }

    /// Whether all words are parts of resolved names, or beside them.
    fn are_parts_of_names<'w>(&self, mut words: impl Iterator<Item = &'w String>) -> bool {
        let names = self.resolved_names();
        let modules = self.modules.iter();
        let modules = modules.flat_map(|module| module.split(['.', '_']));
        let parts = names.iter().map(String::as_str).chain(modules);
        let parts: HashSet<String> = parts
            .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()))
            .map(str::to_lowercase)
            .collect();
        let is_beside = |word: &str| BESIDE_NAMES.contains(&word) || DECLARING.contains(&word);
        words.all(|word| parts.contains(word) || is_beside(word))
    }

    /// Returns a word as the title spells it, if that is the name of a definition. A word in lower case is only meant as a
    /// name if it has a sigil (`$patch`, `_load`) or the mark of a macro (`check!`), or where functions, types or constants
    /// are asked about: "where is caching implemented?" looks for more than a variable `caching`. Anything may have uses,
    /// tests and dependencies: in questions for these, a word is a name only if a few functions or types have it, and nothing else.
    fn spelled_like_definition<'t>(
        &self,
        word: &str,
        asks: LookUp,
        title: &'t str,
    ) -> Option<&'t str> {
        let tokens = title.split(|c: char| !c.is_alphanumeric() && !SIGILS.contains(&c));
        let tokens = tokens.filter(|token| !token.is_empty());
        let mut tokens = tokens.enumerate();
        let spells = |token: &str| token.trim_matches(SIGILS).to_lowercase() == word;
        let (at, token) = tokens.find(|(_, token)| spells(token))?;
        let name = token.trim_matches(SIGILS);
        if name != token && !self.known_as(token).is_empty() {
            return Some(token);
        }
        let mut found = self.known_as(name);
        if found.is_empty() {
            found = self.imported_as(name);
        }
        let files = &self.snapshot.files;
        let is_any = |test: fn(DefinitionKind) -> bool| {
            let mut kinds = found.iter().map(|id| files.definition(*id).kind);
            kinds.any(test)
        };
        let is_macro = |id: &DefId| files.definition(*id).modifiers.is_macro;
        let is_marked = || title.contains(&format!("{token}!"));
        let is_meant = match (asks, name.starts_with(char::is_uppercase)) {
            _ if found.iter().any(is_macro) && is_marked() => true,
            // A sentence begins in upper case.
            (_, true) => at > 0 && !found.is_empty(),
            (LookUp::Calls, _) => is_any(is_declared),
            (LookUp::Dependencies, _) if asks_for_calls(title) => {
                is_any(DefinitionKind::is_function)
            }
            (LookUp::Overrides, _) => is_any(DefinitionKind::is_function),
            (LookUp::Implementers, _) => is_any(DefinitionKind::is_class),
            (LookUp::Definition | LookUp::Uses | LookUp::Tests, _)
                if asks_for_declaration(title) =>
            {
                is_any(is_declared)
            }
            (LookUp::Uses | LookUp::Tests | LookUp::Dependencies, _) => {
                self.are_few_functions_or_types(&found)
            }
            _ => false,
        };
        is_meant.then_some(name)
    }

    /// Whether the definitions of a name in source files are a few functions or types, and nothing else.
    fn are_few_functions_or_types(&self, found: &[DefId]) -> bool {
        let files = &self.snapshot.files;
        let mut code = found.to_vec();
        code.retain(|id| files.role_of(*id) == Role::Source);
        self.hide_declarations(&mut code);
        let is_function_or_type = |id: &DefId| {
            let kind = files.definition(*id).kind;
            kind.is_function() || kind.is_class()
        };
        !code.is_empty()
            && code.iter().all(is_function_or_type)
            && count_meanings(files, &code) <= MAX_PLAIN_MEANINGS
    }

    /// Returns the names of the query that are identifiers of the repository, and each part of dotted ones.
    fn resolved_names(&self) -> HashSet<String> {
        let symbols = self.found.symbols.iter();
        let names = symbols.filter(|symbol| symbol.is_identifier());
        let names = names.map(|symbol| symbol.name.as_str());
        let names = names.flat_map(|name| name.split('.').chain([name]));
        names.map(str::to_owned).collect()
    }

    fn joined(&mut self, words: &[&String]) {
        let Some((last, first)) = words.split_last() else {
            return;
        };
        let head: String = first.iter().map(|word| word.as_str()).collect();
        let mut found: Vec<DefId> = Vec::new();
        for tail in variants(last) {
            found.extend(self.snapshot.symbols.folded(&format!("{head}{tail}")));
        }
        let label = words
            .iter()
            .map(|word| word.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        let strength = self.config.strength.words;
        if !found.is_empty() {
            self.add_definitions(&label, EvidenceSource::Words, strength, &found);
        } else if words.len() == 2 {
            self.fuzzy(&label.replace(' ', "_"), EvidenceSource::Words, strength);
        }
    }

    /// Resolves a noun and the participle after it to the functions and types that the verb and the noun name: "where are
    /// plugins registered" to `registerPlugin`.
    fn passive(&mut self, noun: &str, participle: &str) {
        for verb in verbs(participle) {
            let tails = variants(noun).into_iter();
            let mut found: Vec<DefId> = tails
                .flat_map(|tail| self.snapshot.symbols.folded(&format!("{verb}{tail}")))
                .copied()
                .collect();
            found.retain(|id| {
                let kind = self.snapshot.files.definition(*id).kind;
                kind.is_function() || kind.is_class()
            });
            let label = format!("{verb} {noun}");
            let strength = self.config.strength.words;
            self.add_definitions(&label, EvidenceSource::Words, strength, &found);
        }
    }

    fn variants_of(&self, word: &str) -> Vec<DefId> {
        variants(word)
            .iter()
            .flat_map(|variant| self.snapshot.symbols.folded(variant))
            .copied()
            .collect()
    }
}

/// Whether code of a kind is mostly spoken of by its name. A macro that stands for a function is a constant.
fn is_declared(kind: DefinitionKind) -> bool {
    let is_named = matches!(kind, DefinitionKind::Constant | DefinitionKind::TypeAlias);
    is_named || kind.is_function() || kind.is_class()
}

/// Whether a question asks for code of a name.
fn asks_for_declaration(title: &str) -> bool {
    has_word(title, DECLARING)
}

/// Whether a question for dependencies asks for those of a function.
fn asks_for_calls(title: &str) -> bool {
    has_word(title, CALLING)
}

fn has_word(title: &str, words: &[&str]) -> bool {
    let mut found = title.split(|c: char| !c.is_alphanumeric());
    found.any(|word| words.contains(&word.to_lowercase().as_str()))
}

/// Removes type arguments: a question about `Pool<Item>` looks up `Pool`.
fn without_type_arguments(title: &str) -> String {
    let mut text = String::with_capacity(title.len());
    let mut depth = 0_usize;
    for c in title.chars() {
        let is_behind_name = text.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
            && !text.ends_with("operator");
        match c {
            '<' if depth > 0 || is_behind_name => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => text.push(c),
            _ => {}
        }
    }
    match depth {
        0 => text,
        // A sign of comparison, as in `operator<`.
        _ => title.to_owned(),
    }
}

/// Replaces dotted names, and names of several words, that were resolved by commas: `do_close_door` is found by its name, so
/// that its words do not also mean `close_door`.
fn without_names(title: &str, is_resolved: impl Fn(&str) -> bool) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_dotted = |name: &str| name.contains('.') && is_resolved(name);
    let title = without_tokens(title, |c| is_part(c) || c == '.', is_dotted);
    without_tokens(&title, is_part, |name| {
        name.contains('_') && is_resolved(name)
    })
}

/// Replaces tokens by commas. A token is a run of characters that `continues` accepts, up to its last letter, digit or
/// underscore.
fn without_tokens(
    text: &str,
    continues: impl Fn(char) -> bool,
    is_left_out: impl Fn(&str) -> bool,
) -> String {
    let mut left = String::with_capacity(text.len());
    for token in text.split_inclusive(|c: char| !continues(c)) {
        let name = token.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        match is_left_out(name) {
            true => left.extend([",", token.strip_prefix(name).unwrap_or("")]),
            false => left.push_str(token),
        }
    }
    left
}

/// Replaces the certain paths with folders of a title by commas: the words of `src/cart.py` say no more than the path.
fn without_paths(title: &str, text: &QueryText) -> String {
    let paths = text.paths.iter().filter(|path| path.is_certain);
    let paths: HashSet<&str> = paths.map(|path| path.path.as_str()).collect();
    let is_path = |token: &str| {
        let path = token.split(':').next().unwrap_or(token);
        let path = path.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        path.contains('/') && paths.contains(path)
    };
    let tokens = title.split_inclusive(char::is_whitespace);
    let kept = tokens.map(|token| if is_path(token) { ", " } else { token });
    kept.collect()
}

/// Returns the words of each clause of a title, without stop words: words of different clauses form no name.
fn clauses(title: &str) -> Vec<Vec<String>> {
    let mut left = MAX_WORDS;
    let parts = title.split([',', ';', ':', '?', '!', '(', ')']);
    let clauses = parts.flat_map(|part| part.split(". "));
    clauses
        .map(|clause| {
            let words = clause.split(|c: char| !c.is_alphanumeric());
            let words = words.map(str::to_lowercase);
            let words = words.filter(|word| word.len() >= 2 && !is_stop_word(word));
            let words: Vec<String> = words.take(left).collect();
            left -= words.len();
            words
        })
        .collect()
}

/// Returns the verbs that a participle may be of: `load` and `loade` for `loaded`; none for another word.
fn verbs(participle: &str) -> Vec<String> {
    let Some(stem) = participle.strip_suffix("ed") else {
        return Vec::new();
    };
    match stem.strip_suffix('i') {
        _ if stem.len() < 3 => Vec::new(),
        Some(stem) => vec![format!("{stem}y")],
        None => vec![stem.to_owned(), format!("{stem}e")],
    }
}

/// Returns the word, its singular or plural, and its verb stems.
fn variants(word: &str) -> Vec<String> {
    let mut out = vec![word.to_owned()];
    let mut add = |text: String| {
        if text.len() >= 3 && !out.contains(&text) {
            out.push(text);
        }
    };
    for (ending, replacements) in [
        ("ies", &["y"][..]),
        ("es", &["", "e"]),
        ("s", &[""]),
        ("ing", &["", "e"]),
        ("ed", &["", "e"]),
        ("er", &["", "e"]),
        ("ation", &["ate", "e"]),
        ("tion", &["t", "te"]),
    ] {
        if let Some(stem) = word.strip_suffix(ending) {
            for replacement in replacements {
                add(format!("{stem}{replacement}"));
            }
        }
    }
    add(format!("{word}s"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_resolved_names_are_left_out() {
        let left = without_names("who calls do_close_door, or close_it?", |name| {
            name == "do_close_door"
        });
        assert_eq!(left, "who calls ,, or close_it?");
        let is_resolved = |name: &str| matches!(name, "door.shut" | "open_it");
        for (title, wanted) in [
            ("it is door.shut.", "it is ,."),
            ("door.shut() fails", ",() fails"),
            // The name as a whole is unknown.
            ("gate.open_it fails", "gate., fails"),
            ("gate.shut fails", "gate.shut fails"),
        ] {
            assert_eq!(without_names(title, is_resolved), wanted);
        }
    }

    #[test]
    fn words_of_paths_are_left_out() {
        let words = |title: &str| {
            let text = QueryText::parse(title);
            clauses(&without_paths(title, &text)).concat().join(" ")
        };
        assert_eq!(words("Crash in shop/close_door.py:12 today"), "crash today");
        assert_eq!(words("Crash in `shop/close_door.py`."), "crash");
        assert_eq!(words("Crash in read/write locks"), "crash read write locks");
    }

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn verbs_are_those_of_participles() {
        assert_eq!(verbs("validated"), ["validat", "validate"]);
        assert_eq!(verbs("applied"), ["apply"]);
        assert_eq!(verbs("used"), [""; 0]);
        assert_eq!(verbs("plugins"), [""; 0]);
    }

    #[test]
    fn variants_undo_inflection() {
        assert!(variants("queries").contains(&"query".to_owned()));
        assert!(variants("creation").contains(&"create".to_owned()));
        assert!(variants("caching").contains(&"cache".to_owned()));
        assert!(variants("model").contains(&"models".to_owned()));
    }

    #[test]
    fn type_arguments_are_left_out_and_operators_are_kept() {
        for (title, expected) in [
            ("where is Pool<Item<T>>::take", "where is Pool::take"),
            (
                "where is operator<=> defined", "where is operator<=> defined",
            ),
            ("who uses a::to<B>", "who uses a::to"),
        ] {
            assert_eq!(without_type_arguments(title), expected);
        }
    }
}
