//! Resolves stack frames to definitions: by file and line if the file is in the repository, by the name of
//! the function if the file was built from the repository. Frames of packages installed from elsewhere and
//! of a language's own files are never resolved to the repository, whatever the names of their files.

use foveate_index::{DefId, FileId, Snapshot};
use foveate_model::Role;
use foveate_parse::origin::{self, InstalledFile, Origin};
use foveate_parse::traces::Severity;

use super::packages::PackageDirectory;
use super::{EvidenceSource, Resolver};
use crate::text::{Frame, QueryText};

/// The files or definitions that a frame may mean.
enum Meaning {
    /// Files that the path of the frame may mean.
    Files(Vec<FileId>),
    /// Definitions with the name of the frame's function, and a factor for the certainty.
    Named(Vec<DefId>, f32),
}

/// The origin of the functions in a built file.
enum BundleOrigin {
    /// A package of the repository.
    Package(PackageDirectory),
    /// An application and all its dependencies.
    Application,
}

impl Resolver<'_> {
    /// Resolves the stack frames from the innermost (the last) outwards: the first one that is found weighs most. Of each
    /// error that led to another one, the first that is found is a cause.
    pub(super) fn frames(&mut self, text: &QueryText) {
        let is_error = |frame: &Frame| frame.reported_as == Some(Severity::Error);
        let has_errors = text.frames.iter().any(is_error);
        let mut last = true;
        let mut seeks_cause = false;
        for frame in self.in_time(text.frames.iter().rev()) {
            let strength = if last {
                self.config.strength.last_frame
            } else {
                self.config.strength.frame
            };
            seeks_cause |= text.causes.contains(frame);
            let is_reported = is_error(frame) || !has_errors && frame.reported_as.is_some();
            let meaning = self.meaning(frame);
            let (known, place) = match self.in_sources_of_copy(frame, meaning) {
                Meaning::Files(files) => {
                    let added = self.add_places(frame, &files, strength, text);
                    if is_reported {
                        self.add_reported(&added);
                    }
                    let place = place_of(frame, &added);
                    // Top-level code that an outer frame is in merely leads to the failure.
                    if let [file] = files.as_slice()
                        && (last || frame.function.is_empty())
                        && self.function_in(*file, frame).is_none()
                    {
                        let is_caller = !last && frame.reported_as.is_none();
                        self.add_line(*file, frame.line, is_caller);
                    }
                    (!files.is_empty(), place)
                }
                Meaning::Named(found, certainty) => {
                    let place = self.add_named(frame, &found, strength * certainty);
                    if is_reported {
                        self.add_reported(place.as_slice());
                    }
                    (!found.is_empty(), place)
                }
            };
            self.add_place(place);
            if seeks_cause && place.is_some() {
                self.found.causes.extend(place);
                seeks_cause = false;
            }
            last &= !known;
        }
    }

    /// Returns what a frame in a generated file means in the sources that the file is a copy of.
    fn in_sources_of_copy(&mut self, frame: &Frame, meaning: Meaning) -> Meaning {
        let files = match meaning {
            Meaning::Files(files) => files,
            Meaning::Named(..) => return meaning,
        };
        let sources = self.sources_at(&files, |this, file| this.at_frame(file, frame));
        // Another frame may have shown that the file is a copy.
        let is_copy = matches!(files.as_slice(), [file] if self.copies.contains(file));
        match is_copy {
            true => Meaning::Named(sources, 1.0),
            false => Meaning::Files(files),
        }
    }

    /// Records the files and the definitions that a frame may mean. Returns the definitions that count, in path order.
    fn add_places(
        &mut self,
        frame: &Frame,
        files: &[FileId],
        strength: f32,
        text: &QueryText,
    ) -> Vec<DefId> {
        let mut definitions: Vec<DefId> = Vec::new();
        for file in files {
            self.add_file(*file, EvidenceSource::Traceback, strength);
            let found = self.at_frame(*file, frame);
            let found = found.or_else(|| self.titled_test(*file, frame.line, text));
            if let Some(definition) = found {
                if definition.file != *file {
                    self.add_file(definition.file, EvidenceSource::Traceback, strength);
                }
                definitions.push(definition);
            }
        }
        self.traced(frame, strength, &definitions)
    }

    /// Records the functions that have the name of a frame, and their files. Returns its place.
    fn add_named(&mut self, frame: &Frame, definitions: &[DefId], strength: f32) -> Option<DefId> {
        let mut files: Vec<FileId> = definitions.iter().map(|id| id.file).collect();
        files.dedup();
        self.add_files_sharing(&files, EvidenceSource::Traceback, strength);
        let added = self.traced(frame, strength, definitions);
        match added.as_slice() {
            [definition] => Some(*definition),
            _ => None,
        }
    }

    /// Records the definitions that a frame may mean. Returns those that count, in path order.
    fn traced(&mut self, frame: &Frame, strength: f32, definitions: &[DefId]) -> Vec<DefId> {
        let label = frame_label(frame);
        self.added(&label, EvidenceSource::Traceback, strength, definitions)
    }

    /// Records definitions like [`Self::add_definitions`]. Returns those that count, in path order.
    pub(super) fn added(
        &mut self,
        label: &str,
        from: EvidenceSource,
        strength: f32,
        definitions: &[DefId],
    ) -> Vec<DefId> {
        let before = self.found.definitions.len();
        self.add_definitions(label, from, strength, definitions);
        let added = self.found.definitions.get(before..).unwrap_or_default();
        added.iter().map(|evidence| evidence.definition).collect()
    }

    /// Records the place that the query names, unless an earlier one is known.
    pub(super) fn add_place(&mut self, place: Option<DefId>) {
        self.found.place = self.found.place.or(place);
    }

    fn meaning(&self, frame: &Frame) -> Meaning {
        if frame.path.is_empty() {
            return match frame.package.as_str() {
                "" => self.component(&frame.function),
                _ => self.through_modules_of(frame),
            };
        }
        if !frame.package.is_empty()
            && let Some(meaning) = self.in_package(frame)
        {
            return meaning;
        }
        let (files, bundle) = self.files_by_origin(frame);
        let mut files = self.with_function(files, frame);
        files.retain(|file| may_contain(self.package_of(*file), &frame.package));
        let is_written = |file: &FileId| self.snapshot.files.file(*file).role != Role::Generated;
        if files.iter().any(is_written) {
            return Meaning::Files(files);
        }
        let named = bundle.map(|bundle| self.named(&frame.function, &bundle));
        match named {
            Some((definitions, certainty)) if !definitions.is_empty() => {
                Meaning::Named(definitions, certainty)
            }
            _ => Meaning::Files(files),
        }
    }

    /// Returns the files that the path of a frame may mean, by its origin, and where the code comes from if it was built
    /// from other files.
    fn files_by_origin(&self, frame: &Frame) -> (Vec<FileId>, Option<BundleOrigin>) {
        match origin::of_frame(frame) {
            Origin::Foreign(inner) => (self.foreign_files(inner, frame), None),
            Origin::Bundle(None) => (
                self.files_at_whole_path(&frame.path),
                Some(BundleOrigin::Application),
            ),
            Origin::Bundle(Some(package)) => {
                let directory = self.package_directory_like(package);
                (
                    self.files_at_whole_path(&frame.path),
                    directory.map(BundleOrigin::Package),
                )
            }
            Origin::Package(installed) => {
                let directory = self.package_directory(&installed);
                (
                    self.files_at(&frame.path),
                    directory.map(BundleOrigin::Package),
                )
            }
            Origin::Project if origin::is_complete(&frame.path) => {
                (self.files_at_whole_path(&frame.path), None)
            }
            Origin::Project => {
                let mut files = self.files_at(&frame.path);
                files.retain(|file| self.may_be_file_of(*file, frame));
                let script = files.first().filter(|_| origin::is_script(&frame.path));
                let directory = match script {
                    Some(file) => Some(self.package_directory_of(*file)),
                    None => origin::bare_script(&frame.path)
                        .and_then(|name| self.package_directory_like(name)),
                };
                (files, directory.map(BundleOrigin::Package))
            }
        }
    }

    /// Resolves a frame that has no place by the path of its function.
    fn through_modules_of(&self, frame: &Frame) -> Meaning {
        let declared = self.named_in_package(frame);
        if !declared.is_empty() {
            return Meaning::Named(declared, 1.0);
        }
        let Snapshot { files, graph, .. } = self.snapshot;
        let path = format!("{}.{}", frame.package, frame.function);
        let mut found = graph.resolve_dotted(files, &self.snapshot.symbols, &path);
        found.retain(|id| files.definition(*id).kind.is_function());
        found.truncate(self.config.max_frame_definitions);
        Meaning::Named(found, 1.0)
    }

    /// Returns what a frame means by its package and its file or function. Without a line the file is a guess.
    fn in_package(&self, frame: &Frame) -> Option<Meaning> {
        let files = self.files_in_package(frame);
        let has_function = |file: &FileId| self.function_in(*file, frame).is_some();
        let is_guess = frame.line == 0 && !files.iter().any(has_function);
        if files.is_empty() || is_guess {
            let found = self.named_in_package(frame);
            if !found.is_empty() {
                return Some(Meaning::Named(found, 1.0));
            }
        }
        (!files.is_empty()).then_some(Meaning::Files(files))
    }

    /// Returns the files with the printed name that declare the package of a frame. The directories of the printed
    /// path may be made up of the package, and those of the file may lack the part that all packages share.
    fn files_in_package(&self, frame: &Frame) -> Vec<FileId> {
        let name = frame.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let mut files = self.snapshot.files.find_by_suffix(name);
        files.retain(|file| self.package_of(*file) == frame.package);
        let (exact, others): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|file| self.snapshot.files.path(*file).ends_with(&frame.path));
        self.with_function(if exact.is_empty() { others } else { exact }, frame)
    }

    /// Returns the functions with the full name of a frame. Its file is unknown if it was built without symbols.
    fn named_in_package(&self, frame: &Frame) -> Vec<DefId> {
        let Snapshot { files, symbols, .. } = self.snapshot;
        let mut found = self.in_sources(&symbols.ending(files, &frame.function));
        found.retain(|id| self.package_of(id.file) == frame.package);
        found.truncate(self.config.max_frame_definitions);
        found
    }

    /// Returns the package that a file declares; empty if it declares none or is not parsed.
    pub(super) fn package_of(&self, file: FileId) -> &str {
        let content = self.snapshot.files.content(file);
        content.map_or("", |content| &content.facts.package)
    }

    /// Whether a file may be that of a frame: it shares a directory with the printed path, or defines the function, in the
    /// case of `main`, which every program has, at the line. Otherwise the frame is probably of the caller's own code, in a
    /// file that has a usual name.
    fn may_be_file_of(&self, file: FileId, frame: &Frame) -> bool {
        let printed = directory_name(&frame.path);
        if frame.function.is_empty() {
            // The libraries of languages without a parser are not known by their paths.
            let language = self.snapshot.files.file(file).language;
            let own = directory_name(self.snapshot.files.path(file));
            let is_elsewhere = !foveate_parse::may_be_parsed(Some(language))
                && own.is_some_and(|own| printed.is_some_and(|printed| printed != own));
            return !is_elsewhere && (!is_main(&frame.path) || self.may_be_main(file, &frame.path));
        }
        printed.is_none()
            || directory_name(self.snapshot.files.path(file)) == printed
            || self.function_in(file, frame).is_some_and(|id| {
                let found = self.snapshot.files.definition(id);
                &*found.name != "main" || found.lines.contains(frame.line)
            })
    }

    /// Whether the file of a program's entry may be the one at a printed path. Reporters compile and run programs of their
    /// own, whose messages have paths such as `src/main.rs` and `./main.go`.
    fn may_be_main(&self, file: FileId, printed: &str) -> bool {
        let files = &self.snapshot.files;
        let path = files.path(file);
        if printed.trim_start_matches("./") == path {
            return true;
        }
        match (directory_name(printed), directory_name(path)) {
            (Some(above), Some(own)) => above == own && files.file(file).role == Role::Source,
            (Some(_), None) => printed.starts_with('/'),
            (None, _) => false,
        }
    }

    /// If several files match, keeps those that define the frame's function, if any does: C and Go print only the
    /// name of a file.
    fn with_function(&self, files: Vec<FileId>, frame: &Frame) -> Vec<FileId> {
        if files.len() < 2 {
            return files;
        }
        let (having, others): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|file| self.function_in(*file, frame).is_some());
        if having.is_empty() { others } else { having }
    }

    /// Returns the files that a path printed elsewhere may mean.
    pub(super) fn files_at(&self, path: &str) -> Vec<FileId> {
        let files = self.files_by_suffix(path);
        if self.match_whole_path(path, &files) {
            return files;
        }
        match origin::of(path) {
            Origin::Package(installed) => self.files_of_package(&installed),
            Origin::Foreign(_) => Vec::new(),
            Origin::Project | Origin::Bundle(_) => files,
        }
    }

    fn files_of_package(&self, installed: &InstalledFile<'_>) -> Vec<FileId> {
        let files = &self.snapshot.files;
        if let Some(file) = self.module_file(installed) {
            return vec![file];
        }
        let Some(directory) = self.package_directory(installed) else {
            return Vec::new();
        };
        if let Some(file) = directory.file(files, installed) {
            return vec![file];
        }
        if installed.manager.is_built {
            return Vec::new();
        }
        // The file may have been moved since the installed version.
        let mut moved = self.files_by_suffix(installed.path);
        moved.retain(|file| directory.has(files, *file));
        moved
    }

    /// Returns the files whose paths end with the whole `path`.
    pub(super) fn files_at_whole_path(&self, path: &str) -> Vec<FileId> {
        let mut files = self.files_by_suffix(path);
        if !self.match_whole_path(path, &files) {
            files.clear();
        }
        files
    }

    /// Whether the paths of files from [`Self::files_by_suffix`] end with the whole `path`. One is checked: all share
    /// equally many segments with it.
    fn match_whole_path(&self, path: &str, files: &[FileId]) -> bool {
        files
            .first()
            .is_some_and(|file| ends_with_path(self.snapshot.files.path(*file), path))
    }

    /// Returns the files whose paths share the longest suffix with `path`.
    fn files_by_suffix(&self, path: &str) -> Vec<FileId> {
        let files = self.snapshot.files.find_by_suffix(path);
        if files.len() > self.config.max_files_of_path {
            // Of many `pyproject.toml`, the one at the root is meant.
            return self.snapshot.files.find(path).into_iter().collect();
        }
        files
    }

    /// Returns the repository's own versions of a foreign file, if the repository is that of the language or contains
    /// a copy of the package: at the whole path, or directly in `lib` if the file has the function too.
    fn foreign_files(&self, inner: &str, frame: &Frame) -> Vec<FileId> {
        if inner.contains('/') {
            return self.files_at_whole_path(inner);
        }
        let files = &self.snapshot.files;
        let mut found: Vec<FileId> = ["Lib", "lib"]
            .iter()
            .filter_map(|directory| files.find(&format!("{directory}/{inner}")))
            .collect();
        found.retain(|file| self.function_in(*file, frame).is_some());
        found
    }

    /// Returns the definitions that a function of a built file may mean, and the certainty. Definitions in its package
    /// replace all others; too many for the kind of name count as none.
    fn named(&self, function: &str, bundle: &BundleOrigin) -> (Vec<DefId>, f32) {
        let mut names = function.rsplit('.').map(without_number);
        let name = names.next().unwrap_or_default();
        let class = names.next().unwrap_or_default();
        let symbols = &self.snapshot.symbols;
        let method = self.in_sources(symbols.qualified(&format!("{class}.{name}")));
        let is_method =
            !class.is_empty() && (1..=self.config.max_frame_definitions).contains(&method.len());
        let mut found = if is_method {
            method
        } else {
            self.in_sources(symbols.named(name))
        };
        let min_word = self.config.min_frame_word;
        let limit = match bundle {
            _ if is_method => self.config.max_frame_definitions,
            BundleOrigin::Package(_) if is_compound(name, min_word) => {
                self.config.max_frame_definitions
            }
            BundleOrigin::Package(_) if name.len() >= min_word => 1,
            BundleOrigin::Application if is_compound(name, min_word) => {
                self.config.max_application_definitions
            }
            _ => 0,
        };
        let certainty = match bundle {
            BundleOrigin::Package(directory) => {
                let is_in = |id: &DefId| directory.has(&self.snapshot.files, id.file);
                if found.iter().any(is_in) {
                    found.retain(is_in);
                }
                1.0
            }
            BundleOrigin::Application => self.config.strength.last_name,
        };
        if found.len() > limit {
            found.clear();
        }
        (found, certainty)
    }

    /// Keeps the functions and classes in source files.
    pub(super) fn in_sources(&self, definitions: &[DefId]) -> Vec<DefId> {
        let files = &self.snapshot.files;
        let is_meant = |id: &&DefId| {
            let kind = files.definition(**id).kind;
            let is_code = kind.is_function() || kind.is_container();
            is_code && files.role_of(**id) == Role::Source
        };
        definitions.iter().filter(is_meant).copied().collect()
    }

    /// Resolves a frame without a place by its name: to the file of a component, or to top-level definitions of that name.
    /// A method, or a function of a namespace, is printed behind what contains it: `Cart.sum`.
    fn component(&self, name: &str) -> Meaning {
        if name.len() < self.config.min_frame_word {
            return Meaning::Files(Vec::new());
        }
        let places = origin::component_extensions()
            .flat_map(|e| self.files_at_whole_path(&format!("{name}.{e}")));
        let places: Vec<FileId> = places.collect();
        if !places.is_empty() && places.len() <= self.config.max_files_of_path {
            return Meaning::Files(places);
        }
        let Snapshot { files, symbols, .. } = self.snapshot;
        let is_outer = |id: &DefId| files.definition(*id).parent.is_none();
        let mut found: Vec<DefId> = match name.contains('.') {
            true => symbols.ending(files, name),
            false => symbols
                .named(name)
                .iter()
                .copied()
                .filter(is_outer)
                .collect(),
        };
        found.retain(|id| files.role_of(*id) == Role::Source);
        self.hide_declarations(&mut found);
        if found.len() > self.config.max_application_definitions {
            found.clear();
        }
        Meaning::Named(found, self.config.strength.last_name)
    }

    /// Returns the function of a frame: by its name, in the file or where it may have moved since the version that
    /// printed the frame, else by the line. If a built-in member has the name, the line decides: Ruby prints calls of
    /// those at the line of the caller.
    fn at_frame(&self, file: FileId, frame: &Frame) -> Option<DefId> {
        let files = &self.snapshot.files;
        let at_line = self.definition_at(file, frame.line);
        let members = files.file(file).language.rules().lookup.builtin_members;
        let (class, name) = frame
            .function
            .rsplit_once(['.', '#'])
            .unwrap_or(("", &frame.function));
        let named = self.function_in(file, frame);
        let is_of_class = named.is_some_and(|id| {
            let qualified = files.definition(id).qualified_name.rsplit('.').nth(1);
            !class.is_empty() && qualified == class.rsplit('.').next()
        });
        match at_line.filter(|id| files.definition(*id).kind.is_function()) {
            Some(caller) if !is_of_class && members.binary_search(&name).is_ok() => Some(caller),
            _ => named.or_else(|| self.moved(name)).or(at_line),
        }
    }

    /// Returns the only function of the repository's sources with a name of several words.
    fn moved(&self, name: &str) -> Option<DefId> {
        if !is_compound(name, self.config.min_frame_word) {
            return None;
        }
        let files = &self.snapshot.files;
        let mut found = self.in_sources(self.snapshot.symbols.named(name));
        found.retain(|id| files.definition(*id).kind.is_function());
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Returns the function in a file with the name of a frame: preferably in the class that the frame names, then
    /// the nearest to the line, since the traceback may come from another version.
    fn function_in(&self, file: FileId, frame: &Frame) -> Option<DefId> {
        let files = &self.snapshot.files;
        let mut names = frame.function.rsplit('.');
        let name = names.next().filter(|name| !name.is_empty())?;
        let class = names.next();
        let named = files.definitions_of(file).filter(|id| {
            let definition = files.definition(*id);
            definition.kind.is_function() && *definition.name == *name
        });
        named.min_by_key(|id| {
            let definition = files.definition(*id);
            let mut enclosing = definition.qualified_name.rsplit('.').skip(1);
            let is_elsewhere = class.is_some_and(|class| enclosing.next() != Some(class));
            let distance = definition.lines.start.abs_diff(frame.line);
            (is_elsewhere, distance, *id)
        })
    }
}

/// Returns the place that a frame means, given the definitions that count.
fn place_of(frame: &Frame, definitions: &[DefId]) -> Option<DefId> {
    match frame.function.as_str() {
        "" => place_at_line(&frame.path, definitions),
        _ => definitions.first().copied(),
    }
}

/// Returns the place that a path with a line means: the first of the definitions at the line. The mere name of a file
/// means none if several files have it.
pub(super) fn place_at_line(path: &str, definitions: &[DefId]) -> Option<DefId> {
    let first = definitions.first()?;
    let is_bare = !path.contains(['/', '\\']);
    let mut all = definitions.iter();
    (!is_bare || all.all(|id| id.file == first.file)).then_some(*first)
}

/// Returns the name of the directory of a file, if the path has one.
fn directory_name(path: &str) -> Option<&str> {
    let (above, _) = path.rsplit_once(['/', '\\'])?;
    let last = above.rsplit(['/', '\\']).next()?;
    (!matches!(last, "" | "." | "..")).then_some(last)
}

/// Whether a file is usually the entry of a program: `src/main.rs`.
fn is_main(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.')
        .is_some_and(|(stem, _)| stem == "main")
}

/// Whether the path of a file ends with whole segments that a text gives.
pub(super) fn ends_with_path(path: &str, end: &str) -> bool {
    let above = path.strip_suffix(end);
    above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
}

/// Whether a file that declares the package `declared` may contain code of another one: either is unknown, or one
/// is a namespace inside the other.
fn may_contain(declared: &str, package: &str) -> bool {
    let is_inside = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| outer.is_empty() || rest.starts_with('.'))
    };
    is_inside(package, declared) || is_inside(declared, package)
}

/// Removes the number that bundlers add to a repeated name: `patch$1` is the second `patch`.
fn without_number(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.strip_suffix('$')
        .filter(|stem| !stem.is_empty())
        .unwrap_or(name)
}

/// Whether a name has several words and more than `min_word` bytes: `unmountComponent`, `flush_jobs`.
fn is_compound(name: &str, min_word: usize) -> bool {
    let word = name.trim_matches(['_', '$']);
    let has_two_words = word
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.len() > min_word && (has_two_words || word.contains('_'))
}

fn frame_label(frame: &Frame) -> String {
    let file = frame.path.rsplit(['/', '\\']).next().unwrap_or_default();
    if frame.path.is_empty() {
        frame.function.clone()
    } else if frame.function.is_empty() {
        format!("{file}:{}", frame.line)
    } else {
        format!("{file}:{}", frame.function)
    }
}
