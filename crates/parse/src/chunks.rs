//! Cuts a file into chunks; every line belongs to exactly one. A function stays whole if it is short
//! enough. Everything else is cut where the cost of a cut is lowest.

use foldhash::{HashSet, HashSetExt as _};
use foveate_model::{Chunk, ChunkKind, Definition, Lines, LocalId};

use crate::lines::{NO_STATEMENT, TextLines};

/// Maximum lines of a function that is kept as one chunk.
const MAX_FUNCTION_LINES: u32 = 80;
/// Maximum lines of a part of a split function, and of any other chunk of code.
const MAX_CODE_LINES: u32 = 60;
/// Maximum lines of a chunk of text.
const MAX_TEXT_LINES: u32 = 56;
/// Maximum lines of a function that may be one function for its readers, however many there are inside it.
const MAX_FUNCTION_WITH_PARTS: u32 = 300;
/// Minimum functions inside a longer one that make it a scope.
const MIN_PARTS: usize = 10;

/// How a language uses functions inside functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// They are parts of the enclosing function.
    Plain,
    /// They are often the functions of a module that is written as one function.
    Scopes,
}

/// The chunk kind and definition that a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    kind: ChunkKind,
    definition: Option<LocalId>,
}

/// A run of lines with one owner.
#[derive(Clone, Copy, Debug)]
struct Piece {
    owner: Owner,
    lines: Lines,
}

/// Returns the chunks of a file with definitions. `heads` holds the first row of each definition (0-based,
/// leading comments included). `statements` holds for each row the depth of the statement that starts
/// there.
pub(crate) fn of_code(
    lines: &TextLines<'_>,
    nesting: Nesting,
    definitions: &[Definition],
    heads: &[u32],
    statements: &[u16],
) -> Vec<Chunk> {
    let scopes = match nesting {
        Nesting::Plain => vec![false; definitions.len()],
        Nesting::Scopes => scopes(definitions, heads),
    };
    let owners = owners(lines.index.count(), definitions, heads, &scopes);
    let pieces = attach_leftovers(lines, pieces(&owners));
    let mut chunks = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let whole = match piece.owner.kind {
            ChunkKind::Function => MAX_FUNCTION_LINES,
            _ => MAX_CODE_LINES,
        };
        let cost = |line: u32| cost_in_code(lines, statements, line);
        split(piece.lines, whole, MAX_CODE_LINES, cost, |part| {
            chunks.push(chunk(lines, piece.owner, part));
        });
    }
    chunks
}

/// Returns the chunks of a file without a parser.
pub(crate) fn of_text(lines: &TextLines<'_>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let owner = Owner {
        kind: ChunkKind::Text,
        definition: None,
    };
    let count = lines.index.count();
    if count > 0 {
        let cost = |line: u32| cost_in_text(lines, line);
        let max = MAX_TEXT_LINES;
        split(Lines::new(1, count), max, max, cost, |part| {
            chunks.push(chunk(lines, owner, part));
        });
    }
    chunks
}

fn chunk(lines: &TextLines<'_>, owner: Owner, part: Lines) -> Chunk {
    Chunk {
        kind: owner.kind,
        span: lines.index.span_of(part),
        lines: part,
        definition: owner.definition,
    }
}

/// Finds the functions that are mere scopes: more than half of their lines belong to functions inside them,
/// documentation included, or they are very long and hold many. Scripts often wrap a whole module in one function
/// (plugins, closures, factories); for their readers, the inner ones are the functions.
fn scopes(definitions: &[Definition], heads: &[u32]) -> Vec<bool> {
    let is_function = |d: &Definition| d.kind.is_function() && d.body.is_some();
    // The number of lines in functions directly inside, and the number of these functions.
    let inner = |position: usize, outer: &Definition| {
        let (mut end, mut lines, mut count) = (0, 0, 0_usize);
        let definitions = definitions.get(position + 1..).unwrap_or_default();
        let heads = heads.get(position + 1..).unwrap_or_default();
        let inside = definitions.iter().zip(heads);
        for (inner, head) in inside.take_while(|(inner, _)| inner.span.start < outer.span.end) {
            if is_function(inner) && inner.span.start >= end {
                end = inner.span.end;
                lines += inner.lines.end.saturating_sub(*head);
                count += 1;
            }
        }
        (lines, count)
    };
    definitions
        .iter()
        .enumerate()
        .map(|(position, outer)| {
            if !is_function(outer) {
                return false;
            }
            let (lines, count) = inner(position, outer);
            let length = outer.lines.count();
            let is_long = length > MAX_FUNCTION_WITH_PARTS && count >= MIN_PARTS;
            lines * 2 > length || is_long
        })
        .collect()
}

/// Assigns each line its owner: classes and scopes first, outer before inner, then functions over them. A
/// line that two functions share belongs to the first.
fn owners(count: u32, definitions: &[Definition], heads: &[u32], scopes: &[bool]) -> Vec<Owner> {
    let module = Owner {
        kind: ChunkKind::Module,
        definition: None,
    };
    let mut owners = vec![module; count as usize];
    let in_function = inside_functions(definitions, scopes);
    let with_heads = || {
        let ids = (0..).map(LocalId);
        let nested = in_function.iter().copied();
        ids.zip(definitions.iter().zip(heads))
            .zip(nested.zip(scopes.iter().copied()))
            .filter(|(_, (nested, _))| !nested)
    };
    let mut paint = |definition: &Definition, head: u32, from: u32, owner: Owner| {
        let first = head.max(from) as usize;
        if let Some(lines) = owners.get_mut(first..definition.lines.end as usize) {
            lines.fill(owner);
        }
    };
    for ((id, (definition, head)), (_, is_scope)) in with_heads() {
        if definition.kind.is_class() || is_scope {
            let kind = match is_scope {
                true => ChunkKind::Function,
                false => ChunkKind::Class,
            };
            let owner = Owner {
                kind,
                definition: Some(id),
            };
            paint(definition, *head, 0, owner);
        }
    }
    let mut painted = 0;
    for ((id, (definition, head)), (_, is_scope)) in with_heads() {
        if definition.kind.is_function() && definition.body.is_some() && !is_scope {
            let owner = Owner {
                kind: ChunkKind::Function,
                definition: Some(id),
            };
            paint(definition, *head, painted, owner);
            painted = painted.max(definition.lines.end);
        }
    }
    owners
}

/// Returns for each definition whether a function that is not a scope encloses it in the text. Parents do
/// not tell: `Foo.prototype.bar = function` belongs to `Foo` but stands outside of it.
fn inside_functions(definitions: &[Definition], scopes: &[bool]) -> Vec<bool> {
    let mut function_end = 0;
    definitions
        .iter()
        .zip(scopes)
        .map(|(definition, is_scope)| {
            let inside = definition.span.start < function_end;
            let holds = definition.kind.is_function() && definition.body.is_some() && !is_scope;
            if holds && !inside {
                function_end = definition.span.end;
            }
            inside
        })
        .collect()
}

fn pieces(owners: &[Owner]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (line, owner) in (1..).zip(owners) {
        match pieces.last_mut() {
            Some(piece) if piece.owner == *owner => piece.lines.end = line,
            _ => pieces.push(Piece {
                owner: *owner,
                lines: Lines::new(line, line),
            }),
        }
    }
    pieces
}

/// Joins lone closing brackets and the blank lines between pieces to the piece before them.
fn attach_leftovers(lines: &TextLines<'_>, pieces: Vec<Piece>) -> Vec<Piece> {
    // A function's first piece is always kept; a later piece is the rest of a scope.
    let mut begun: HashSet<LocalId> = HashSet::new();
    let mut is_leftover = |piece: &Piece| {
        let is_function = piece.owner.kind == ChunkKind::Function;
        let begins = is_function && piece.owner.definition.is_some_and(|id| begun.insert(id));
        let text = lines.index.span_of(piece.lines).of(lines.text);
        !begins && !text.contains(char::is_alphanumeric)
    };
    let mut kept: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut leading: Option<u32> = None;
    for mut piece in pieces {
        if is_leftover(&piece) {
            match kept.last_mut() {
                Some(before) => before.lines.end = piece.lines.end,
                None => leading = leading.or(Some(piece.lines.start)),
            }
            continue;
        }
        if let Some(before) = kept.last_mut() {
            let is_blank = |line: &u32| lines.line(*line).trim().is_empty();
            let blank = (piece.lines.start..piece.lines.end)
                .take_while(is_blank)
                .count();
            piece.lines.start += u32::try_from(blank).unwrap_or(0);
            before.lines.end = piece.lines.start - 1;
        }
        piece.lines.start = leading.take().unwrap_or(piece.lines.start);
        kept.push(piece);
    }
    if let (Some(first), true) = (leading, kept.is_empty()) {
        let owner = Owner {
            kind: ChunkKind::Module,
            definition: None,
        };
        kept.push(Piece {
            owner,
            lines: Lines::new(first, lines.index.count()),
        });
    }
    kept
}

/// Cuts `lines` into parts of nearly equal length, at most `part` lines each, unless there are at most
/// `whole` lines. `cost` is the cost of a cut before a line.
fn split(
    lines: Lines,
    whole: u32,
    part: u32,
    cost: impl Fn(u32) -> u32,
    mut emit: impl FnMut(Lines),
) {
    let mut start = lines.start;
    let mut longest = whole;
    while lines.end - start + 1 > longest {
        longest = part;
        let left = lines.end - start + 1;
        let aim = start + left.div_ceil(left.div_ceil(part));
        let first = (start + part / 2).min(aim);
        let last = (start + part).min(lines.end);
        // The cheapest cut; among equals the one nearest to an even split.
        let cut = (first..=last).min_by_key(|line| (cost(*line), line.abs_diff(aim), *line));
        let cut = cut.unwrap_or(aim);
        emit(Lines::new(start, cut - 1));
        start = cut;
    }
    emit(Lines::new(start, lines.end));
}

/// Returns the cost of a cut before `line`: lowest before an outer statement, higher before an inner one,
/// and highest inside a statement, where a blank line or little indentation is the best guess.
fn cost_in_code(lines: &TextLines<'_>, statements: &[u16], line: u32) -> u32 {
    let depth = statements.get(line.saturating_sub(1) as usize);
    match depth.copied().unwrap_or(NO_STATEMENT) {
        NO_STATEMENT => 1 << 20 | indent_cost(lines, line),
        depth => u32::from(depth) << 1 | u32::from(!after_blank(lines, line)),
    }
}

fn cost_in_text(lines: &TextLines<'_>, line: u32) -> u32 {
    let text = lines.line(line);
    let next = lines.line(line + 1);
    let is_heading = text.starts_with('#') || (!text.is_empty() && is_underline(next));
    match (is_heading, after_blank(lines, line), text.trim().is_empty()) {
        (true, true, _) => 0,
        (true, false, _) => 1,
        (false, true, false) => 2 + indent_cost(lines, line).min(100),
        (false, _, _) => 200 + indent_cost(lines, line),
    }
}

fn is_underline(line: &str) -> bool {
    line.len() >= 3
        && line
            .bytes()
            .all(|b| matches!(b, b'=' | b'-' | b'~' | b'^' | b'"' | b'*'))
}

fn after_blank(lines: &TextLines<'_>, line: u32) -> bool {
    line > 1 && lines.line(line - 1).trim().is_empty()
}

fn indent_cost(lines: &TextLines<'_>, line: u32) -> u32 {
    let text = lines.line(line);
    let closes = text.trim_start().starts_with(['}', ')', ']']);
    let indent = text
        .bytes()
        .take(200)
        .take_while(u8::is_ascii_whitespace)
        .count();
    let after = u32::from(!after_blank(lines, line));
    u32::try_from(indent).unwrap_or(200) << 2 | u32::from(closes) << 1 | after
}
