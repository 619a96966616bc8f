//! Encodes and decodes the stored form of one blob: its language, and its text with the facts or the reason
//! why it has none. Decoding returns exactly what was encoded.

use std::sync::Arc;

use foveate_model::{
    Chunk, ChunkKind, Content, Definition, DefinitionKind, Export, FileFacts, Import, ImportKind,
    ImportedName, Language, LocalId, Message, MessageKind, Modifiers, ObjectId, ParseIssue,
    Reference, ReferenceKind, Region, RegionKind, SkipReason, Span, Visibility,
};

use super::bytes::{Decoder, Encoder};
use super::item::{Coded, Deltas, Id, Line, Stored, codes, members, stored};

/// Format version of stored facts.
pub const FORMAT: u16 = 7;

/// The oldest format that can be read. Format 5 added elements of collections, format 6 functions with a receiver, format 7
/// elements of chains, tested types and callbacks; all else is as in format 4.
pub const OLDEST_FORMAT: u16 = 4;

/// Returns the key of a blob's stored form, where the file name suggests the language `named`.
pub fn key(blob: ObjectId, named: Option<Language>) -> Box<[u8]> {
    let mut key = blob.as_bytes().to_vec();
    key.push(named.map_or(u8::MAX, code));
    key.into()
}

/// A blob's language, and its content or the reason why it has none.
pub type Blob = (Language, Result<Content, SkipReason>);

/// Encodes a blob; `None` if the result must not be stored: files that could not be read, and files whose
/// parsing timed out, which may succeed the next time.
pub fn encode(language: Language, content: Result<&Content, &SkipReason>) -> Option<Vec<u8>> {
    let mut out = Encoder::default();
    out.byte(code(language));
    match content {
        Ok(content) => {
            if content.facts.issues.contains(&ParseIssue::Timeout) {
                return None;
            }
            out.byte(CONTENT);
            out.text(&content.text);
            encode_facts(&mut out, &content.facts);
        }
        // Other reasons are known without reading the file, or the file could not be read.
        Err(reason) => out.byte(1 + SKIPPED.iter().position(|known| known == reason)? as u8),
    }
    Some(out.into_bytes())
}

/// Looks up the language of a code; the caller has the table.
pub type LanguageOf = fn(u8) -> Option<Language>;

fn code(language: Language) -> u8 {
    language.rules().code
}

/// Decodes the output of [`encode`] in a format from [`OLDEST_FORMAT`] to [`FORMAT`]; `None` for other bytes.
pub fn decode(bytes: &[u8], language_of: LanguageOf) -> Option<Blob> {
    let mut rest = Decoder::new(bytes);
    let language = language_of(rest.byte()?)?;
    let content = match rest.byte()? {
        CONTENT => Ok(Content {
            text: Arc::from(rest.text()?),
            facts: decode_facts(&mut rest, language_of)?,
        }),
        skipped => Err(SKIPPED.get(usize::from(skipped) - 1)?.clone()),
    };
    rest.is_empty().then_some((language, content))
}

/// Marks a file with content; other numbers are positions in [`SKIPPED`], from 1.
const CONTENT: u8 = 0;
const SKIPPED: [SkipReason; 4] = [
    SkipReason::Binary,
    SkipReason::NotUtf8,
    SkipReason::LongLines,
    SkipReason::LfsPointer,
];

fn encode_facts(out: &mut Encoder, facts: &FileFacts) {
    let deltas = &mut Deltas::default();
    out.byte(code(facts.language));
    facts.line_count.encode(out, deltas);
    facts.generated.encode(out, deltas);
    facts.issues.encode(out, deltas);
    facts.definitions.encode(out, deltas);
    facts.references.encode(out, deltas);
    facts.imports.encode(out, deltas);
    facts.exports.encode(out, deltas);
    facts.messages.encode(out, deltas);
    facts.chunks.encode(out, deltas);
    facts.regions.encode(out, deltas);
    facts.values.encode(out, deltas);
    facts.package.encode(out, deltas);
}

fn decode_facts(rest: &mut Decoder<'_>, language_of: LanguageOf) -> Option<FileFacts> {
    let deltas = &mut Deltas::default();
    let facts = FileFacts {
        language: language_of(rest.byte()?)?,
        line_count: Stored::decode(rest, deltas)?,
        generated: Stored::decode(rest, deltas)?,
        issues: Stored::decode(rest, deltas)?,
        definitions: Stored::decode(rest, deltas)?,
        references: Stored::decode(rest, deltas)?,
        imports: Stored::decode(rest, deltas)?,
        exports: Stored::decode(rest, deltas)?,
        messages: Stored::decode(rest, deltas)?,
        chunks: Stored::decode(rest, deltas)?,
        regions: Stored::decode(rest, deltas)?,
        values: Stored::decode(rest, deltas)?,
        package: Stored::decode(rest, deltas)?,
    };
    has_valid_ids(&facts).then_some(facts)
}

/// Whether all ids belong to the file, and every definition comes after its parent, so that no chain of
/// parents is a cycle. The facts may come from a parser process with damaged memory.
fn has_valid_ids(facts: &FileFacts) -> bool {
    let is_valid = |id: LocalId| (id.0 as usize) < facts.definitions.len();
    let is_valid_or_none = |id: Option<LocalId>| id.is_none_or(is_valid);
    let is_before = |own: u32, parent: Option<LocalId>| parent.is_none_or(|id| id.0 < own);
    let mut definitions = (0..).zip(&facts.definitions);
    let values = &facts.values;
    let references = facts.references.len();
    definitions.all(|(own, definition)| is_before(own, definition.parent))
        && facts
            .references
            .iter()
            .all(|r| is_valid_or_none(r.enclosing))
        && facts.imports.iter().all(|i| is_valid_or_none(i.enclosing))
        && facts.messages.iter().all(|m| is_valid_or_none(m.enclosing))
        && facts.chunks.iter().all(|c| is_valid_or_none(c.definition))
        && values.locals.iter().all(|l| is_valid_or_none(l.function))
        && values.parameters.iter().all(|p| is_valid(p.function))
        && values.types.iter().all(|t| is_valid(t.definition))
        && values.held.iter().all(|h| is_valid(h.definition))
        && values
            .receivers
            .iter()
            .all(|r| (r.reference as usize) < references)
}

// The fields of each struct in the order in which they are stored.

stored!(Definition {
    name,
    qualified_name,
    kind,
    parent as Id,
    span,
    lines,
    lines_above,
    name_span,
    signature,
    parameters,
    body,
    doc,
    bases,
    decorators,
    visibility,
    modifiers
});

stored!(Import { kind, module, names, span, line as Line, enclosing as Id, type_only });
stored!(ImportedName { name, local });
stored!(Export { exported, local });
stored!(Message { kind, span, line as Line, enclosing as Id });
stored!(Chunk { kind, span, lines, definition as Id });
stored!(Region { kind, span });

codes!(DefinitionKind {
    Function = 0,
    Method = 1,
    Class = 2,
    Interface = 3,
    TypeAlias = 4,
    Enum = 5,
    EnumMember = 6,
    Module = 7,
    Constant = 8,
    Variable = 9,
    Field = 10,
});

codes!(ReferenceKind {
    Call = 0,
    Attribute = 1,
    Type = 2,
    Base = 3,
    Decorator = 4,
    Raise = 5,
    Catch = 6,
    Name = 7,
});

codes!(ImportKind {
    Module = 0,
    From = 1,
    ReExport = 2,
    Dynamic = 3,
    Require = 4,
});

codes!(ChunkKind {
    Function = 0,
    Class = 1,
    Module = 2,
    Text = 3,
});

codes!(RegionKind {
    Comment = 0,
    Text = 1,
    Documentation = 2,
    Heading = 3,
});

codes!(MessageKind {
    Error = 0,
    Log = 1,
});

codes!(Visibility {
    Public = 0,
    Protected = 1,
    Private = 2,
});

members!(ParseIssue {
    0 = Syntax { line: number },
    1 = Timeout {},
    2 = Depth {},
});

/// The modifiers in the order of their bits.
fn flags(modifiers: &mut Modifiers) -> [&mut bool; 12] {
    let Modifiers {
        is_async,
        is_static,
        is_abstract,
        is_overload,
        is_constructor,
        is_property,
        is_exported,
        is_default_export,
        is_out_of_line,
        is_macro,
        is_block,
        is_extension,
    } = modifiers;
    [
        is_async, is_static, is_abstract, is_overload, is_constructor, is_property, is_exported,
        is_default_export, is_out_of_line, is_macro, is_block, is_extension,
    ]
}

impl Stored for Modifiers {
    fn encode(&self, out: &mut Encoder, _: &mut Deltas) {
        let mut modifiers = *self;
        let bits = flags(&mut modifiers).into_iter().enumerate();
        out.number(bits.fold(0, |bits, (at, flag)| bits | u32::from(*flag) << at));
    }

    fn decode(rest: &mut Decoder<'_>, _: &mut Deltas) -> Option<Self> {
        let bits = rest.number32()?;
        let mut modifiers = Self::default();
        for (at, flag) in flags(&mut modifiers).into_iter().enumerate() {
            *flag = bits >> at & 1 == 1;
        }
        Some(modifiers)
    }
}

/// Flags in the byte of a reference's kind: the receiver is opaque; the reference is a plain name, so that
/// `path` equals `name`.
const OPAQUE: u8 = 0x80;
const PLAIN: u8 = 0x40;

impl Stored for Reference {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        let Self {
            kind,
            name,
            path,
            line,
            enclosing,
            opaque_receiver,
        } = self;
        let is_plain = name == path;
        let opaque = if *opaque_receiver { OPAQUE } else { 0 };
        let plain = if is_plain { PLAIN } else { 0 };
        out.byte(kind.code() | opaque | plain);
        if !is_plain {
            path.encode(out, deltas);
        }
        name.encode(out, deltas);
        Line(*line).encode(out, deltas);
        Id(*enclosing).encode(out, deltas);
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        let first = rest.byte()?;
        let path = match first & PLAIN {
            0 => Some(Span::decode(rest, deltas)?),
            _ => None,
        };
        let name = Span::decode(rest, deltas)?;
        Some(Self {
            kind: ReferenceKind::of(first & !(OPAQUE | PLAIN))?,
            name,
            path: path.unwrap_or(name),
            line: Line::decode(rest, deltas)?.0,
            enclosing: Id::decode(rest, deltas)?.0,
            opaque_receiver: first & OPAQUE != 0,
        })
    }
}
