//! What the role of a file does to its score. Issues are about source code, unless they say that
//! they are about something else.

use foveate_model::Role;

use super::weights::{RoleConfig, RoleFactors};
use crate::intent::IntentKind;
use crate::text::{QueryText, SegmentKind};

/// The factors for one query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roles(RoleFactors);

impl Roles {
    pub(super) fn of(text: &QueryText, intent: IntentKind, config: &RoleConfig) -> Self {
        let mut factors = config.factors;
        let title = text
            .segments
            .iter()
            .filter(|segment| segment.kind == SegmentKind::Title)
            .map(|segment| segment.text.as_str());
        // The tag before a title comes first among the labels.
        let said: Vec<&str> = title
            .chain(text.labels.first().map(String::as_str))
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '.'))
            .collect();
        let named = |words: &[String]| {
            let is_said = |known: &String| said.iter().any(|word| known.eq_ignore_ascii_case(word));
            words.iter().any(is_said)
        };
        if named(&config.documentation_words) {
            factors.documentation = factors.documentation.max(config.asked);
        }
        if named(&config.configuration_words) {
            factors.configuration = factors.configuration.max(config.asked);
        }
        if intent == IntentKind::TestWriting {
            factors.test = factors.test.max(config.asked);
        }
        Self(factors)
    }

    /// What a score is multiplied by.
    pub(super) fn factor(&self, role: Role) -> f32 {
        let factors = &self.0;
        match role {
            Role::Source => factors.source,
            Role::Test => factors.test,
            Role::Documentation => factors.documentation,
            Role::Configuration => factors.configuration,
            Role::Generated => factors.generated,
            Role::Data => factors.data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankingConfig;

    fn check(query: &str, intent: IntentKind, raised: Option<Role>) {
        let config = &RankingConfig::default().rank.role;
        let roles = Roles::of(&QueryText::parse(query), intent, config);
        for role in [
            Role::Documentation,
            Role::Configuration,
            Role::Test,
            Role::Data,
        ] {
            let is_raised = roles.factor(role) == config.asked;
            assert_eq!(is_raised, raised == Some(role), "{query}: {role:?}");
        }
    }

    #[test]
    fn a_role_counts_in_full_where_it_is_asked_for() {
        let bug = IntentKind::BugFix;
        check(
            "Wrong fact in the documentation of jobs",
            bug,
            Some(Role::Documentation),
        );
        check(
            "Docs: use code blocks\n\nIn the guide.",
            bug,
            Some(Role::Documentation),
        );
        check("Add a linter to CI", bug, Some(Role::Configuration));
        check(
            "Cover the parser",
            IntentKind::TestWriting,
            Some(Role::Test),
        );
        check("Crash on save\n\nThe docs say otherwise.", bug, None);
    }
}
