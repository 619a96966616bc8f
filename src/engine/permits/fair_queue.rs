//! Decides which question is answered next. Each key has a line of waiting questions. The next question is of the key
//! with the fewest questions being answered, and equal lines take turns, so that a key that asks a thousand things at
//! once delays the others by one question at most. Where the queue is full, the longest line loses its last question.
//! In an overload, keys that were rejected within the last window are *heavy*: the others do not wait for their
//! answers. It uses no clock and no threads.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use super::answer_times::AnswerTimes;
use super::load::{Load, LoadLevel, WINDOW};

/// Number of rejected keys remembered, above which those of older windows are removed.
const MAX_REJECTED: usize = 1024;

/// A fair queue for permits; `T` notifies a waiting question.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    pub total: usize,
    /// The key of each permit in use.
    pub running: Vec<Arc<str>>,
    pub max_waiting: usize,
    /// In the order of their turns, next one first. No line is empty.
    lines: VecDeque<Line<T>>,
    next_id: u64,
    load: Load,
    /// When a question of each key was last rejected.
    rejected: HashMap<Arc<str>, Instant>,
    /// How long answers take.
    pub times: AnswerTimes,
}

#[derive(Debug)]
struct Line<T> {
    who: Arc<str>,
    questions: VecDeque<(u64, T)>,
}

/// The outcome of entering the queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A permit, for this key.
    Permit(Arc<str>),
    /// A queue slot, by its id.
    Queued(u64),
    /// Rejected: the queue is full.
    Full,
}

impl<T> FairQueue<T> {
    /// Creates `total` permits and `max_waiting` queue slots.
    pub fn new(total: usize, max_waiting: usize, now: Instant) -> Self {
        Self {
            total,
            running: Vec::with_capacity(total),
            max_waiting,
            lines: VecDeque::new(),
            next_id: 0,
            load: Load::new(now),
            rejected: HashMap::new(),
            times: AnswerTimes::default(),
        }
    }

    /// Gives a question of `who` a permit or a queue slot. `make` returns the value to queue, which is dropped where
    /// another question takes the slot.
    pub fn enter(&mut self, who: &str, now: Instant, make: impl FnOnce() -> T) -> Entry {
        self.load.asked();
        let level = self.level(now);
        let has_free = self.running.len() < self.total && self.lines.is_empty();
        if has_free || level == LoadLevel::Overload && self.may_start_beside_heavy(who, now) {
            let who: Arc<str> = who.into();
            self.running.push(Arc::clone(&who));
            if self.running.len() == self.total {
                self.load.busy(now);
            }
            return Entry::Permit(who);
        }
        if self.waiting() >= self.limit(level) && !self.make_room(who, now) {
            self.reject(who.into(), now);
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
        Entry::Queued(id)
    }

    /// Number of waiting questions.
    pub fn waiting(&self) -> usize {
        self.lines.iter().map(|line| line.questions.len()).sum()
    }

    fn level(&mut self, now: Instant) -> LoadLevel {
        self.load.level(now, self.total, self.times.mean())
    }

    /// Whether a question of `who` may start at once beside the answer of a heavy key instead of waiting for it. At
    /// most one for each key, and one for each permit.
    fn may_start_beside_heavy(&self, who: &str, now: Instant) -> bool {
        self.running.len() < 2 * self.total
            && !self.was_rejected(who, now)
            && !self.running.iter().any(|running| **running == *who)
            && !self.lines.iter().any(|line| *line.who == *who)
            && (self.running.iter()).any(|running| self.was_rejected(running, now))
    }

    fn reject(&mut self, who: Arc<str>, now: Instant) {
        if self.rejected.len() >= MAX_REJECTED {
            let is_recent = |last: &Instant| now.saturating_duration_since(*last) < WINDOW;
            self.rejected.retain(|_, last| is_recent(last));
        }
        self.rejected.insert(who, now);
    }

    fn was_rejected(&self, who: &str, now: Instant) -> bool {
        let last = self.rejected.get(who);
        last.is_some_and(|last| now.saturating_duration_since(*last) < WINDOW)
    }

    /// Whether there is an overload and `who` was rejected lately, so that its answers get a lower priority than
    /// others.
    pub fn is_heavy(&mut self, who: &str, now: Instant) -> bool {
        self.level(now) == LoadLevel::Overload && self.was_rejected(who, now)
    }

    /// Returns how many questions may wait. Where permits are in use all the time, no more than can be started within
    /// the time of one slow answer: a question that would wait longer is better rejected at once and asked again. At
    /// level `Busy` at least one for each permit, which keeps the permits in use and costs the waiting questions the
    /// time of an answer; in an overload, new questions keep coming anyway.
    fn limit(&self, level: LoadLevel) -> usize {
        let few = self.times.max_waiting_for_slow_answer(self.total);
        let limit = match (level, few) {
            (LoadLevel::Normal, _) | (_, None) => self.max_waiting,
            (LoadLevel::Busy, Some(few)) => few.max(self.total),
            (LoadLevel::Overload, Some(few)) => few,
        };
        limit.min(self.max_waiting)
    }

    /// Makes room in the full queue for one more question of `who`; returns whether there is room. If another line is
    /// longer than this key's would be, its last question loses its slot. Otherwise there is room only for a key that
    /// has no question waiting or being answered, and only within `max_waiting`: every key gets one slot.
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
                let who = Arc::clone(&line.who);
                self.reject(who, now);
                true
            }
            _ => {
                let is_new = own == 0 && !self.running.iter().any(|running| **running == *who);
                is_new && self.waiting() < self.max_waiting
            }
        }
    }

    /// Takes back a permit of the key `who`. Returns the question that gets it, with its key, if one waits.
    pub fn release(&mut self, who: &str, now: Instant) -> Option<(Arc<str>, T)> {
        // The extra permit of a question that started beside a heavy one is not passed on.
        let is_for_others = self.running.len() <= self.total;
        let next = is_for_others.then(|| self.next_question()).flatten();
        if let Some(at) = self.running.iter().position(|running| **running == *who) {
            self.running.swap_remove(at);
        }
        match &next {
            Some((who, _)) => self.running.push(Arc::clone(who)),
            None if is_for_others => self.load.free(now),
            None => {}
        }
        next
    }

    /// Removes the first question of the line whose key has the fewest questions being answered.
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

    /// Removes a cancelled question, if it still waits.
    pub fn leave(&mut self, id: u64) {
        for line in &mut self.lines {
            line.questions.retain(|(other, _)| *other != id);
        }
        self.lines.retain(|line| !line.questions.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A queue with one permit, which the key `a` has.
    fn busy(max_waiting: usize) -> (FairQueue<&'static str>, Instant) {
        let now = Instant::now();
        let mut queue = FairQueue::new(1, max_waiting, now);
        assert_eq!(queue.enter("a", now, || "a0"), Entry::Permit("a".into()));
        (queue, now)
    }

    /// Returns the questions that get the permit one after the other, once the key `who` returns it.
    fn order(queue: &mut FairQueue<&'static str>, who: &str, now: Instant) -> Vec<&'static str> {
        let mut who: Arc<str> = who.into();
        let mut order = Vec::new();
        while let Some((next, question)) = queue.release(&who, now) {
            order.push(question);
            who = next;
        }
        order
    }

    fn waits(entry: &Entry) -> bool {
        matches!(entry, Entry::Queued(_))
    }

    #[test]
    fn keys_take_turns() {
        let (mut queue, now) = busy(10);
        for (who, question) in [
            ("a", "a1"),
            ("a", "a2"),
            ("a", "a3"),
            ("b", "b1"),
            ("c", "c1"),
        ] {
            assert!(waits(&queue.enter(who, now, || question)));
        }
        assert!(waits(&queue.enter("b", now, || "b2")));
        let order = order(&mut queue, "a", now);
        assert_eq!(order, ["b1", "a1", "c1", "b2", "a2", "a3"]);
        assert_eq!((queue.running.len(), queue.waiting()), (0, 0));
    }

    #[test]
    fn key_with_fewest_running_questions_is_next() {
        let now = Instant::now();
        let mut queue = FairQueue::new(3, 10, now);
        for who in ["a", "a", "b"] {
            assert_eq!(queue.enter(who, now, || ""), Entry::Permit(who.into()));
        }
        for (who, question) in [("a", "a1"), ("b", "b1"), ("c", "c1")] {
            assert!(waits(&queue.enter(who, now, || question)));
        }
        let next = queue.release("a", now);
        assert_eq!(next, Some(("c".into(), "c1")), "none of c");
        let next = queue.release("c", now);
        assert_eq!(
            next,
            Some(("a".into(), "a1")),
            "one of both: the first line"
        );
        let next = queue.release("a", now);
        assert_eq!(next, Some(("b".into(), "b1")));
        assert_eq!((queue.running.len(), queue.waiting()), (3, 0));
    }

    #[test]
    fn full_queue_drops_from_longest_line() {
        let (mut queue, now) = busy(4);
        for question in ["a1", "a2", "a3", "a4"] {
            assert!(waits(&queue.enter("a", now, || question)));
        }
        assert_eq!(queue.enter("a", now, || "a5"), Entry::Full);
        assert!(waits(&queue.enter("b", now, || "b1")), "a4 leaves");
        assert!(waits(&queue.enter("b", now, || "b2")), "a3 leaves");
        assert_eq!(queue.enter("b", now, || "b3"), Entry::Full, "both have two");
        assert!(waits(&queue.enter("c", now, || "c1")), "one of two leaves");
        assert_eq!(queue.waiting(), 4);
        assert_eq!(order(&mut queue, "a", now), ["b1", "a1", "c1", "a2"]);
    }

    #[test]
    fn cancelled_question_is_removed() {
        let (mut queue, now) = busy(4);
        let Entry::Queued(first) = queue.enter("a", now, || "a1") else {
            panic!("a place");
        };
        assert!(waits(&queue.enter("b", now, || "b1")));
        queue.leave(first);
        queue.leave(first);
        assert_eq!(queue.waiting(), 1);
        assert_eq!(order(&mut queue, "a", now), ["b1"]);
        assert_eq!(queue.running.len(), 0);
    }

    #[test]
    fn busy_queue_is_short_but_each_key_may_wait_once() {
        let (mut queue, now) = busy(64);
        for _ in 0..32 {
            queue.times.add(Duration::from_millis(4));
        }
        for _ in 0..40 {
            assert!(waits(&queue.enter("a", now, || "a")), "a burst waits");
        }
        let late = now + Duration::from_secs(1);
        assert_eq!(queue.enter("a", late, || "a"), Entry::Full);
        while queue.waiting() > 1 {
            queue.release("a", late);
        }
        assert_eq!(
            queue.enter("a", late, || "a"),
            Entry::Full,
            "as long as one answer"
        );
        for who in ["b", "c", "d"] {
            assert!(waits(&queue.enter(who, late, || "x")), "{who}");
            assert_eq!(queue.enter(who, late, || "x"), Entry::Full, "{who}");
        }
        order(&mut queue, "a", late);
        let calm = late + Duration::from_secs(1);
        assert_eq!(queue.enter("a", calm, || "a"), Entry::Permit("a".into()));
        for _ in 0..40 {
            assert!(waits(&queue.enter("a", calm, || "a")), "it is over");
        }
    }

    /// A queue with one permit, which the key `a` has, in an overload caused by `a`.
    fn overload() -> (FairQueue<&'static str>, Instant) {
        let (mut queue, now) = busy(64);
        for _ in 0..32 {
            queue.times.add(Duration::from_millis(4));
        }
        // 1.6 s of work within a second.
        for _ in 0..400 {
            queue.enter("a", now, || "a");
        }
        let late = now + Duration::from_secs(1);
        assert_eq!(queue.enter("a", late, || "a"), Entry::Full);
        while queue.waiting() > 0 {
            queue.release("a", late);
        }
        assert_eq!(queue.running.len(), 1);
        (queue, late)
    }

    #[test]
    fn overloading_key_may_not_queue_behind_itself() {
        let (mut queue, now) = overload();
        assert_eq!(queue.enter("a", now, || "a"), Entry::Full);
        assert_eq!(order(&mut queue, "a", now), [""; 0]);
        assert_eq!(queue.enter("a", now, || "a"), Entry::Permit("a".into()));
    }

    #[test]
    fn light_key_starts_beside_heavy_key() {
        let (mut queue, now) = overload();
        assert!(queue.is_heavy("a", now));
        assert!(!queue.is_heavy("b", now));
        assert_eq!(queue.enter("b", now, || "b"), Entry::Permit("b".into()));
        assert_eq!(queue.enter("b", now, || "b"), Entry::Full, "one for each");
        assert!(waits(&queue.enter("c", now, || "c")), "one for each permit");
        assert_eq!(queue.release("a", now), None, "there is one too many");
        assert_eq!(queue.running.len(), 1);
        assert_eq!(queue.release("b", now), Some(("c".into(), "c")));
        assert_eq!(queue.release("c", now), None);
        let later = now + Duration::from_secs(3);
        assert!(!queue.is_heavy("a", later), "it is over");
    }
}
