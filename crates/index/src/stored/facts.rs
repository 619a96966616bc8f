//! Encodes and decodes the stored form of one blob: its language, and its text with the facts or the reason
//! why it has none. Decoding returns exactly what was encoded.

use std::sync::Arc;

use foveate_model::{
    Chunk, Content, Definition, Export, FileFacts, Import, ImportedName, Language, Message,
    Modifiers, ObjectId, ParseIssue, Reference, Region, SkipReason,
};

use super::bytes::{Decoder, Encoder};
use super::codes::{
    chunk_code, chunk_of, definition_code, definition_of, import_code, import_of, message_code,
    message_of, reference_code, reference_of, region_code, region_of, visibility_code,
    visibility_of,
};
use super::places::{
    Deltas, put_id, put_optional_span, put_places, take_flag, take_id, take_optional_span,
    take_places,
};
use super::values::{put_values, take_values};

/// Format version of stored facts.
pub const FORMAT: u16 = 5;

/// The oldest format that can be read. Format 5 added elements of collections; all else is as in format 4.
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
            put_facts(&mut out, &content.facts);
        }
        Err(SkipReason::Binary) => out.byte(BINARY),
        Err(SkipReason::NotUtf8) => out.byte(NOT_UTF8),
        Err(SkipReason::LongLines) => out.byte(LONG_LINES),
        Err(SkipReason::LfsPointer) => out.byte(LFS_POINTER),
        // These reasons are known without reading the file, or the file could not be read.
        Err(_) => return None,
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
            facts: take_facts(&mut rest, language_of)?,
        }),
        BINARY => Err(SkipReason::Binary),
        NOT_UTF8 => Err(SkipReason::NotUtf8),
        LONG_LINES => Err(SkipReason::LongLines),
        LFS_POINTER => Err(SkipReason::LfsPointer),
        _ => return None,
    };
    rest.is_empty().then_some((language, content))
}

const CONTENT: u8 = 0;
const BINARY: u8 = 1;
const NOT_UTF8: u8 = 2;
const LONG_LINES: u8 = 3;
const LFS_POINTER: u8 = 4;

fn put_facts(out: &mut Encoder, facts: &FileFacts) {
    out.byte(code(facts.language));
    out.number(facts.line_count);
    out.byte(u8::from(facts.generated));
    out.list(&facts.issues, put_issue);
    put_places(out, &facts.definitions, put_definition);
    put_places(out, &facts.references, put_reference);
    put_places(out, &facts.imports, put_import);
    out.list(&facts.exports, |out, export| {
        out.text(&export.exported);
        out.text(&export.local);
    });
    put_places(out, &facts.messages, |out, deltas, message| {
        out.byte(message_code(message.kind));
        deltas.put_span(out, message.span);
        deltas.put_line(out, message.line);
        put_id(out, message.enclosing);
    });
    put_places(out, &facts.chunks, |out, deltas, chunk| {
        out.byte(chunk_code(chunk.kind));
        deltas.put_span(out, chunk.span);
        deltas.put_lines(out, chunk.lines);
        put_id(out, chunk.definition);
    });
    put_places(out, &facts.regions, |out, deltas, region| {
        out.byte(region_code(region.kind));
        deltas.put_span(out, region.span);
    });
    put_values(out, &facts.values);
    out.text(&facts.package);
}

fn take_facts(rest: &mut Decoder<'_>, language_of: LanguageOf) -> Option<FileFacts> {
    Some(FileFacts {
        language: language_of(rest.byte()?)?,
        line_count: rest.number32()?,
        generated: take_flag(rest)?,
        issues: rest.list(take_issue)?,
        definitions: take_places(rest, take_definition)?,
        references: take_places(rest, take_reference)?,
        imports: take_places(rest, take_import)?,
        exports: rest.list(|rest| {
            Some(Export {
                exported: rest.text()?.into(),
                local: rest.text()?.into(),
            })
        })?,
        messages: take_places(rest, |rest, deltas| {
            Some(Message {
                kind: message_of(rest.byte()?)?,
                span: deltas.take_span(rest)?,
                line: deltas.take_line(rest)?,
                enclosing: take_id(rest)?,
            })
        })?,
        chunks: take_places(rest, |rest, deltas| {
            Some(Chunk {
                kind: chunk_of(rest.byte()?)?,
                span: deltas.take_span(rest)?,
                lines: deltas.take_lines(rest)?,
                definition: take_id(rest)?,
            })
        })?,
        regions: take_places(rest, |rest, deltas| {
            Some(Region {
                kind: region_of(rest.byte()?)?,
                span: deltas.take_span(rest)?,
            })
        })?,
        values: take_values(rest)?,
        package: rest.text()?.into(),
    })
}

fn put_texts(out: &mut Encoder, texts: &[Box<str>]) {
    out.list(texts, |out, text| out.text(text));
}

fn take_texts(rest: &mut Decoder<'_>) -> Option<Vec<Box<str>>> {
    rest.list(|rest| rest.text().map(Box::from))
}

fn put_issue(out: &mut Encoder, issue: &ParseIssue) {
    match issue {
        ParseIssue::Syntax { line } => {
            out.byte(0);
            out.number(*line);
        }
        ParseIssue::Timeout => out.byte(1),
        ParseIssue::Depth => out.byte(2),
    }
}

fn take_issue(rest: &mut Decoder<'_>) -> Option<ParseIssue> {
    Some(match rest.byte()? {
        0 => ParseIssue::Syntax {
            line: rest.number32()?,
        },
        1 => ParseIssue::Timeout,
        2 => ParseIssue::Depth,
        _ => return None,
    })
}

fn put_definition(out: &mut Encoder, deltas: &mut Deltas, definition: &Definition) {
    let Definition {
        name,
        qualified_name,
        kind,
        parent,
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
        modifiers,
    } = definition;
    out.text(name);
    out.text(qualified_name);
    out.byte(definition_code(*kind));
    put_id(out, *parent);
    deltas.put_span(out, *span);
    deltas.put_lines(out, *lines);
    out.number(*lines_above);
    for span in [name_span, signature] {
        deltas.put_span(out, *span);
    }
    put_optional_span(out, deltas, *parameters);
    put_optional_span(out, deltas, *body);
    out.text(doc);
    put_texts(out, bases);
    put_texts(out, decorators);
    out.byte(visibility_code(*visibility));
    out.number(flags(modifiers));
}

fn take_definition(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Definition> {
    Some(Definition {
        name: rest.text()?.into(),
        qualified_name: rest.text()?.into(),
        kind: definition_of(rest.byte()?)?,
        parent: take_id(rest)?,
        span: deltas.take_span(rest)?,
        lines: deltas.take_lines(rest)?,
        lines_above: rest.number32()?,
        name_span: deltas.take_span(rest)?,
        signature: deltas.take_span(rest)?,
        parameters: take_optional_span(rest, deltas)?,
        body: take_optional_span(rest, deltas)?,
        doc: rest.text()?.into(),
        bases: take_texts(rest)?,
        decorators: take_texts(rest)?,
        visibility: visibility_of(rest.byte()?)?,
        modifiers: modifiers(rest.number32()?),
    })
}

fn flags(modifiers: &Modifiers) -> u32 {
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
    } = *modifiers;
    let all = [
        is_async, is_static, is_abstract, is_overload, is_constructor, is_property, is_exported,
        is_default_export, is_out_of_line, is_macro,
    ];
    let bits = all.iter().enumerate();
    bits.fold(0, |bits, (at, flag)| bits | u32::from(*flag) << at)
}

fn modifiers(flags: u32) -> Modifiers {
    let flag = |at: u32| flags >> at & 1 == 1;
    Modifiers {
        is_async: flag(0),
        is_static: flag(1),
        is_abstract: flag(2),
        is_overload: flag(3),
        is_constructor: flag(4),
        is_property: flag(5),
        is_exported: flag(6),
        is_default_export: flag(7),
        is_out_of_line: flag(8),
        is_macro: flag(9),
    }
}

/// Flags in the byte of a reference's kind: the receiver is opaque; the reference is a plain name, so that
/// `path` equals `name`.
const OPAQUE: u8 = 0x80;
const PLAIN: u8 = 0x40;

fn put_reference(out: &mut Encoder, deltas: &mut Deltas, reference: &Reference) {
    let Reference {
        kind,
        name,
        path,
        line,
        enclosing,
        opaque_receiver,
    } = reference;
    let is_plain = name == path;
    let opaque = if *opaque_receiver { OPAQUE } else { 0 };
    let plain = if is_plain { PLAIN } else { 0 };
    out.byte(reference_code(*kind) | opaque | plain);
    if !is_plain {
        deltas.put_span(out, *path);
    }
    deltas.put_span(out, *name);
    deltas.put_line(out, *line);
    put_id(out, *enclosing);
}

fn take_reference(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Reference> {
    let first = rest.byte()?;
    let path = if first & PLAIN == 0 {
        Some(deltas.take_span(rest)?)
    } else {
        None
    };
    let name = deltas.take_span(rest)?;
    Some(Reference {
        kind: reference_of(first & !(OPAQUE | PLAIN))?,
        name,
        path: path.unwrap_or(name),
        line: deltas.take_line(rest)?,
        enclosing: take_id(rest)?,
        opaque_receiver: first & OPAQUE != 0,
    })
}

fn put_import(out: &mut Encoder, deltas: &mut Deltas, import: &Import) {
    let Import {
        kind,
        module,
        names,
        span,
        line,
        enclosing,
        type_only,
    } = import;
    out.byte(import_code(*kind));
    out.text(module);
    out.list(names, |out, name| {
        out.text(&name.name);
        out.text(&name.local);
    });
    deltas.put_span(out, *span);
    deltas.put_line(out, *line);
    put_id(out, *enclosing);
    out.byte(u8::from(*type_only));
}

fn take_import(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Import> {
    Some(Import {
        kind: import_of(rest.byte()?)?,
        module: rest.text()?.into(),
        names: rest.list(|rest| {
            Some(ImportedName {
                name: rest.text()?.into(),
                local: rest.text()?.into(),
            })
        })?,
        span: deltas.take_span(rest)?,
        line: deltas.take_line(rest)?,
        enclosing: take_id(rest)?,
        type_only: take_flag(rest)?,
    })
}
