//! Turns a document's blocks into segments, mentions, paths, imports and frames.

use std::ops::Range;

use foldhash::{HashMap, HashSet};
use foveate_index::citations::citations;
use foveate_model::Language;
use foveate_parse::code::{self, strip_prompt};
use foveate_parse::origin;
use foveate_parse::traces::{self, Piece, Trace};

use super::document::{Block, Document, Line};
use super::error_chains::is_error_chain;
use super::inline::{self, CodeSpan, Inline};
use super::literals::{self, Literal};
use super::log_entry::{self, Surroundings};
use super::names;
use super::pasted;
use super::paths::{self, Context, Link};
use super::{
    Frame, MAX_OUTPUT_LINES, Mention, MentionKind, PathMention, QueryText, Segment, SegmentKind,
    announced_messages, is_output,
};
use crate::log_prefix::without_times;

/// The longest error message that is kept, in bytes.
const MAX_ERROR: usize = 400;
/// Maximum error messages that are read from entries of logs; a text with more repeats itself.
const MAX_LOGGED: usize = 50;

/// Maximum citations that are kept; a text with more is a log or a list.
const MAX_CITATIONS: usize = 50;
/// Maximum words that may be names of files with any extension.
const MAX_OTHER_FILES: usize = 200;
/// Maximum errors that led to others.
const MAX_CAUSES: usize = 4;

/// Maximum bytes of a name; a longer one names nothing.
const MAX_NAME: usize = 512;

/// The path, the line and the function of a frame.
type FrameKey = (String, u32, String);

/// Fills a [`QueryText`], each list without duplicates. Only the frames are repeated until the end.
#[derive(Default)]
struct Collector<'r> {
    text: QueryText,
    /// The name of the repository that the query is about, if it is known.
    repository: Option<&'r str>,
    seen_mentions: HashSet<(MentionKind, String)>,
    seen_sigil_words: HashSet<(MentionKind, String)>,
    /// The positions of the paths in the list.
    seen_paths: HashMap<(String, u32), usize>,
    seen_imports: HashSet<String>,
    seen_frames: HashSet<FrameKey>,
    /// Frames and lines of source of stack traces that are in a segment already.
    seen_trace_lines: HashSet<String>,
    seen_errors: HashSet<String>,
    /// Number of errors that were read from entries of logs.
    logged_errors: usize,
    /// The prose before says that an error follows.
    announces_error: bool,
}

/// Returns the message of a line that is an entry of a log; any other line unchanged.
fn text_of_entry<'l>(line: &Line<'l>) -> Line<'l> {
    let text = log_entry::failure_message(line.text).unwrap_or(line.text);
    Line {
        text,
        cut: line.cut + line.text.find(text).unwrap_or_default(),
        ..*line
    }
}

/// Collects everything from a document about a repository.
pub(super) fn collect(document: Document<'_>, repository: Option<&str>) -> QueryText {
    let mut collector = Collector {
        repository,
        ..Collector::default()
    };
    collector.text.labels = document.labels;
    if let Some(title) = &document.title {
        collector.title(title);
    }
    for block in &document.blocks {
        collector.block(block);
    }
    collector.text.frames = without_repeated(collector.text.frames);
    collector.text
}

impl Collector<'_> {
    /// Collects from a block. Stack traces are cut out of prose too: many are pasted without marks.
    fn block(&mut self, block: &Block<'_>) {
        let texts: Vec<&str> = match block {
            Block::Code(lines, _) => lines.clone(),
            Block::Prose(lines) => lines.iter().map(|line| line.text).collect(),
        };
        for piece in traces::pieces(&texts) {
            match (piece, block) {
                (Piece::Trace(trace), _) => self.trace(&trace),
                (Piece::Plain(part), Block::Code(lines, language)) => {
                    self.code(lines.get(part).unwrap_or_default(), *language);
                }
                (Piece::Plain(part), Block::Prose(lines)) => {
                    self.prose_or_code(lines.get(part).unwrap_or_default());
                }
            }
        }
    }

    fn segment(&mut self, kind: SegmentKind, text: String) {
        self.segment_of(kind, text, None);
    }

    fn segment_of(&mut self, kind: SegmentKind, text: String, language: Option<Language>) {
        if text.trim().is_empty() {
            return;
        }
        let text = text.trim_end().to_owned();
        self.text.segments.push(Segment {
            kind,
            text,
            language,
        });
    }

    fn literals(&mut self, literals: Vec<Literal>) {
        for literal in literals {
            push_new(&mut self.text.literals, literal, literals::MAX_LITERALS);
        }
    }

    fn mention(&mut self, kind: MentionKind, name: &str) {
        if name.len() > MAX_NAME {
            return;
        }
        if self.seen_mentions.insert((kind, name.to_owned())) {
            self.text.mentions.push(Mention {
                name: name.to_owned(),
                kind,
            });
        }
    }

    /// Adds a name with the mark that may belong to it: `valid?`.
    fn mention_with_mark(&mut self, kind: MentionKind, name: &str, mark: Option<char>) {
        match mark {
            Some(mark) => self.mention(kind, &format!("{name}{mark}")),
            None => self.mention(kind, name),
        }
    }

    fn citations(&mut self, text: &str) {
        for citation in citations(text, self.repository) {
            push_new(&mut self.text.citations, citation, MAX_CITATIONS);
        }
    }

    fn path(&mut self, mention: PathMention) {
        let paths = &mut self.text.paths;
        let next = paths.len();
        let key = (mention.path.clone(), mention.line);
        let at = *self.seen_paths.entry(key).or_insert(next);
        match paths.get_mut(at) {
            Some(known) => known.from_url &= mention.from_url,
            None => paths.push(mention),
        }
    }

    /// Collects a word that may be the name of a file with any extension.
    fn other_file(&mut self, word: &str) {
        if let Some(mention) = paths::read_other_file(word) {
            push_new(&mut self.text.other_files, mention, MAX_OTHER_FILES);
        }
    }

    fn error(&mut self, text: &str) {
        let text = text.trim();
        let text = &text[..text.floor_char_boundary(MAX_ERROR)];
        if text.is_empty() || !self.seen_errors.insert(without_times(text).into_owned()) {
            return;
        }
        for name in names::scan(text) {
            let trimmed = name.trimmed();
            let plain = name.quoted && trimmed.chars().count() > 1 && !names::is_keyword(trimmed);
            if plain || name.is_identifier_like() {
                let mark = name.mark.filter(|_| name.quoted);
                self.mention_with_mark(MentionKind::ErrorMessage, trimmed, mark);
            }
        }
        self.segment(SegmentKind::ErrorMessage, text.to_owned());
    }

    /// Collects from the title. The time and the thread of an entry of a log are not what it is about.
    fn title(&mut self, line: &Line<'_>) {
        let title = text_of_entry(line);
        if title.text.len() < line.text.len() {
            self.code_paths(line.text);
        }
        let Inline { text, codes } = inline::read(&title);
        for code in &codes {
            self.inline_code(code);
            if is_file_in_directory(&code.text) {
                continue;
            }
            for name in names::scan(&code.text) {
                let trimmed = name.trimmed();
                if name.is_whole(&code.text) || name.is_identifier_like() {
                    self.mention_with_mark(MentionKind::Title, trimmed, name.mark);
                }
            }
        }
        self.words(&text, MentionKind::Title);
        let plain = if codes.is_empty() {
            text
        } else {
            inline::without_escapes(title.text).replace('`', "")
        };
        self.segment(SegmentKind::Title, plain);
        self.citations(title.text);
        self.literals(literals::read(&inline::without_escapes(title.text)));
        self.errors_in(line.text, Surroundings::Prose);
    }

    /// Collects from lines outside fences: separates prose and code that was pasted without a fence.
    fn prose_or_code(&mut self, lines: &[Line<'_>]) {
        let code = pasted::code_lines(lines);
        let mut start = 0;
        for run in code.chunk_by(|a, b| a == b) {
            let part = lines.get(start..start + run.len()).unwrap_or_default();
            start += run.len();
            if run.first() == Some(&true) {
                let texts: Vec<&str> = part.iter().map(|line| line.text).collect();
                self.code(&texts, code::guessed(&texts));
            } else {
                self.prose(part);
            }
        }
    }

    fn prose(&mut self, lines: &[Line<'_>]) {
        let mut prose = String::new();
        let mut codes = Vec::new();
        let mut quoted = Vec::new();
        for line in lines {
            let inline = inline::read(line);
            let text = self.words(&inline.text, MentionKind::Prose);
            self.citations(&inline.text);
            for code in &inline.codes {
                self.inline_code(code);
            }
            codes.extend(inline.codes);
            quoted.extend(inline::quoted(&inline.text));
            prose.push_str(&text);
            if !prose.ends_with("\n\n") {
                prose.push('\n');
            }
        }
        self.segment(SegmentKind::Prose, prose);
        for code in codes {
            self.segment(SegmentKind::InlineCode, code.text);
        }
        for text in quoted {
            self.segment(SegmentKind::Quoted, text);
        }
        let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
        let surroundings = log_entry::surroundings(texts.iter().copied());
        for (line, surroundings) in texts.iter().zip(surroundings) {
            self.literals(literals::read(&inline::without_escapes(line)));
            self.errors_in(line, surroundings);
        }
        for message in announced_messages::announced(&texts) {
            self.error(&inline::without_escapes(message));
        }
        self.announces_error = announced_messages::ends_with_announcement(&texts);
    }

    /// Collects mentions and paths from plain words. Returns the text with each URL replaced by the path or the
    /// words that it names.
    fn words(&mut self, text: &str, kind: MentionKind) -> String {
        let mut plain = String::with_capacity(text.len());
        let words: Vec<&str> = text.split_whitespace().collect();
        for (at, word) in words.iter().copied().enumerate() {
            if !plain.is_empty() {
                plain.push(' ');
            }
            if let Some(at) = word.find("https://").or_else(|| word.find("http://")) {
                let (before, url) = word.split_at(at);
                plain.push_str(before);
                self.url(url, &mut plain);
                continue;
            }
            plain.push_str(word.trim_matches('*'));
            if let Some(place) = paths::read_keyed(word) {
                self.path(place);
                continue;
            }
            for part in paths::split_scripts(word) {
                self.word(part, at, &words, kind);
            }
        }
        plain
    }

    /// Collects the path, the test or the names of a word (or of a part of it in another script) at a position among the
    /// words of its line.
    fn word(&mut self, word: &str, at: usize, words: &[&str], kind: MentionKind) {
        if is_person(word, kind) {
            return;
        }
        if let Some(named) = paths::read_test(word).or_else(|| paths::read_named(word)) {
            return self.named_in_file(named, kind);
        }
        if let Some(mention) = paths::read(word, Context::Prose) {
            let before = words.get(..at).unwrap_or_default().iter().rev();
            // The next sentence is about something else.
            let after = words.get(at + 1..).filter(|_| !word.ends_with('.'));
            let after = after.unwrap_or_default().iter();
            let lines = paths::lines_beside(before.copied(), after.copied());
            let is_certain = mention.is_certain;
            self.path(with_lines(mention, lines));
            if is_certain {
                return;
            }
        } else {
            self.other_file(word);
        }
        for name in names::scan(word) {
            let trimmed = name.trimmed();
            if name.is_identifier_like() {
                self.mention_with_mark(kind, trimmed, name.mark);
            } else {
                self.sigil_word(kind, trimmed);
            }
        }
    }

    /// Collects a word that is a name if a definition has it exactly.
    fn sigil_word(&mut self, kind: MentionKind, word: &str) {
        if names::has_sigil(word)
            && word.len() <= MAX_NAME
            && self.seen_sigil_words.insert((kind, word.to_owned()))
        {
            self.text.sigil_words.push(Mention {
                name: word.to_owned(),
                kind,
            });
        }
    }

    /// Collects the path of a URL at the start of a text. Adds the path, or the words that the URL names, and the text
    /// after the URL to `plain`.
    fn url(&mut self, text: &str, plain: &mut String) {
        let end = text.find(|c| ")>]\"|`".contains(c) || paths::FULL_WIDTH.contains(&c));
        let (url, after) = text.split_at(end.unwrap_or(text.len()));
        match paths::read_url(url) {
            Link::File(mention) => {
                plain.push(' ');
                plain.push_str(&mention.path);
                self.path(mention);
            }
            Link::Other(words) => plain.push_str(&words),
        }
        plain.push_str(after);
    }

    /// Collects a test id, or another name with its file: the path of the file, and the name there.
    fn named_in_file(&mut self, (file, name): (PathMention, String), kind: MentionKind) {
        self.path(file);
        self.mention(kind, &name);
    }

    fn inline_code(&mut self, code: &CodeSpan) {
        let lines = code.lines;
        let code = code.text.trim();
        self.citations(code);
        if let Some(named) = paths::read_test(code).or_else(|| paths::read_named(code)) {
            return self.named_in_file(named, MentionKind::InlineCode);
        }
        self.imports(&[code]);
        if traces::is_error(code) && code.contains(": ") {
            self.error(code);
        } else {
            self.logged(code, Surroundings::Prose);
        }
        // A sentence about a frame does not make it the innermost one.
        if let Some(found) = traces::of_line(code)
            && !self.seen_frames.contains(&frame_key(&found))
        {
            self.frame(&found);
        }
        let is_word = !code.contains(' ') && (!code.contains("://") || code.starts_with("file://"));
        let path = paths::read(code, Context::Code).filter(|_| is_word);
        // `.map` may be a file or a method.
        let is_path = path
            .as_ref()
            .is_some_and(|mention| mention.is_certain || mention.path.contains('/'));
        if let Some(mention) = path {
            let is_file = is_path && paths::ends_in_file(&mention.path);
            self.path(with_lines(mention, lines));
            if is_file {
                return;
            }
        } else if is_word {
            self.other_file(code);
        }
        // The last segment of another path may be a name: `Style/HashSyntax`.
        let last = code.rsplit('/').next().filter(|_| is_path);
        let code = last.unwrap_or(code);
        for name in names::scan(code) {
            let trimmed = name.trimmed();
            let whole = !is_path
                && name.is_whole(code)
                && !names::is_keyword(trimmed)
                && trimmed.chars().count() > 1;
            if whole || name.is_code_name() && name.is_identifier_like() {
                self.mention_with_mark(MentionKind::InlineCode, trimmed, name.mark);
            } else {
                self.sigil_word(MentionKind::InlineCode, trimmed);
            }
        }
    }

    fn imports(&mut self, lines: &[&str]) {
        for name in code::imports(lines) {
            if self.seen_imports.insert(name.clone()) {
                self.text.imports.push(name);
            }
        }
    }

    fn code(&mut self, lines: &[&str], language: Option<Language>) {
        self.imports(lines);
        let mut code = String::new();
        let is_output = is_output(language);
        // The commands of a shell, and what they print.
        let is_session = lines.iter().any(|line| line.trim_start().starts_with("$ "));
        let surroundings = match is_output {
            true => vec![Surroundings::Log; lines.len()],
            false => log_entry::surroundings(lines.iter().copied()),
        };
        let is_announced = std::mem::take(&mut self.announces_error)
            && is_output
            && lines.len() <= MAX_OUTPUT_LINES;
        for (line, surroundings) in lines.iter().zip(surroundings) {
            if traces::is_error(line) {
                self.error(traces::error_text(line));
                continue;
            }
            self.logged(line, surroundings);
            let is_message = is_announced && announced_messages::is_message(line);
            if is_message || is_output && is_error_chain(line) {
                self.error(line);
            }
            self.code_paths(line);
            self.literals(literals::options(line));
            let line = line.trim_end();
            let comment = ["# ", "// ", "* "]
                .iter()
                .any(|mark| line.trim_start().starts_with(mark));
            let source = strip_prompt(line);
            // `main` in the path `src/main.py` is no function.
            let files = match is_output || is_session {
                true => paths::files_in(source),
                false => Vec::new(),
            };
            for name in names::scan(source) {
                if is_within(&files, name.range.start) {
                    continue;
                }
                let trimmed = name.trimmed();
                // A comment is prose: a capitalised word is no class.
                let named = !comment || name.is_identifier_like();
                if named && name.is_code_name() {
                    self.mention_with_mark(MentionKind::CodeBlock, trimmed, name.mark);
                }
            }
            code.push_str(line);
            code.push('\n');
        }
        self.segment_of(SegmentKind::CodeBlock, code, language);
    }

    /// Collects paths from code: the headers of a patch, test ids, and paths with a line (`src/a.rs:1:2`,
    /// `caller=a.rs:1`).
    fn code_paths(&mut self, line: &str) {
        let line = line.trim();
        for head in ["--- a/", "+++ b/", "diff --git a/"] {
            if let Some(path) = line.strip_prefix(head) {
                let path = path.split_whitespace().next().unwrap_or("");
                if let Some(mention) = paths::read(path, Context::Prose) {
                    self.path(mention);
                }
                return;
            }
        }
        if !line.contains(':') {
            return;
        }
        for word in line.split_whitespace() {
            if let Some(place) = paths::read_keyed(word) {
                self.path(place);
                continue;
            }
            if let Some(test) = paths::read_test(word) {
                self.named_in_file(test, MentionKind::CodeBlock);
                continue;
            }
            let mention = paths::read(word, Context::Prose);
            if let Some(mention) = mention.filter(|m| m.line > 0) {
                self.path(mention);
            }
        }
    }

    /// Collects from a trace. What a trace above has, too, is not repeated in its text.
    fn trace(&mut self, trace: &Trace<'_>) {
        let mut text = String::new();
        for cause in &trace.causes {
            // A log may repeat a trace.
            push_new(&mut self.text.causes, cause.clone(), MAX_CAUSES);
        }
        for found in &trace.frames {
            self.frame(found);
            let key = format!("{}:{} {}", found.path, found.line, found.function);
            if origin::is_minified(found) || !self.seen_trace_lines.insert(key) {
                continue;
            }
            text.push_str(repository_part(&found.path));
            text.push(' ');
            text.push_str(&found.function);
            text.push('\n');
        }
        for line in &trace.source {
            let key = without_times(line).into_owned();
            if self.seen_trace_lines.insert(key) {
                text.push_str(line);
                text.push('\n');
            }
        }
        let language = trace
            .frames
            .iter()
            .find_map(|f| traces::language_of(&f.path));
        self.segment_of(SegmentKind::Traceback, text, language);
        for error in &trace.errors {
            self.error(error);
        }
    }

    fn frame(&mut self, frame: &Frame) {
        self.seen_frames.insert(frame_key(frame));
        self.text.frames.push(frame.clone());
    }

    /// Collects the error messages of a line of a log.
    fn logged(&mut self, line: &str, surroundings: Surroundings) {
        if self.logged_errors >= MAX_LOGGED {
            return;
        }
        let known = self.seen_errors.len();
        for text in log_entry::failures(line, surroundings) {
            self.error(&text);
        }
        self.logged_errors += self.seen_errors.len() - known;
    }

    /// Collects a chain of errors, the text of an entry of a log, messages that a sentence announces and quotes, and, if the
    /// line mentions an error, `SomeError: text` and all sentences in double quotes.
    fn errors_in(&mut self, line: &str, surroundings: Surroundings) {
        let line = &*inline::without_escapes(line);
        self.logged(line, surroundings);
        if is_error_chain(line) {
            self.error(line);
        }
        for message in announced_messages::read(line) {
            self.error(message);
        }
        let lower = line.to_lowercase();
        const WORDS: &[&str] = &[
            "error", "exception", "warning", "panic", "message", "fails with", "throws", "complain",
        ];
        if !WORDS.iter().any(|word| lower.contains(word)) && !traces::is_error(line) {
            return;
        }
        let is_class =
            |class: &&str| class.ends_with(':') && class.len() > 6 && traces::is_error(class);
        let mut words = line
            .split(' ')
            .map(|word| word.trim_start_matches(['`', '"', '\'', '(', '*', '“']));
        if let Some(start) = words.find(is_class).and_then(|class| line.find(class)) {
            let message = line.get(start..).unwrap_or("");
            let message = message.split(['`', '“', '”']).next().unwrap_or(message);
            if message.split(' ').count() > 1 {
                self.error(message);
            }
        }
        for quoted in line.split('"').skip(1).step_by(2) {
            if quoted.split_whitespace().count() >= 3 {
                self.error(quoted);
            }
        }
    }
}

/// Adds what a list lacks, up to a length.
fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T, max_len: usize) {
    if list.len() < max_len && !list.contains(&item) {
        list.push(item);
    }
}

fn frame_key(frame: &Frame) -> FrameKey {
    (frame.path.clone(), frame.line, frame.function.clone())
}

/// Removes all but the last of equal frames: the innermost frame of the last trace must stay the last one.
fn without_repeated(frames: Vec<Frame>) -> Vec<Frame> {
    let mut seen = HashSet::default();
    let mut kept = frames;
    kept.reverse();
    kept.retain(|frame| seen.insert(frame_key(frame)));
    kept.reverse();
    kept
}

/// Whether a word addresses a person (`@ada`) or is an address. Forges allow neither underscores nor dots in the names
/// of their users, and a title addresses nobody.
fn is_person(word: &str, kind: MentionKind) -> bool {
    let Some((before, after)) = word.split_once('@') else {
        return false;
    };
    if before.is_empty() {
        let name = after.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '…']);
        return kind != MentionKind::Title && !name.contains(['_', '.', '(']);
    }
    before.ends_with(char::is_alphanumeric) && word.contains('.') && !word.contains('/')
}

/// Whether code is nothing but the path of a file with its directory. Its parts are no names; `request.json` may be one.
fn is_file_in_directory(code: &str) -> bool {
    let code = code.trim();
    let path = paths::read(code, Context::Prose).filter(|path| path.is_certain);
    code.contains('/') && !code.contains([' ', ':', '#']) && path.is_some()
}

/// Whether one of the ranges, which are in order, has a position.
fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}

/// Returns a path with the lines that the words beside it give, unless it has its own.
fn with_lines(mention: PathMention, (line, last_line): (u32, u32)) -> PathMention {
    match mention.line {
        0 => PathMention {
            line,
            last_line,
            ..mention
        },
        _ => mention,
    }
}

/// Returns the part of a path that may be inside the repository: the part below the directory of installed
/// packages, else the last five segments.
fn repository_part(path: &str) -> &str {
    for packages in ["site-packages/", "dist-packages/", "node_modules/"] {
        if let Some((_, rest)) = path.rsplit_once(packages) {
            return rest;
        }
    }
    match path.rmatch_indices('/').nth(4) {
        Some((at, _)) => path.get(at + 1..).unwrap_or(path),
        None => path,
    }
}
