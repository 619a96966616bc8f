//! Resolves identifiers of the query to definitions: exactly, through modules and re-exports, by qualified
//! suffix, regardless of case, and fuzzily last.

use std::borrow::Cow;

use foveate_index::symbols::fold;
use foveate_index::{DefId, FileId, Snapshot};
use foveate_model::Role;
use foveate_parse::origin;

use super::similar::nearest;
use super::{EvidenceSource, Resolver};
use crate::deadline::Stage;
use crate::text::{MentionKind, QueryText, fixed_names};

/// Characters that can end the name of a method in Ruby.
const MARKS: [char; 3] = ['?', '!', '='];

/// Returns a name with dots between its parts, whatever the separator of the language, and without the `()` of a call. The
/// name of an operator stays: `Cmp::operator()`.
pub(crate) fn dotted(name: &str) -> String {
    const OPERATOR: &str = "operator";
    // A colon follows the name of a module: `operator::Add`.
    const SIGNS: &str = "([+-*/%^&|~!=<>, ";
    let is_part = |at: usize| {
        let before = name.get(..at).and_then(|start| start.chars().next_back());
        let after = name
            .get(at + OPERATOR.len()..)
            .and_then(|rest| rest.chars().next());
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        !before.is_some_and(is_letter) && after.is_some_and(|c| SIGNS.contains(c))
    };
    let operator = name.match_indices(OPERATOR).find(|(at, _)| is_part(*at));
    let (path, operator) = match operator {
        Some((at, _)) => name.split_at(at),
        None => (name.trim().trim_end_matches("()"), ""),
    };
    let path = path.replace("::", ".").replace("->", ".");
    let path = with_private_names(&path.replace(".prototype.", "."));
    format!("{path}{operator}").trim_matches('.').to_owned()
}

/// Replaces each `#` between two names by a dot: `Cart#sum`. At the start of a name it is a part of it, as private names of
/// JavaScript have it: `Cart.#sum`.
fn with_private_names(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        let is_separator = c == '#' && !text.is_empty() && !text.ends_with('.');
        text.push(if is_separator { '.' } else { c });
    }
    text
}

impl Resolver<'_> {
    /// Resolves all identifiers that the query names outside tracebacks.
    pub(super) fn mentions(&mut self, text: &QueryText) {
        let fixed = fixed_names(text);
        for mention in self.in_time(&text.mentions) {
            // Code may really use `NoneType`; the message of a runtime names nothing by it.
            if mention.kind != MentionKind::CodeBlock && fixed.contains(&mention.name) {
                continue;
            }
            let (from, strength) = self.evidence_of(mention.kind);
            let is_known = self.name(&mention.name, from, strength);
            let is_asked = matches!(
                mention.kind,
                MentionKind::InlineCode | MentionKind::Title | MentionKind::Prose
            );
            if is_asked && !is_known {
                let name = self.with_sign_of_definition(&mention.name);
                let name = self.with_mark_of_definition(name).into_owned();
                self.found.unknown_names.push(name);
            }
        }
    }

    /// Resolves the words with a sigil that are exactly the names of definitions, such as `$patch`, or by which files import
    /// some.
    pub(super) fn sigil_words(&mut self, text: &QueryText) {
        for word in self.in_time(&text.sigil_words) {
            let is_defined = !self.snapshot.symbols.named(&word.name).is_empty();
            if is_defined || !self.imported_as(&word.name).is_empty() {
                let (from, strength) = self.evidence_of(word.kind);
                self.plain(&word.name, from, strength);
            }
        }
    }

    /// Returns what a mention in a part of the query is evidence of, and how strong it is.
    fn evidence_of(&self, kind: MentionKind) -> (EvidenceSource, f32) {
        let strength = &self.config.strength;
        match kind {
            MentionKind::InlineCode => (EvidenceSource::InlineCode, strength.inline_code),
            MentionKind::Title => (EvidenceSource::Title, strength.title),
            MentionKind::Prose => (EvidenceSource::Prose, strength.prose),
            MentionKind::ErrorMessage => (EvidenceSource::ErrorMessage, strength.error_message),
            MentionKind::CodeBlock => (EvidenceSource::CodeBlock, strength.code_block),
        }
    }

    /// Resolves one identifier or dotted chain of identifiers. Returns false if nothing has this name; a similar
    /// name, or parts of it, may have been found nevertheless. A type of a standard library leads to no similar name.
    pub(super) fn name(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let name = name.trim_start_matches("self.").trim_start_matches("this.");
        let name = &*self.with_mark_of_definition(self.with_sign_of_definition(name));
        if name.contains('.') {
            return self.dotted(name, from, strength);
        }
        if origin::is_runtime_type(name) && self.is_without_code(name) {
            return false;
        }
        let known = self.plain(name, from, strength);
        if !known && name.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$')) {
            self.fuzzy(name, from, strength);
        }
        known
    }

    /// Whether no code has a name: nothing has it, or only the titles of tests.
    fn is_without_code(&self, name: &str) -> bool {
        let mut named = self.snapshot.symbols.named(name).iter();
        named.all(|id| self.is_block(*id))
    }

    /// Returns a name with the `$` or `#` at its start if it is that of a definition, such as a class of JavaScript; else
    /// without it: variables of PHP and of shells have it only where they are used, and a method of Ruby only in texts.
    fn with_sign_of_definition<'n>(&self, name: &'n str) -> &'n str {
        let bare = name.trim_start_matches(['$', '#']);
        if bare.len() == name.len() {
            return name;
        }
        let first = name.split('.').next().unwrap_or(name);
        let symbols = &self.snapshot.symbols;
        let mut spellings = [first, first.trim_end_matches(MARKS)].into_iter();
        match spellings.any(|first| !symbols.named(first).is_empty()) {
            true => name,
            false => bare.trim_start_matches('.'),
        }
    }

    /// Returns a name as a definition has it, with or without a mark at its end: only some languages have names
    /// such as `valid?` and `size=`, and many texts leave their marks out. Without such a definition, the name has
    /// no mark.
    fn with_mark_of_definition<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let symbols = &self.snapshot.symbols;
        let start = name.rfind('.').map_or(0, |dot| dot + 1);
        let is_known = |name: &str| {
            let last = name.get(start..).unwrap_or(name);
            !symbols.named(last).is_empty()
        };
        let is_word = |name: &&str| name.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let bare = name.strip_suffix(MARKS).filter(is_word).unwrap_or(name);
        if let Some(known) = [name, bare].into_iter().find(|name| is_known(name)) {
            return Cow::Borrowed(known);
        }
        let marked = MARKS.iter().map(|mark| format!("{bare}{mark}"));
        let mut marked = marked.filter(|name| is_known(name));
        marked.next().map_or(Cow::Borrowed(bare), Cow::Owned)
    }

    /// Resolves `a.b.C.m` as a path through modules; else by its longest known qualified suffix; else as a member that `C`
    /// inherits or a variable named like it has; else at the top of a file called `C`; else as a member of a type spelled
    /// like `C`, or each of its names alone, but for the parts of a package, in which cases it returns false. Names of a
    /// standard library are not split.
    fn dotted(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let qualified = self.config.strength.qualified.max(strength);
        if self.as_module(name, from, qualified) || self.through_modules(name, from, qualified) {
            return true;
        }
        if self.by_suffix(name, from, qualified) {
            return true;
        }
        // Few texts spell the sign of a private member.
        if let Some((owner, member)) = name.rsplit_once('.')
            && !self
                .snapshot
                .symbols
                .named(&format!("#{member}"))
                .is_empty()
            && self.by_suffix(&format!("{owner}.#{member}"), from, qualified)
        {
            return true;
        }
        if origin::is_runtime_name(name) || is_placeholder(name) {
            return false;
        }
        if self.member(name, from, strength) || self.in_file_of_name(name, from, qualified) {
            return true;
        }
        if let Some(class) = constructed(name) {
            return self.name(class, from, strength);
        }
        if self.member_of_similar(name, from, strength) {
            return false;
        }
        let last_name = self.config.strength.last_name;
        for part in origin::without_package(name).split('.') {
            self.plain(part, from, strength * last_name);
        }
        false
    }

    /// Whether a definition is a block that is named by a text, such as a test.
    pub(super) fn is_block(&self, id: DefId) -> bool {
        self.snapshot.files.definition(id).modifiers.is_block
    }

    /// Resolves the dotted name of a module to its file; returns false if there is none.
    pub(super) fn as_module(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let snapshot = self.snapshot;
        let (files, graph) = (&snapshot.files, &snapshot.graph);
        let file = graph.resolve_module(files, name);
        let Some(file) = file.filter(|file| self.is_evidence(*file, from)) else {
            return false;
        };
        self.add_file(file, EvidenceSource::Module, self.config.strength.path);
        self.modules.push(name.to_owned());
        // Where files have no names of their own, the name of a type or of a member leads to its file, too.
        let rules = &files.file(file).language.rules().lookup;
        if rules.imports_reach_members {
            let mut named = graph.resolve_dotted(files, &snapshot.symbols, name);
            if let (true, Some((owner, member))) = (named.is_empty(), name.rsplit_once('.')) {
                // A type outside of packages: no package leads to its members.
                let mut owners = snapshot.symbols.qualified(owner).to_vec();
                owners.retain(|id| id.file == file);
                named = self.members(&owners, member);
            }
            self.add_definitions(name, from, strength, &named);
        }
        true
    }

    /// Resolves a dotted name through modules and what they export; returns false if it leads nowhere.
    fn through_modules(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let snapshot = self.snapshot;
        let graph = &snapshot.graph;
        let found = graph.resolve_dotted(&snapshot.files, &snapshot.symbols, name);
        let first = found.first();
        let is_found = first.is_some_and(|id| self.is_evidence(id.file, from));
        if is_found {
            self.add_definitions(name, from, strength, &found);
        }
        is_found
    }

    /// Resolves a dotted name by its longest known qualified suffix; returns false if there is none.
    pub(super) fn by_suffix(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let Snapshot { files, symbols, .. } = self.snapshot;
        let is_foreign = origin::is_runtime_name(name);
        let mut suffix = name;
        while suffix.contains('.') {
            // The title of a test does not hide the code that has the name.
            let mut found = symbols.qualified(suffix).to_vec();
            found.retain(|id| !self.is_block(*id));
            if found.is_empty() {
                found = symbols.ending(files, suffix);
                found.retain(|id| !self.is_block(*id));
            }
            // A repository may extend a package or namespace of the standard library, or be the library.
            found.retain(|id| !is_foreign || suffix == name || self.is_in_package(*id, name));
            if !found.is_empty() {
                self.add_definitions(name, from, strength, &found);
                return true;
            }
            suffix = suffix.split_once('.').map_or("", |(_, rest)| rest);
        }
        false
    }

    /// Whether a dotted name that leads to a file says something about it. Pasted code names the package of a library at
    /// each use: that says little about where the problem is.
    fn is_evidence(&self, file: FileId, from: EvidenceSource) -> bool {
        let rules = &self.snapshot.files.file(file).language.rules().lookup;
        from != EvidenceSource::CodeBlock || !rules.uses_name_their_package
    }

    /// Whether a dotted name begins with the package that the file of a definition declares.
    fn is_in_package(&self, id: DefId, name: &str) -> bool {
        let package = self.package_of(id.file);
        let rest = name.strip_prefix(package).filter(|_| !package.is_empty());
        rest.is_some_and(|rest| rest.starts_with('.'))
    }

    /// Resolves `C.m` to the member of `C` that it inherits, and `c.m` to the member of the type `C`; returns
    /// false if there is none.
    fn member(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let Some((path, member)) = name.rsplit_once('.') else {
            return false;
        };
        let factors = &self.config.strength;
        let type_name = path.rsplit('.').next().unwrap_or(path);
        let symbols = &self.snapshot.symbols;
        let (exact, similar) = (
            self.members(symbols.named(type_name), member),
            self.members(symbols.folded(&fold(type_name)), member),
        );
        let (found, certainty) = match exact.is_empty() {
            true => (similar, strength * factors.folded),
            false => (exact, factors.qualified.max(strength)),
        };
        if found.is_empty() {
            return false;
        }
        let of_type = strength * factors.last_name;
        self.add_definitions(name, from, certainty, &found);
        self.plain(type_name, from, of_type);
        true
    }

    /// Resolves `m.f` to `f` at the top of the files named `m`: texts leave out the packages around a module. In languages
    /// whose paths may be namespaces, `f` may also be in the source files directly in a directory named `m`: headers are
    /// often in the directory of their namespace, which a macro may open. Returns false if there is none.
    fn in_file_of_name(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let Some((path, last)) = name.rsplit_once('.') else {
            return false;
        };
        let module = path.rsplit('.').next().unwrap_or(path);
        let Snapshot { files, symbols, .. } = self.snapshot;
        let is_outer = |id: &DefId| {
            files.definition(*id).parent.is_none()
                && self.is_evidence(id.file, from)
                && !self.is_block(*id)
        };
        let named = symbols.named(last).iter().copied();
        let outer: Vec<DefId> = named.filter(is_outer).collect();
        let mut found = outer.clone();
        found.retain(|id| files.file(id.file).path.stem() == module);
        if found.is_empty() {
            found = outer;
            found.retain(|id| {
                let file = files.file(id.file);
                let may_be_namespace = file.language.rules().lookup.paths_may_be_qualified;
                may_be_namespace
                    && file.path.directory().rsplit('/').next() == Some(module)
                    && files.role_of(*id) == Role::Source
            });
        }
        self.add_definitions(name, from, strength, &found);
        !found.is_empty()
    }

    /// Returns the members of this name of the types among some definitions.
    fn members(&self, owners: &[DefId], member: &str) -> Vec<DefId> {
        let Snapshot { files, graph, .. } = self.snapshot;
        let symbols = &self.snapshot.symbols;
        let owners = owners
            .iter()
            .filter(|id| files.definition(**id).kind.is_container())
            .take(self.config.max_definitions);
        owners
            .flat_map(|owner| graph.members_of(files, symbols, *owner, member))
            .collect()
    }

    /// Resolves a name without dots; returns false if nothing has it.
    fn plain(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        let symbols = &self.snapshot.symbols;
        let exact = self.known_as(name);
        let mut code = exact.clone();
        code.retain(|id| !self.is_block(*id));
        if !code.is_empty() {
            self.add_definitions(name, from, strength, &code);
            return true;
        }
        if !exact.is_empty() {
            self.add_definitions(name, from, strength, &exact);
            return true;
        }
        let private = symbols.named(&format!("#{name}"));
        if !private.is_empty() {
            self.add_definitions(name, from, strength, private);
            return true;
        }
        let imported = self.imported_as(name);
        if !imported.is_empty() {
            self.add_definitions(name, from, strength, &imported);
            return true;
        }
        let folded = symbols.folded(&fold(name));
        if name.len() >= 3 && !folded.is_empty() {
            self.add_definitions(name, from, strength * self.config.strength.folded, folded);
            return true;
        }
        false
    }

    /// Returns the definitions with this name, and those that code uses by it. If no code has the name, those that files
    /// export under it.
    pub(super) fn known_as(&self, name: &str) -> Vec<DefId> {
        let Snapshot { files, symbols, .. } = self.snapshot;
        let mut found = symbols.named(name).to_vec();
        found.extend(symbols.also_named(name));
        if found.iter().all(|id| self.is_block(*id)) {
            found.extend(self.snapshot.graph.reexported(files, symbols, name));
        }
        found
    }

    /// Resolves a name to the most similar one of the repository, if any is similar enough.
    pub(super) fn fuzzy(&mut self, name: &str, from: EvidenceSource, strength: f32) {
        if let Some((found, similarity)) = self.similar(name) {
            let factor = self.config.strength.fuzzy * similarity;
            let label = match from {
                EvidenceSource::Words => EvidenceSource::WordsFuzzy,
                _ => EvidenceSource::Fuzzy,
            };
            self.add_definitions(name, label, strength * factor, &found);
        }
    }

    /// Resolves `C.m`, where nothing is called `C`, to the member of the type with the most similar name: its own name
    /// confirms that the type is meant. Pasted code uses too many names of libraries for that. Returns false if there is
    /// none.
    fn member_of_similar(&mut self, name: &str, from: EvidenceSource, strength: f32) -> bool {
        use EvidenceSource::{InlineCode, Prose, Title};
        let Some((path, member)) = name.rsplit_once('.') else {
            return false;
        };
        let owner = path.rsplit('.').next().unwrap_or(path);
        let is_known = !self.snapshot.symbols.folded(&fold(owner)).is_empty();
        if is_known || !matches!(from, InlineCode | Prose | Title) {
            return false;
        }
        let Some((owners, similarity)) = self.similar(owner) else {
            return false;
        };
        let found = self.members(&owners, member);
        self.add_definitions(name, EvidenceSource::Fuzzy, strength * similarity, &found);
        !found.is_empty()
    }

    /// Returns the definitions with the most similar name of the repository, and the similarity; none if no name is similar
    /// enough, or if as many names of the query as may be were compared before.
    fn similar(&mut self, name: &str) -> Option<(Vec<DefId>, f32)> {
        let folded = fold(name);
        if folded.len() < self.config.min_fuzzy_name_len || self.fuzzy_left == 0 {
            return None;
        }
        if !self.deadline.allows(Stage::SimilarNames) {
            return None;
        }
        self.fuzzy_left -= 1;
        let symbols = &self.snapshot.symbols;
        let found = nearest(symbols, &folded, self.config.min_fuzzy_similarity, 1);
        let found = found.first()?;
        let definitions = symbols.folded(found.name).to_vec();
        Some((definitions, found.similarity as f32))
    }
}

/// Whether a name is in a package that stands for the reporter's own: `com.example.Shop`. Its parts name nothing here.
fn is_placeholder(name: &str) -> bool {
    let packages = ["com.example.", "net.example.", "org.example."];
    packages.iter().any(|package| name.starts_with(package))
}

/// Returns the class that `A.new` makes an instance of.
fn constructed(name: &str) -> Option<&str> {
    let class = name.strip_suffix(".new")?;
    let last = class.rsplit('.').next().unwrap_or(class);
    last.starts_with(char::is_uppercase).then_some(class)
}
