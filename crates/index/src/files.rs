//! The table of a revision's files, and the dense ids of its files, definitions and chunks. Ids
//! are positions in path order: they mean something within one snapshot only.

use std::ops::Range;

use foldhash::HashMap;
use foveate_model::{Chunk, ChunkKind, Content, Definition, LocalId, RepoPath, SourceFile};

/// Position of a file in its snapshot, in path order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// Position of a definition in its snapshot: by file, then by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefId(pub u32);

/// Position of a chunk in its snapshot: by file, then by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub u32);

/// All files of one revision, in path order, with the id ranges of what they hold.
#[derive(Debug)]
pub struct Files {
    files: Vec<SourceFile>,
    by_path: HashMap<RepoPath, FileId>,
    by_file_name: HashMap<Box<str>, Vec<FileId>>,
    /// `first_definition[f]..first_definition[f + 1]` are the definitions of file `f`.
    first_definition: Vec<u32>,
    /// The same for chunks.
    first_chunk: Vec<u32>,
    definition_file: Vec<FileId>,
    chunk_file: Vec<FileId>,
    /// By definition: see [`Files::unit_of`].
    unit: Vec<Option<DefId>>,
}

impl Files {
    /// Sorts the files by path and numbers what they hold. Of two files with one path the first
    /// stays.
    pub fn new(mut files: Vec<SourceFile>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|b, a| a.path == b.path);
        let mut table = Self {
            by_path: HashMap::default(),
            by_file_name: HashMap::default(),
            first_definition: Vec::with_capacity(files.len() + 1),
            first_chunk: Vec::with_capacity(files.len() + 1),
            definition_file: Vec::new(),
            chunk_file: Vec::new(),
            unit: Vec::new(),
            files,
        };
        table.by_path.reserve(table.files.len());
        for (position, file) in table.files.iter().enumerate() {
            let id = FileId(position as u32);
            table.by_path.insert(file.path.clone(), id);
            let name = file.path.file_name();
            match table.by_file_name.get_mut(name) {
                Some(ids) => ids.push(id),
                None => {
                    table.by_file_name.insert(name.into(), vec![id]);
                }
            }
            table
                .first_definition
                .push(table.definition_file.len() as u32);
            table.first_chunk.push(table.chunk_file.len() as u32);
            if let Some(content) = &file.content {
                let facts = &content.facts;
                table
                    .definition_file
                    .resize(table.definition_file.len() + facts.definitions.len(), id);
                table
                    .chunk_file
                    .resize(table.chunk_file.len() + facts.chunks.len(), id);
            }
        }
        table
            .first_definition
            .push(table.definition_file.len() as u32);
        table.first_chunk.push(table.chunk_file.len() as u32);
        table.unit = table.units();
        table
    }

    fn units(&self) -> Vec<Option<DefId>> {
        let mut units: Vec<Option<DefId>> = Vec::with_capacity(self.definition_file.len());
        for (position, file) in self.files.iter().enumerate() {
            let Some(facts) = file.content.as_ref().map(|content| &content.facts) else {
                continue;
            };
            let first = self.first_definition[position];
            let mut has_chunk = vec![false; facts.definitions.len()];
            for chunk in &facts.chunks {
                if let (ChunkKind::Function, Some(owner)) = (chunk.kind, chunk.definition) {
                    has_chunk[owner.0 as usize] = true;
                }
            }
            // Whether a definition lies in a function; definitions come after what encloses them.
            let mut in_function = vec![false; facts.definitions.len()];
            for (local, definition) in facts.definitions.iter().enumerate() {
                let parent = definition.parent.map(|parent| parent.0 as usize);
                in_function[local] = parent.is_some_and(|parent| {
                    in_function[parent] || facts.definitions[parent].kind.is_function()
                });
                let is_unit =
                    has_chunk[local] || (definition.kind.is_function() && !in_function[local]);
                let around = || units.get(first as usize + parent?).copied().flatten();
                let unit = if is_unit {
                    Some(DefId(first + local as u32))
                } else {
                    around()
                };
                units.push(unit);
            }
        }
        units
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
        self.definition_file.len()
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
    pub fn definition_ids(&self) -> impl ExactSizeIterator<Item = DefId> + use<> {
        (0..self.definition_file.len() as u32).map(DefId)
    }

    /// The files in path order.
    pub fn as_slice(&self) -> &[SourceFile] {
        &self.files
    }

    /// Whether both hold files of the same paths, so that ids mean the same.
    pub(crate) fn same_paths(&self, other: &Self) -> bool {
        let own = self.files.iter().map(|file| &file.path);
        own.eq(other.files.iter().map(|file| &file.path))
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

    /// The file at a path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
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
            .and_then(|name| self.by_file_name.get(*name))
            .map_or(&[][..], Vec::as_slice);
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

    /// The definitions of a file, in place order.
    pub fn definitions_of(&self, id: FileId) -> impl ExactSizeIterator<Item = DefId> + use<> {
        range(&self.first_definition, id).map(DefId)
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
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn file_of(&self, id: DefId) -> FileId {
        self.definition_file[id.0 as usize]
    }

    /// The definition's id within its file.
    pub fn local_of(&self, id: DefId) -> LocalId {
        LocalId(id.0 - self.first_definition[self.file_of(id).0 as usize])
    }

    /// The snapshot's id of a file's own definition.
    pub fn global(&self, file: FileId, local: LocalId) -> DefId {
        DefId(self.first_definition[file.0 as usize] + local.0)
    }

    /// The definition with this id.
    ///
    /// # Panics
    /// When the id comes from another snapshot.
    pub fn definition(&self, id: DefId) -> &Definition {
        let file = self.file_of(id);
        let local = self.local_of(id);
        match self.content(file).and_then(|c| c.facts.definition(local)) {
            Some(definition) => definition,
            // The tables number only definitions of files that have content.
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
        self.unit.get(id.0 as usize).copied().flatten()
    }

    /// The units of a file, in place order.
    pub fn units_of(&self, file: FileId) -> impl Iterator<Item = DefId> + '_ {
        let definitions = self.definitions_of(file);
        definitions.filter(|id| self.unit_of(*id) == Some(*id))
    }

    /// The definitions directly inside another, in place order.
    pub fn members(&self, id: DefId) -> impl Iterator<Item = DefId> + '_ {
        let local = self.local_of(id);
        let file = self.file_of(id);
        let end = self.first_definition[file.0 as usize + 1];
        (id.0 + 1..end)
            .map(DefId)
            .filter(move |member| self.definition(*member).parent == Some(local))
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

fn range(firsts: &[u32], id: FileId) -> Range<u32> {
    let position = id.0 as usize;
    match (firsts.get(position), firsts.get(position + 1)) {
        (Some(&start), Some(&end)) => start..end,
        _ => 0..0,
    }
}
