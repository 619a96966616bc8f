//! Defines the part of an answer that is stored as JSON in the database: names, places and probabilities.

use foveate_model::Lines;
use foveate_query::Answer;
use foveate_query::assemble::{Fidelity, Item};
use serde::{Deserialize, Serialize};

/// The ranking of an answer and the contents of its context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The listed files, best first.
    pub files: Vec<File>,
    /// The listed functions, best first.
    pub functions: Vec<Function>,
    /// The items of the context, in order.
    pub context: Vec<ShownItem>,
}

/// A ranked file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Path in the repository.
    pub path: String,
    /// Probability that the change touches it, 0 to 1.
    pub probability: f32,
}

/// A ranked function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Path of its file.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// Probability that the change touches it, 0 to 1.
    pub probability: f32,
}

/// One item of the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownItem {
    /// Path of its file.
    pub path: String,
    /// Qualified name; empty for a stretch of a file.
    pub name: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// Whether all of its code was shown.
    pub whole: bool,
}

impl Ranking {
    /// Extracts the ranking from an answer.
    pub fn of(answer: &Answer) -> Self {
        let files = answer.files.iter().map(|file| File {
            path: file.path.clone(),
            probability: file.probability,
        });
        let functions = answer.functions.iter().map(|function| Function {
            path: function.path.clone(),
            name: function.name.clone(),
            start: function.lines.start,
            end: function.lines.end,
            probability: function.probability,
        });
        let sections = answer.pack.sections.iter();
        let items = sections.flat_map(|section| &section.items);
        Self {
            files: files.collect(),
            functions: functions.collect(),
            context: items.map(ShownItem::of).collect(),
        }
    }

    /// Whether any part of a file was in the context.
    pub fn shows_file(&self, path: &str) -> bool {
        self.context.iter().any(|shown| shown.path == path)
    }

    /// Whether all code of a function was in the context, by itself or within an enclosing item.
    pub fn shows_function(&self, path: &str, name: &str) -> bool {
        let ranked = self.functions.iter();
        let lines: Vec<Lines> = ranked
            .filter(|function| function.path == path && function.name == name)
            .map(|function| Lines::new(function.start, function.end))
            .collect();
        let whole = self.context.iter().filter(|s| s.whole && s.path == path);
        whole.into_iter().any(|shown| {
            shown.names_or_encloses(name)
                || lines
                    .iter()
                    .any(|lines| shown.start <= lines.start && lines.end <= shown.end)
        })
    }

    /// Returns the lines of a function, if it was ranked or shown under its name.
    pub fn lines_of(&self, path: &str, name: &str) -> Option<Lines> {
        let is_it = |other: &str, called: &str| other == path && called == name;
        let ranked = self.functions.iter().find(|f| is_it(&f.path, &f.name));
        let ranked = ranked.map(|function| Lines::new(function.start, function.end));
        ranked.or_else(|| {
            let shown = self.context.iter().find(|s| is_it(&s.path, &s.name))?;
            Some(Lines::new(shown.start, shown.end))
        })
    }
}

impl ShownItem {
    fn of(item: &Item) -> Self {
        Self {
            path: item.path.clone(),
            name: item.name.clone(),
            start: item.lines.start,
            end: item.lines.end,
            whole: item.fidelity == Fidelity::Full && (!item.cut || item.folded),
        }
    }

    /// Whether this item has the given name or encloses the definition with that name.
    fn names_or_encloses(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&*self.name);
        !self.name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, start: u32, end: u32, whole: bool) -> ShownItem {
        ShownItem {
            path: "a.py".to_owned(),
            name: name.to_owned(),
            start,
            end,
            whole,
        }
    }

    fn ranking(context: Vec<ShownItem>) -> Ranking {
        let functions = vec![Function {
            path: "a.py".to_owned(),
            name: "Cart.add".to_owned(),
            start: 5,
            end: 8,
            probability: 0.5,
        }];
        Ranking {
            files: Vec::new(),
            functions,
            context,
        }
    }

    #[test]
    fn function_is_shown_by_its_body_or_an_enclosing_item() {
        for (item, expected) in [
            (shown("Cart.add", 5, 8, true), true),
            (shown("Cart", 1, 20, true), true),
            (shown("", 4, 9, true), true),
            (shown("Cart.add", 5, 8, false), false),
            (shown("Cart", 1, 20, false), false),
            (shown("", 6, 9, true), false),
            (shown("Car", 30, 40, true), false),
            (shown("Cart.add_all", 30, 40, true), false),
        ] {
            let ranking = ranking(vec![item.clone()]);
            assert_eq!(
                ranking.shows_function("a.py", "Cart.add"),
                expected,
                "{item:?}"
            );
            assert!(!ranking.shows_function("b.py", "Cart.add"));
            assert!(ranking.shows_file("a.py") && !ranking.shows_file("b.py"));
        }
    }

    #[test]
    fn lines_are_known_for_ranked_and_shown_functions() {
        let ranking = ranking(vec![shown("Cart", 1, 20, false)]);
        let lines = |name: &str| ranking.lines_of("a.py", name).map(|l| (l.start, l.end));
        assert_eq!(lines("Cart.add"), Some((5, 8)));
        assert_eq!(lines("Cart"), Some((1, 20)));
        assert_eq!(lines("Cart.pay"), None);
    }

    #[test]
    fn ranking_survives_a_json_round_trip() {
        let ranking = ranking(vec![shown("Cart", 1, 20, true)]);
        let text = serde_json::to_string(&ranking).unwrap();
        assert_eq!(serde_json::from_str::<Ranking>(&text).unwrap(), ranking);
    }
}
