//! Finds the types that extend or implement a type which the repository does not define, such as `Exception` or
//! `Iterator`. Nothing resolves to such a type, so that its name decides. Start at [`sites`].

use foveate_index::graph::CallSite;
use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{Confidence, DefId, FileId, Snapshot};
use foveate_model::{Content, ReferenceKind};

/// Maximum chunks with the name; a more common one is hardly that of a base.
const MAX_CHUNKS: usize = 4_000;

/// Returns the name of the only type that a question spells as one, without its package: `Handler` of
/// "which types implement http.Handler?". A sentence begins with a capital, too.
pub(super) fn asked_for(query: &str) -> Option<&str> {
    let words = query.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ':'));
    let words = words.filter(|word| !word.is_empty()).skip(1);
    let words = words.map(|word| word.trim_end_matches(['.', ':']));
    let names = words.filter_map(|word| word.rsplit(['.', ':']).next());
    let mut names = names.filter(|name| name.starts_with(char::is_uppercase));
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// Returns the places where types name a base, by file. Languages whose types need not name what they implement have none:
/// those that do are not the whole answer.
pub(super) fn sites(snapshot: &Snapshot, base: &str) -> Vec<CallSite> {
    let Snapshot { files, lexical, .. } = snapshot;
    // The search for the words of the query reports an index that cannot be read.
    let chunks = lexical
        .chunks_with(&terms(base), Field::Code, MAX_CHUNKS)
        .unwrap_or_default();
    let mut of_files: Vec<FileId> = chunks.iter().map(|id| files.chunk_file(*id)).collect();
    of_files.dedup();
    of_files.retain(|file| {
        let rules = &files.file(*file).language.rules().lookup;
        rules.implicit_interfaces.is_none()
    });
    let contents = of_files.into_iter();
    let contents = contents.filter_map(|file| Some((file, files.content(file)?)));
    contents
        .flat_map(|(file, content)| sites_in(file, content, base))
        .collect()
}

fn sites_in<'c>(
    file: FileId,
    content: &'c Content,
    base: &'c str,
) -> impl Iterator<Item = CallSite> + 'c {
    let references = content.facts.references.iter().enumerate();
    let bases = references.filter(move |(_, reference)| {
        reference.kind == ReferenceKind::Base && reference.name.of(&content.text) == base
    });
    bases.map(move |(position, reference)| CallSite {
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
