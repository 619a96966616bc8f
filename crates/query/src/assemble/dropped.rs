//! Lists the relevant places that are not in the context, each once. Places beyond the limits of the list are counted.

use foldhash::HashMap;
use foveate_model::Lines;

use super::pack::{DropReason, Dropped};

/// The dropped places, in the order in which they were reported.
#[derive(Debug, Default)]
pub(super) struct DroppedList {
    list: Vec<Dropped>,
    /// The reported places by path and name.
    reported: HashMap<(String, String), Vec<Reported>>,
    /// Number of reported places that are not in the list.
    unlisted: usize,
}

/// A reported place.
#[derive(Debug)]
struct Reported {
    lines: Option<Lines>,
    is_listed: bool,
}

impl DroppedList {
    /// Adds a place unless some of its lines are listed under the same name: a test may be dropped as a body, as a test
    /// and from a text that was too long.
    pub(super) fn add(&mut self, dropped: Dropped) {
        let name = (dropped.path.clone(), dropped.name.clone());
        let reported = self.reported.entry(name).or_default();
        let mut same = reported.iter_mut();
        match same.find(|of| is_same(of.lines, dropped.lines)) {
            Some(of) if of.is_listed => return,
            Some(of) => {
                of.is_listed = true;
                self.unlisted -= 1;
            }
            None => reported.push(Reported {
                lines: dropped.lines,
                is_listed: true,
            }),
        }
        self.list.push(dropped);
    }

    /// Counts a place for which the list has no room, unless some of its lines are reported under the same name.
    pub(super) fn count(&mut self, dropped: Dropped) {
        let name = (dropped.path, dropped.name);
        let reported = self.reported.entry(name).or_default();
        if !reported.iter().any(|of| is_same(of.lines, dropped.lines)) {
            reported.push(Reported {
                lines: dropped.lines,
                is_listed: false,
            });
            self.unlisted += 1;
        }
    }

    /// Whether anything was dropped for a reason.
    pub(super) fn has_reason(&self, reason: &DropReason) -> bool {
        self.list.iter().any(|dropped| dropped.reason == *reason)
    }

    /// Returns the number of reported places, listed or not.
    pub(super) fn total(&self) -> usize {
        self.list.len() + self.unlisted
    }

    pub(super) fn into_vec(self) -> Vec<Dropped> {
        self.list
    }
}

impl Extend<Dropped> for DroppedList {
    fn extend<T: IntoIterator<Item = Dropped>>(&mut self, all: T) {
        for dropped in all {
            self.add(dropped);
        }
    }
}

fn is_same(a: Option<Lines>, b: Option<Lines>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.overlap(b) > 0,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(name: &str, lines: Option<(u32, u32)>) -> Dropped {
        Dropped {
            path: "a.py".to_owned(),
            name: name.to_owned(),
            lines: lines.map(|(start, end)| Lines::new(start, end)),
            tokens: 10,
            reason: DropReason::Budget,
        }
    }

    #[test]
    fn place_is_listed_once() {
        let mut list = DroppedList::default();
        // A body may have a blank line more than the card of its definition.
        list.add(dropped("f", Some((3, 9))));
        list.add(dropped("f", Some((4, 9))));
        list.add(dropped("f", Some((20, 25))));
        list.add(dropped("g", Some((3, 9))));
        list.add(dropped("", None));
        list.add(dropped("", None));
        let listed: Vec<_> = (list.into_vec().into_iter())
            .map(|dropped| (dropped.name, dropped.lines.map(|lines| lines.start)))
            .collect();
        let expected = [("f", Some(3)), ("f", Some(20)), ("g", Some(3)), ("", None)];
        assert_eq!(listed, expected.map(|(name, at)| (name.to_owned(), at)));
    }

    #[test]
    fn places_beyond_the_list_are_counted_once() {
        let mut list = DroppedList::default();
        list.add(dropped("f", Some((3, 9))));
        list.count(dropped("f", Some((4, 9))));
        list.count(dropped("g", Some((12, 15))));
        list.count(dropped("g", Some((12, 15))));
        list.count(dropped("h", Some((20, 25))));
        assert_eq!(list.total(), 3);
        // A place that is counted may be listed for another reason.
        list.add(dropped("g", Some((12, 14))));
        assert_eq!(list.total(), 3);
        let names: Vec<_> = list.into_vec().into_iter().map(|of| of.name).collect();
        assert_eq!(names, ["f", "g"]);
    }
}
