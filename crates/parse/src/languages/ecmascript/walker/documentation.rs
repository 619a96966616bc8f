//! Collects the imports and the names of types in documentation comments of JavaScript, as TypeScript's checker reads
//! them: `@import { A } from './a'`, `@typedef {import('./a').A} B`, `@param {import('./a').A} a`, `@type {A}`. The
//! types of values are read elsewhere, from the same tags.

use std::collections::{HashMap, HashSet};

use foveate_model::{Import, ImportKind, ImportedName, LocalId, ReferenceKind, Span};
use tree_sitter::Node;

use super::Walker;
use crate::collect::{known_names, span};

/// Maximum bytes of a comment that is read.
const MAX_COMMENT: usize = 8 * 1024;

/// Tags that are followed by a type in braces.
const TYPED: [&str; 18] = [
    "arg", "argument", "augments", "extends", "implements", "param", "prop", "property", "return",
    "returns", "satisfies", "template", "this", "throws", "type", "typedef", "yield", "yields",
];

/// A name of a type in a comment.
#[derive(Debug)]
pub(super) struct DocumentedName<'t> {
    /// The module of `import('./a').A`.
    module: Option<&'t str>,
    /// The expression, `import(…)` included.
    whole: Span,
    /// The dotted name, without `import(…)`.
    path: Span,
    /// The end of the comment.
    comment_end: u32,
    enclosing: Option<LocalId>,
}

impl<'t> Walker<'t> {
    /// Adds the imports of a documentation comment, and keeps the types that it names.
    pub(super) fn documentation(&mut self, node: Node<'_>) {
        let comment = span(node);
        if !self.reads_documentation || comment.len() > MAX_COMMENT {
            return;
        }
        let text = self.collector.text;
        let mut reader = Reader {
            text,
            end: comment.end as usize,
            imports: Vec::new(),
            names: Vec::new(),
        };
        reader.read(comment.start as usize);
        for (module, names, statement) in reader.imports {
            self.add_type_import(module, names, statement);
        }
        let enclosing = self.collector.context.enclosing;
        let names = reader.names.into_iter();
        self.documented
            .extend(names.map(|(module, whole, path)| DocumentedName {
                module,
                whole,
                path,
                comment_end: comment.end,
                enclosing,
            }));
    }

    fn add_type_import(&mut self, module: &str, names: Vec<ImportedName>, statement: Span) {
        self.collector.facts.imports.push(Import {
            kind: ImportKind::From,
            module: module.into(),
            names,
            span: statement,
            line: self.collector.lines.line_of(statement.start),
            // A type is known in the whole file.
            enclosing: None,
            type_only: true,
        });
    }

    /// Adds references to the types that comments name, after the walk: only names that the file imports or defines refer to
    /// anything. A type that a comment takes from a module itself is imported under its name, unless that has another
    /// meaning in the file.
    pub(super) fn refer_to_documented(&mut self) {
        let documented = std::mem::take(&mut self.documented);
        if documented.is_empty() {
            return;
        }
        let text = self.collector.text;
        let known = known_names(
            &self.collector.facts.imports,
            &self.collector.facts.definitions,
        );
        let known: HashSet<Box<str>> = known.into_iter().map(Box::from).collect();
        let imported = self.imported_by_their_names();
        let imports = |module: &str, name: &str| {
            let key: (Box<str>, Box<str>) = (module.into(), name.into());
            imported.contains(&key)
        };
        let below = self.documentable();
        // The end of the comment that was read last, and what it documents.
        let mut documents: (u32, Option<LocalId>) = (u32::MAX, None);
        let mut modules: HashMap<&str, &str> = HashMap::new();
        for name in documented {
            let path = name.path.of(text);
            let (head, last) = (
                path.split('.').next().unwrap_or(path),
                path.rsplit('.').next().unwrap_or(path),
            );
            let is_known = known.contains(head);
            let is_meant = match name.module {
                None => is_known,
                Some(module) if is_known => imports(module, head),
                Some(module) => match modules.get(head) {
                    Some(first) => *first == module,
                    None => {
                        modules.insert(head, module);
                        let names = vec![ImportedName::new(head, head)];
                        self.add_type_import(module, names, name.whole);
                        true
                    }
                },
            };
            if !is_meant {
                continue;
            }
            if documents.0 != name.comment_end {
                let end = name.comment_end as usize;
                let after = text.get(end..).unwrap_or_default();
                let next = end + after.len() - after.trim_start().len();
                documents = (name.comment_end, below.get(&next).copied());
            }
            self.collector.context.enclosing = documents.1.or(name.enclosing);
            let end = name.path.end as usize;
            let own = Span::new(end - last.len(), end);
            self.collector.refer_at(ReferenceKind::Type, own, name.path);
        }
        self.collector
            .facts
            .imports
            .sort_by_key(|import| import.span);
    }

    /// Returns what the file imports without another name, with its modules.
    fn imported_by_their_names(&self) -> HashSet<(Box<str>, Box<str>)> {
        let imports = self.collector.facts.imports.iter();
        let names = imports.flat_map(|import| {
            let names = import.names.iter();
            let names = names.filter(|taken| taken.name == taken.local);
            names.map(|taken| (import.module.clone(), taken.local.clone()))
        });
        names.collect()
    }

    /// Returns the functions and types by where they begin.
    fn documentable(&self) -> HashMap<usize, LocalId> {
        let mut found = HashMap::new();
        for (position, definition) in (0..).zip(&self.collector.facts.definitions) {
            if definition.kind.is_function() || definition.kind.is_container() {
                let start = definition.span.start as usize;
                found.entry(start).or_insert(LocalId(position));
            }
        }
        found
    }
}

/// Reads one comment.
struct Reader<'t> {
    text: &'t str,
    /// The end of the comment.
    end: usize,
    /// Modules, what is imported from them, and the spans of the tags.
    imports: Vec<(&'t str, Vec<ImportedName>, Span)>,
    /// Names of types, each with the module of its `import(…)`, the span with that and the one without.
    names: Vec<(Option<&'t str>, Span, Span)>,
}

impl<'t> Reader<'t> {
    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..self.end).unwrap_or_default()
    }

    /// Reads the tags from a byte on. Each is read once, and a type that does not end ends the reading.
    fn read(&mut self, start: usize) {
        let mut at = start;
        while let Some(found) = self.rest(at).find('@') {
            let begin = at + found;
            let tag = leading_name(self.rest(begin + 1));
            at = begin + 1 + tag.len();
            if tag == "import" {
                at = self.import(begin, at);
            } else if TYPED.contains(&tag) {
                match self.type_in_braces(tag, at) {
                    Some(end) => at = end,
                    None => return,
                }
            }
        }
    }

    /// Reads what follows `@import`, up to the module; returns where it ends.
    fn import(&mut self, begin: usize, at: usize) -> usize {
        let rest = self.rest(at);
        let Some(quote) = rest.find(['\'', '"', '@', '`']) else {
            return self.end;
        };
        let (clause, quoted) = rest.split_at(quote);
        let clause = clause.trim_end().strip_suffix("from");
        let module = quoted_text(quoted).filter(|module| !module.is_empty());
        let (Some(clause), Some(module)) = (clause, module) else {
            return at + quote;
        };
        let end = at + quote + module.len() + 2;
        let statement = Span::new(begin, end);
        self.imports
            .push((module, imported_names(clause), statement));
        end
    }

    /// Reads the type in braces after a tag, if there is one; returns where it ends, `None` if it does not end.
    fn type_in_braces(&mut self, tag: &str, at: usize) -> Option<usize> {
        let rest = self.rest(at);
        let open = rest.len() - rest.trim_start().len();
        if !rest.get(open..)?.starts_with('{') {
            return Some(at);
        }
        let len = braces(rest.get(open..)?)?;
        let (start, end) = (at + open + 1, at + open + len);
        let first = self.names.len();
        self.names_of_type(start, end - 1);
        if tag == "typedef" {
            self.alias(first, (start, end - 1), end);
        }
        Some(end)
    }

    /// Turns the only name of the type of a `@typedef` into an import, if it is `import('./a').A` as a whole.
    fn alias(&mut self, first: usize, (start, end): (usize, usize), after: usize) {
        let Some([(Some(module), whole, path)]) = self.names.get(first..) else {
            return;
        };
        let alias = leading_name(self.rest(after).trim_start());
        let written = self.text.get(start..end).unwrap_or_default();
        let name = path.of(self.text);
        if whole.of(self.text) != written.trim() || name.contains('.') || alias.is_empty() {
            return;
        }
        let names = vec![ImportedName::new(name, alias)];
        self.imports.push((*module, names, *whole));
        self.names.truncate(first);
    }

    /// Keeps the names in a type that are spelled as those of types, and those that it takes from modules.
    fn names_of_type(&mut self, start: usize, end: usize) {
        let mut at = start;
        while let Some(rest) = self.text.get(at..end).filter(|rest| !rest.is_empty()) {
            if let Some(quoted) = quoted_text(rest) {
                at += quoted.len() + 2;
                continue;
            }
            let name = dotted_name(rest);
            let after = rest.get(name.len()..).unwrap_or_default();
            if name == "import"
                && let Some((module, path)) = imported_type(after)
            {
                let path_start = at + rest.len() - path.len();
                let path = dotted_name(path);
                let path_span = Span::new(path_start, path_start + path.len());
                let whole = Span::new(at, path_start + path.len());
                if !path.is_empty() {
                    self.names.push((Some(module), whole, path_span));
                }
                at = path_start + path.len();
                continue;
            }
            let is_key = after.trim_start().trim_start_matches('?').starts_with(':');
            let last = name.rsplit('.').next().unwrap_or(name);
            if last.starts_with(char::is_uppercase) && !is_key {
                let path = Span::new(at, at + name.len());
                self.names.push((None, path, path));
            }
            let next = rest.chars().next().map_or(1, char::len_utf8);
            at += name.len().max(next);
        }
    }
}

/// Returns the names in the clause of an import: `{ A, B as C }`, `* as ns`, `D`.
fn imported_names(clause: &str) -> Vec<ImportedName> {
    // Each line of a comment may begin with an asterisk.
    let is_around = |c: char| c.is_whitespace() || matches!(c, '*' | ',');
    let (outside, inside) = clause.split_once('{').unwrap_or((clause, ""));
    let inside = inside.split('}').next().unwrap_or_default();
    let outside = outside.trim_matches(is_around);
    let whole = match outside.strip_prefix("as ") {
        Some(local) => ("*", local.trim()),
        None => ("default", outside),
    };
    let listed = inside.split(',').map(|part| {
        let part = part.trim_matches(is_around);
        part.split_once(" as ").unwrap_or((part, part))
    });
    let is_name = |name: &str| !name.is_empty() && leading_name(name).len() == name.len();
    std::iter::once(whole)
        .chain(listed)
        .map(|(name, local)| (name.trim(), local.trim()))
        .filter(|(name, local)| is_name(local) && (*name == "*" || is_name(name)))
        .map(|(name, local)| ImportedName::new(name, local))
        .collect()
}

/// Returns the module of `('./a').A`, and the text from `A` on.
fn imported_type(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('(')?.trim_start();
    let module = quoted_text(inside)?;
    let rest = inside.get(module.len() + 2..)?.trim_start();
    let path = rest.strip_prefix(')')?.strip_prefix('.')?;
    (!module.is_empty()).then_some((module, path))
}

/// Returns the text in the quotes at the start of a text, on one line.
fn quoted_text(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let inside = text.get(1..)?;
    let end = inside.find([quote, '\n'])?;
    let (quoted, rest) = inside.split_at(end);
    rest.starts_with(quote).then_some(quoted)
}

/// Returns the length of the braces at the start of a text, with what is between them.
fn braces(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn leading_name(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Returns the dotted name at the start of a text, without a dot at its end.
fn dotted_name(text: &str) -> &str {
    // Dots without a name, however many, are not read again from each of them on.
    if text.starts_with('.') {
        return "";
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim_end_matches('.')
}
