//! Finds extensions: functions that a file calls like members of a type that does not contain them. Start at
//! [`Evaluator::extensions`].

use foveate_model::{Definition, Visibility};

use super::{Evaluator, MAX_INFERENCES, Outcome, Value, cached};
use crate::files::FileId;
use crate::graph::candidates::{Candidate, Nesting};
use crate::graph::names::NameResolver;
use crate::graph::paths::FullName;
use crate::graph::relations::Confidence;
use crate::graph::scopes::{Binding, TOP_LEVEL};
use crate::graph::targets::{Target, Targets};

/// Maximum number of definitions of one name that are examined.
const MAX_NAMESAKES: usize = 64;

impl<'a> Evaluator<'a> {
    /// Returns the extensions that `name` in a file may mean, and how sure they are. `member` is its outcome,
    /// which has no definition.
    pub(in crate::graph) fn extensions(
        &self,
        file: FileId,
        name: &'a str,
        member: Outcome,
    ) -> (Targets, Confidence) {
        self.extensions_inferring(file, name, member, MAX_INFERENCES)
    }

    /// Like [`Self::extensions`], with the depth of inferences that is left. The results are cached by it, because those
    /// with fewer may be less complete.
    pub(super) fn extensions_inferring(
        &self,
        file: FileId,
        name: &'a str,
        member: Outcome,
        inferences: u32,
    ) -> (Targets, Confidence) {
        let rules = self.names.rules(file);
        let is_known = matches!(member.receiver, Value::Instance(_) | Value::Class(_));
        // A builtin member of a value of another type is more likely than an extension of the same name.
        let is_builtin = || !is_known && rules.builtin_members.binary_search(&name).is_ok();
        if !rules.has_extensions || !may_be_extended(member) || is_builtin() {
            return (Targets::default(), Confidence::NameOnly);
        }
        let key = (file, member.receiver, name, inferences);
        cached(&self.caches.extensions, key, || {
            self.extensions_of(file, name, member.receiver, inferences)
        })
    }

    /// Finds the extensions of a receiver.
    fn extensions_of(
        &self,
        file: FileId,
        name: &'a str,
        receiver: Value,
        inferences: u32,
    ) -> (Targets, Confidence) {
        let names = self.names;
        let mut found: Vec<Candidate<'a>> = Vec::new();
        let mut is_member_of_other = false;
        for candidate in names.named(file, name).take(MAX_NAMESAKES) {
            if !is_extension(candidate.definition) {
                is_member_of_other |= candidate.nesting() == Nesting::InType;
            } else if names.sees_extension(file, &candidate)
                && self.is_called_on(receiver, &candidate, inferences)
            {
                found.push(candidate);
            }
        }
        let is_unknown = matches!(receiver, Value::Unknown | Value::Unbound);
        let is_same: IsSame = match receiver {
            // Which type outside the repository it is, is not known.
            Value::External | Value::Elements(_) => are_overloads,
            _ => have_one_name,
        };
        // A file that imports an extension by its name uses it.
        let is_imported = || found.iter().any(|one| names.imports_extension(file, one));
        let may_be_member = is_unknown && is_member_of_other && !is_imported();
        told_apart(&found, may_be_member, is_same)
    }

    /// Returns the extensions that a call of `name` without a receiver may mean, and how sure they are: the receiver may be
    /// that of a function or lambda around the call, as in `build { extend() }`. `bare` is the outcome of the name, which
    /// has no definition.
    pub(in crate::graph) fn extensions_of_implicit_receiver(
        &self,
        file: FileId,
        name: &'a str,
        bare: Outcome,
    ) -> (Targets, Confidence) {
        let names = self.names;
        let rules = names.rules(file);
        let is_builtin = || rules.builtin_members.binary_search(&name).is_ok();
        if !rules.has_extensions || bare.value != Value::Unbound || is_builtin() {
            return (Targets::default(), Confidence::NameOnly);
        }
        let mut found: Vec<Candidate<'a>> = Vec::new();
        let mut is_member = false;
        for candidate in names.named(file, name).take(MAX_NAMESAKES) {
            let definition = candidate.definition;
            let is_function = definition.kind.is_function() && !definition.modifiers.is_property;
            if !definition.modifiers.is_out_of_line {
                is_member |= candidate.nesting() == Nesting::InType;
            } else if is_function && names.sees_extension(file, &candidate) {
                found.push(candidate);
            }
        }
        told_apart(&found, is_member, have_one_name)
    }

    /// Whether an extension is one of the type of a receiver: of its class or a base of it, or of a type outside
    /// the repository if the receiver's is not known to be in it.
    fn is_called_on(&self, receiver: Value, extension: &Candidate<'a>, inferences: u32) -> bool {
        // An `object` of Kotlin is a class; static methods are not called on one.
        let is_of_object = extension.definition.modifiers.is_out_of_line;
        if matches!(receiver, Value::Class(_)) && !is_of_object {
            return false;
        }
        match (receiver, self.extended(extension, inferences)) {
            (Value::Instance(class) | Value::Class(class), Value::Instance(base)) => {
                let known = &self.known_bases;
                class == base || self.inheritance.is_derived(self.names, known, class, base)
            }
            (Value::Instance(_) | Value::Class(_), _) => false,
            (_, extended) => extended == Value::External,
        }
    }
}

/// Whether two extensions of a name may both be meant.
type IsSame = fn(&Candidate<'_>, &Candidate<'_>) -> bool;

/// Whether two extensions have one full name, as overloads have.
fn have_one_name(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.full_name().is_same(b.full_name())
}

/// Whether two extensions of a name are overloads by their receivers, which one import brings: `Closeable.quiet` and
/// `Socket.quiet`.
fn are_overloads(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    let is_outside = |extension: &Candidate<'_>| extension.definition.modifiers.is_out_of_line;
    let is_one_place = || place(a).is_same(place(b));
    have_one_name(a, b) || is_outside(a) && is_outside(b) && is_one_place()
}

/// Returns the full name of the package or class that contains an extension.
fn place<'a>(extension: &Candidate<'a>) -> FullName<'a> {
    let container = extension.container();
    FullName {
        package: &extension.facts.package,
        name: container.map_or("", |container| &container.qualified_name),
    }
}

/// Returns the found extensions, and how sure they are: likely if all are the same, and no member of their name may be meant
/// instead.
fn told_apart(
    found: &[Candidate<'_>],
    may_be_member: bool,
    is_same: IsSame,
) -> (Targets, Confidence) {
    let ids = found.iter().map(|candidate| candidate.id);
    let is_one = found
        .first()
        .is_some_and(|first| found.iter().all(|other| is_same(first, other)));
    let confidence = match is_one && !may_be_member {
        true => Confidence::Likely,
        false => Confidence::NameOnly,
    };
    (ids.map(Target::Definition).collect(), confidence)
}

/// Whether the receiver of a member can have extensions. A receiver that is certain, but no object, is a type or
/// a module. A class may be an object.
fn may_be_extended(member: Outcome) -> bool {
    match member.receiver {
        Value::Instance(_) | Value::Class(_) => true,
        Value::Unknown | Value::Unbound | Value::External | Value::Elements(_) => {
            member.confidence == Confidence::Likely
        }
        Value::Module(_) | Value::Super(_) | Value::Definition(_) => false,
    }
}

fn is_extension(definition: &Definition) -> bool {
    definition.modifiers.is_extension || definition.modifiers.is_out_of_line
}

impl<'a> NameResolver<'a> {
    /// Whether a file can call an extension: it is in the file, in the package of the file, or imported.
    fn sees_extension(&self, file: FileId, extension: &Candidate<'a>) -> bool {
        let (definition, nesting) = (extension.definition, extension.nesting());
        let other = extension.id.file;
        if nesting == Nesting::InFunction || other == file {
            return nesting != Nesting::InFunction;
        }
        let package = self.package(other);
        if definition.visibility == Visibility::Private || package.is_none() {
            return false;
        }
        // One in a class is for the methods of the class, unless it is static or in an object.
        if definition.modifiers.is_out_of_line && nesting == Nesting::InType {
            return self.imports_extension(file, extension);
        }
        let stars = self.scope(file).map_or(&[][..], |scope| &scope.stars);
        self.package(file) == package
            || stars.iter().any(|star| self.package(*star) == package)
            || definition.modifiers.is_extension && self.is_inside_package(file, extension)
            || self
                .visible(file, &definition.name)
                .definitions()
                .any(|id| id == extension.id)
    }

    /// Whether a file imports an extension by its name, from its package or object: `import a.B.Companion.c`.
    fn imports_extension(&self, file: FileId, extension: &Candidate<'a>) -> bool {
        let imports = self.facts(file).map_or(&[][..], |facts| &facts.imports);
        let place = place(extension);
        let mut bindings = self.bindings(file, TOP_LEVEL, &extension.definition.name);
        bindings.any(|binding| match binding {
            Binding::Imported { import, .. } => {
                let import = imports.get(import as usize);
                import.is_some_and(|import| {
                    place.is_same(FullName {
                        package: &import.module,
                        name: "",
                    })
                })
            }
            Binding::Definition(_) | Binding::Exported(_) => false,
        })
    }

    /// Whether the package of a file is inside of that of an extension.
    fn is_inside_package(&self, file: FileId, extension: &Candidate<'a>) -> bool {
        let package = self.facts(file).map_or("", |facts| &facts.package);
        let inner = package.strip_prefix(&*extension.facts.package);
        inner.is_some_and(|inner| inner.starts_with('.'))
    }
}
