//! Finds where code names what the repository does not define: the types that extend or implement a type such as `Exception`,
//! the imports of a module, and the uses of other names, such as attributes of objects that a library makes. Nothing resolves
//! to these, so that the name decides; where types do not name what they implement, the methods of well-known interfaces of
//! the standard library do. Start at [`base`], [`qualified_interface`], [`imports`]
//! and [`uses`].

use foveate_index::graph::CallSite;
use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{ChunkId, Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::{Import, ReferenceKind};

use super::hierarchy::library_implementers;

/// Maximum chunks with the name; a more common one is hardly meant.
const MAX_CHUNKS: usize = 4_000;

/// What code uses without the repository defining it.
#[derive(Debug)]
pub(super) struct Foreign {
    /// Its name: that of a module as the question spells it, that of an interface of a standard library with its package.
    pub(super) name: String,
    pub(super) uses: ForeignUses,
}

/// How code uses something foreign.
#[derive(Debug)]
pub(super) enum ForeignUses {
    /// The places where it is named, by file.
    Sites(Vec<CallSite>),
    /// The first import of it in each file, by its position among the imports.
    Imports(Vec<(FileId, usize)>),
    /// The types that implement it without naming it, those of tests last.
    Types(Vec<DefId>),
}

impl Foreign {
    /// Returns how many uses there are.
    pub(super) fn count(&self) -> usize {
        match &self.uses {
            ForeignUses::Sites(sites) => sites.len(),
            ForeignUses::Imports(first) => first.len(),
            ForeignUses::Types(types) => types.len(),
        }
    }
}

/// Names uses, if there are any.
fn named(name: &str, uses: ForeignUses) -> Option<Foreign> {
    let name = name.to_owned();
    let foreign = Foreign { name, uses };
    (foreign.count() > 0).then_some(foreign)
}

/// Returns the name of the only type that a question spells as one, without its package: `Handler` of
/// "which types implement http.Handler?". A sentence begins with a capital, too.
fn asked_for(query: &str) -> Option<&str> {
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

/// Finds the types that implement an interface of a standard library without naming it, such as `io.Reader` of Go.
fn library(snapshot: &Snapshot, name: &str) -> Option<Foreign> {
    let (name, types) = library_implementers(snapshot, name)?;
    named(name, ForeignUses::Types(types))
}

/// Finds the types that implement the interface that a question names with its package, unless that package is one of the
/// directories of the `known` definitions, which the name may mean as well.
pub(super) fn qualified_interface(
    snapshot: &Snapshot,
    query: &str,
    known: &[DefId],
) -> Option<Foreign> {
    let qualified = words(query).find(|word| word.contains('.'))?;
    let package = qualified.split('.').next();
    let is_own = |id: &DefId| {
        let directory = snapshot.files.file(id.file).path.directory();
        directory.rsplit('/').next() == package
    };
    match known.iter().any(is_own) {
        true => None,
        false => library(snapshot, qualified),
    }
}

/// Finds the types that extend or implement the type that a question names.
pub(super) fn base(snapshot: &Snapshot, query: &str) -> Option<Foreign> {
    let base = asked_for(query)?;
    named(base, ForeignUses::Sites(bases(snapshot, base))).or_else(|| library(snapshot, base))
}

/// Returns the places where types name a base, by file. Languages whose types need not name what they implement are left
/// out: there, the places would be only a part of the answer.
fn bases(snapshot: &Snapshot, base: &str) -> Vec<CallSite> {
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

/// Finds the lines that use a name, or only those that call it.
pub(super) fn uses(snapshot: &Snapshot, name: &str, only_calls: bool) -> Option<Foreign> {
    let chunks = chunks(snapshot, name).into_iter();
    let is_use = move |kind: ReferenceKind| !only_calls || kind == ReferenceKind::Call;
    let sites = chunks.flat_map(|chunk| sites_in(&snapshot.files, chunk, name, is_use));
    let mut sites: Vec<CallSite> = sites.collect();
    sites.dedup_by_key(|site| (site.file, site.line));
    named(name, ForeignUses::Sites(sites))
}

/// Finds the imports of the module that a question names: `debug` of "who imports debug?".
pub(super) fn imports(snapshot: &Snapshot, query: &str) -> Option<Foreign> {
    let module = asked_module(query)?;
    named(module, ForeignUses::Imports(imports_of(snapshot, module)))
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
