//! Links members by the name of their receiver: without any type, `res.status(1)` means the `status` of the only
//! object `res` that has one, and `reply.send()` that of the only class `Reply`. Such names may be short and common.
//! Start at [`Resolver::by_receiver_name`].

use foveate_model::{DefinitionKind, Reference, ReferenceKind, Role};

use super::Resolver;
use crate::graph::candidates::{Candidate, Nesting, outer_name};
use crate::graph::paths;
use crate::graph::targets::{Target, Targets};
use crate::graph::values::{Value, cached};

/// Minimum length of a receiver that may mean the class of its name, in bytes.
const MIN_CLASS_NAME: usize = 3;
/// Minimum length of a member of such a class, in bytes: `get` and `run` are members of everything.
const MIN_MEMBER_OF_CLASS: usize = 4;
/// Marks before the name of a variable or a private field.
const MARKS: [char; 3] = ['$', '@', '_'];

/// How the name of a receiver fits that of an owner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Equal,
    /// Equal but for capital first letters of its words: `thread_pool` fits `ThreadPool`.
    OfClass,
}

impl<'a> Resolver<'a> {
    /// Returns the members that `name` means by the name of its receiver; empty if there are none or several.
    pub(super) fn by_receiver_name(
        &self,
        name: &'a str,
        reference: &Reference,
        receiver: Value,
    ) -> Targets {
        let is_unknown = matches!(receiver, Value::Unknown | Value::Unbound);
        if !is_unknown || reference.path == reference.name {
            return Targets::default();
        }
        let Some(owner) = before_last(reference.path.of(self.text)) else {
            return Targets::default();
        };
        let is_call = reference.kind == ReferenceKind::Call;
        cached(&self.receiver_names, (owner, name, is_call), || {
            let builtins = self.names.rules(self.file).builtin_members;
            let may_be_of_class = owner.len() >= MIN_CLASS_NAME
                && name.len() >= MIN_MEMBER_OF_CLASS
                && builtins.binary_search(&name).is_err();
            let members = |fit| self.members_of_named(owner, name, is_call, fit);
            members(Fit::Equal).or_else(|| match may_be_of_class {
                true => members(Fit::OfClass),
                false => Targets::default(),
            })
        })
    }

    /// Returns the members of the only owner whose name fits.
    fn members_of_named(&self, owner: &str, name: &str, is_call: bool, fit: Fit) -> Targets {
        let mut found = Targets::default();
        let mut prototypes = Targets::default();
        let mut first: Option<Candidate<'a>> = None;
        for candidate in self.names.named(self.file, name) {
            let definition = candidate.definition;
            let is_function = definition.kind.is_function();
            let has_form = match is_call {
                true => is_function || self.is_read_like_a_call(definition),
                false => !is_function || definition.modifiers.is_property,
            };
            let outer = outer_name(definition).rsplit('.').next().unwrap_or("");
            if !has_form || !fits(owner, outer, fit) || !self.is_member_for_others(&candidate) {
                continue;
            }
            // Overloads have one qualified name in one file, and a prototype has that of its body.
            let is_other = first.is_some_and(|first| {
                let are_bodies = first.has_body() && candidate.has_body();
                first.definition.qualified_name != definition.qualified_name
                    || (are_bodies && first.id.file != candidate.id.file)
            });
            if is_other {
                return Targets::default();
            }
            first = Some(candidate);
            let targets = match candidate.has_body() {
                true => &mut found,
                false => &mut prototypes,
            };
            targets.push(Target::Definition(candidate.id));
        }
        found.or_else(|| prototypes)
    }

    /// Whether a definition is a member of a type or object, and code outside of its function can have that.
    fn is_member_for_others(&self, candidate: &Candidate<'a>) -> bool {
        let definition = candidate.definition;
        let file = self.names.tables.files.file(candidate.id.file);
        let is_shipped = file.role == Role::Source || candidate.id.file == self.file;
        if !is_shipped || definition.modifiers.is_block {
            return false;
        }
        let outer = definition.parent;
        match outer.and_then(|id| candidate.facts.definition(id)) {
            None => true,
            Some(outer) if outer.kind == DefinitionKind::Function => {
                outer.modifiers.is_constructor && definition.kind == DefinitionKind::Method
            }
            Some(outer) => {
                let is_namespace = outer.kind == DefinitionKind::Module
                    && !definition.modifiers.is_out_of_line
                    && !self.names.rules(self.file).modules_have_defaults;
                !is_namespace && candidate.nesting() != Nesting::InFunction
            }
        }
    }
}

/// Returns the name before the last one of a path, without marks.
fn before_last(path: &str) -> Option<&str> {
    let count = paths::names(path).count();
    let name = paths::names(path).nth(count.checked_sub(2)?)?;
    let name = name.trim_start_matches(MARKS);
    (!name.is_empty()).then_some(name)
}

/// Whether the name of a receiver fits the name of an owner.
fn fits(receiver: &str, owner: &str, fit: Fit) -> bool {
    if fit == Fit::Equal {
        return receiver == owner;
    }
    let mut rest = owner;
    for word in receiver.split('_') {
        let Some(after) = without_capitalised(rest, word) else {
            return false;
        };
        rest = after;
    }
    rest.is_empty()
}

/// Returns what follows a word with a capital first letter at the start of a name.
fn without_capitalised<'n>(name: &'n str, word: &str) -> Option<&'n str> {
    let mut letters = word.chars();
    let first = letters.next().filter(char::is_ascii_lowercase)?;
    let rest = name.strip_prefix(first.to_ascii_uppercase())?;
    rest.strip_prefix(letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_fit_owners() {
        assert!(fits("res", "res", Fit::Equal) && !fits("res", "Res", Fit::Equal));
        assert!(fits("reply", "Reply", Fit::OfClass) && !fits("reply", "reply", Fit::OfClass));
        assert!(!fits("", "", Fit::OfClass) && !fits("reply", "ReplyTo", Fit::OfClass));
        assert!(fits("thread_pool", "ThreadPool", Fit::OfClass));
        assert!(fits("threadPool", "ThreadPool", Fit::OfClass));
        assert!(!fits("thread_pool", "Thread", Fit::OfClass));
        assert!(!fits("thread_", "Thread", Fit::OfClass));
        assert_eq!(before_last("this._reply.send"), Some("reply"));
        assert_eq!(before_last("$reply->send"), Some("reply"));
        assert_eq!(before_last("send"), None);
    }
}
