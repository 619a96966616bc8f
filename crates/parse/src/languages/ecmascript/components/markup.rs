//! Finds the references in a component's markup: other components as tags, and names in `{ … }`, `{{ … }}`
//! and in attribute values that hold code (`:a`, `@a`, `v-a`, `on:a`).

use std::ops::Range;

use foldhash::HashSet;
use foveate_model::{FileFacts, Reference, ReferenceKind, Region, RegionKind, Span};

use super::tags;
use crate::collect::known_names;
use crate::lines::LineIndex;

/// Maximum number of references in the markup of one component that are kept.
const MAX_USES: usize = 4_096;

/// Elements of HTML and SVG, sorted. A tag with the name of one is no component, whatever the scripts define.
const HTML_ELEMENTS: &[&str] = &[
    "a", "abbr", "address", "area", "article", "aside", "audio", "b", "base", "bdi", "bdo",
    "blockquote", "body", "br", "button", "canvas", "caption", "circle", "cite", "clipPath",
    "code", "col", "colgroup", "data", "datalist", "dd", "defs", "del", "desc", "details", "dfn",
    "dialog", "div", "dl", "dt", "ellipse", "em", "embed", "fieldset", "figcaption", "figure",
    "filter", "footer", "foreignObject", "form", "g", "h1", "h2", "h3", "h4", "h5", "h6", "head",
    "header", "hgroup", "hr", "html", "i", "iframe", "image", "img", "input", "ins", "kbd",
    "label", "legend", "li", "line", "linearGradient", "link", "main", "map", "mark", "marker",
    "mask", "math", "menu", "meta", "meter", "nav", "noscript", "object", "ol", "optgroup",
    "option", "output", "p", "param", "path", "pattern", "picture", "polygon", "polyline", "pre",
    "progress", "q", "radialGradient", "rect", "rp", "rt", "ruby", "s", "samp", "script", "search",
    "section", "select", "slot", "small", "source", "span", "stop", "strong", "style", "sub",
    "summary", "sup", "svg", "switch", "symbol", "table", "tbody", "td", "template", "text",
    "textPath", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track", "tspan", "u",
    "ul", "use", "var", "video", "view", "wbr",
];

/// How tags name components.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagNames {
    /// As the scripts do.
    Same,
    /// As the scripts do, or in kebab case.
    AnyCase,
}

/// Adds references to names that the scripts define or import.
pub(super) fn add_references(
    text: &str,
    scripts: &[Range<usize>],
    names: TagNames,
    facts: &mut FileFacts,
) {
    let lines = LineIndex::new(text);
    let known = known_names(&facts.imports, &facts.definitions);
    let mut uses = Vec::new();
    let mut comments = Vec::new();
    let mut tags = Vec::new();
    let mut from = 0;
    let ends = scripts.iter().map(|script| (script.start, script.end));
    for (start, end) in ends.chain([(text.len(), text.len())]) {
        let mut markup = Markup {
            text,
            at: from,
            end: start,
            known: &known,
            uses: &mut uses,
            comments: &mut comments,
            tags: &mut tags,
        };
        markup.read();
        from = end;
    }
    drop(known);
    if names == TagNames::AnyCase {
        let tags = tags::bind(text, scripts, tags, &mut facts.imports);
        uses.extend(tags.into_iter().map(|tag| (tag, tag, ReferenceKind::Call)));
    }
    let references = uses.into_iter().map(|(name, path, kind)| Reference {
        kind,
        name,
        path,
        line: lines.line_of(name.start),
        enclosing: None,
        opaque_receiver: false,
    });
    let references: Vec<Reference> = references.collect();
    facts.references.extend(references);
    facts
        .references
        .sort_by_key(|reference| (reference.name, reference.kind));
    facts
        .regions
        .extend(comments.into_iter().map(|span| Region {
            kind: RegionKind::Comment,
            span,
        }));
    facts.regions.sort_by_key(|region| region.span);
}

/// A use of a name: its span, that of its path, and its kind.
type Use = (Span, Span, ReferenceKind);

struct Markup<'a, 't> {
    text: &'t str,
    at: usize,
    end: usize,
    known: &'a HashSet<&'a str>,
    uses: &'a mut Vec<Use>,
    comments: &'a mut Vec<Span>,
    /// Tags that are neither elements of HTML nor have a name of the scripts.
    tags: &'a mut Vec<Span>,
}

impl<'t> Markup<'_, 't> {
    fn read(&mut self) {
        while self.at < self.end && self.uses.len() < MAX_USES {
            let rest = self.rest();
            let Some(next) = rest.find(['<', '{']) else {
                return;
            };
            self.at += next;
            let rest = self.rest();
            if rest.starts_with("<!--") {
                let length = rest.find("-->").map_or(rest.len(), |end| end + 3);
                self.comments.push(Span::new(self.at, self.at + length));
                self.at += length;
            } else if rest.starts_with("<style") {
                self.at += rest.find("</style").unwrap_or(rest.len());
            } else if rest.starts_with('<') {
                self.tag();
            } else {
                self.braces();
            }
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or("")
    }

    /// Reads `<Name a="…" :b="code" c={code}>`.
    fn tag(&mut self) {
        self.at += 1;
        let rest = self.rest();
        let end = rest.find(|c| !is_name(c) && c != '-');
        let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or("");
        if HTML_ELEMENTS.binary_search(&name).is_err() {
            if self.known.contains(name) {
                self.use_name(self.at, name, ReferenceKind::Call);
            } else if !name.is_empty() && self.tags.len() < MAX_USES {
                self.tags.push(Span::new(self.at, self.at + name.len()));
            }
        }
        self.at += name.len();
        loop {
            let rest = self.rest();
            let Some(next) = rest.find(['>', '=', '{', '<']) else {
                self.at = self.end;
                return;
            };
            let attribute = rest.get(..next).unwrap_or("");
            let holds_code = is_code(attribute.split_whitespace().next_back().unwrap_or(""));
            let mark = rest.as_bytes().get(next).copied();
            self.at += next;
            match mark {
                Some(b'=') => {
                    self.at += 1;
                    self.value(holds_code);
                }
                Some(b'{') => self.braces(),
                Some(b'>') => {
                    self.at += 1;
                    return;
                }
                _ => return,
            }
        }
    }

    fn value(&mut self, holds_code: bool) {
        let rest = self.rest();
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            if rest.starts_with('{') {
                self.braces();
            }
            return;
        };
        let start = self.at + 1;
        let length = rest.get(1..).and_then(|rest| rest.find(quote));
        let end = start + length.unwrap_or_else(|| rest.len().saturating_sub(1));
        if holds_code {
            self.code(start, end);
        } else {
            self.braces_in(start, end);
        }
        self.at = (end + 1).min(self.end);
    }

    /// Reads `{…}` and `{{…}}`, with nested braces.
    fn braces(&mut self) {
        let start = self.at;
        let mut depth = 0_u32;
        let mut length = self.rest().len();
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                length = at + 1;
                break;
            }
        }
        self.code(start, start + length);
        self.at = start + length;
    }

    fn braces_in(&mut self, start: usize, end: usize) {
        let text = self.text.get(start..end).unwrap_or("");
        if let (Some(open), Some(close)) = (text.find('{'), text.rfind('}')) {
            self.code(start + open, start + close.max(open));
        }
    }

    /// Adds the known names in a stretch of code that are at the start of a path.
    fn code(&mut self, start: usize, end: usize) {
        let code = self.text.get(start..end).unwrap_or("");
        let mut at = 0;
        while let Some(next) = code.get(at..).and_then(|rest| rest.find(is_name)) {
            at += next;
            let name = leading(code.get(at..).unwrap_or(""));
            let before = code.get(..at).unwrap_or("").trim_end();
            let after = code.get(at + name.len()..).unwrap_or("");
            let kind = match after.starts_with('(') {
                true => ReferenceKind::Call,
                false => ReferenceKind::Name,
            };
            if !before.ends_with('.') || before.ends_with("...") {
                self.use_name(start + at, name, kind);
            }
            at += name.len().max(1);
        }
    }

    fn use_name(&mut self, at: usize, name: &str, kind: ReferenceKind) {
        // `default` is the name of the component itself, which code cannot use.
        let is_known = self.known.contains(name) && name != "default";
        if is_known && self.uses.len() < MAX_USES {
            let span = Span::new(at, at + name.len());
            self.uses.push((span, span, kind));
        }
    }
}

/// Whether the value of an attribute is code.
fn is_code(attribute: &str) -> bool {
    attribute.starts_with([':', '@', '#']) || attribute.starts_with("v-")
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns the name at the start of a text.
fn leading(text: &str) -> &str {
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}
