//! Extends the lines of a definition to the comments and attributes above it and the blank lines around it, and takes
//! licence notices from those of a stretch.

use foldhash::HashSet;
use foveate_index::{DefId, FileId, Files};
use foveate_model::{Lines, Region, RegionKind};

/// Words that licence notices have, in lower case.
const LICENCE_WORDS: [&str; 3] = ["copyright", "licence", "license"];

/// Returns the lines in which a definition is shown: with the comments and attributes above it, unless they
/// are longer than `max_head` lines, and one blank line before and after, because new code is often
/// inserted there.
pub(super) fn of(files: &Files, id: DefId, max_head: u32) -> Lines {
    let mut lines = files.definition(id).lines;
    let file = id.file;
    let text = files.text(file);
    let head = files.head_line(id);
    if lines.start - head <= max_head {
        lines.start = head;
    }
    let span = files.lines_span(file, lines);
    let is_blank = |line: Option<&str>| line.is_some_and(|line| line.trim().is_empty());
    let above = text.get(..span.start as usize).unwrap_or("");
    let above = above.strip_suffix('\n');
    if is_blank(above.and_then(|above| above.rsplit('\n').next())) {
        lines.start -= 1;
    }
    let below = text.get(span.end as usize..).unwrap_or("");
    let below = below.strip_prefix('\n');
    if is_blank(below.and_then(|below| below.split_inclusive('\n').next())) {
        lines.end += 1;
    }
    lines
}

/// Returns the lines of a stretch without the licence notice at the start of the file and the blank lines below it: no
/// change is about them, and some have 40 lines.
pub(super) fn without_licence(files: &Files, file: FileId, lines: Lines) -> Lines {
    let Some(content) = files.content(file).filter(|_| lines.start == 1) else {
        return lines;
    };
    let text = files.text(file);
    let end = end_of_licence_region(text);
    let end = end.unwrap_or_else(|| end_of_first_comment(text, &content.facts.regions));
    let (Some(notice), Some(below)) = (text.get(..end), text.get(end..)) else {
        return lines;
    };
    let blank = below.len() - below.trim_start().len();
    let breaks =
        notice.matches('\n').count() + below.get(..blank).unwrap_or("").matches('\n').count();
    let start = 1 + breaks as u32;
    match has_licence_word(notice) && start <= lines.end {
        true => Lines::new(start, lines.end),
        false => lines,
    }
}

/// Whether a query of these words, in lower case, is about licence notices.
pub(super) fn asks_about_licence(words: &HashSet<String>) -> bool {
    LICENCE_WORDS.iter().any(|word| words.contains(*word))
}

fn has_licence_word(text: &str) -> bool {
    let text = text.to_lowercase();
    LICENCE_WORDS.iter().any(|word| text.contains(word))
}

/// Returns the end of the region of lines that begins a text, if its name is that of a notice: `#region License`, which
/// editors fold.
fn end_of_licence_region(text: &str) -> Option<usize> {
    const END: &str = "#endregion";
    let first = text.lines().next()?.trim_start_matches('\u{feff}');
    let name = first.strip_prefix("#region")?;
    let end = text.find(END).filter(|_| has_licence_word(name))?;
    Some(end + END.len())
}

/// Returns the end of the comment that begins a text, without the line break: of all comments up to the first blank line or
/// code. It is 0 if there is none.
fn end_of_first_comment(text: &str, regions: &[Region]) -> usize {
    let mut end = 0;
    for region in regions {
        let gap = text.get(end..region.span.start as usize);
        let is_next =
            gap.is_some_and(|gap| gap.trim().is_empty() && gap.matches('\n').count() <= 1);
        let comment = text.get(..region.span.end as usize);
        match comment.filter(|_| is_next && region.kind == RegionKind::Comment) {
            Some(comment) => end = comment.trim_end().len(),
            None => break,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;
    use foveate_model::Lines;

    use super::without_licence;

    #[test]
    fn region_that_is_named_after_a_licence_is_left_out() {
        let start = |name: &str| {
            let snapshot = of_text(&format!(
                "//- Cart.cs\n#region {name}\n\n// Copyright of nobody\n\n#endregion\n\nclass Cart {{}}\n"
            ));
            let file = snapshot.files.find("Cart.cs").unwrap();
            without_licence(&snapshot.files, file, Lines::new(1, 7)).start
        };
        assert_eq!(start("License"), 7);
        assert_eq!(start("Fields"), 1);
    }
}
