//! Computes how many lines of a range several other ranges cover together.

use foveate_model::Lines;

/// Whether each of `lines` is in at least one of the ranges.
pub(super) fn are_covered(lines: Lines, ranges: impl Iterator<Item = Lines>) -> bool {
    count_covered(lines, ranges) == lines.count()
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
            if end == lines.end {
                break;
            }
            next = end + 1;
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
            assert_eq!(count_covered(lines, all.clone()), count, "{ranges:?}");
            assert_eq!(are_covered(lines, all), count == 10, "{ranges:?}");
        }
    }

    #[test]
    fn whole_of_a_file_covers_itself() {
        let (start, end) = WHOLE_OF_A_FILE;
        let whole = Lines::new(start, end);
        assert!(are_covered(whole, [whole, whole].into_iter()));
        assert!(!are_covered(whole, [Lines::new(2, end)].into_iter()));
    }

    const WHOLE_OF_A_FILE: (u32, u32) = (1, u32::MAX);
}
