//! Decides which question is answered next. Questions wait in a line for each key. The next one is of the key of which the fewest
//! are being answered, and lines that are alike take turns, so that a key that asks a thousand things at once
//! delays the others by one question at most. Where there is room for no more, the longest line gives way. In an
//! overload, keys that were turned away lately are *heavy*: the others do not wait for their answers. It knows no
//! clock and no threads.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use super::load::{Level, Load, WINDOW};
use super::times::Times;

/// Keys turned away that are remembered before those of long ago are forgotten.
const MAX_TURNED_AWAY: usize = 1024;

/// Who waits, and for what `T` they wait.
#[derive(Debug)]
pub(super) struct Turns<T> {
    total: usize,
    /// The key of each permit in use.
    running: Vec<Arc<str>>,
    max_waiting: usize,
    waiting: usize,
    /// The next line to take its turn is the first. None is empty.
    lines: VecDeque<Line<T>>,
    next_id: u64,
    load: Load,
    /// When a question of a key was last turned away.
    turned_away: HashMap<Arc<str>, Instant>,
    /// How long answers take.
    pub times: Times,
}

#[derive(Debug)]
struct Line<T> {
    who: Arc<str>,
    questions: VecDeque<(u64, T)>,
}

/// What a newcomer gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A permit, for this key.
    Permit(Arc<str>),
    /// A place in the line, by its id.
    Place(u64),
    /// Nothing.
    Full,
}

impl<T> Turns<T> {
    /// `total` permits, and places for `max_waiting` questions.
    pub fn new(total: usize, max_waiting: usize, now: Instant) -> Self {
        Self {
            total,
            running: Vec::with_capacity(total),
            max_waiting,
            waiting: 0,
            lines: VecDeque::new(),
            next_id: 0,
            load: Load::new(now),
            turned_away: HashMap::new(),
            times: Times::default(),
        }
    }

    pub fn total(&self) -> usize {
        self.total
    }

    pub fn max_waiting(&self) -> usize {
        self.max_waiting
    }

    pub fn in_use(&self) -> usize {
        self.running.len()
    }

    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// A permit or a place for a question of `who`. `make` gives what waits; it is dropped where another
    /// question takes its place.
    pub fn enter(&mut self, who: &str, now: Instant, make: impl FnOnce() -> T) -> Entry {
        self.load.asked();
        let level = self.level(now);
        let has_free = self.running.len() < self.total && self.waiting == 0;
        if has_free || level == Level::Overload && self.may_go_beside_heavy(who, now) {
            let who: Arc<str> = who.into();
            self.running.push(Arc::clone(&who));
            if self.running.len() == self.total {
                self.load.busy(now);
            }
            return Entry::Permit(who);
        }
        if self.waiting >= self.limit(level) && !self.make_room(who, now) {
            self.turn_away(who.into(), now);
            return Entry::Full;
        }
        let id = self.next_id;
        self.next_id += 1;
        match self.lines.iter_mut().find(|line| *line.who == *who) {
            Some(line) => line.questions.push_back((id, make())),
            None => self.lines.push_back(Line {
                who: who.into(),
                questions: VecDeque::from([(id, make())]),
            }),
        }
        self.waiting += 1;
        Entry::Place(id)
    }

    fn level(&mut self, now: Instant) -> Level {
        self.load.level(now, self.total, self.times.mean())
    }

    /// Whether a question of `who` need not wait for an answer of a heavy key: it begins beside it. Once for each
    /// key and permit.
    fn may_go_beside_heavy(&self, who: &str, now: Instant) -> bool {
        self.running.len() < 2 * self.total
            && !self.was_turned_away(who, now)
            && !self.running.iter().any(|running| **running == *who)
            && !self.lines.iter().any(|line| *line.who == *who)
            && (self.running.iter()).any(|running| self.was_turned_away(running, now))
    }

    fn turn_away(&mut self, who: Arc<str>, now: Instant) {
        if self.turned_away.len() >= MAX_TURNED_AWAY {
            let is_lately = |last: &Instant| now.saturating_duration_since(*last) < WINDOW;
            self.turned_away.retain(|_, last| is_lately(last));
        }
        self.turned_away.insert(who, now);
    }

    fn was_turned_away(&self, who: &str, now: Instant) -> bool {
        let last = self.turned_away.get(who);
        last.is_some_and(|last| now.saturating_duration_since(*last) < WINDOW)
    }

    /// Whether this is an overload in which `who` asks more than is answered, so that its answers have less
    /// priority than others.
    pub fn is_heavy(&mut self, who: &str, now: Instant) -> bool {
        self.level(now) == Level::Overload && self.was_turned_away(who, now)
    }

    /// How many may wait. Where permits are in use all the time no more than are answered in the time of one
    /// answer that takes long, with those that are being answered: whoever waits longer is better turned away at
    /// once and asks again. One for each permit keeps it in use, which costs those that wait the time of an answer;
    /// in an overload there is always one who asks just then.
    fn limit(&self, level: Level) -> usize {
        let few = self.times.waiting_within_a_long_one(self.total);
        let limit = match (level, few) {
            (Level::Calm, _) | (_, None) => self.max_waiting,
            (Level::Busy, Some(few)) => few.max(self.total),
            (Level::Overload, Some(few)) => few,
        };
        limit.min(self.max_waiting)
    }

    /// Whether there is a place for one more question of `who`: the one of the last in a line that is longer
    /// than theirs would be, or, for who has none yet and is being answered nothing, the one that everybody has.
    fn make_room(&mut self, who: &str, now: Instant) -> bool {
        let own = self.lines.iter().find(|line| *line.who == *who);
        let own = own.map_or(0, |line| line.questions.len());
        let longest = self
            .lines
            .iter_mut()
            .max_by_key(|line| line.questions.len());
        match longest {
            Some(line) if line.questions.len() > own + 1 => {
                line.questions.pop_back();
                self.waiting -= 1;
                let who = Arc::clone(&line.who);
                self.turn_away(who, now);
                true
            }
            _ => {
                let is_new = own == 0 && !self.running.iter().any(|running| **running == *who);
                is_new && self.waiting < self.max_waiting
            }
        }
    }

    /// Takes a permit of the key `who` back. Gives the question that gets it with its key, if one waits.
    pub fn give_back(&mut self, who: &str, now: Instant) -> Option<(Arc<str>, T)> {
        // That of a question that began beside a heavy one is for nobody else.
        let is_for_others = self.running.len() <= self.total;
        let next = is_for_others.then(|| self.next_question()).flatten();
        if let Some(at) = self.running.iter().position(|running| **running == *who) {
            self.running.swap_remove(at);
        }
        match &next {
            Some((who, _)) => {
                self.waiting -= 1;
                self.running.push(Arc::clone(who));
            }
            None if is_for_others => self.load.free(now),
            None => {}
        }
        next
    }

    /// Takes out the first question of the line of which the fewest are being answered.
    fn next_question(&mut self) -> Option<(Arc<str>, T)> {
        let running = |line: &Line<T>| self.running.iter().filter(|who| **who == line.who).count();
        let lines = self.lines.iter().enumerate();
        let (at, _) = lines.min_by_key(|(_, line)| running(line))?;
        let mut line = self.lines.remove(at)?;
        let (_, question) = line.questions.pop_front()?;
        let who = Arc::clone(&line.who);
        if !line.questions.is_empty() {
            self.lines.push_back(line);
        }
        Some((who, question))
    }

    /// Takes a question out that waits no more, if it still does.
    pub fn leave(&mut self, id: u64) {
        let mut remaining = 0;
        for line in &mut self.lines {
            line.questions.retain(|(other, _)| *other != id);
            remaining += line.questions.len();
        }
        self.lines.retain(|line| !line.questions.is_empty());
        self.waiting = remaining;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Turns of one permit, which the key `a` has.
    fn busy(max_waiting: usize) -> (Turns<&'static str>, Instant) {
        let now = Instant::now();
        let mut turns = Turns::new(1, max_waiting, now);
        assert_eq!(turns.enter("a", now, || "a0"), Entry::Permit("a".into()));
        (turns, now)
    }

    /// The questions that get a permit, one after the other, after one of the key `who`.
    fn order(turns: &mut Turns<&'static str>, who: &str, now: Instant) -> Vec<&'static str> {
        let mut who: Arc<str> = who.into();
        let mut order = Vec::new();
        while let Some((next, question)) = turns.give_back(&who, now) {
            order.push(question);
            who = next;
        }
        order
    }

    fn is_in(entry: &Entry) -> bool {
        matches!(entry, Entry::Place(_))
    }

    #[test]
    fn lines_take_turns() {
        let (mut turns, now) = busy(10);
        for (who, question) in [
            ("a", "a1"),
            ("a", "a2"),
            ("a", "a3"),
            ("b", "b1"),
            ("c", "c1"),
        ] {
            assert!(is_in(&turns.enter(who, now, || question)));
        }
        assert!(is_in(&turns.enter("b", now, || "b2")));
        let order = order(&mut turns, "a", now);
        assert_eq!(order, ["b1", "a1", "c1", "b2", "a2", "a3"]);
        assert_eq!((turns.in_use(), turns.waiting()), (0, 0));
    }

    #[test]
    fn the_key_of_which_the_fewest_are_answered_is_next() {
        let now = Instant::now();
        let mut turns = Turns::new(3, 10, now);
        for who in ["a", "a", "b"] {
            assert_eq!(turns.enter(who, now, || ""), Entry::Permit(who.into()));
        }
        for (who, question) in [("a", "a1"), ("b", "b1"), ("c", "c1")] {
            assert!(is_in(&turns.enter(who, now, || question)));
        }
        let next = turns.give_back("a", now);
        assert_eq!(next, Some(("c".into(), "c1")), "none of c");
        let next = turns.give_back("c", now);
        assert_eq!(
            next,
            Some(("a".into(), "a1")),
            "one of both: the first line"
        );
        let next = turns.give_back("a", now);
        assert_eq!(next, Some(("b".into(), "b1")));
        assert_eq!((turns.in_use(), turns.waiting()), (3, 0));
    }

    #[test]
    fn the_longest_line_gives_way_where_there_is_no_room() {
        let (mut turns, now) = busy(4);
        for question in ["a1", "a2", "a3", "a4"] {
            assert!(is_in(&turns.enter("a", now, || question)));
        }
        assert_eq!(turns.enter("a", now, || "a5"), Entry::Full);
        assert!(is_in(&turns.enter("b", now, || "b1")), "a4 leaves");
        assert!(is_in(&turns.enter("b", now, || "b2")), "a3 leaves");
        assert_eq!(turns.enter("b", now, || "b3"), Entry::Full, "both have two");
        assert!(is_in(&turns.enter("c", now, || "c1")), "one of two leaves");
        assert_eq!(turns.waiting(), 4);
        assert_eq!(order(&mut turns, "a", now), ["b1", "a1", "c1", "a2"]);
    }

    #[test]
    fn who_leaves_is_not_waited_for() {
        let (mut turns, now) = busy(4);
        let Entry::Place(first) = turns.enter("a", now, || "a1") else {
            panic!("a place");
        };
        assert!(is_in(&turns.enter("b", now, || "b1")));
        turns.leave(first);
        turns.leave(first);
        assert_eq!(turns.waiting(), 1);
        assert_eq!(order(&mut turns, "a", now), ["b1"]);
        assert_eq!(turns.in_use(), 0);
    }

    #[test]
    fn an_overload_lets_few_wait_and_everybody_one() {
        let (mut turns, now) = busy(64);
        for _ in 0..32 {
            turns.times.add(Duration::from_millis(4));
        }
        for _ in 0..40 {
            assert!(is_in(&turns.enter("a", now, || "a")), "a burst waits");
        }
        let late = now + Duration::from_secs(1);
        assert_eq!(turns.enter("a", late, || "a"), Entry::Full);
        while turns.waiting() > 1 {
            turns.give_back("a", late);
        }
        assert_eq!(
            turns.enter("a", late, || "a"),
            Entry::Full,
            "as long as one answer"
        );
        for who in ["b", "c", "d"] {
            assert!(is_in(&turns.enter(who, late, || "x")), "{who}");
            assert_eq!(turns.enter(who, late, || "x"), Entry::Full, "{who}");
        }
        order(&mut turns, "a", late);
        let calm = late + Duration::from_secs(1);
        assert_eq!(turns.enter("a", calm, || "a"), Entry::Permit("a".into()));
        for _ in 0..40 {
            assert!(is_in(&turns.enter("a", calm, || "a")), "it is over");
        }
    }

    /// One permit in an overload by the key `a`, which has it.
    fn overload() -> (Turns<&'static str>, Instant) {
        let (mut turns, now) = busy(64);
        for _ in 0..32 {
            turns.times.add(Duration::from_millis(4));
        }
        // For 1.6 s of work in a second.
        for _ in 0..400 {
            turns.enter("a", now, || "a");
        }
        let late = now + Duration::from_secs(1);
        assert_eq!(turns.enter("a", late, || "a"), Entry::Full);
        while turns.waiting() > 0 {
            turns.give_back("a", late);
        }
        assert_eq!(turns.in_use(), 1);
        (turns, late)
    }

    #[test]
    fn where_far_more_is_asked_nobody_waits_behind_their_own_answer() {
        let (mut turns, now) = overload();
        assert_eq!(turns.enter("a", now, || "a"), Entry::Full);
        assert_eq!(order(&mut turns, "a", now), [""; 0]);
        assert_eq!(turns.enter("a", now, || "a"), Entry::Permit("a".into()));
    }

    #[test]
    fn who_asks_little_begins_beside_who_asks_too_much() {
        let (mut turns, now) = overload();
        assert!(turns.is_heavy("a", now));
        assert!(!turns.is_heavy("b", now));
        assert_eq!(turns.enter("b", now, || "b"), Entry::Permit("b".into()));
        assert_eq!(turns.enter("b", now, || "b"), Entry::Full, "one for each");
        assert!(is_in(&turns.enter("c", now, || "c")), "one for each permit");
        assert_eq!(turns.give_back("a", now), None, "there is one too many");
        assert_eq!(turns.in_use(), 1);
        assert_eq!(turns.give_back("b", now), Some(("c".into(), "c")));
        assert_eq!(turns.give_back("c", now), None);
        let later = now + Duration::from_secs(3);
        assert!(!turns.is_heavy("a", later), "it is over");
    }
}
