//! Finds the constants that bare labels of a `switch` mean: `case RED:` names a constant of the type of what is
//! switched on, which no scope binds. Start at [`Resolver::case_label`].

use foveate_model::{DefinitionKind, Reference};

use super::Resolver;
use crate::files::DefId;
use crate::graph::targets::Target;

/// Maximum number of labels of one `case` that are skipped to find its keyword.
const MAX_LABELS: usize = 64;

impl<'a> Resolver<'a> {
    /// Returns the constant that a bare label means, if only one enum that the file sees has it.
    pub(super) fn case_label(&self, name: &'a str, reference: &Reference) -> Option<DefId> {
        if !self.names.rules(self.file).case_labels_name_constants {
            return None;
        }
        let before = self.text.get(..reference.name.start as usize)?;
        if !ends_in_case(before) {
            return None;
        }
        let mut found = None;
        for candidate in self.names.named(self.file, name) {
            let Some((parent, container)) = candidate.definition.parent.zip(candidate.container())
            else {
                continue;
            };
            if candidate.definition.kind != DefinitionKind::EnumMember
                || container.kind != DefinitionKind::Enum
            {
                continue;
            }
            let id = candidate.id;
            let owner = Target::Definition(DefId::new(id.file, parent));
            let is_seen = id.file == self.file || {
                let visible = self.names.visible(self.file, &container.name);
                visible.iter().any(|target| target == owner)
            };
            if !is_seen {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some(id);
        }
        found
    }
}

/// Whether a text ends with `case`, or with `case` and labels that a comma follows.
fn ends_in_case(before: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut rest = before.trim_end();
    for _ in 0..MAX_LABELS {
        if let Some(outer) = rest.strip_suffix("case") {
            return !outer.ends_with(is_of_name);
        }
        let Some(labels) = rest.strip_suffix(',') else {
            return false;
        };
        rest = labels.trim_end().trim_end_matches(is_of_name).trim_end();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_follow_case() {
        assert!(ends_in_case("{ case ") && ends_in_case("case RED, GREEN,\n  "));
        assert!(!ends_in_case("lowercase ") && !ends_in_case("f(RED, ") && !ends_in_case(""));
    }
}
