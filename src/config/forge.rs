//! Defines and checks the settings of code hosts. A setting must not hold a secret itself: it names the place of the
//! secret.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use url::Url;

use super::check::is_plain;

/// The `[forge]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgeConfig {
    pub min_confidence: f32,
    pub budget_tokens: usize,
    pub answer_issues: bool,
    pub answer_pull_requests: bool,
    pub command: String,
    pub label: String,
    #[serde(deserialize_with = "associations")]
    pub command_associations: Vec<Association>,
    pub register_owners: Vec<String>,
    pub max_jobs: u32,
    pub workers: u32,
    pub retry_seconds: u64,
    pub max_attempts: u32,
    pub timeout_seconds: u64,
    pub body_limit_bytes: usize,
    pub github: GitHubConfig,
    pub gitlab: HostConfig,
    pub gitea: HostConfig,
}

/// The `[forge.github]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitHubConfig {
    pub url: String,
    pub webhook_secret: String,
    pub token: String,
    pub app_id: u64,
    pub private_key: String,
}

/// The table of another forge.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostConfig {
    pub url: String,
    pub webhook_secret: String,
    pub token: String,
}

impl ForgeConfig {
    /// Checks the settings. The error text does not repeat values that may be secrets.
    pub(super) fn check(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.min_confidence) {
            return Err(format!(
                "forge.min_confidence must be 0 to 1, not {}",
                self.min_confidence
            ));
        }
        if self.command.contains(char::is_whitespace) {
            return Err("forge.command must be one word, such as /foveate".to_owned());
        }
        let is_no_owner = |owner: &&String| owner.is_empty() || owner.contains(['/', ' ']);
        if let Some(owner) = self.register_owners.iter().find(is_no_owner) {
            return Err(format!(
                "forge.register_owners: {owner:?} is not the name of a user, organization or group, nor *"
            ));
        }
        let github = &self.github;
        for (key, place) in [
            ("github.webhook_secret", &github.webhook_secret),
            ("github.token", &github.token),
            ("github.private_key", &github.private_key),
            ("gitlab.webhook_secret", &self.gitlab.webhook_secret),
            ("gitlab.token", &self.gitlab.token),
            ("gitea.webhook_secret", &self.gitea.webhook_secret),
            ("gitea.token", &self.gitea.token),
        ] {
            let is_place = |rest: &str| !rest.is_empty();
            let named = place.strip_prefix("env:").or(place.strip_prefix("file:"));
            if !place.is_empty() && !named.is_some_and(is_place) {
                return Err(format!(
                    "forge.{key} must be the place of the secret, env:NAME or file:/path, not the secret itself"
                ));
            }
        }
        if (github.app_id == 0) != github.private_key.is_empty() {
            return Err(
                "forge.github.app_id and forge.github.private_key must be set together".to_owned(),
            );
        }
        let mut known: Vec<(&str, String)> = Vec::new();
        for (key, url) in [
            ("github", &github.url),
            ("gitlab", &self.gitlab.url),
            ("gitea", &self.gitea.url),
        ] {
            let url = check_url(url).map_err(|reason| format!("forge.{key}.url {reason}"))?;
            if let Some((other, _)) = known.iter().find(|(_, known)| *known == url) {
                return Err(format!(
                    "forge.{key}.url must differ from forge.{other}.url: one host has one kind of forge"
                ));
            }
            known.push((key, url));
        }
        Ok(())
    }
}

foveate_model::named_enum! {
    /// The relation of a person to a repository, as GitHub names it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Association {
        Owner = "OWNER",
        Member = "MEMBER",
        Collaborator = "COLLABORATOR",
        Contributor = "CONTRIBUTOR",
        FirstTimeContributor = "FIRST_TIME_CONTRIBUTOR",
        FirstTimer = "FIRST_TIMER",
        Mannequin = "MANNEQUIN",
        Unrelated = "NONE",
    }
}

/// Deserializes `forge.command_associations`.
fn associations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Association>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let parsed = names.iter().map(|name| {
        Association::named(name).ok_or_else(|| {
            let known = Association::ALL.map(Association::name).join(", ");
            D::Error::custom(format!("{name:?} is not one of {known}"))
        })
    });
    parsed.collect()
}

/// Returns the URL in its usual spelling, without a final slash.
fn check_url(url: &str) -> Result<String, &'static str> {
    const WRONG: &str = "must be an address such as https://github.com, without login, `?` and `#`";
    let url = Url::parse(url).map_err(|_| WRONG)?;
    let is_address = is_plain(&url) && url.fragment().is_none();
    let spelling = url.as_str().trim_end_matches('/').to_owned();
    is_address.then_some(spelling).ok_or(WRONG)
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    #[test]
    fn secret_value_is_refused_without_repeating_it() {
        let mut config = Config::defaults().unwrap().forge;
        config.gitlab.token = "glpat-x1".to_owned();
        let error = config.check().unwrap_err();
        assert!(error.starts_with("forge.gitlab.token must be the place"));
        assert!(!error.contains("glpat"), "{error}");
        config.gitlab.token = "file:".to_owned();
        assert!(config.check().is_err());
        config.gitlab.token = "file:/run/secrets/gitlab".to_owned();
        assert_eq!(config.check(), Ok(()));
    }

    #[test]
    fn invalid_settings_are_named_in_errors() {
        type Change = fn(&mut super::ForgeConfig);
        let cases: [(Change, &str); 9] = [
            (|c| c.min_confidence = f32::NAN, "forge.min_confidence"),
            (|c| c.command = "ask me".to_owned(), "forge.command"),
            (
                |c| c.register_owners = vec![String::new()],
                "forge.register_owners",
            ),
            (
                |c| c.register_owners = vec!["me/shop".to_owned()],
                "\"me/shop\" is not the name of a user",
            ),
            (|c| c.github.app_id = 7, "must be set together"),
            (|c| c.github.private_key = "env:K".to_owned(), "together"),
            (
                |c| c.gitea.url = "codeberg.org".to_owned(),
                "forge.gitea.url",
            ),
            (
                |c| c.gitea.url = "https://GitLab.com/".to_owned(),
                "forge.gitea.url must differ from forge.gitlab.url",
            ),
            (
                |c| c.github.url = "https://me:s3cret@github.com".to_owned(),
                "forge.github.url",
            ),
        ];
        for (change, named) in cases {
            let mut config = Config::defaults().unwrap().forge;
            change(&mut config);
            let error = config.check().expect_err(named);
            assert!(
                error.contains(named) && !error.contains("s3cret"),
                "{error}"
            );
        }
    }
}
