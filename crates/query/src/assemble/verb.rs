//! Says what a call site does with the definition that it names.

use foveate_index::graph::CallSite;
use foveate_index::{DefId, Files};
use foveate_model::ReferenceKind;

foveate_model::named_enum! {
    /// What a line does with the code that it names, the more telling one first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Verb {
        Calls = "calls",
        Uses = "uses",
        Imports = "imports",
    }
}

/// Returns what a call site does with the definition `of`.
pub(super) fn verb(files: &Files, of: DefId, site: &CallSite) -> Verb {
    if is_call(files, site) && !is_owner(files, of, site) {
        Verb::Calls
    } else {
        Verb::Uses
    }
}

/// Whether a class has the definition `of` as its base: `A` in `class B extends A`, but not in `class B extends A.C`.
pub(super) fn is_base(files: &Files, of: DefId, site: &CallSite) -> bool {
    is_kind(files, site, ReferenceKind::Base) && !is_owner(files, of, site)
}

/// Whether a reference names the definition before its last name: `Checker` in `Checker.check()`.
fn is_owner(files: &Files, of: DefId, site: &CallSite) -> bool {
    let definition = files.definition(of);
    let Some(content) = files.content(site.file) else {
        return false;
    };
    let reference = content.facts.references.get(site.reference as usize);
    // What is called by `f.call()` is the function `f`.
    let is_called = definition.kind.is_function() && !definition.modifiers.is_property;
    !is_called
        && reference.is_some_and(|reference| {
            reference.path != reference.name
                && reference.name.of(&content.text) != &*definition.name
        })
}

pub(super) fn is_call(files: &Files, site: &CallSite) -> bool {
    is_kind(files, site, ReferenceKind::Call)
}

pub(super) fn is_kind(files: &Files, site: &CallSite, kind: ReferenceKind) -> bool {
    let references = files
        .content(site.file)
        .map(|content| &content.facts.references);
    let reference = references.and_then(|all| all.get(site.reference as usize));
    reference.is_some_and(|reference| reference.kind == kind)
}
