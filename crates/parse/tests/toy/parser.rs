//! Parses the toy language line by line.

use foveate_model::{
    Definition, DefinitionKind, FileFacts, Import, ImportKind, ImportedName, Language, LocalId,
    Modifiers, Reference, ReferenceKind, Region, RegionKind, Span, Visibility,
};

use crate::chunks::{self, Nesting};
use crate::content;
use crate::lines::{LineIndex, NO_STATEMENT, TextLines};
use crate::values::leading_name;

pub(super) fn facts(language: Language, text: &str) -> FileFacts {
    let index = LineIndex::new(text);
    let mut reader = Reader {
        text,
        index: &index,
        facts: content::plain(language, text),
        open: Vec::new(),
        doc: String::new(),
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reader.line(line.trim_end(), start);
        start += line.len();
    }
    let mut facts = reader.facts;
    let definitions = &facts.definitions;
    let heads: Vec<u32> = definitions.iter().map(|d| d.lines.start - 1).collect();
    let lines = TextLines {
        text,
        index: &index,
    };
    let statements = vec![NO_STATEMENT; index.count() as usize];
    facts.chunks = chunks::of_code(&lines, Nesting::Plain, definitions, &heads, &statements);
    facts
}

struct Reader<'t> {
    text: &'t str,
    index: &'t LineIndex,
    facts: FileFacts,
    open: Vec<LocalId>,
    doc: String,
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str, start: usize) {
        let code = line.trim_start();
        let at = start + line.len() - code.len();
        if let Some(comment) = code.strip_prefix('#') {
            self.doc = comment.trim().to_owned();
            let span = Span::new(at, at + code.len());
            let kind = RegionKind::Comment;
            self.facts.regions.push(Region { kind, span });
        } else if let Some(rest) = code.strip_prefix("use ") {
            self.import(rest, Span::new(at, at + code.len()));
        } else if code == "end" {
            self.close(at + code.len());
        } else if let Some(rest) = code.strip_prefix("class ") {
            let id = self.define(DefinitionKind::Class, code, rest, at);
            self.open.push(id);
        } else if let Some(rest) = code.strip_prefix("fun ") {
            let kind = match self.open.is_empty() {
                true => DefinitionKind::Function,
                false => DefinitionKind::Method,
            };
            let id = self.define(kind, code, rest, at);
            self.open.push(id);
        } else if let Some(rest) = code.strip_prefix("has ") {
            self.define(DefinitionKind::Field, code, rest, at);
        } else {
            self.calls(code, at);
        }
    }

    fn import(&mut self, rest: &str, span: Span) {
        let (module, list) = rest.split_once(": ").unwrap_or((rest, ""));
        let names = list.split(", ").filter(|name| !name.is_empty());
        self.facts.imports.push(Import {
            kind: ImportKind::From,
            module: module.into(),
            names: names.map(|name| ImportedName::new(name, name)).collect(),
            span,
            line: self.index.line_of(span.start),
            enclosing: None,
            type_only: false,
        });
    }

    fn define(&mut self, kind: DefinitionKind, code: &str, rest: &str, at: usize) -> LocalId {
        let name = leading_name(rest);
        let name_start = at + code.len() - rest.len();
        let span = Span::new(at, at + code.len());
        let inside = |open: char, close: char| {
            let start = code.find(open)? + 1;
            let end = code.rfind(close)?;
            Some(Span::new(at + start, at + end.max(start)))
        };
        let brackets = inside('(', ')');
        let is_class = kind == DefinitionKind::Class;
        let bases = brackets.filter(|_| is_class).map(|span| span.of(self.text));
        let parent = self.open.last().copied();
        let scope = parent.and_then(|id| self.facts.definition(id));
        let qualified_name = match scope {
            Some(scope) => format!("{}.{name}", scope.qualified_name),
            None => name.to_owned(),
        };
        let id = LocalId(self.facts.definitions.len() as u32);
        self.facts.definitions.push(Definition {
            name: name.into(),
            qualified_name: qualified_name.into(),
            kind,
            parent,
            span,
            lines: self.index.lines_of(span),
            lines_above: 0,
            name_span: Span::new(name_start, name_start + name.len()),
            signature: span,
            parameters: brackets.filter(|_| !is_class),
            body: None,
            doc: std::mem::take(&mut self.doc).into(),
            bases: bases.into_iter().map(Box::from).collect(),
            decorators: Vec::new(),
            visibility: Visibility::Public,
            modifiers: Modifiers::default(),
        });
        id
    }

    fn close(&mut self, end: usize) {
        let Some(id) = self.open.pop() else { return };
        let index = self.index;
        if let Some(definition) = self.facts.definitions.get_mut(id.0 as usize) {
            definition.body = Some(Span::new(definition.span.end as usize, end));
            definition.span = Span::new(definition.span.start as usize, end);
            definition.lines = index.lines_of(definition.span);
        }
    }

    /// Adds every name before a parenthesis, with the names and dots before it.
    fn calls(&mut self, code: &str, at: usize) {
        let bytes = code.as_bytes();
        for (open, _) in code.match_indices('(') {
            let before = |end: usize, fits: fn(u8) -> bool| {
                let start = bytes[..end].iter().rposition(|byte| !fits(*byte));
                start.map_or(0, |start| start + 1)
            };
            let name = before(open, is_name_byte);
            if name == open {
                continue;
            }
            let path = before(open, |byte| is_name_byte(byte) || byte == b'.');
            let is_opaque = path < name && bytes.get(path) == Some(&b'.');
            let span = Span::new(at + name, at + open);
            self.facts.references.push(Reference {
                kind: ReferenceKind::Call,
                name: span,
                path: match is_opaque {
                    true => span,
                    false => Span::new(at + path, at + open),
                },
                line: self.index.line_of(span.start),
                enclosing: self.open.last().copied(),
                opaque_receiver: is_opaque,
            });
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
