//! Finds where code names what the repository does not define: the types that extend or implement a type such as `Exception`,
//! the imports of a module, and the uses of other names, such as attributes of objects that a library makes. Nothing resolves
//! to these, so that the name decides; where types do not name what they implement, the methods of well-known interfaces of
//! the standard library do. Start at [`bases`], [`LibraryInterface`], [`imports`] and [`uses`].

use foveate_index::graph::CallSite;
use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{ChunkId, Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::{Import, ReferenceKind};

use super::hierarchy::library_implementers;

/// Maximum chunks with the name; a more common one is hardly meant.
const MAX_CHUNKS: usize = 4_000;

/// Returns the name of the only type that a question spells as one, without its package: `Handler` of
/// "which types implement http.Handler?". A sentence begins with a capital, too.
pub(super) fn asked_for(query: &str) -> Option<&str> {
    let names = words(query).skip(1);
    let names = names.filter_map(|word| word.rsplit(['.', ':']).next());
    let mut names = names.filter(|name| name.starts_with(char::is_uppercase));
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// Returns the names of a question as they are written.
fn words(query: &str) -> impl Iterator<Item = &str> {
    let words = query.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ':'));
    words
        .map(|word| word.trim_end_matches(['.', ':']))
        .filter(|word| !word.is_empty())
}

/// An interface of a standard library that types implement without naming it, such as `io.Reader` of Go.
#[derive(Debug)]
pub(super) struct LibraryInterface {
    /// Its name with that of its package.
    pub(super) name: &'static str,
    /// The types that implement it, those of tests last.
    pub(super) types: Vec<DefId>,
}

impl LibraryInterface {
    /// Finds the interface of a name; `None` if there is none, or nothing implements it.
    pub(super) fn named(snapshot: &Snapshot, name: &str) -> Option<Self> {
        let (name, types) = library_implementers(snapshot, name)?;
        (!types.is_empty()).then_some(Self { name, types })
    }

    /// Finds the interface that a question names with its package, unless that package is one of the directories of the
    /// `known` definitions, which the name may mean as well.
    pub(super) fn qualified(snapshot: &Snapshot, query: &str, known: &[DefId]) -> Option<Self> {
        let qualified = words(query).find(|word| word.contains('.'))?;
        let package = qualified.split('.').next();
        let is_own = |id: &DefId| {
            let directory = snapshot.files.file(id.file).path.directory();
            directory.rsplit('/').next() == package
        };
        match known.iter().any(is_own) {
            true => None,
            false => Self::named(snapshot, qualified),
        }
    }
}

/// Returns the places where types name a base, by file. Languages whose types need not name what they implement are left
/// out: there, the places would be only a part of the answer.
pub(super) fn bases(snapshot: &Snapshot, base: &str) -> Vec<CallSite> {
    let files = &snapshot.files;
    let names_bases = |id: &ChunkId| {
        let language = files.file(files.chunk_file(*id)).language;
        language.rules().lookup.implicit_interfaces.is_none()
    };
    let chunks = chunks(snapshot, base).into_iter().filter(names_bases);
    let is_base = |kind: ReferenceKind| kind == ReferenceKind::Base;
    chunks
        .flat_map(|chunk| sites_in(files, chunk, base, is_base))
        .collect()
}

/// Returns the lines that use a name, or only those that call it, by file.
pub(super) fn uses(snapshot: &Snapshot, name: &str, only_calls: bool) -> Vec<CallSite> {
    let chunks = chunks(snapshot, name).into_iter();
    let is_use = move |kind: ReferenceKind| !only_calls || kind == ReferenceKind::Call;
    let sites = chunks.flat_map(|chunk| sites_in(&snapshot.files, chunk, name, is_use));
    let mut sites: Vec<CallSite> = sites.collect();
    sites.dedup_by_key(|site| (site.file, site.line));
    sites
}

/// The imports of a module, by file.
#[derive(Debug)]
pub(super) struct ForeignImports {
    /// The module as the question spells it.
    pub(super) module: String,
    /// The first import of each file, by its position among the imports.
    pub(super) first: Vec<(FileId, usize)>,
}

/// Returns the imports of the module that a question names: `debug` of "who imports debug?".
pub(super) fn imports(snapshot: &Snapshot, query: &str) -> Option<ForeignImports> {
    let module = asked_module(query)?;
    let first = imports_of(snapshot, module);
    let module = module.to_owned();
    (!first.is_empty()).then_some(ForeignImports { module, first })
}

/// Returns the word of a question that stands where the name of a module does: before words that are said of modules, and
/// right after a verb or article. The last word of a phrase, such as "the http cache", is none.
fn asked_module(query: &str) -> Option<&str> {
    const BEFORE: [&str; 17] = [
        "are", "consumes", "from", "import", "importing", "imports", "is", "of", "on", "reference",
        "references", "require", "requires", "the", "use", "uses", "using",
    ];
    const AFTER: [&str; 13] = [
        "anywhere", "consumed", "crate", "dependency", "from", "gem", "imported", "library",
        "module", "package", "referenced", "required", "used",
    ];
    let is_around = |c: char| matches!(c, '`' | '"' | '\'' | '?' | '.' | ',' | '!');
    let words: Vec<&str> = query
        .split_whitespace()
        .map(|word| word.trim_matches(is_around))
        .filter(|word| !word.is_empty())
        .collect();
    let at = words.iter().rposition(|word| !AFTER.contains(word))?;
    let before = words.get(at.checked_sub(1)?)?.to_lowercase();
    let module = words.get(at).copied()?;
    BEFORE.contains(&before.as_str()).then_some(module)
}

/// Returns the first import of a module, or of a part of it, in each file.
fn imports_of(snapshot: &Snapshot, module: &str) -> Vec<(FileId, usize)> {
    let files = &snapshot.files;
    let is_of_module = |import: &Import| {
        let rest = import.module.strip_prefix(module);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', ':']))
    };
    let mut found: Vec<FileId> = [Field::Code, Field::Text]
        .into_iter()
        .flat_map(|field| chunks_in(snapshot, module, field))
        .map(|chunk| files.chunk_file(chunk))
        .collect();
    found.sort_unstable();
    found.dedup();
    let first = found.into_iter().filter_map(|file| {
        let imports = &files.content(file)?.facts.imports;
        Some((file, imports.iter().position(is_of_module)?))
    });
    first.collect()
}

/// Returns the chunks whose code has the words of a name.
fn chunks(snapshot: &Snapshot, name: &str) -> Vec<ChunkId> {
    chunks_in(snapshot, name, Field::Code)
}

fn chunks_in(snapshot: &Snapshot, name: &str, field: Field) -> Vec<ChunkId> {
    let lexical = &snapshot.lexical;
    // The search for the words of the query reports an index that cannot be read.
    let found = lexical.chunks_with(&terms(name), field, MAX_CHUNKS);
    found.unwrap_or_default()
}

/// Returns the references of a chunk that have a name and are of a kind.
fn sites_in<'a>(
    files: &'a Files,
    chunk: ChunkId,
    name: &'a str,
    is_meant: impl Fn(ReferenceKind) -> bool + 'a,
) -> impl Iterator<Item = CallSite> + 'a {
    let file = files.chunk_file(chunk);
    let span = files.chunk(chunk).span;
    let text = files.text(file);
    let references = files
        .content(file)
        .map_or(&[][..], |content| content.facts.references.as_slice());
    let first = references.partition_point(|reference| reference.name.start < span.start);
    let within = references.iter().enumerate().skip(first);
    let within = within.take_while(move |(_, reference)| reference.name.start < span.end);
    let meant = within
        .filter(move |(_, reference)| is_meant(reference.kind) && reference.name.of(text) == name);
    meant.map(move |(position, reference)| CallSite {
        file,
        line: reference.line,
        reference: u32::try_from(position).unwrap_or(u32::MAX),
        enclosing: reference.enclosing.map(|local| DefId::new(file, local)),
        confidence: Confidence::NameOnly,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_is_a_word_alone() {
        for (query, wanted) in [
            ("who imports debug?", Some("debug")),
            ("Who uses the `node:fs` module?", Some("node:fs")),
            (
                "where is werkzeug.local imported from",
                Some("werkzeug.local"),
            ),
            ("who imports from $app/paths", Some("$app/paths")),
            ("who uses the http cache", None),
            ("who uses node fetch", None),
            ("who imports module", None),
            ("", None),
        ] {
            assert_eq!(asked_module(query), wanted, "{query}");
        }
    }

    #[test]
    fn name_of_a_base_is_the_only_one_spelled_as_a_type() {
        for (query, wanted) in [
            ("which types implement http.Handler?", Some("Handler")),
            ("who implements fmt::Display", Some("Display")),
            (
                "List all subclasses of `RuntimeError`.",
                Some("RuntimeError"),
            ),
            ("which classes implement sinks", None),
            ("which classes extend Shelf or Door", None),
        ] {
            assert_eq!(asked_for(query), wanted, "{query}");
        }
    }
}
