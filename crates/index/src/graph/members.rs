//! Finds members of open types: some are defined outside the body of their type (a Go method, a function of a
//! Rust `impl`, `void A::f() {}`), and a type may have several bodies (reopened and partial classes,
//! namespaces). Start at [`NameResolver::own_members`].

use foveate_model::{DefinitionKind, LocalId};

use crate::files::{DefId, FileId};
use crate::graph::candidates::{BestCandidates, Candidate, outer_name};
use crate::graph::names::NameResolver;
use crate::graph::paths;
use crate::graph::targets::{Target, Targets};

/// Maximum number of bodies of one type whose base classes are searched.
const MAX_BODIES: usize = 64;

/// Whether members count that are defined outside of all bodies of their type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutOfLine {
    Included,
    Excluded,
}

impl<'a> NameResolver<'a> {
    /// Returns the members of a class, enum or namespace with this name, without inherited ones.
    pub(super) fn own_members(&self, class: DefId, name: &'a str) -> Targets {
        let inside = self.in_body(class, name);
        if !self.is_open(class) || !self.lacks_bodies(inside) {
            return inside;
        }
        let members_outside = self.members_outside(class, name, OutOfLine::Included);
        match members_outside.is_empty()
            || (self.lacks_bodies(members_outside) && !inside.is_empty())
        {
            true => inside,
            false => members_outside,
        }
    }

    /// Like [`Self::own_members`], but without members defined outside of all bodies.
    fn members_inside(&self, class: DefId, name: &'a str) -> Targets {
        let inside = self.in_body(class, name);
        if !inside.is_empty() || !self.is_open(class) {
            return inside;
        }
        self.members_outside(class, name, OutOfLine::Excluded)
    }

    /// Whether types of a file's language may have members outside of their bodies.
    pub(super) fn has_open_types(&self, file: FileId) -> bool {
        let rules = self.rules(file);
        rules.members_are_bare || rules.paths_may_be_qualified || self.package(file).is_some()
    }

    /// Whether a type may have members outside of its body.
    fn is_open(&self, class: DefId) -> bool {
        if !self.has_open_types(class.file) {
            return false;
        }
        let kind = self.definition(class).kind;
        kind.is_container() || kind == DefinitionKind::TypeAlias
    }

    /// Returns the members of a class that are defined outside of its body: the nearest that fit, preferably
    /// with a body.
    fn members_outside(&self, class: DefId, name: &str, out_of_line: OutOfLine) -> Targets {
        let Some(owner) = self.candidate(class) else {
            return Targets::default();
        };
        let mut best = BestCandidates::none();
        for candidate in self.named(class.file, name) {
            let is_inside =
                candidate.id.file == class.file && candidate.definition.parent == Some(class.local);
            let is_member = !is_inside
                && !candidate.definition.modifiers.is_block
                && match candidate.definition.modifiers.is_out_of_line {
                    false => self.is_reopened(&owner, &candidate),
                    true => {
                        candidate.outer().may_mean(owner.full_name())
                            && (out_of_line == OutOfLine::Included
                                || self.is_reopened(&owner, &candidate))
                            && self.owns(owner, &candidate)
                    }
                };
            if is_member {
                let nearness = self.nearness(class.file, candidate.id.file);
                best.add((candidate.has_body(), nearness), candidate);
            }
        }
        best.targets()
    }

    /// Whether a member is in another body of a type.
    fn is_reopened(&self, class: &Candidate<'a>, member: &Candidate<'a>) -> bool {
        member.outer().is_same(class.full_name())
            && member.container().is_some()
            && self.is_one_package(class.id.file, member.id.file)
    }

    pub(super) fn is_one_package(&self, file: FileId, other: FileId) -> bool {
        let package = self.package(file);
        package.is_some() && package == self.package(other)
    }

    /// Whether an out-of-line member whose name fits belongs to this type: two modules may have types of the
    /// same name.
    fn owns(&self, class: Candidate<'a>, member: &Candidate<'a>) -> bool {
        let file = member.id.file;
        if file == class.id.file {
            return true;
        }
        let owners = self.owners(member);
        if owners.is_empty() {
            return self.package(file) == self.package(class.id.file);
        }
        owners.definitions().any(|owner| {
            let named_alike = || {
                let owner = self.candidate(owner)?;
                Some(owner.full_name().is_same(class.full_name()))
            };
            owner == class.id
                || (self.is_one_package(owner.file, class.id.file) && named_alike() == Some(true))
        })
    }

    /// Resolves the type in a member's qualified name, looked up at the member's position.
    fn owners(&self, member: &Candidate<'a>) -> Targets {
        self.dependencies.add_file(member.id.file);
        let enclosing = outer_name(member.definition);
        let parent = member.definition.parent;
        let parent_name = parent.and_then(|id| self.local(member.id.file, id));
        let parent_name = parent_name.map_or("", |parent| &parent.qualified_name);
        let written = enclosing.strip_prefix(parent_name).unwrap_or(enclosing);
        let written = written.strip_prefix('.').unwrap_or(written);
        if written.is_empty() {
            return Targets::default();
        }
        // Only bodies are searched, because the owner of one type must not depend on the owner of another.
        self.type_named(member.id.file, parent, written, |class, name| {
            self.members_inside(class, name)
        })
    }

    /// Returns the type of an out-of-line member.
    pub(super) fn owner(&self, member: DefId) -> Option<DefId> {
        let member = self.candidate(member)?;
        if !member.definition.modifiers.is_out_of_line {
            return None;
        }
        let owners = self.owners(&member);
        let is_container = |id: &DefId| self.definition(*id).kind.is_container();
        owners.definitions().find(is_container)
    }

    /// Returns the type that a method belongs to, which may have no body: `type Names []string`.
    pub(super) fn type_of_method(&self, method: DefId) -> Option<DefId> {
        let method = self.candidate(method)?;
        if !method.definition.modifiers.is_out_of_line {
            let parent = method.definition.parent?;
            return Some(DefId::new(method.id.file, parent));
        }
        let owners = self.owners(&method);
        owners.definitions().find(|id| self.is_open(*id))
    }

    /// Replaces constructors that have the name of their class by the class, because a bare name never means
    /// the constructor alone: inside of `class A { A() {} }`, the type `A` is the class.
    pub(super) fn classes_of_constructors(&self, found: Targets) -> Targets {
        if !found.definitions().any(|id| self.has_name_of_class(id)) {
            return found;
        }
        let class = |target| match target {
            Target::Definition(id) if self.has_name_of_class(id) => {
                self.constructed(id).map(Target::Definition)
            }
            other => Some(other),
        };
        found.iter().filter_map(class).collect()
    }

    /// Removes the members of objects that a function constructs or returns: bare names do not mean them.
    pub(super) fn without_members(&self, found: Targets) -> Targets {
        let is_member =
            |target| matches!(target, Target::Definition(id) if self.is_member_of_object(id));
        found.iter().filter(|target| !is_member(*target)).collect()
    }

    fn is_member_of_object(&self, id: DefId) -> bool {
        let definition = self.definition(id);
        matches!(
            definition.kind,
            DefinitionKind::Method | DefinitionKind::Field
        ) || definition.modifiers.is_static
    }

    /// Removes constructors that have the name of their class.
    fn without_constructors(&self, found: Targets) -> Targets {
        let is_constructor =
            |target| matches!(target, Target::Definition(id) if self.has_name_of_class(id));
        found
            .iter()
            .filter(|target| !is_constructor(*target))
            .collect()
    }

    /// Whether a definition is a constructor with the name of its class.
    fn has_name_of_class(&self, id: DefId) -> bool {
        let definition = self.definition(id);
        let class = outer_name(definition).rsplit('.').next();
        definition.modifiers.is_constructor && class == Some(&*definition.name)
    }

    /// Returns the class of a constructor.
    fn constructed(&self, constructor: DefId) -> Option<DefId> {
        let definition = self.definition(constructor);
        if definition.modifiers.is_out_of_line {
            return self.owner(constructor);
        }
        let parent = definition.parent?;
        Some(DefId::new(constructor.file, parent))
    }

    /// Returns the other bodies of a type.
    pub(super) fn other_bodies(&self, class: DefId) -> Vec<DefId> {
        if self.package(class.file).is_none() {
            return Vec::new();
        }
        let Some(owner) = self.candidate(class) else {
            return Vec::new();
        };
        let others = self.named(class.file, &owner.definition.name);
        others
            .filter(|other| {
                other.id != class
                    && other.definition.kind.is_container()
                    && other.full_name().is_same(owner.full_name())
                    && self.is_one_package(class.file, other.id.file)
            })
            .map(|other| other.id)
            .take(MAX_BODIES)
            .collect()
    }

    /// Resolves the path of a type at a position inside of `outer`; `member` looks up names inside of what was
    /// found.
    pub(super) fn type_named(
        &self,
        file: FileId,
        mut outer: Option<LocalId>,
        path: &'a str,
        member: impl Fn(DefId, &'a str) -> Targets,
    ) -> Targets {
        let mut names = paths::names(path);
        let head = names.next().unwrap_or(path);
        let mut found = Targets::default();
        while let Some(local) = outer.filter(|_| found.is_empty()) {
            found = self.without_constructors(self.within(file, outer, head));
            let enclosing = DefId::new(file, local);
            if found.is_empty() && self.is_open(enclosing) {
                found = self.without_constructors(member(enclosing, head));
            }
            outer = self.local(file, local).and_then(|d| d.parent);
        }
        if found.is_empty() {
            found = self.visible(file, head);
        }
        for name in names {
            found = match found.first() {
                Some(Target::Module(module)) => self.attribute(module, name),
                Some(Target::Definition(id)) => member(id, name),
                _ => return Targets::default(),
            };
        }
        found
    }
}
