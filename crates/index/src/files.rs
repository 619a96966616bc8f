//! The table of a revision's files, and the dense ids of its files, definitions and chunks. Ids
//! are positions in path order: they mean something within one snapshot only.

mod paths;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use foveate_model::resolution::FileTree;
use foveate_model::{Chunk, ChunkKind, Content, Definition, FileFacts, Lines, LocalId};
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

/// Position of a chunk in its snapshot: by file, then by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub u32);

/// All files of one revision, in path order, with the id ranges of what they hold.
#[derive(Debug)]
pub struct Files {
    files: Vec<SourceFile>,
    paths: Arc<Paths>,
    /// By file and definition: see [`Files::unit_of`].
    units: Vec<Arc<Units>>,
    definitions: usize,
    /// `first_chunk[f]..first_chunk[f + 1]` are the chunks of file `f`.
    first_chunk: Vec<u32>,
    chunk_file: Vec<FileId>,
    /// By file the bytes of its text.
    text_bytes: Vec<u32>,
    /// See [`Files::gaps`].
    gaps: Vec<FileId>,
}

/// A unit: see [`Files::unit_of`]. What ranking asks of thousands of them stands close together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its id within its file.
    pub local: LocalId,
    /// The definition that encloses it.
    pub parent: Option<LocalId>,
    /// How many lines it has.
    pub lines: u32,
}

/// What is made of a file's definitions. Snapshots that have the same file share it.
#[derive(Debug, Default)]
struct Units {
    /// The unit of each.
    of: Box<[Option<LocalId>]>,
    /// The units among them, in order.
    all: Box<[Unit]>,
    /// By chunk the position of its unit among all; [`NO_UNIT`] where it is in none.
    of_chunks: Box<[u32]>,
    /// Made when first asked for.
    names: OnceLock<Names>,
}

const NO_UNIT: u32 = u32::MAX;

/// The names of a file's definitions.
#[derive(Debug)]
struct Names {
    /// By definition: see [`tokens::hash`].
    hashes: Box<[u64]>,
    /// `ends[d - 1]..ends[d]` are those of definition `d`.
    ends: Box<[u32]>,
    /// See [`tokens::hash`].
    terms: Box<[u64]>,
}

impl Names {
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
    /// Sorts the files by path and numbers what they hold. Of two files with one path the first
    /// stays.
    pub fn new(files: Vec<SourceFile>) -> Self {
        Self::derive(files, None).0
    }

    /// [`Self::new`], sharing what it can with the files of an earlier snapshot; and what differs.
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
        let ids: Vec<FileId> = (0..files.len() as u32).map(FileId).collect();
        let none: Arc<Units> = Arc::default();
        let units = ids
            .par_iter()
            .with_min_len(64)
            .map(|id| {
                let before = known.and_then(|(previous, change)| {
                    let before = change.unchanged(*id)?;
                    previous.units.get(before.0 as usize)
                });
                match (before, &files[id.0 as usize].content) {
                    (Some(units), _) => Arc::clone(units),
                    (None, Some(content)) => units(&content.facts),
                    (None, None) => Arc::clone(&none),
                }
            })
            .collect();
        let mut table = Self {
            paths,
            units,
            definitions: 0,
            first_chunk: Vec::with_capacity(files.len() + 1),
            chunk_file: Vec::new(),
            text_bytes: Vec::with_capacity(files.len()),
            gaps: Vec::new(),
            files,
        };
        for (file, id) in table.files.iter().zip(ids) {
            table.first_chunk.push(table.chunk_file.len() as u32);
            let bytes = file.content.as_ref().map_or(0, |c| c.text.len());
            table.text_bytes.push(bytes as u32);
            if is_gap(file) {
                table.gaps.push(id);
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

    /// How many files, skipped ones included.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the revision has no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// How many definitions.
    pub fn definition_count(&self) -> usize {
        self.definitions
    }

    /// How many chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunk_file.len()
    }

    /// All file ids, in path order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }

    /// All definition ids, by file and place.
    pub fn definition_ids(&self) -> impl Iterator<Item = DefId> + '_ {
        self.ids().flat_map(|file| self.definitions_of(file))
    }

    /// How many files of either are not the same in the other; `others` are in path order.
    pub fn distance(&self, others: &[SourceFile]) -> usize {
        let mut own = self.files.iter().peekable();
        let mut apart = 0;
        for other in others {
            while own.next_if(|own| own.path < other.path).is_some() {
                apart += 1;
            }
            let same = own.next_if(|own| own.path == other.path);
            apart += usize::from(same.is_none_or(|same| same.blob != other.blob));
        }
        apart + own.count()
    }

    /// The files in path order.
    pub fn as_slice(&self) -> &[SourceFile] {
        &self.files
    }

    /// Code that is shipped and not indexed, or not wholly, although people read it: what is too
    /// large, not in UTF-8, kept elsewhere or unreadable, and what the parser gave up over. In path order.
    pub fn gaps(&self) -> &[FileId] {
        &self.gaps
    }

    /// Why a file is not indexed, or not wholly; empty where it is.
    pub fn gap_reason(&self, id: FileId) -> &'static str {
        let file = self.file(id);
        let skipped = file.skipped.as_ref().map(SkipReason::code);
        let unparsed = is_unparsed(file).then(|| ParseIssue::Timeout.code());
        skipped.or(unparsed).unwrap_or("")
    }

    /// The file with this id.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The path of a file.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn path(&self, id: FileId) -> &str {
        self.file(id).path.as_str()
    }

    /// The terms of a file's path.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn path_terms(&self, id: FileId) -> &PathTerms {
        self.paths.terms(id, &self.file(id).path)
    }

    /// The file at a path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.paths.find(path)
    }

    /// The files that a path printed elsewhere may mean: those that share the most segments with
    /// its end (`/usr/lib/python3/site-packages/flask/app.py` means `src/flask/app.py`), in path
    /// order. Empty where not even the file name is known.
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
        let most = named.iter().map(shared).max().unwrap_or(0);
        named
            .iter()
            .copied()
            .filter(|id| shared(id) == most)
            .collect()
    }

    /// Text and facts of a file, unless it was skipped.
    pub fn content(&self, id: FileId) -> Option<&Content> {
        self.file(id).content.as_deref()
    }

    /// The text of a file; empty for a skipped one.
    pub fn text(&self, id: FileId) -> &str {
        self.content(id).map_or("", |content| &content.text)
    }

    /// The bytes of a file's text; 0 for a skipped one.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn text_bytes(&self, id: FileId) -> usize {
        self.text_bytes[id.0 as usize] as usize
    }

    /// The definitions of a file, in place order.
    pub fn definitions_of(&self, id: FileId) -> impl ExactSizeIterator<Item = DefId> + use<> {
        let content = self
            .files
            .get(id.0 as usize)
            .and_then(|f| f.content.as_ref());
        let count = content.map_or(0, |content| content.facts.definitions.len());
        (0..count as u32).map(move |local| DefId {
            file: id,
            local: LocalId(local),
        })
    }

    /// The chunks of a file, in place order.
    pub fn chunks_of(&self, id: FileId) -> impl ExactSizeIterator<Item = ChunkId> + use<> {
        range(&self.first_chunk, id).map(ChunkId)
    }

    /// The same as positions in a list of all chunks.
    pub fn chunk_range(&self, id: FileId) -> Range<usize> {
        let range = range(&self.first_chunk, id);
        range.start as usize..range.end as usize
    }

    /// The file that a definition is in.
    pub fn file_of(&self, id: DefId) -> FileId {
        id.file
    }

    /// The snapshot's id of a file's own definition.
    pub fn global(&self, file: FileId, local: LocalId) -> DefId {
        DefId { file, local }
    }

    /// Whether there is a definition with this id.
    pub(crate) fn has(&self, id: DefId) -> bool {
        let file = self.files.get(id.file.0 as usize);
        let content = file.and_then(|file| file.content.as_ref());
        content.is_some_and(|content| content.facts.definition(id.local).is_some())
    }

    /// The definition with this id.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn definition(&self, id: DefId) -> &Definition {
        let content = self.content(id.file);
        match content.and_then(|c| c.facts.definition(id.local)) {
            Some(definition) => definition,
            // Ids are made for definitions of files that have content.
            None => unreachable!("definition {id:?} is not in its file"),
        }
    }

    /// The definition that encloses another.
    pub fn parent(&self, id: DefId) -> Option<DefId> {
        let parent = self.definition(id).parent?;
        Some(self.global(self.file_of(id), parent))
    }

    /// The unit that a definition is or lies in. Units are what is ranked and shown as a whole:
    /// functions with a chunk of their own, and those without a body that lie in no function.
    pub fn unit_of(&self, id: DefId) -> Option<DefId> {
        let units = self.units.get(id.file.0 as usize)?;
        let unit = units.of.get(id.local.0 as usize).copied().flatten()?;
        Some(self.global(id.file, unit))
    }

    /// The terms of a definition's name as hashes, in order.
    ///
    /// # Panics
    /// When the definition is not in this snapshot.
    pub fn name_terms(&self, id: DefId) -> &[u64] {
        self.names(id.file).terms(id.local)
    }

    /// A definition's name as a hash: see [`tokens::hash`].
    ///
    /// # Panics
    /// When the definition is not in this snapshot.
    pub fn name_hash(&self, id: DefId) -> u64 {
        self.names(id.file).hashes[id.local.0 as usize]
    }

    /// Made once for as long as the file's content is known: ranking looks at the names of thousands
    /// of definitions.
    fn names(&self, file: FileId) -> &Names {
        let of_file = || self.content(file).map_or(&[][..], |c| &c.facts.definitions);
        let names = &self.units[file.0 as usize].names;
        names.get_or_init(|| Names::new(of_file()))
    }

    /// The units of a file, in place order.
    pub fn units_of(&self, file: FileId) -> &[Unit] {
        let units = self.units.get(file.0 as usize);
        units.map_or(&[], |units| &units.all)
    }

    /// By chunk of a file the position of its unit among [`Self::units_of`], where it is in one.
    pub fn chunk_units(&self, file: FileId) -> impl Iterator<Item = Option<usize>> + '_ {
        let units = self.units.get(file.0 as usize);
        let of_chunks = units.map_or(&[][..], |units| &units.of_chunks);
        let position = |unit: &u32| (*unit != NO_UNIT).then_some(*unit as usize);
        of_chunks.iter().map(position)
    }

    /// Where lines of a file stand, without the end of the last one. Empty and at the end of the text for lines
    /// that it does not have.
    pub fn lines_span(&self, file: FileId, lines: Lines) -> Span {
        let text = self.text(file);
        let start = self.line_start(file, lines.start);
        let last = self.line_start(file, lines.end.max(lines.start));
        let rest = text.as_bytes().get(last..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |end| last + end);
        Span::new(start, end)
    }

    /// Where a line starts. Only the lines of its chunk are counted, not those of the file.
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

    /// The first line of a definition with the comments and attributes above it; its own first line, where
    /// it has no chunk of its own.
    pub fn head_line(&self, id: DefId) -> u32 {
        let line = self.definition(id).lines.start;
        let chunks = self.content(id.file).map_or(&[][..], |c| &c.facts.chunks);
        let at = chunks.partition_point(|chunk| chunk.lines.end < line);
        let own = chunks.get(at).filter(|c| c.definition == Some(id.local));
        own.map_or(line, |chunk| chunk.lines.start.min(line))
    }

    /// The definitions directly inside another, in place order.
    pub fn members(&self, id: DefId) -> impl Iterator<Item = DefId> + '_ {
        self.definitions_of(id.file)
            .skip(id.local.0 as usize + 1)
            .filter(move |member| self.definition(*member).parent == Some(id.local))
    }

    /// The innermost definition of a file whose lines hold `line`, fields and variables left out.
    pub fn definition_at(&self, file: FileId, line: u32) -> Option<DefId> {
        self.definitions_of(file)
            .filter(|id| {
                let definition = self.definition(*id);
                definition.lines.contains(line)
                    && (definition.kind.is_function() || definition.kind.is_container())
            })
            .last()
    }

    /// The file that a chunk is in.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn chunk_file(&self, id: ChunkId) -> FileId {
        self.chunk_file[id.0 as usize]
    }

    /// The chunk with this id.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn chunk(&self, id: ChunkId) -> &Chunk {
        let file = self.chunk_file(id);
        let local = id.0 - self.first_chunk[file.0 as usize];
        match self
            .content(file)
            .and_then(|c| c.facts.chunks.get(local as usize))
        {
            Some(chunk) => chunk,
            // As for definitions.
            None => unreachable!("chunk {id:?} is not in its file"),
        }
    }

    /// The text of a chunk.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn chunk_text(&self, id: ChunkId) -> &str {
        self.chunk(id).span.of(self.text(self.chunk_file(id)))
    }

    /// The function or class that a chunk belongs to.
    pub fn chunk_definition(&self, id: ChunkId) -> Option<DefId> {
        let local = self.chunk(id).definition?;
        Some(self.global(self.chunk_file(id), local))
    }
}

fn is_gap(file: &SourceFile) -> bool {
    let is_lost = match &file.skipped {
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

/// Whether nothing is known of a file but its text. What other issues leave out is little.
fn is_unparsed(file: &SourceFile) -> bool {
    let content = file.content.as_ref();
    content.is_some_and(|content| content.facts.issues.contains(&ParseIssue::Timeout))
}

/// The unit of each definition of a file.
fn units(facts: &FileFacts) -> Arc<Units> {
    let mut has_chunk = vec![false; facts.definitions.len()];
    for chunk in &facts.chunks {
        if let (ChunkKind::Function, Some(owner)) = (chunk.kind, chunk.definition) {
            has_chunk[owner.0 as usize] = true;
        }
    }
    // Whether a definition lies in a function; definitions come after what encloses them.
    let mut in_function = vec![false; facts.definitions.len()];
    let mut units: Vec<Option<LocalId>> = Vec::with_capacity(facts.definitions.len());
    for (local, definition) in facts.definitions.iter().enumerate() {
        let parent = definition.parent.map(|parent| parent.0 as usize);
        in_function[local] = parent.is_some_and(|parent| {
            in_function[parent] || facts.definitions[parent].kind.is_function()
        });
        let is_unit = has_chunk[local] || (definition.kind.is_function() && !in_function[local]);
        let around = || units.get(parent?).copied().flatten();
        let unit = if is_unit {
            Some(LocalId(local as u32))
        } else {
            around()
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
        of: units.into(),
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
