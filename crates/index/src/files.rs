//! Holds the table of a revision's files, and the dense ids of its files, definitions and chunks. Ids are
//! positions in path order: they are valid within one snapshot only.

mod inline_tests;
mod paths;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use foveate_model::resolution::FileTree;
use foveate_model::{Chunk, ChunkKind, Content, Definition, FileFacts, Language, Lines, LocalId};
use foveate_model::{ParseIssue, Role, SkipReason, SourceFile, Span};
use rayon::prelude::*;

pub use self::paths::PathTerms;
use self::paths::Paths;
use crate::change::Change;
pub use crate::id::DefId;
use crate::tokens::{self, for_each_term};
pub use foveate_model::FileId;

impl FileTree for Files {
    fn files(&self) -> &[SourceFile] {
        &self.files
    }

    fn find(&self, path: &str) -> Option<FileId> {
        Self::find(self, path)
    }
}

/// Index of a chunk in its snapshot, by file, then by position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub u32);

/// All files of one revision, in path order, with the id ranges of their chunks.
#[derive(Debug)]
pub struct Files {
    files: Vec<SourceFile>,
    paths: Arc<Paths>,
    /// By file, its units: see [`Files::unit_of`].
    units: Vec<Arc<Units>>,
    definitions: usize,
    /// `first_chunk[f]..first_chunk[f + 1]` are the chunks of file `f`.
    first_chunk: Vec<u32>,
    chunk_file: Vec<FileId>,
    /// By file, the size of its text in bytes.
    text_bytes: Vec<u32>,
    /// See [`Files::unindexed_sources`].
    unindexed_sources: Vec<FileId>,
    /// See [`Files::well_known`].
    well_known: Vec<FileId>,
}

/// A unit: see [`Files::unit_of`]. It holds the few values that ranking reads for thousands of units, close
/// together in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its id within its file.
    pub local: LocalId,
    /// The definition that encloses it.
    pub parent: Option<LocalId>,
    /// How many lines it has.
    pub lines: u32,
}

/// Data derived from a file's definitions. Snapshots that have the same file share it.
#[derive(Debug, Default)]
struct Units {
    /// By definition, its unit.
    by_definition: Box<[Option<LocalId>]>,
    /// The definitions that are units, in order.
    all: Box<[Unit]>,
    /// By chunk, the position of its unit in `all`; [`NO_UNIT`] if it is in none.
    of_chunks: Box<[u32]>,
    /// By definition, whether its decorators or those around it make it test code; empty if none is.
    test_code: Box<[bool]>,
    /// Computed on first use.
    names: OnceLock<NameHashes>,
}

const NO_UNIT: u32 = u32::MAX;

/// The names of a file's definitions.
#[derive(Debug)]
struct NameHashes {
    /// By definition, the [hash](tokens::hash) of its name.
    hashes: Box<[u64]>,
    /// `ends[d - 1]..ends[d]` is the range of definition `d` in `terms`.
    ends: Box<[u32]>,
    /// [Hashes](tokens::hash) of the terms of all names.
    terms: Box<[u64]>,
}

impl NameHashes {
    fn new(definitions: &[Definition]) -> Self {
        let mut terms = Vec::new();
        let ends = definitions.iter().map(|definition| {
            for_each_term(&definition.name, |term| terms.push(tokens::hash(term)));
            terms.len() as u32
        });
        Self {
            ends: ends.collect(),
            hashes: definitions.iter().map(|d| tokens::hash(&d.name)).collect(),
            terms: terms.into(),
        }
    }

    fn terms(&self, local: LocalId) -> &[u64] {
        let at = local.0 as usize;
        let end = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.terms.get(start..end(at)).unwrap_or_default()
    }
}

impl Files {
    /// Sorts the files by path and assigns ids to their definitions and chunks. Of two files with the same
    /// path the first is kept.
    pub fn new(files: Vec<SourceFile>) -> Self {
        Self::derive(files, None).0
    }

    /// Like [`Self::new`], but shares data of unchanged files with an earlier snapshot. Also returns the
    /// difference from it.
    pub(crate) fn derive(
        mut files: Vec<SourceFile>,
        previous: Option<&Self>,
    ) -> (Self, Option<Change>) {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|b, a| a.path == b.path);
        let change = previous.map(|previous| Change::between(&previous.files, &files));
        let known = previous.zip(change.as_ref());
        let paths = match known {
            Some((previous, change)) if change.is_stable() => Arc::clone(&previous.paths),
            _ => Arc::new(Paths::new(&files)),
        };
        let units = units_of_files(&files, known);
        let mut table = Self {
            paths,
            units,
            definitions: 0,
            first_chunk: Vec::with_capacity(files.len() + 1),
            chunk_file: Vec::new(),
            text_bytes: Vec::with_capacity(files.len()),
            unindexed_sources: Vec::new(),
            well_known: Vec::new(),
            files,
        };
        for (file, id) in table.files.iter().zip((0..).map(FileId)) {
            table.first_chunk.push(table.chunk_file.len() as u32);
            let bytes = file.content.as_ref().map_or(0, |c| c.text.len());
            table.text_bytes.push(bytes as u32);
            if is_unindexed_source(file) {
                table.unindexed_sources.push(id);
            }
            if !file.purpose.words.is_empty() {
                table.well_known.push(id);
            }
            if let Some(content) = &file.content {
                let facts = &content.facts;
                table.definitions += facts.definitions.len();
                table
                    .chunk_file
                    .resize(table.chunk_file.len() + facts.chunks.len(), id);
            }
        }
        table.first_chunk.push(table.chunk_file.len() as u32);
        (table, change)
    }

    /// Returns the number of files, skipped ones included.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the revision has no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the number of definitions.
    pub fn definition_count(&self) -> usize {
        self.definitions
    }

    /// Returns the number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunk_file.len()
    }

    /// Returns all file ids, in path order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }

    /// Returns all definition ids, by file and position.
    pub fn definition_ids(&self) -> impl Iterator<Item = DefId> + '_ {
        self.ids().flat_map(|file| self.definitions_of(file))
    }

    /// Returns the number of paths whose file differs or exists on one side only; `others` are in path order.
    pub fn distance(&self, others: &[SourceFile]) -> usize {
        let mut own = self.files.iter().peekable();
        let mut differing = 0;
        for other in others {
            while own.next_if(|own| own.path < other.path).is_some() {
                differing += 1;
            }
            let same = own.next_if(|own| own.path == other.path);
            differing += usize::from(same.is_none_or(|same| same.blob != other.blob));
        }
        differing + own.count()
    }

    /// Returns the files in path order.
    pub fn as_slice(&self) -> &[SourceFile] {
        &self.files
    }

    /// Returns source code that people would read but that is not indexed, or only as text, in path order:
    /// files that are too large, not in UTF-8, kept elsewhere or unreadable, files whose parsing was
    /// aborted, and directories that could not be listed.
    pub fn unindexed_sources(&self) -> &[FileId] {
        &self.unindexed_sources
    }

    /// Returns the files whose [purpose](SourceFile::purpose) has words, in path order.
    pub fn well_known(&self) -> &[FileId] {
        &self.well_known
    }

    /// Returns why a file is not indexed, or only as text; empty if it is fully indexed.
    pub fn unindexed_reason(&self, id: FileId) -> &'static str {
        let file = self.file(id);
        let skipped = file.skipped.as_ref().map(SkipReason::code);
        let unparsed = is_unparsed(file).then(|| ParseIssue::Timeout.code());
        skipped.or(unparsed).unwrap_or("")
    }

    /// Returns the file with this id.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Returns the path of a file.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn path(&self, id: FileId) -> &str {
        self.file(id).path.as_str()
    }

    /// Returns the terms of a file's path.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn path_terms(&self, id: FileId) -> &PathTerms {
        self.paths.terms(id, &self.file(id).path)
    }

    /// Returns the file at a path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.paths.find(path)
    }

    /// Returns the files that a path printed elsewhere may mean, in path order: those that share the most
    /// segments with its end (`/usr/lib/python3/site-packages/flask/app.py` means `src/flask/app.py`). Empty
    /// if no file has its file name.
    pub fn find_by_suffix(&self, path: &str) -> Vec<FileId> {
        let wanted: Vec<&str> = path
            .rsplit(['/', '\\'])
            .filter(|segment| !segment.is_empty())
            .collect();
        let named = wanted
            .first()
            .map_or(&[][..], |name| self.paths.named(name));
        let shared = |id: &FileId| {
            let own = self.file(*id).path.segments().rev();
            own.zip(&wanted).take_while(|(a, b)| a == *b).count()
        };
        let longest = named.iter().map(shared).max().unwrap_or(0);
        named
            .iter()
            .copied()
            .filter(|id| shared(id) == longest)
            .collect()
    }

    /// Returns the text and facts of a file, unless it was skipped.
    pub fn content(&self, id: FileId) -> Option<&Content> {
        self.file(id).content.as_deref()
    }

    /// Returns the text of a file; empty for a skipped one.
    pub fn text(&self, id: FileId) -> &str {
        self.content(id).map_or("", |content| &content.text)
    }

    /// Returns the size of a file's text in bytes; 0 for a skipped one.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn text_bytes(&self, id: FileId) -> usize {
        self.text_bytes[id.0 as usize] as usize
    }

    /// Returns the definitions of a file, in order of position.
    pub fn definitions_of(&self, id: FileId) -> impl ExactSizeIterator<Item = DefId> + use<> {
        let content = self
            .files
            .get(id.0 as usize)
            .and_then(|f| f.content.as_ref());
        let count = content.map_or(0, |content| content.facts.definitions.len());
        (0..count as u32).map(move |local| DefId::new(id, LocalId(local)))
    }

    /// Returns the chunks of a file, in order of position.
    pub fn chunks_of(&self, id: FileId) -> impl ExactSizeIterator<Item = ChunkId> + use<> {
        range(&self.first_chunk, id).map(ChunkId)
    }

    /// Returns the chunks of a file as a range in the list of all chunks.
    pub fn chunk_range(&self, id: FileId) -> Range<usize> {
        let range = range(&self.first_chunk, id);
        range.start as usize..range.end as usize
    }

    /// Whether a definition with this id exists.
    pub(crate) fn has(&self, id: DefId) -> bool {
        let file = self.files.get(id.file.0 as usize);
        let content = file.and_then(|file| file.content.as_ref());
        content.is_some_and(|content| content.facts.definition(id.local).is_some())
    }

    /// Returns the definition with this id.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn definition(&self, id: DefId) -> &Definition {
        let content = self.content(id.file);
        match content.and_then(|c| c.facts.definition(id.local)) {
            Some(definition) => definition,
            // Ids are only created for definitions of files that have content.
            None => unreachable!("definition {id:?} is not in its file"),
        }
    }

    /// Returns the definition that encloses another.
    pub fn parent(&self, id: DefId) -> Option<DefId> {
        let parent = self.definition(id).parent?;
        Some(DefId::new(id.file, parent))
    }

    /// Returns the unit that a definition is or lies in. Units are ranked and shown as a whole: functions
    /// with a chunk of their own, and functions without one that lie in no other function.
    pub fn unit_of(&self, id: DefId) -> Option<DefId> {
        let units = self.units.get(id.file.0 as usize)?;
        let unit = units
            .by_definition
            .get(id.local.0 as usize)
            .copied()
            .flatten()?;
        Some(DefId::new(id.file, unit))
    }

    /// Returns the role of a definition: that of its file, or [`Role::Test`] for test code in a source file, as in a
    /// module with functions marked `#[test]`.
    ///
    /// # Panics
    /// If the file is not in this snapshot.
    pub fn role_of(&self, id: DefId) -> Role {
        let role = self.file(id.file).role;
        let test_code = self.units.get(id.file.0 as usize).map(|of| &of.test_code);
        let is_test_code = test_code.and_then(|of| of.get(id.local.0 as usize)) == Some(&true);
        match role {
            Role::Source if is_test_code => Role::Test,
            _ => role,
        }
    }

    /// Returns the role of a chunk: that of the definition that contains it, or of its file.
    ///
    /// # Panics
    /// If the chunk is not in this snapshot.
    pub fn chunk_role(&self, id: ChunkId) -> Role {
        match self.chunk_definition(id) {
            Some(definition) => self.role_of(definition),
            None => self.file(self.chunk_file(id)).role,
        }
    }

    /// Returns the terms of a definition's name as hashes, in order.
    ///
    /// # Panics
    /// If the definition is not in this snapshot.
    pub fn name_terms(&self, id: DefId) -> &[u64] {
        self.names(id.file).terms(id.local)
    }

    /// Returns the [hash](tokens::hash) of a definition's name.
    ///
    /// # Panics
    /// If the definition is not in this snapshot.
    pub fn name_hash(&self, id: DefId) -> u64 {
        self.names(id.file).hashes[id.local.0 as usize]
    }

    /// Returns the names of a file's definitions. They are computed once per file content, because ranking
    /// reads the names of thousands of definitions.
    fn names(&self, file: FileId) -> &NameHashes {
        let of_file = || self.content(file).map_or(&[][..], |c| &c.facts.definitions);
        let names = &self.units[file.0 as usize].names;
        names.get_or_init(|| NameHashes::new(of_file()))
    }

    /// Returns the units of a file, in order of position.
    pub fn units_of(&self, file: FileId) -> &[Unit] {
        let units = self.units.get(file.0 as usize);
        units.map_or(&[], |units| &units.all)
    }

    /// Returns, for each chunk of a file, the position of its unit in [`Self::units_of`], if it is in one.
    pub fn chunk_units(&self, file: FileId) -> impl Iterator<Item = Option<usize>> + '_ {
        let units = self.units.get(file.0 as usize);
        let of_chunks = units.map_or(&[][..], |units| &units.of_chunks);
        let position = |unit: &u32| (*unit != NO_UNIT).then_some(*unit as usize);
        of_chunks.iter().map(position)
    }

    /// Returns the span of lines of a file, without the final newline. For lines beyond the end of the file
    /// it is empty and at the end of the text.
    pub fn lines_span(&self, file: FileId, lines: Lines) -> Span {
        let text = self.text(file);
        let start = self.line_start(file, lines.start);
        let last = self.line_start(file, lines.end.max(lines.start));
        let rest = text.as_bytes().get(last..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |end| last + end);
        Span::new(start, end)
    }

    /// Returns the byte offset of a line's start. Only newlines of its chunk are counted, not those of the
    /// whole file.
    fn line_start(&self, file: FileId, line: u32) -> usize {
        let text = self.text(file);
        let chunks = self.content(file).map_or(&[][..], |c| &c.facts.chunks);
        let at = chunks.partition_point(|chunk| chunk.lines.end < line);
        let Some(chunk) = chunks.get(at) else {
            return text.len();
        };
        let before = line.saturating_sub(chunk.lines.start) as usize;
        let ends = memchr::memchr_iter(b'\n', chunk.span.of(text).as_bytes());
        let end_before = before.checked_sub(1).and_then(|nth| ends.clone().nth(nth));
        chunk.span.start as usize + end_before.map_or(0, |end| end + 1)
    }

    /// Returns the first line of a definition including the comments and attributes above it; its own first
    /// line if it has no chunk of its own.
    pub fn head_line(&self, id: DefId) -> u32 {
        let line = self.definition(id).lines.start;
        let chunks = self.content(id.file).map_or(&[][..], |c| &c.facts.chunks);
        let at = chunks.partition_point(|chunk| chunk.lines.end < line);
        let own = chunks.get(at).filter(|c| c.definition == Some(id.local));
        own.map_or(line, |chunk| chunk.lines.start.min(line))
    }

    /// Returns the definitions directly inside another, in order of position.
    pub fn members(&self, id: DefId) -> impl Iterator<Item = DefId> + '_ {
        self.definitions_of(id.file)
            .skip(id.local.0 as usize + 1)
            .filter(move |member| self.definition(*member).parent == Some(id.local))
    }

    /// Returns the innermost function or container of a file whose lines contain `line`.
    pub fn definition_at(&self, file: FileId, line: u32) -> Option<DefId> {
        self.definitions_of(file)
            .filter(|id| {
                let definition = self.definition(*id);
                definition.lines.contains(line)
                    && (definition.kind.is_function() || definition.kind.is_container())
            })
            .last()
    }

    /// Returns the innermost definition of any kind whose lines contain `line`: a field, a constant, a type alias, too.
    /// Of several that begin on the line the outermost is meant: a class, not the property that its head declares.
    pub fn any_definition_at(&self, file: FileId, line: u32) -> Option<DefId> {
        let around = self
            .definitions_of(file)
            .filter(|id| self.definition(*id).lines.contains(line));
        let around: Vec<DefId> = around.collect();
        let begins = |id: &&DefId| self.definition(**id).own_lines().start == line;
        around.iter().find(begins).or(around.last()).copied()
    }

    /// Returns the file that contains a chunk.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn chunk_file(&self, id: ChunkId) -> FileId {
        self.chunk_file[id.0 as usize]
    }

    /// Returns the chunk with this id.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn chunk(&self, id: ChunkId) -> &Chunk {
        let file = self.chunk_file(id);
        let local = id.0 - self.first_chunk[file.0 as usize];
        match self
            .content(file)
            .and_then(|c| c.facts.chunks.get(local as usize))
        {
            Some(chunk) => chunk,
            // Ids are only created for chunks of files that have content.
            None => unreachable!("chunk {id:?} is not in its file"),
        }
    }

    /// Returns the text of a chunk.
    ///
    /// # Panics
    /// If the id comes from another snapshot.
    pub fn chunk_text(&self, id: ChunkId) -> &str {
        self.chunk(id).span.of(self.text(self.chunk_file(id)))
    }

    /// Returns the function or class that a chunk belongs to.
    pub fn chunk_definition(&self, id: ChunkId) -> Option<DefId> {
        let local = self.chunk(id).definition?;
        Some(DefId::new(self.chunk_file(id), local))
    }
}

fn is_unindexed_source(file: &SourceFile) -> bool {
    let is_lost = match &file.skipped {
        // It may hold source code.
        Some(SkipReason::UnreadableDirectory(_)) => return true,
        Some(reason) => matches!(
            reason,
            SkipReason::TooLarge { .. }
                | SkipReason::NotUtf8
                | SkipReason::LfsPointer
                | SkipReason::Unreadable(_)
        ),
        None => is_unparsed(file),
    };
    is_lost && file.role == Role::Source && file.language.is_code()
}

/// Whether only the text of a file is known. Other parse issues lose little.
fn is_unparsed(file: &SourceFile) -> bool {
    let content = file.content.as_ref();
    content.is_some_and(|content| content.facts.issues.contains(&ParseIssue::Timeout))
}

/// Returns the units of each file. Those of a file that is unchanged since the `previous` snapshot are shared with it.
fn units_of_files(files: &[SourceFile], previous: Option<(&Files, &Change)>) -> Vec<Arc<Units>> {
    let none: Arc<Units> = Arc::default();
    files
        .par_iter()
        .enumerate()
        .with_min_len(64)
        .map(|(position, file)| {
            let shared = previous.and_then(|(previous, change)| {
                let before = change.earlier_id_if_unchanged(FileId(position as u32))?;
                previous.units.get(before.0 as usize)
            });
            match (shared, &file.content) {
                (Some(units), _) => Arc::clone(units),
                (None, Some(content)) => units(&content.facts, file.language),
                (None, None) => Arc::clone(&none),
            }
        })
        .collect()
}

/// Computes the units of a file and its test code.
fn units(facts: &FileFacts, language: Language) -> Arc<Units> {
    let mut has_chunk = vec![false; facts.definitions.len()];
    for chunk in &facts.chunks {
        if let (ChunkKind::Function, Some(owner)) = (chunk.kind, chunk.definition) {
            has_chunk[owner.0 as usize] = true;
        }
    }
    // Whether each definition lies in a function; an enclosing definition precedes the enclosed ones.
    let mut in_function = vec![false; facts.definitions.len()];
    let mut units: Vec<Option<LocalId>> = Vec::with_capacity(facts.definitions.len());
    for (local, definition) in facts.definitions.iter().enumerate() {
        let parent = definition.parent.map(|parent| parent.0 as usize);
        in_function[local] = parent.is_some_and(|parent| {
            in_function[parent] || facts.definitions[parent].kind.is_function()
        });
        let is_unit = has_chunk[local] || (definition.kind.is_function() && !in_function[local]);
        let enclosing_unit = || units.get(parent?).copied().flatten();
        let unit = if is_unit {
            Some(LocalId(local as u32))
        } else {
            enclosing_unit()
        };
        units.push(unit);
    }
    let all = (0..).map(LocalId).zip(&units).zip(&facts.definitions);
    let all = all.filter(|((local, unit), _)| **unit == Some(*local));
    let all = all.map(|((local, _), definition)| Unit {
        local,
        parent: definition.parent,
        lines: definition.lines.count(),
    });
    let all: Box<[Unit]> = all.collect();
    let of_chunk = |chunk: &Chunk| {
        let unit = units.get(chunk.definition?.0 as usize).copied()??;
        let position = all.binary_search_by_key(&unit, |unit| unit.local).ok()?;
        Some(position as u32)
    };
    let of_chunks = facts.chunks.iter();
    Arc::new(Units {
        of_chunks: of_chunks.map(|c| of_chunk(c).unwrap_or(NO_UNIT)).collect(),
        all,
        by_definition: units.into(),
        test_code: inline_tests::find(&facts.definitions, &language.rules().tests),
        names: OnceLock::new(),
    })
}

fn range(firsts: &[u32], id: FileId) -> Range<u32> {
    let position = id.0 as usize;
    match (firsts.get(position), firsts.get(position + 1)) {
        (Some(&start), Some(&end)) => start..end,
        _ => 0..0,
    }
}
