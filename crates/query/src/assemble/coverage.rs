//! Computes how many lines of a range several other ranges cover together.

use foveate_model::Lines;

/// Whether each of `lines` is in at least one of the ranges.
pub(super) fn are_covered(lines: Lines, ranges: impl Iterator<Item = Lines>) -> bool {
    let mut ranges: Vec<Lines> = ranges.filter(|range| range.overlap(lines) > 0).collect();
    ranges.sort_unstable();
    let mut next = lines.start;
    for range in ranges {
        if range.start > next {
            return false;
        }
        next = next.max(range.end.saturating_add(1));
    }
    next > lines.end || lines.end == u32::MAX && next == u32::MAX
}

/// Returns how many of `lines` are in at least one of the ranges.
pub(super) fn count_covered(lines: Lines, ranges: impl Iterator<Item = Lines>) -> u32 {
    let mut ranges: Vec<Lines> = ranges.filter(|range| range.overlap(lines) > 0).collect();
    ranges.sort_unstable();
    let mut next = lines.start;
    let mut covered = 0;
    for range in ranges {
        let (start, end) = (range.start.max(next), range.end.min(lines.end));
        if start <= end {
            covered += end - start + 1;
            next = end.saturating_add(1);
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_several_ranges_count_once() {
        let lines = Lines::new(10, 19);
        for (ranges, count) in [
            (vec![], 0),
            (vec![(1, 9), (20, 30)], 0),
            (vec![(1, 14), (1, 15), (12, 13)], 6),
            (vec![(18, 40), (1, 10)], 3),
            (vec![WHOLE_OF_A_FILE, WHOLE_OF_A_FILE], 10),
        ] {
            let all = ranges.iter().map(|(start, end)| Lines::new(*start, *end));
            assert_eq!(count_covered(lines, all), count, "{ranges:?}");
        }
    }

    const WHOLE_OF_A_FILE: (u32, u32) = (1, u32::MAX);
}
