//! Finds where a setting was set: a line of the file, an environment variable or an argument.

use std::path::Path;

use toml_edit::{Document, DocumentMut, TableLike};

use super::{ConfigError, ENVIRONMENT};

/// Finds the sources of settings that are not built in.
pub(super) struct SettingSources<'a> {
    file: Option<File<'a>>,
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
    document: Document<&'a str>,
}

impl<'a> SettingSources<'a> {
    /// Parses the settings file, given as path and text, if there is one.
    ///
    /// # Errors
    /// When it is not TOML. The text of the file, which may hold secrets, is not repeated.
    pub(super) fn new(file: Option<(&'a Path, &'a str)>) -> Result<Self, ConfigError> {
        let Some((path, text)) = file else {
            return Ok(Self { file: None });
        };
        let document = Document::parse(text).map_err(|error| {
            let line = line_at(text, error.span().map_or(0, |span| span.start));
            let what = error.message().replace('\n', ", ");
            ConfigError::new(format!("{what} ({}:{line})", path.display()))
        })?;
        let file = File {
            path,
            text,
            document,
        };
        Ok(Self { file: Some(file) })
    }

    /// Returns where the value of `key` was set; `None` for built-in settings. `source` is figment's name of the source
    /// of the value.
    pub(super) fn of(&self, key: &str, source: &str) -> Option<String> {
        if source.contains("environment variable") {
            let name = key.to_uppercase().replace('.', "__");
            return Some(format!("{ENVIRONMENT}{name}"));
        }
        match key {
            _ if is_toml(source) => {
                let line = self.line(key, source)?;
                let path = self.file.as_ref()?.path;
                Some(format!("{}:{line}", path.display()))
            }
            "server.listen" => Some("--listen".to_owned()),
            "storage.data_dir" => Some("--data-dir".to_owned()),
            _ => None,
        }
    }

    /// Returns the line of the file that sets `key`; `None` if the value is from elsewhere.
    pub(super) fn line(&self, key: &str, source: &str) -> Option<usize> {
        let file = self.file.as_ref().filter(|_| is_toml(source))?;
        let at = offset(file.document.as_table(), key)?;
        Some(line_at(file.text, at))
    }
}

/// Whether figment's name of a source is that of a file, or of the built-in settings, which are TOML, too.
fn is_toml(source: &str) -> bool {
    source.contains("TOML")
}

/// Returns the byte offset of the key at the end of a dotted path, or of the list that has the end of the path. Keys may
/// themselves contain dots.
fn offset(table: &dyn TableLike, path: &str) -> Option<usize> {
    table.iter().find_map(|(name, item)| {
        let rest = path.strip_prefix(name)?;
        let inner = rest.strip_prefix('.');
        if !rest.is_empty() && inner.is_none() {
            return None;
        }
        match (inner, item.as_table_like()) {
            (Some(inner), Some(table)) => offset(table, inner),
            _ => {
                let (key, item) = table.get_key_value(name)?;
                // A table implied by a dotted key has no position of its own.
                Some(key.span().or_else(|| item.span())?.start)
            }
        }
    })
}

/// Returns the text of a file without the value of a key; `None` where the key is not in it.
pub(super) fn without(text: &str, key: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    remove(document.as_table_mut(), key).then(|| document.to_string())
}

fn remove(table: &mut dyn TableLike, path: &str) -> bool {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let Some(rest) = path.strip_prefix(&*name) else {
            continue;
        };
        let inner = rest.strip_prefix('.');
        if !rest.is_empty() && inner.is_none() {
            continue;
        }
        let below = table
            .get_mut(&name)
            .and_then(|item| item.as_table_like_mut());
        if let (Some(inner), Some(below)) = (inner, below)
            && remove(below, inner)
        {
            return true;
        }
        return table.remove(&name).is_some();
    }
    false
}

/// Returns the line number, from 1, of a byte offset.
fn line_at(text: &str, offset: usize) -> usize {
    let before = text.bytes().take(offset);
    before.filter(|b| *b == b'\n').count() + 1
}
