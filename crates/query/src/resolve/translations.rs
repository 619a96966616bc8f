//! Resolves texts of the user interface that the query quotes. The translations have the text under a key ("Select all":
//! `select_all_label`), and the code has the key.

use foldhash::HashSet;
use foveate_index::lexical::Field;
use foveate_index::tokens::terms;
use foveate_index::{ChunkId, Snapshot};
use foveate_model::Role;
use foveate_parse::is_among_translations;

use super::Resolver;
use crate::text::QueryText;

/// Maximum quoted texts that are looked up.
const MAX_TEXTS: usize = 8;
/// Words of a text that is looked up. A single word may be anything.
const MIN_WORDS: usize = 2;
const MAX_WORDS: usize = 16;
/// Maximum chunks with the rarest word of a text or key; those of more common words are not looked up.
const MAX_POSTINGS: usize = 4_000;
/// Maximum chunks of translations that are read for one text: a repository may have a hundred languages.
const MAX_CHUNKS: usize = 200;
/// Maximum entries with one text, their keys, and chunks of code that have a key; a key in more of them is too common to
/// lead anywhere.
const MAX_ENTRIES: usize = 16;
const MAX_KEYS: usize = 4;
const MAX_USES: usize = 12;
/// Maximum lines above an entry among which its parent is searched.
const MAX_LINES_ABOVE: usize = 300;

impl Resolver<'_> {
    /// Resolves quoted texts of the user interface.
    pub(super) fn translated_texts(&mut self, text: &QueryText) {
        let mut seen = HashSet::default();
        let texts: Vec<String> = text
            .quoted()
            .iter()
            .map(|text| {
                text.trim()
                    .trim_end_matches(['.', '…', ':', '!'])
                    .to_lowercase()
            })
            .filter(|text| (MIN_WORDS..=MAX_WORDS).contains(&text.split_whitespace().count()))
            .filter(|text| seen.insert(text.clone()))
            .take(MAX_TEXTS)
            .collect();
        for text in self.in_time(texts) {
            for key in keys(self.snapshot, &text) {
                let uses = uses(self.snapshot, &key);
                if uses.len() <= MAX_USES {
                    self.add_holders(&key, &uses);
                }
            }
        }
    }
}

/// Returns the keys of the entries of translations that are a text in lower case. A key of one plain word has its parent
/// before it: `cart.title`.
fn keys(snapshot: &Snapshot, text: &str) -> Vec<String> {
    let files = &snapshot.files;
    let mut chunks = chunks_with(snapshot, text);
    chunks.retain(|chunk| is_among_translations(&files.file(files.chunk_file(*chunk)).path));
    let entries = chunks.into_iter().take(MAX_CHUNKS).flat_map(|chunk| {
        let lines =
            (files.chunk(chunk).lines.start as usize..).zip(files.chunk_text(chunk).lines());
        lines.filter_map(move |(number, line)| Some((chunk, number, line, key_of(line, text)?)))
    });
    let mut keys: Vec<String> = Vec::new();
    for (chunk, number, line, key) in entries.take(MAX_ENTRIES) {
        let of_file = || files.text(files.chunk_file(chunk));
        let key = match is_distinct(key) {
            true => Some(key.to_owned()),
            false => parent(of_file(), number, line).map(|parent| format!("{parent}.{key}")),
        };
        keys.extend(key.filter(|key| !keys.contains(key)));
    }
    keys.truncate(MAX_KEYS);
    keys
}

/// Returns the chunks of code and templates that have a key as a whole word.
fn uses(snapshot: &Snapshot, key: &str) -> Vec<ChunkId> {
    let files = &snapshot.files;
    let mut chunks = chunks_with(snapshot, key);
    chunks.retain(|chunk| {
        let is_use = files.chunk_role(*chunk) == Role::Source
            && !is_among_translations(&files.file(files.chunk_file(*chunk)).path);
        is_use && has_word(files.chunk_text(*chunk), key)
    });
    chunks
}

/// Returns the chunks with all words of a text in string literals, in code, or in settings.
fn chunks_with(snapshot: &Snapshot, text: &str) -> Vec<ChunkId> {
    let terms = terms(text);
    // The search for the words of the query reports an index that cannot be read.
    let of_field = |field| {
        let found = snapshot.lexical.chunks_with(&terms, field, MAX_POSTINGS);
        found.unwrap_or_default()
    };
    let fields = [Field::Code, Field::Text, Field::Documentation];
    let mut chunks: Vec<ChunkId> = fields.into_iter().flat_map(of_field).collect();
    chunks.sort_unstable();
    chunks.dedup();
    chunks
}

/// Returns the key of an entry whose whole value is `text`, which is in lower case: that of `"key": "Text"`, `key: Text`,
/// `key = Text`, `'key' => 'Text'` or `<string name="key">Text</string>`.
fn key_of<'l>(line: &'l str, text: &str) -> Option<&'l str> {
    // Letters may change their length in lower case; such a line is no match.
    let lower = line.to_lowercase();
    let at = lower.find(text)?;
    let (before, after) = (line.get(..at)?, line.get(at + text.len()..)?);
    let after = after.trim_start_matches(['.', '…', ':', '!']);
    let ends = after.trim().is_empty() || after.starts_with(['"', '\'', '<', '`']);
    if !ends || before.ends_with(char::is_alphanumeric) {
        return None;
    }
    let tag = ["name=\"", "key=\"", "id=\""];
    if let Some(rest) = tag
        .iter()
        .find_map(|name| Some(before.rsplit_once(name)?.1))
    {
        return rest.split('"').next().filter(|key| is_key(key));
    }
    let before = before.trim_end_matches(['"', '\'', '`', '(', ' ']);
    let sign = ["=>", ":", "="]
        .into_iter()
        .find_map(|sign| before.strip_suffix(sign))?;
    key_at_end(sign)
}

/// Returns the key that a line opens a group with: `cart:`, `"cart": {`, `'cart' => [`.
fn key_of_group(line: &str) -> Option<&str> {
    let line = line.trim_end().trim_end_matches(['{', '[', '(']).trim_end();
    let line = line.strip_suffix("array").unwrap_or(line).trim_end();
    let sign = ["=>", ":", "="]
        .into_iter()
        .find_map(|sign| line.strip_suffix(sign))?;
    key_at_end(sign)
}

/// Returns the key at the end of a text, in quotes or not.
fn key_at_end(text: &str) -> Option<&str> {
    let text = text.trim_end().trim_end_matches(['"', '\'', '`']);
    let start = text.rfind(|c: char| !is_of_key(c)).map_or(0, |at| at + 1);
    text.get(start..).filter(|key| is_key(key))
}

fn is_of_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn is_key(key: &str) -> bool {
    key.len() > 1 && key.chars().all(is_of_key) && key.contains(|c: char| c.is_ascii_alphabetic())
}

/// Whether a key has several parts, and so names one thing: `select_all`, `copy-link`, `cart.title`, `selectAll`.
fn is_distinct(key: &str) -> bool {
    let mut pairs = key.bytes().zip(key.bytes().skip(1));
    key.trim_matches(['_', '-', '.']).contains(['_', '-', '.'])
        || pairs.any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase())
}

/// Returns the key of the group that the line `number` of a text is in, 1-based: the nearest above with less indentation.
fn parent<'t>(text: &'t str, number: usize, line: &str) -> Option<&'t str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(line);
    let above: Vec<&str> = text
        .lines()
        .take(number.saturating_sub(1))
        .skip(number.saturating_sub(MAX_LINES_ABOVE))
        .collect();
    let mut above = above.into_iter().rev();
    let group = above.find(|line| !line.trim().is_empty() && indent(line) < own)?;
    key_of_group(group)
}

/// Whether a text has a key that is no part of a longer one. It may have parents before it: `common.copy-link`.
fn has_word(text: &str, key: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(key).any(|(at, _)| {
        let before = text.get(..at).unwrap_or("");
        let after = text.get(at + key.len()..).unwrap_or("");
        !before.ends_with(is_letter) && !after.starts_with(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_keys() {
        for (line, key) in [
            ("  \"copy-link\": \"Copy Link\",", Some("copy-link")),
            ("    copy_link: Copy link", Some("copy_link")),
            ("    copy_link: \"Copy link!\"", Some("copy_link")),
            ("cart.copy=Copy link", Some("cart.copy")),
            (
                "'copy_link'   => 'Copy link',\t// IGNORE",
                Some("copy_link"),
            ),
            (
                "<string name=\"copyLink\">Copy link</string>",
                Some("copyLink"),
            ),
            ("copyLink: 'Copy link…',", Some("copyLink")),
            ("  \"hint\": \"Copy link of the cart\",", None),
            ("  \"hint\": \"First, copy link\",", None),
            ("Copy link", None),
            ("<string name=\"recopy_link\">Recopy link</string>", None),
        ] {
            assert_eq!(key_of(line, "copy link"), key, "{line}");
        }
    }

    #[test]
    fn plain_keys_have_their_parent() {
        let text = "en:\n  cart:\n    empty: No items\n    title: Your cart\n";
        assert_eq!(parent(text, 4, "    title: Your cart"), Some("cart"));
        let text = "{\n  \"cart\": {\n    \"title\": \"Your cart\"\n";
        assert_eq!(
            parent(text, 3, "    \"title\": \"Your cart\""),
            Some("cart")
        );
        assert_eq!(parent(text, 2, "  \"cart\": {"), None);
    }

    #[test]
    fn keys_are_whole_words() {
        assert!(has_word("t('common.copy-link')", "copy-link"));
        assert!(has_word("R.string.select_all", "select_all"));
        assert!(!has_word("R.string.select_all_label", "select_all"));
        assert!(!has_word("t('copy-link-now')", "copy-link"));
    }
}
