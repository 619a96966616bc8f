//! Resolves the definitions and files that a query names. Each is evidence with its source and strength.
//! Nothing is ranked here.
//!
//! Reading order: [`changes`] records what the caller changed. [`frames`] resolves stack traces, with the help of
//! [`packages`] and [`copies`]; [`failed_tests`] the tests that runners name; [`paths`] and [`lines`] the files and lines
//! that the query names; [`names`] its identifiers, of which [`similar`] finds misspelt ones and [`aliases`] those that files
//! give to what they import; [`words`] its plain words;
//! [`literals`] its exact texts, and [`translations`] texts of the user interface; [`releases`] the releases and [`dependencies`] the dependencies that it asks about.
//! [`places`] finds code that callers name as answers do. [`source`] and [`symbol`] define the results. Start at
//! [`resolve()`].

mod aliases;
mod changes;
mod copies;
mod dependencies;
mod failed_tests;
mod frames;
mod lines;
mod literals;
mod names;
mod packages;
mod paths;
pub(crate) mod places;
mod releases;
pub(crate) mod similar;
mod source;
mod symbol;
mod translations;
mod words;

pub(crate) use self::changes::definition_around;
pub use self::lines::NamedLine;
pub(crate) use self::lines::has_blocks;
pub(crate) use self::names::dotted;
pub use self::releases::NamedSection;
pub use self::source::EvidenceSource;
pub use self::symbol::{ListedSymbol, ResolvedSymbol};
pub(crate) use self::words::is_stop_word;

use std::cell::{Cell, OnceCell};

use foldhash::HashSet;
use foveate_index::{DefId, FileId, Files, Snapshot};
use foveate_model::{DefinitionKind, Role};

use self::packages::Manifests;
use crate::deadline::{Deadline, Stage};
use crate::intent::{self, IntentKind, LookUp};
use crate::issue::{self, Issue, IssueCode};
use crate::request::{Focus, Hunk, Request};
use crate::text::QueryText;

/// The `[resolve]` table of `config/ranking.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "config/ranking.toml documents each number")]
pub struct ResolveConfig {
    pub strength: StrengthConfig,
    pub max_definitions: usize,
    pub max_files_of_path: usize,
    pub max_listed_definitions: usize,
    pub min_fuzzy_similarity: f64,
    pub min_fuzzy_name_len: usize,
    pub max_fuzzy_names: usize,
    pub min_frame_word: usize,
    pub max_frame_definitions: usize,
    pub max_application_definitions: usize,
}

/// Strength of evidence, 0 to 1, before it is divided by the number of definitions that share the
/// name.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "config/ranking.toml documents each number")]
pub struct StrengthConfig {
    pub qualified: f32,
    pub inline_code: f32,
    pub title: f32,
    pub prose: f32,
    pub error_message: f32,
    pub code_block: f32,
    pub import: f32,
    pub literal: f32,
    pub last_frame: f32,
    pub frame: f32,
    pub line: f32,
    pub path: f32,
    pub words: f32,
    pub word: f32,
    pub focus: f32,
    pub last_name: f32,
    pub folded: f32,
    pub fuzzy: f32,
}

/// Evidence that the query means a definition.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionEvidence {
    /// Which definition.
    pub definition: DefId,
    /// 0 to 1: the weight of the kind of mention divided by how many definitions share the name; in the main file of a type
    /// with parts in several, by how many of them it has.
    pub strength: f32,
    /// 0 to 1: the weight of the kind of mention.
    pub mention: f32,
    /// How many definitions share the name, where a type and its constructors count as one, and so do overloads and the
    /// parts of a type.
    pub meanings: usize,
    /// Source of the evidence.
    pub from: EvidenceSource,
}

impl DefinitionEvidence {
    /// Returns the weight of the kind of mention divided by the number of meanings, 0 to 1.
    pub(crate) fn certainty(&self) -> f32 {
        self.mention / self.meanings as f32
    }
}

/// Evidence that the query means a file.
#[derive(Clone, Copy, Debug)]
pub struct FileEvidence {
    /// Which file.
    pub file: FileId,
    /// 0 to 1.
    pub strength: f32,
    /// Source of the evidence.
    pub from: EvidenceSource,
}

/// The result of resolving a query: the definitions and files that it names, and the names that nothing has.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// Symbols of the query, for the answer to list.
    pub symbols: Vec<ResolvedSymbol>,
    /// Definitions with their evidence, in the order of discovery.
    pub definitions: Vec<DefinitionEvidence>,
    /// Files with their evidence, in the order of discovery.
    pub files: Vec<FileEvidence>,
    /// Sections of documents that the query names by their headings, the best first.
    pub sections: Vec<NamedSection>,
    /// Lines that the query names and that are in no function, each with its stretch.
    pub lines: Vec<NamedLine>,
    /// The first functions that messages of compilers, linters and tests are about; if any message is an error, those of
    /// errors.
    pub reported: Vec<DefId>,
    /// The function of the innermost stack frame that is found, or else at the first line that the query names.
    pub place: Option<DefId>,
    /// Of each error that led to the one at `place`, the function of the innermost stack frame that is found.
    pub causes: Vec<DefId>,
    /// The parts that the caller changed, with their files.
    pub changed: Vec<(FileId, Hunk)>,
    /// Paths and symbols of the focus that the snapshot does not have, as given.
    pub unknown: UnknownFocus,
    /// Names in the prose and inline code of the query that no definition has, without those that the caller's change
    /// removed; one with a similar name may have been found.
    pub unknown_names: Vec<String>,
    /// Whether the query is a short question that looks up names and says nothing else: "where is `Shelf` defined?", but not
    /// "where is the width of `Shelf` defined?".
    pub has_only_names: bool,
}

/// Paths and symbols of a focus that a snapshot does not have.
#[derive(Clone, Debug, Default)]
pub struct UnknownFocus {
    /// Paths without a file.
    pub paths: Vec<String>,
    /// Symbols without a definition of that name; one with a similar name may have been found.
    pub symbols: Vec<String>,
}

impl Resolution {
    /// Returns an issue that lists the unknown paths and symbols of the focus, if there are any.
    pub(crate) fn unknown_focus(&self) -> Option<Issue> {
        let named = |what: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{what}: {}", issue::list(names)))
        };
        let UnknownFocus { paths, symbols } = &self.unknown;
        let unknown: Vec<String> = [named("files", paths), named("symbols", symbols)]
            .into_iter()
            .flatten()
            .collect();
        let advice = match (paths.is_empty(), symbols.is_empty()) {
            (true, true) => return None,
            (true, false) => "names as they are defined",
            (false, true) => "paths of files from the repository's root",
            (false, false) => {
                "paths of files from the repository's root, and names as they are defined"
            }
        };
        Some(Issue {
            code: IssueCode::UnknownFocus,
            detail: format!(
                "`focus` has entries that are not in this revision ({}); give {advice}",
                unknown.join("; ")
            ),
        })
    }

    /// Whether a question names only what the repository lacks: names, or members of types that it has. An issue names
    /// much that is not in the repository; a question asks for what it names.
    pub(crate) fn asks_for_unknown_names(&self, intent: IntentKind) -> bool {
        if intent.is_change() || self.unknown_names.is_empty() || !self.files.is_empty() {
            return false;
        }
        // `Cart.sell` is not known because `Cart` is.
        let unknown = self.unknown_names.iter();
        let owners: HashSet<&str> = unknown
            .filter_map(|name| name.rsplit_once('.'))
            .flat_map(|(owner, _)| owner.split('.'))
            .collect();
        let is_known = |symbol: &ResolvedSymbol| {
            symbol.is_identifier() && !owners.contains(symbol.name.as_str())
        };
        !self.symbols.iter().any(is_known)
    }

    /// Returns an issue that lists the unknown names of a question, if it names nothing that is known. `found_files` is
    /// the number of files that were found nevertheless.
    pub(crate) fn unknown_names(&self, intent: IntentKind, found_files: usize) -> Option<Issue> {
        if !self.asks_for_unknown_names(intent) {
            return None;
        }
        let shown = match found_files {
            0 => "",
            _ => "; what is shown has similar names or words",
        };
        Some(self.unknown_name(shown))
    }

    /// Returns the issue that lists the unknown names, and says `more`.
    pub(crate) fn unknown_name(&self, more: &str) -> Issue {
        Issue {
            code: IssueCode::UnknownName,
            detail: format!(
                "this revision defines nothing of this name: {}{more}",
                issue::list(&self.unknown_names)
            ),
        }
    }
}

/// Resolves the names, paths, frames and literals of the query, and the focus and changes of the request.
pub fn resolve(
    snapshot: &Snapshot,
    text: &QueryText,
    request: &Request,
    config: &ResolveConfig,
    deadline: &Deadline,
) -> Resolution {
    let mut resolver = Resolver {
        snapshot,
        config,
        deadline,
        asks: intent::look_up_of(text),
        found: Resolution::default(),
        listed: HashSet::default(),
        fuzzy_left: config.max_fuzzy_names,
        aliases_left: Cell::new(aliases::MAX_NAMES),
        modules: Vec::new(),
        copies: HashSet::default(),
        manifests: OnceCell::new(),
    };
    resolver.changes(&request.changes);
    resolver.focus(&request.focus);
    resolver.frames(text);
    resolver.failed_tests(text);
    resolver.paths(text);
    resolver.imports(text);
    resolver.mentions(text);
    resolver.sigil_words(text);
    resolver.drop_known_names(request);
    resolver.literals(text);
    resolver.literal_names(text);
    resolver.translated_texts(text);
    resolver.title_words(text);
    resolver.releases(text);
    resolver.dependencies(text);
    resolver.found
}

/// Collects evidence; the search itself is in the submodules.
struct Resolver<'a> {
    snapshot: &'a Snapshot,
    config: &'a ResolveConfig,
    deadline: &'a Deadline,
    /// What the query looks up, if it is a short question for that.
    asks: Option<LookUp>,
    found: Resolution,
    /// The names of `found.symbols`, where they are from, and what they may mean: frames of different files can look alike.
    listed: HashSet<(String, EvidenceSource, Vec<DefId>)>,
    fuzzy_left: usize,
    /// How many more names are searched for among those that imports give.
    aliases_left: Cell<usize>,
    /// Dotted names of the query that lead to a file.
    modules: Vec<String>,
    /// Generated files for which their sources count: the query names code in them.
    copies: HashSet<FileId>,
    /// Read when a frame or path first needs them.
    manifests: OnceCell<Manifests>,
}

/// Counts the meanings of a name with the definitions `meant`: a type and its constructors are one meaning, and so are
/// the overloads of a function and the parts of a type in one file, or in files of one package or namespace: partial
/// classes of C#, `expect` and `actual` of Kotlin. Types of one name and other type parameters count as one, too.
pub(crate) fn count_meanings(files: &Files, meant: &[DefId]) -> usize {
    // A repository may have any number of definitions of a name.
    let all: HashSet<DefId> = meant.iter().copied().collect();
    let is_constructor = |id: &&DefId| {
        let parent = files.definition(**id).parent;
        parent.is_some_and(|parent| all.contains(&DefId::new(id.file, parent)))
    };
    let others = meant.iter().filter(|id| !is_constructor(id));
    let names: HashSet<(Option<FileId>, &str, &str)> = others
        .map(|id| {
            let package = unique_package(files, id.file);
            let file = package.is_empty().then_some(id.file);
            (file, package, &*files.definition(*id).qualified_name)
        })
        .collect();
    names.len().max(1)
}

/// Returns the file that is named after a type with parts in several files, such as `Cart.cs` of a partial class. A text that
/// names the type is about this part rather than about the others. `parts` must have one meaning.
fn main_file(files: &Files, parts: &[DefId]) -> Option<FileId> {
    let first = parts.first()?;
    if parts.iter().all(|id| id.file == first.file) {
        return None;
    }
    let is_named_so = |id: &&DefId| {
        let definition = files.definition(**id);
        definition.kind.is_container() && files.file(id.file).path.stem() == &*definition.name
    };
    let mut named = parts.iter().filter(is_named_so).map(|id| id.file);
    let file = named.next()?;
    named.all(|other| other == file).then_some(file)
}

/// Returns the package that a file declares, if its name tells it from all others; else an empty text. Code of Go and Rust
/// names packages by the last part of their paths, which several may share.
fn unique_package(files: &Files, file: FileId) -> &str {
    let rules = &files.file(file).language.rules().lookup;
    match files.content(file) {
        Some(content) if !rules.uses_name_their_package => &content.facts.package,
        _ => "",
    }
}

/// Returns the values that are one thing with another definition of their name in their file: with an interface, as in
/// TypeScript, where a type and a value may share a name, or with the inner function that a factory makes them of, as in
/// `export const open = makeOpen()`.
fn counterparts(files: &Files, meant: &[DefId]) -> HashSet<DefId> {
    let kind = |id: DefId| files.definition(id).kind;
    let is_value =
        |kind: DefinitionKind| matches!(kind, DefinitionKind::Constant | DefinitionKind::Variable);
    if !meant.iter().any(|id| is_value(kind(*id))) {
        return HashSet::default();
    }
    let is_inner = |id: DefId| {
        let outer = files.parent(id).map(kind);
        kind(id).is_function() && outer.is_some_and(|outer| outer.is_function() || is_value(outer))
    };
    // The qualified name of a value at the top of a file is its name.
    let others = meant.iter().filter_map(|id| {
        let definition = files.definition(*id);
        match kind(*id) {
            DefinitionKind::Interface => Some((id.file, &*definition.qualified_name)),
            _ => is_inner(*id).then_some((id.file, &*definition.name)),
        }
    });
    let others: HashSet<(FileId, &str)> = others.collect();
    let is_counterpart = |id: &DefId| {
        let name = &*files.definition(*id).qualified_name;
        is_value(kind(*id)) && others.contains(&(id.file, name))
    };
    meant.iter().copied().filter(is_counterpart).collect()
}

/// Maximum number of names of a query that are resolved.
const MAX_SYMBOLS: usize = 2000;

/// How many names, and how many paths and frames, of a query are resolved even after the deadline.
const ALWAYS_RESOLVED: usize = 16;

impl<'a> Resolver<'a> {
    /// Drops unknown names that something has after all, and repeated ones: a question about a change may name what the
    /// change removed, and a part of a file's name may look like a name.
    fn drop_known_names(&mut self, request: &Request) {
        let files = &self.snapshot.files;
        let found = self.found.files.iter();
        let found = found.filter(|found| found.from == EvidenceSource::Path);
        let paths: Vec<&str> = found.map(|found| files.path(found.file)).collect();
        let ends_path =
            |name: &str| name.contains('.') && paths.iter().any(|path| path.ends_with(name));
        let mut listed = HashSet::<String>::default();
        self.found.unknown_names.retain(|name| {
            !request.removed.has(name) && !ends_path(name) && listed.insert(name.clone())
        });
    }

    /// Iterates over a list of the query while there is time to resolve its items.
    fn in_time<T, I: IntoIterator<Item = T>>(
        &self,
        items: I,
    ) -> impl Iterator<Item = T> + use<'a, T, I> {
        let deadline = self.deadline;
        let numbered = items.into_iter().enumerate();
        let in_time = numbered.take_while(move |(position, _)| {
            *position < ALWAYS_RESOLVED || deadline.allows(Stage::Names)
        });
        in_time.map(|(_, item)| item)
    }

    /// Records that `name` may mean `definitions`. Definitions in source files hide those in tests and other
    /// files, and functions and types hide fields and variables of the same name, except for their counterparts.
    fn add_definitions(
        &mut self,
        name: &str,
        from: EvidenceSource,
        strength: f32,
        definitions: &[DefId],
    ) {
        if self.found.symbols.len() >= MAX_SYMBOLS {
            return;
        }
        let files = &self.snapshot.files;
        let in_sources = |id: &DefId| files.role_of(*id) == Role::Source;
        let mut meant: Vec<DefId> = definitions
            .iter()
            .copied()
            .filter(|id| in_sources(id))
            .collect();
        if meant.is_empty() {
            meant = definitions.to_vec();
        }
        hide_minor(files, &mut meant);
        self.hide_declarations(&mut meant);
        meant.sort_unstable();
        meant.dedup();
        if meant.is_empty() || !self.listed.insert((name.to_owned(), from, meant.clone())) {
            return;
        }
        self.found.symbols.push(ResolvedSymbol {
            name: name.to_owned(),
            from,
            definitions: meant.clone(),
        });
        if meant.len() > self.config.max_definitions {
            return;
        }
        let counterparts = counterparts(files, &meant);
        let mut counted = meant.clone();
        counted.retain(|id| !counterparts.contains(id));
        let meanings = count_meanings(files, &counted);
        let main_file = match meanings {
            1 => main_file(files, &counted),
            _ => None,
        };
        let in_main_file = |id: &DefId| Some(id.file) == main_file;
        let sharing_main = counted.iter().filter(|id| in_main_file(id)).count();
        for definition in meant {
            let sharing = match in_main_file(&definition) {
                true => sharing_main,
                false => counted.len(),
            };
            self.found.definitions.push(DefinitionEvidence {
                definition,
                strength: strength / sharing as f32,
                mention: strength,
                meanings,
                from,
            });
        }
    }

    /// Removes declarations whose definition is also in the list, such as those in headers of C.
    fn hide_declarations(&self, meant: &mut Vec<DefId>) {
        let files = &self.snapshot.files;
        let is_declaration = |id: &DefId| files.definition(*id).modifiers.is_overload;
        if !meant.iter().any(is_declaration) {
            return;
        }
        let defined: HashSet<&str> = meant
            .iter()
            .filter(|id| !is_declaration(id))
            .map(|id| &*files.definition(*id).qualified_name)
            .collect();
        meant.retain(|id| {
            !is_declaration(id) || !defined.contains(&*files.definition(*id).qualified_name)
        });
    }

    fn add_file(&mut self, file: FileId, from: EvidenceSource, strength: f32) {
        self.found.files.push(FileEvidence {
            file,
            strength,
            from,
        });
    }

    /// Records files of which the query means one: they share the strength.
    fn add_files_sharing(&mut self, files: &[FileId], from: EvidenceSource, strength: f32) {
        let share = strength / files.len() as f32;
        for file in files {
            self.add_file(*file, from, share);
        }
    }

    fn focus(&mut self, focus: &Focus) {
        let strength = self.config.strength.focus;
        for path in &focus.paths {
            match self.snapshot.files.find(path.as_str()) {
                Some(file) => self.add_file(file, EvidenceSource::Focus, strength),
                None => self.found.unknown.paths.push(path.to_string()),
            }
        }
        for symbol in &focus.symbols {
            if self.focus_symbol(symbol, strength) {
                continue;
            }
            // Hardly any name of a definition has a slash.
            let is_path = symbol.contains('/') && !symbol.contains(':');
            let unknown = &mut self.found.unknown;
            let list = match is_path {
                true => &mut unknown.paths,
                false => &mut unknown.symbols,
            };
            list.push(symbol.clone());
        }
    }

    /// Resolves a symbol of the focus: a name, `path:name` for the definition of that file alone, or the path of a file,
    /// for callers that have one list for both. Returns false if nothing has this name.
    fn focus_symbol(&mut self, symbol: &str, strength: f32) -> bool {
        let Snapshot { files, symbols, .. } = self.snapshot;
        let file = files.find(symbol.trim_start_matches("./"));
        if let Some(file) = file.filter(|_| symbols.named(symbol).is_empty()) {
            self.add_file(file, EvidenceSource::Focus, strength);
            return true;
        }
        let Some((file, name)) = places::split(files, symbol) else {
            return self.name(&dotted(symbol), EvidenceSource::Focus, strength);
        };
        let named = places::definitions(files, file, name);
        let qualified = self.config.strength.qualified.max(strength);
        self.add_definitions(symbol, EvidenceSource::Focus, qualified, &named);
        !named.is_empty()
    }
}

/// Removes the definitions of a name that others hide: functions and types hide fields and variables. An alias of a type is
/// kept beside functions and variables, as TypeScript has both under one name, but not beside types with a body. It hides
/// fields, which are often named after their type.
fn hide_minor(files: &Files, meant: &mut Vec<DefId>) {
    let kind = |id: &DefId| files.definition(*id).kind;
    let is_major = |id: &DefId| kind(id).is_function() || kind(id).is_container();
    let is_alias = |id: &DefId| kind(id) == DefinitionKind::TypeAlias;
    let has_container = meant.iter().any(|id| kind(id).is_container());
    if meant.iter().any(is_major) {
        let counterparts = counterparts(files, meant);
        let is_alias_alone = |id: &DefId| is_alias(id) && !has_container;
        meant.retain(|id| is_major(id) || is_alias_alone(id) || counterparts.contains(id));
    } else if meant.iter().any(is_alias) {
        meant.retain(|id| kind(id) != DefinitionKind::Field);
    }
}
