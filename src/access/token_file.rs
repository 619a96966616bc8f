//! Reads tokens from a file, for deployments where no command can be run next to the server, such as a secret mounted
//! into a container. The file is TOML, with a table for each key.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde::Deserialize;

use super::token::{TokenHash, check_spelling};
use super::{Repositories, Scope, key};
use crate::disk::is_readable_by_others;

/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Minimum length of a token, in bytes: 128 random bits as hexadecimal digits.
const MIN_TOKEN: usize = 32;

/// One key of the file.
#[derive(Debug)]
pub(super) struct StaticKey {
    pub name: String,
    pub hash: TokenHash,
    pub scope: Scope,
    pub repositories: Repositories,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    token: String,
    scope: Scope,
    repos: Option<BTreeSet<String>>,
}

/// Reads the keys of a file.
///
/// # Errors
/// When the file cannot be read, others may write to it, or its content is invalid. The text names the invalid key, and
/// never a token.
pub(super) fn read(path: &Path) -> Result<Vec<StaticKey>, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    let mode = metadata.permissions().mode();
    if mode & 0o022 != 0 {
        return Err("other users may write to it: run `chmod 600` on it".to_owned());
    }
    if is_readable_by_others(&metadata) {
        tracing::warn!(file = %path.display(), "other users may read the token file: run `chmod 600` on it");
    }
    let mut text = String::new();
    let read = file.by_ref().take(MAX_BYTES + 1).read_to_string(&mut text);
    match read {
        Ok(bytes) if bytes as u64 <= MAX_BYTES => parse(&text),
        Ok(_) => Err(format!("it is longer than {MAX_BYTES} bytes")),
        Err(error) => Err(error.to_string()),
    }
}

fn parse(text: &str) -> Result<Vec<StaticKey>, String> {
    let tables: BTreeMap<String, toml::Value> = toml::from_str(text).map_err(|error| {
        // The error itself is not shown: its excerpt of the text may be a token.
        let before = text.bytes().take(error.span().map_or(0, |span| span.start));
        let line = before.filter(|b| *b == b'\n').count() + 1;
        format!("line {line}: expected TOML with a table for each key, such as [ci]")
    })?;
    let mut keys: Vec<StaticKey> = Vec::new();
    for (name, table) in tables {
        let refuse = |reason: &str| format!("[{name}]: {reason}");
        key::check_name(&name).map_err(|error| refuse(&error.to_string()))?;
        let table = Table::deserialize(table).map_err(|_| {
            refuse("expected `token`, `scope` (read or admin) and, unless it is for all repositories, the list `repos`")
        })?;
        let is_visible = table.token.bytes().all(|b| b.is_ascii_graphic());
        if table.token.len() < MIN_TOKEN || !is_visible {
            return Err(refuse(
                "a token must have at least 32 visible ASCII characters: create one with `foveate key create` or `openssl rand -hex 32`",
            ));
        }
        check_spelling(&table.token).map_err(refuse)?;
        let hash = TokenHash::of(&table.token);
        if let Some(same) = keys.iter().find(|key| key.hash.equals(&hash)) {
            return Err(refuse(&format!("it has the same token as [{}]", same.name)));
        }
        keys.push(StaticKey {
            name,
            hash,
            scope: table.scope,
            repositories: table.repos.map_or(Repositories::All, Repositories::Named),
        });
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn tables_are_parsed_as_keys() {
        let text = format!(
            "[ci]\ntoken = \"{SECRET}\"\nscope = \"read\"\nrepos = [\"a\", \"b/c\"]\n\
             [ops]\ntoken = \"{SECRET}2\"\nscope = \"admin\"\n"
        );
        let keys = parse(&text).expect("two keys");
        let names: Vec<&str> = keys.iter().map(|key| &*key.name).collect();
        assert_eq!(names, ["ci", "ops"]);
        assert!(keys[0].hash.equals(&TokenHash::of(SECRET)));
        assert_eq!(keys[0].scope, Scope::Read);
        let named = BTreeSet::from(["a".to_owned(), "b/c".to_owned()]);
        assert_eq!(keys[0].repositories, Repositories::Named(named));
        assert_eq!(keys[1].repositories, Repositories::All);
        assert!(parse("").expect("no key").is_empty());
    }

    #[test]
    fn errors_name_the_key_and_show_no_token() {
        let key = |rest: &str| format!("[ci]\ntoken = \"{SECRET}\"\n{rest}");
        for (text, expected) in [
            (key(""), "[ci]: expected `token`, `scope`"),
            (
                key("scope = \"write\"\n"),
                "[ci]: expected `token`, `scope`",
            ),
            (key("scope = \"read\"\nrepo = [\"a\"]\n"), "[ci]: expected"),
            (key("scope = read\n"), "line 3: "),
            (format!("token = \"{SECRET}\"\n"), "[token]: expected"),
            (format!("[\"c i\"]\ntoken = \"{SECRET}\"\n"), "a key's name"),
            (
                "[ci]\ntoken = \"short\"\nscope = \"read\"\n".to_owned(),
                "at least 32",
            ),
            (
                format!("[ci]\ntoken = \"fov_{SECRET}\"\nscope = \"read\"\n"),
                "[ci]: the token is cut off",
            ),
            (
                format!(
                    "{}[ops]\ntoken = \"{SECRET}\"\nscope = \"admin\"\n",
                    key("scope = \"read\"\n")
                ),
                "[ops]: it has the same token as [ci]",
            ),
        ] {
            let error = parse(&text).expect_err(&text);
            assert!(error.contains(expected), "{text}: {error}");
            assert!(!error.contains(&SECRET[..8]), "{error}");
        }
    }

    #[test]
    fn file_writable_by_others_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let set = |mode| {
            let rights = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(file.path(), rights).unwrap();
        };
        set(0o622);
        assert!(
            read(file.path())
                .expect_err("it is open")
                .contains("chmod 600")
        );
        set(0o600);
        assert!(read(file.path()).expect("no key").is_empty());
    }
}
