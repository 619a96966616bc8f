//! Scales the scores of files by their role. Queries are about source code unless they say that they are about
//! something else.

use foveate_index::FileId;
use foveate_model::Role;

use super::weights::{RoleConfig, RoleFactors};
use crate::intent::{self, IntentKind};
use crate::text::{QueryText, SegmentKind};

/// The factors for one query.
#[derive(Clone, Debug)]
pub(super) struct Roles {
    /// Factors that take into account which roles the query asks for.
    factors: RoleFactors,
    /// Factors of a query that asks for no role.
    default_factors: RoleFactors,
    /// The factor of a file that a short query names by its path.
    named_factor: f32,
    /// The files that a short query names by their paths.
    named: Vec<(FileId, Role)>,
    is_short: bool,
}

impl Roles {
    pub(super) fn of(text: &QueryText, intent: IntentKind, config: &RoleConfig) -> Self {
        let mut factors = config.factors;
        let title = text
            .segments
            .iter()
            .filter(|segment| segment.kind == SegmentKind::Title)
            .map(|segment| segment.text.as_str());
        // The first label is the tag before the title.
        let title_words: Vec<&str> = title
            .chain(text.labels.first().map(String::as_str))
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '.'))
            .collect();
        let named = |words: &[String]| {
            let is_in_title = |known: &String| {
                title_words
                    .iter()
                    .any(|word| known.eq_ignore_ascii_case(word))
            };
            words.iter().any(is_in_title)
        };
        // Issues mention many words in passing; in a short question or order, each word is meant.
        let words = text
            .segments
            .iter()
            .map(|s| s.text.split_whitespace().count());
        let is_short = words.sum::<usize>() <= config.short_words;
        let asked = |words: &[String], orders: &[String]| match is_short {
            true if named(words) || named(orders) => config.ordered,
            false if named(words) => config.asked,
            _ => 0.0,
        };
        let documentation = match is_short && intent::asks_how_to(text) {
            // Documentation answers a how-to question.
            true => config.ordered,
            false => asked(&config.documentation_words, &config.documentation_orders),
        };
        let configuration = asked(&config.configuration_words, &config.configuration_orders);
        factors.documentation = factors.documentation.max(documentation);
        factors.configuration = factors.configuration.max(configuration);
        if intent == IntentKind::TestWriting {
            factors.test = factors.test.max(config.asked);
        }
        Self {
            factors,
            default_factors: config.factors,
            named_factor: config.ordered,
            named: Vec::new(),
            is_short,
        }
    }

    /// Sets the files that the query names by their paths. A short query that names a file asks for that file and
    /// for no other of its role.
    pub(super) fn with_named(mut self, named: impl Iterator<Item = (FileId, Role)>) -> Self {
        if self.is_short {
            self.named = named.collect();
        }
        self
    }

    /// Whether documentation counts more than in a query that does not ask for it.
    pub(super) fn asks_documentation(&self) -> bool {
        self.factors.documentation > self.default_factors.documentation
    }

    /// Returns the factor on the scores of a file and of the places in it.
    pub(super) fn factor(&self, file: FileId, role: Role) -> f32 {
        if self.named.iter().any(|(named, _)| *named == file) {
            return self.named_factor;
        }
        let is_meant = self.named.iter().all(|(_, of)| *of != role);
        of_role(
            if is_meant {
                &self.factors
            } else {
                &self.default_factors
            },
            role,
        )
    }
}

fn of_role(factors: &RoleFactors, role: Role) -> f32 {
    match role {
        Role::Source => factors.source,
        Role::Test => factors.test,
        Role::Documentation => factors.documentation,
        Role::Configuration => factors.configuration,
        Role::Generated => factors.generated,
        Role::Data => factors.data,
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
            let is_raised = roles.factor(FileId(0), role) >= config.asked;
            assert_eq!(is_raised, raised == Some(role), "{query}: {role:?}");
        }
    }

    #[test]
    fn role_factor_is_raised_if_asked_for() {
        let bug = IntentKind::BugFix;
        check(
            "Wrong fact in the documentation of tasks",
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
        let usage = IntentKind::UsageExploration;
        let documentation = Some(Role::Documentation);
        check("How do I upload a file?", usage, documentation);
        check("Can I use it without a server?", usage, documentation);
        check("Who calls `upload`?", usage, None);
        check("Mention it in the guide", bug, Some(Role::Documentation));
        check("Raise the minimum version", bug, Some(Role::Configuration));
        let long = format!("Raise the minimum version\n\n{}", "It crashes. ".repeat(40));
        check(&long, bug, None);
        check("Crash on save\n\nThe docs say otherwise.", bug, None);
    }

    #[test]
    fn short_query_raises_only_the_file_it_names() {
        let config = &RankingConfig::default().rank.role;
        let of = |query: &str| {
            let text = QueryText::parse(query);
            let named = [(FileId(7), Role::Configuration)].into_iter();
            Roles::of(&text, IntentKind::Implementation, config).with_named(named)
        };
        let roles = of("Bump the version in setup.cfg");
        let factor = |file| roles.factor(FileId(file), Role::Configuration);
        assert_eq!(
            (factor(7), factor(8)),
            (config.ordered, config.factors.configuration)
        );
        let long = of(&"It crashes. ".repeat(40));
        let factor = long.factor(FileId(7), Role::Configuration);
        assert_eq!(factor, config.factors.configuration);
    }
}
