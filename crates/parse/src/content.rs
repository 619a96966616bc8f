//! Examines a blob's bytes before any grammar: whether they are text that people read, and whether a
//! program wrote it. Also builds the facts of text without a parser.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;
use foveate_model::{FileFacts, Language, LanguageKind, SkipReason};

use crate::chunks;
use crate::languages;
use crate::limits::Limits;
use crate::lines::{LineIndex, TextLines};
use crate::sections;

/// Number of leading bytes that are searched for a NUL byte, as in git.
const SNIFFED: usize = 8_000;
/// Files below this size in bytes are read whatever their lines look like.
const SHORT_FILE: usize = 5_000;
/// Lines with more bytes than this are long in code; prose often has one line per paragraph.
const LONG_LINE: usize = 1_000;
const LONG_PARAGRAPH: usize = 5_000;

/// The byte order mark of UTF-8.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the text of a blob as UTF-8, or the reason why it is not read. `by_name` is the language that the
/// file's name tells.
pub(crate) fn text<'b>(
    bytes: &'b [u8],
    by_name: Option<Language>,
    limits: &Limits,
) -> Result<Cow<'b, str>, SkipReason> {
    check_size(bytes.len(), limits.max_bytes_of(by_name))?;
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    let text = if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let utf16 = bytes.get(mark..).unwrap_or_default();
        let text = encoding.decode_without_bom_handling_and_without_replacement(utf16);
        text.filter(|text| !text.contains('\0'))
            .ok_or(SkipReason::NotUtf8)?
    } else if bytes.iter().take(SNIFFED).any(|byte| *byte == 0) {
        return Err(SkipReason::Binary);
    } else if is_lfs_pointer(bytes) {
        return Err(SkipReason::LfsPointer);
    } else if let Ok(text) = std::str::from_utf8(bytes) {
        Cow::Borrowed(text)
    } else if by_name.is_some() || bytes.starts_with(b"#!") {
        Cow::Owned(in_legacy_encoding(bytes).ok_or(SkipReason::NotUtf8)?)
    } else {
        return Err(SkipReason::NotUtf8);
    };
    let text = match by_name.and_then(|language| languages::spec(language).embedded_text) {
        Some(embedded_text) => non_blank(embedded_text(&text))?,
        None => text,
    };
    // As UTF-8, it may be longer.
    check_size(text.len(), limits.max_bytes)?;
    if has_long_lines(&text, by_name) {
        return Err(SkipReason::LongLines);
    }
    Ok(text)
}

/// Returns a text that was extracted from a file; without any, the file is data.
fn non_blank(text: String) -> Result<Cow<'static, str>, SkipReason> {
    match text.trim().is_empty() {
        true => Err(SkipReason::Data),
        false => Ok(Cow::Owned(text)),
    }
}

fn check_size(bytes: usize, limit: u64) -> Result<(), SkipReason> {
    let bytes = bytes as u64;
    if bytes > limit {
        return Err(SkipReason::TooLarge { bytes, limit });
    }
    Ok(())
}

/// Decodes text with bytes that are not UTF-8. Returns `None` for bytes that are probably no text.
///
/// Few such bytes among characters of UTF-8 are replaced. Otherwise the text is in the encoding that its bytes
/// suggest, such as Windows-1252 or Shift JIS: a wrong guess garbles comments and string literals only, because
/// these encodings share ASCII.
fn in_legacy_encoding(bytes: &[u8]) -> Option<String> {
    let is_control = |byte: &u8| matches!(byte, 0..=6 | 0xe..=0x19 | 0x1c..=0x1f | 0x7f);
    if bytes.iter().any(is_control) {
        return None;
    }
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    if valid > invalid {
        return Some(String::from_utf8_lossy(bytes).into_owned());
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    Some(encoding.decode_without_bom_handling(bytes).0.into_owned())
}

/// Whether the bytes are a git LFS pointer, which replaces a large file.
fn is_lfs_pointer(bytes: &[u8]) -> bool {
    const MAX_BYTES: usize = 1024;
    const VERSION: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
    let has = |key: &[u8]| {
        bytes
            .split(|byte| *byte == b'\n')
            .any(|line| line.starts_with(key))
    };
    bytes.len() < MAX_BYTES && bytes.starts_with(VERSION) && has(b"oid ") && has(b"size ")
}

/// Whether more than half of the text is in lines too long to read.
fn has_long_lines(text: &str, language: Option<Language>) -> bool {
    if text.len() < SHORT_FILE {
        return false;
    }
    let is_prose = language.is_none_or(|language| language.rules().kind == LanguageKind::Prose);
    let limit = if is_prose { LONG_PARAGRAPH } else { LONG_LINE };
    let long: usize = text.lines().map(str::len).filter(|len| *len > limit).sum();
    long > text.len() / 2
}

/// Whether one of the first lines states that a program wrote the file, or is the wrapper of a bundler.
pub(crate) fn says_generated(text: &str) -> bool {
    let head = || text.lines().take(12).filter(|line| line.len() < 300);
    let is_notice = |line: &str| {
        let is_comment = line
            .trim_start()
            .starts_with(['#', '/', '*', '-', '<', ';', '"', '\'', '.', '%']);
        is_comment && is_generated_notice(&line.to_ascii_lowercase())
    };
    head().any(is_notice) || is_bundle(head())
}

/// Whether the first lines of a file are those that Rollup or webpack writes around a library for all module systems.
fn is_bundle<'t>(head: impl Iterator<Item = &'t str>) -> bool {
    const ROLLUP: &str = "(function (global, factory) {";
    const TEST: &str = "typeof exports === 'object' && typeof module !== 'undefined' ? ";
    const WEBPACK: &str = "(function webpackUniversalModuleDefinition(root, factory) {";
    let mut head = head.map(str::trim_start);
    let wrapper = head.find(|line| line.starts_with(ROLLUP) || line.starts_with(WEBPACK));
    wrapper.is_some_and(|line| {
        line.starts_with(WEBPACK) || head.next().is_some_and(|next| next.starts_with(TEST))
    })
}

/// Commands that write the first version of a file, in small letters.
const SCAFFOLDING: [&str; 5] = [
    "rspec --init", "rails generate", "django-admin startproject", "create-react-app",
    "cookiecutter",
];

fn is_generated_notice(line: &str) -> bool {
    let says = |words: &str| line.contains(words);
    let is_notice = says("do not edit")
        || says("generated")
            && (says("@generated")
                || says("do not modify")
                || says("code generated by")
                || states_generation(line))
        || is_tool_notice(line);
    // People go on with files that such a command only began.
    is_notice && !SCAFFOLDING.iter().any(|command| says(command))
}

/// Whether a line is a sentence that says that the file is generated.
fn states_generation(line: &str) -> bool {
    let is_of_subject = |subject: &&str| {
        // `this module includes files automatically generated from …` is about other files.
        let Some((_, rest)) = line.split_once(&format!("this {subject} ")) else {
            return false;
        };
        let rest = ["is ", "was ", "has been "]
            .iter()
            .find_map(|verb| rest.strip_prefix(verb));
        rest.is_some_and(is_generated_predicate)
    };
    ["file", "module", "code", "class"]
        .iter()
        .any(is_of_subject)
        || line
            .split_once("this is an ")
            .is_some_and(|(_, rest)| is_generated_predicate(rest))
}

/// Whether a line begins with the notice of a known generator.
fn is_tool_notice(line: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && c != '<';
    let text = line.trim_start_matches(is_sign);
    let starts = [
        "<auto-generated",
        "automatically generated by ",
        "autogenerated by ",
        "auto-generated by ",
        "auto-generated on ",
        "generated by the protocol buffer compiler",
        "a bison parser, made by ",
        "a lexical scanner generated by flex",
        "generated by re2c ",
        "this file is an amalgamation",
        "this file has been merged from multiple",
        "this file was generated ",
    ];
    let is_grammar = text.starts_with("generated from ") && text.contains(" by antlr");
    is_grammar || starts.iter().any(|start| text.starts_with(start))
}

fn is_generated_predicate(rest: &str) -> bool {
    let ways = [
        "generated by", "generated from", "generated using", "autogenerated", "auto-generated",
        "auto generated", "automatically generated",
    ];
    ways.iter().any(|way| rest.starts_with(way))
}

/// Returns the facts of text in a language without a parser: lines and chunks.
pub(crate) fn plain(language: Language, text: &str) -> FileFacts {
    let index = LineIndex::new(text);
    let lines = TextLines {
        text,
        index: &index,
    };
    FileFacts {
        line_count: index.count(),
        chunks: chunks::of_text(&lines),
        regions: match language.is_code() {
            true => Vec::new(),
            false => sections::headings(language, text),
        },
        ..FileFacts::empty(language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{javascript, markdown, python};

    #[test]
    fn unreadable_content_is_refused_with_its_reason() {
        let limits = Limits {
            max_bytes: 20_000,
            ..Limits::default()
        };
        let long = format!("x = [{}]", "1,".repeat(9_000));
        let cases: [(&[u8], Result<(), SkipReason>); 7] = [
            (b"", Ok(())),
            (b"x = 1\n", Ok(())),
            (b"GIF89a\0\0", Err(SkipReason::Binary)),
            (b"caf\xe9\x01\n", Err(SkipReason::NotUtf8)),
            (
                b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
                Err(SkipReason::LfsPointer),
            ),
            (
                &[b'a'; 20_001],
                Err(SkipReason::TooLarge {
                    bytes: 20_001,
                    limit: 20_000,
                }),
            ),
            (long.as_bytes(), Err(SkipReason::LongLines)),
        ];
        for (bytes, expected) in cases {
            let result = text(bytes, Some(python()), &limits).map(|_| ());
            assert_eq!(result, expected);
        }
    }

    #[test]
    fn utf16_with_byte_order_mark_is_text() {
        let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(bytes).collect()
        };
        let limits = Limits {
            max_bytes: 20_000,
            ..Limits::default()
        };
        let read = |bytes: &[u8]| text(bytes, Some(python()), &limits).map(Cow::into_owned);
        let code = "def prize(): # \u{20ac} \u{1f980}\n";
        let marked = format!("\u{feff}{code}");
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(read(&utf16(&marked, bytes)), Ok(code.to_owned()));
            assert_eq!(read(&utf16(code, bytes)), Err(SkipReason::Binary));
            let long = utf16(&format!("\u{feff}{}", "\u{20ac}".repeat(9_000)), bytes);
            let too_large = SkipReason::TooLarge {
                bytes: 27_000,
                limit: 20_000,
            };
            assert_eq!(read(&long), Err(too_large));
        }
        assert_eq!(read(b"\xff\xfea\0b"), Err(SkipReason::NotUtf8));
        assert_eq!(read(b"\xff\xfe\0\0a\0"), Err(SkipReason::NotUtf8));
    }

    #[test]
    fn text_in_other_encodings_is_decoded() {
        let read =
            |bytes: &[u8], language| text(bytes, language, &Limits::default()).map(Cow::into_owned);
        let western = b"# Author: Andr\xe9 Gr\xfc\xdfe\ndef prize(): pass\n";
        let decoded = "# Author: André Grüße\ndef prize(): pass\n";
        assert_eq!(read(western, Some(python())), Ok(decoded.to_owned()));
        assert_eq!(read(western, None), Err(SkipReason::NotUtf8));
        let script = [b"#!/usr/bin/env python\n".as_slice(), western].concat();
        assert!(read(&script, None).unwrap().ends_with(decoded));
        let comment = "# 設定ファイルを読み込む\nx = 1\n";
        let (japanese, ..) = encoding_rs::SHIFT_JIS.encode(comment);
        assert_eq!(read(&japanese, Some(python())), Ok(comment.to_owned()));
        // One stray byte does not garble the rest.
        let stray = b"# n\xc3\xa9e, gr\xc3\xb6\xc3\x9fer \xe9\n";
        let replaced = "# née, größer \u{fffd}\n".to_owned();
        assert_eq!(read(stray, Some(python())), Ok(replaced));
        let marked = [UTF8_MARK, b"x = 1\n"].concat();
        assert_eq!(read(&marked, Some(python())), Ok("x = 1\n".to_owned()));
        // A mark is no promise that the rest is UTF-8.
        let marked = [UTF8_MARK, western].concat();
        assert_eq!(read(&marked, Some(python())), Ok(decoded.to_owned()));
    }

    #[test]
    fn long_lines_are_allowed_in_prose_only() {
        let paragraph = format!("{}\n\n", "word ".repeat(400)).repeat(5);
        let limits = Limits::default();
        assert!(text(paragraph.as_bytes(), Some(markdown()), &limits).is_ok());
        assert!(text(paragraph.as_bytes(), Some(javascript()), &limits).is_err());
    }

    #[test]
    fn generated_headers_are_recognised() {
        for (header, expected) in [
            (
                "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n",
                true,
            ),
            ("/**\n * @generated SignedSource<<abc>>\n */\n", true),
            ("// Code generated by mockery. DO NOT EDIT.\n", true),
            ("# This file was generated by versioneer\n", true),
            ("// This file is auto-generated, see the script\n", true),
            (
                "# This module includes files automatically generated from ply.\n",
                false,
            ),
            (
                "/* automatically generated by rust-bindgen 0.69.4 */\n",
                true,
            ),
            (
                "// Code generated by \"stringer -type=Kind\"; DO NOT EDIT.\n",
                true,
            ),
            ("// <auto-generated />\n", true),
            ("/* A Bison parser, made by GNU Bison 3.8.2.  */\n", true),
            ("// Generated from Shop.g4 by ANTLR 4.13.1\n", true),
            (
                "/******\n** This file is an amalgamation of many separate files.\n",
                true,
            ),
            ("// This file was generated using a script.\n", true),
            (
                "// The tables are automatically generated by build.rs\n",
                false,
            ),
            ("// Generated from the request below\n", false),
            (
                "# This file was generated by the `rspec --init` command.\n",
                false,
            ),
            (
                "/*!\n * Cart 1.2\n */\n(function (global, factory) {\n  typeof exports === 'object' && typeof module !== 'undefined' ? module.exports = factory() :\n",
                true,
            ),
            (
                "(function webpackUniversalModuleDefinition(root, factory) {\n\tif(typeof exports === 'object')\n",
                true,
            ),
            (
                "(function (root, factory) {\n  if (typeof define === 'function' && define.amd) {\n",
                false,
            ),
            (
                "(function (global, factory) {\n  global.cart = factory();\n",
                false,
            ),
            ("print('do not edit')\n", false),
            ("# Generated by Django 3.2 on 2021-01-01 10:00\n", false),
            (
                "\"\"\"Make automatically generated names readable.\"\"\"\n",
                false,
            ),
        ] {
            assert_eq!(says_generated(header), expected, "{header}");
        }
    }
}
