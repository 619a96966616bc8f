//! Lists for operators the effective settings with their sources, and all errors of a file at once. It must not show
//! secrets.

use std::path::Path;

use figment::Figment;
use serde_json::Value;
use toml_edit::{Document, TableLike};
use url::Url;

use super::setting_source::{self, SettingSources};
use super::{
    Config, ConfigError, DEFAULTS, Overrides, layers, near_settings, read, variable_names,
    variables_without,
};

/// Shown instead of a secret.
const HIDDEN: &str = "***";
/// Suffixes of the names of settings that may hold a secret.
const SECRETS: [&str; 6] = [
    "token", "webhook_secret", "private_key", "password", "secret", "headers",
];
/// Maximum number of errors reported at once.
const MAX_MISTAKES: usize = 100;

/// One effective setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its table, such as `server.tls`.
    pub table: String,
    /// Its name in the table.
    pub name: String,
    /// Its value, with `***` instead of secrets.
    pub value: Value,
    /// `default`, or where it was set.
    pub source: String,
}

impl Config {
    /// Returns all settings in the order of `config/default.toml`.
    pub fn effective(
        file: Option<&Path>,
        overrides: &Overrides,
    ) -> Result<Vec<Setting>, ConfigError> {
        let text = file.map(read).transpose()?;
        let sources = SettingSources::new(file.zip(text.as_deref()))?;
        let figment = layers(text.as_deref(), variables_without(&[]), overrides);
        let config = Self::of(&figment, &sources)?;
        let defaults = Document::parse(DEFAULTS).map_err(|e| ConfigError::new(e.to_string()))?;
        let mut settings = Vec::new();
        list(defaults.as_table(), "", &mut |table, name| {
            let mut setting = setting(&figment, &sources, table, name);
            if (table, name) == ("storage", "data_dir") {
                // If the setting is empty, the directory depends on the environment.
                setting.value = config.storage.data_dir.to_string_lossy().into();
            }
            settings.push(setting);
        });
        Ok(settings)
    }

    /// Returns the errors in the settings, in the order of their lines, and after them those without a line; empty if
    /// the settings are valid. An error in an argument ends the search.
    pub fn mistakes(file: Option<&Path>, overrides: &Overrides) -> Vec<ConfigError> {
        let mut found = Vec::new();
        if let Err(error) = Self::collect(file, overrides, &mut found) {
            found.push(error);
        }
        found.extend(near_settings(variable_names()));
        found.sort_by_key(|error| error.line.unwrap_or(usize::MAX));
        found
    }

    fn collect(
        file: Option<&Path>,
        overrides: &Overrides,
        found: &mut Vec<ConfigError>,
    ) -> Result<(), ConfigError> {
        let text = file.map(read).transpose()?;
        let sources = SettingSources::new(file.zip(text.as_deref()))?;
        let mut left = text.clone();
        let mut wrong: Vec<String> = Vec::new();
        while found.len() < MAX_MISTAKES {
            let figment = layers(left.as_deref(), variables_without(&wrong), overrides);
            let Err(error) = Self::of(&figment, &sources) else {
                return Ok(());
            };
            if wrong.contains(&error.key) {
                return Ok(());
            }
            // Without the invalid value, the next round uses its default.
            let without = |text: &String| setting_source::without(text, &error.key);
            left = left.as_ref().and_then(without).or(left);
            wrong.push(error.key.clone());
            found.push(error);
        }
        Ok(())
    }
}

/// Calls `each` with the table and the name of every setting.
fn list(table: &dyn TableLike, path: &str, each: &mut dyn FnMut(&str, &str)) {
    for (name, item) in table.iter() {
        match item.as_table() {
            Some(inner) if path.is_empty() => list(inner, name, each),
            Some(inner) => list(inner, &format!("{path}.{name}"), each),
            None => each(path, name),
        }
    }
}

fn setting(figment: &Figment, sources: &SettingSources<'_>, table: &str, name: &str) -> Setting {
    let key = format!("{table}.{name}");
    let value = figment.find_value(&key).ok();
    let value = value.and_then(|value| serde_json::to_value(value).ok());
    let source = figment.find_metadata(&key);
    let source = source.and_then(|source| sources.of(&key, &source.name));
    Setting {
        value: masked(&key, value.unwrap_or_default()),
        table: table.to_owned(),
        name: name.to_owned(),
        source: source.unwrap_or_else(|| "default".to_owned()),
    }
}

fn masked(key: &str, value: Value) -> Value {
    match value {
        Value::String(text) => masked_text(key, text).into(),
        Value::Array(values) => values.into_iter().map(|v| masked(key, v)).collect(),
        Value::Object(entries) => {
            let masked_entry = |(name, value)| (name, masked(key, value));
            Value::Object(entries.into_iter().map(masked_entry).collect())
        }
        other => other,
    }
}

fn masked_text(key: &str, text: String) -> String {
    let is_variable = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    // Its values are names of variables, but somebody may have put a token there.
    if key == "git.tokens" {
        return if is_variable(&text) {
            text
        } else {
            HIDDEN.to_owned()
        };
    }
    let is_place = ["env:", "file:"]
        .iter()
        .any(|place| text.starts_with(place));
    if SECRETS.iter().any(|end| key.ends_with(end)) && !is_place && !text.is_empty() {
        return HIDDEN.to_owned();
    }
    match Url::parse(&text) {
        Ok(url) => masked_url(url).unwrap_or(text),
        Err(_) if key.ends_with("database_url") && !text.is_empty() => HIDDEN.to_owned(),
        Err(_) => text,
    }
}

/// Masks the password and the query of a URL; `None` where it has neither.
fn masked_url(mut url: Url) -> Option<String> {
    let has_login = url.password().is_some();
    if !has_login && url.query().is_none() {
        return None;
    }
    if has_login {
        url.set_password(Some(HIDDEN)).ok()?;
    }
    if url.query().is_some() {
        url.set_query(Some(HIDDEN));
    }
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), text).expect("it can be written");
        file
    }

    #[test]
    fn all_errors_of_a_file_are_reported_with_lines() {
        let file = file(
            "[server]\nlisten = 7878\n\n[answer]\nqueue = 1\nrevisions = 0\ntypo.deep = 1\n\n[sever]\na = 1\n\
             [repos]\nallow_paths = [\"/tmp\", 1]\n[git]\ntokens.\"github.com\" = [\"x\"]\n",
        );
        let mistakes = Config::mistakes(Some(file.path()), &Overrides::default());
        let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        let place = |line: usize| format!("({}:{line})", file.path().display());
        for (text, (named, line)) in told.iter().zip([
            ("server.listen", 2),
            ("answer.revisions", 6),
            ("answer.typo", 7),
            ("sever", 9),
            ("repos.allow_paths", 12),
            ("git.tokens", 14),
        ]) {
            assert!(
                text.starts_with(named) && text.ends_with(&place(line)),
                "{text}"
            );
        }
        assert_eq!(told.len(), 6, "{told:#?}");
    }

    #[test]
    fn toml_syntax_error_names_line_without_repeating_text() {
        let file = file("[server]\n\ntoken = \"s3cret\n");
        let told = Config::mistakes(Some(file.path()), &Overrides::default());
        let told = told.first().expect("a mistake").to_string();
        assert!(
            told.ends_with(&format!("({}:3)", file.path().display())),
            "{told}"
        );
        assert!(!told.contains("s3cret"), "{told}");
    }

    #[test]
    fn effective_settings_name_their_source() {
        let file = file("[answer]\n# deep\nqueue = 7\n");
        let overrides = Overrides {
            data_dir: Some("/srv/data".into()),
            ..Overrides::default()
        };
        let settings = Config::effective(Some(file.path()), &overrides).expect("valid");
        let of = |key: &str| {
            let named = |s: &&Setting| format!("{}.{}", s.table, s.name) == key;
            let setting = settings.iter().find(named).expect(key);
            (setting.value.clone(), setting.source.clone())
        };
        let place = format!("{}:3", file.path().display());
        assert_eq!(of("answer.queue"), (json!(7), place));
        assert_eq!(
            of("storage.data_dir"),
            (json!("/srv/data"), "--data-dir".to_owned())
        );
        assert_eq!(of("server.tls.cert"), (json!(""), "default".to_owned()));
        let all = DEFAULTS
            .lines()
            .filter(|line| line.contains(" = ") && !line.starts_with('#'));
        assert_eq!(settings.len(), all.count(), "every setting");
    }

    #[test]
    fn secrets_are_masked() {
        for (key, value, shown) in [
            ("forge.github.token", json!("ghp_1"), json!("***")),
            ("forge.github.token", json!("env:TOKEN"), json!("env:TOKEN")),
            ("forge.github.token", json!(""), json!("")),
            (
                "git.tokens",
                json!({"a.b": "ghp_1", "c": "C_1"}),
                json!({"a.b": "***", "c": "C_1"}),
            ),
            (
                "storage.url",
                json!("postgres://me:pw@db/f?password=x"),
                json!("postgres://me:***@db/f?***"),
            ),
            (
                "storage.url",
                json!(["https://h/p"]),
                json!(["https://h/p"]),
            ),
            ("server.listen", json!("127.0.0.1:1"), json!("127.0.0.1:1")),
        ] {
            assert_eq!(masked(key, value), shown, "{key}");
        }
    }
}
