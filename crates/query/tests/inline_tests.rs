//! Tests that test code inside a source file counts as test code: below the code that it tests, and in the section of
//! tests.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;
use foveate_query::Answer;

/// The test says the words of the queries more often than the code that it tests, and a helper even more so.
const CODE: &str = "
    //- src/pager.rs
    pub fn choose(variable: Option<&str>) -> &str {
        // The pager of the environment wins.
        variable.unwrap_or(\"less\")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn pager_of_environment(pager: &str) -> &str {
            // The pager comes from the environment: pager, environment, pager.
            choose(Some(pager))
        }

        #[test]
        fn pager_comes_from_the_environment() {
            // The environment names the pager, and the pager is chosen.
            assert_eq!(pager_of_environment(\"most\"), \"most\");
        }
    }

    //- src/main.rs
    mod pager;

    fn main() {
        println!(\"{}\", pager::choose(None));
    }
";

fn ask(query: &str) -> Answer {
    ask::ask(&of_text(CODE), query)
}

#[test]
fn inline_tests_rank_below_the_code_that_they_test() {
    let found = ask("The pager of the environment is not used");
    let names: Vec<&str> = found.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names[0], "choose", "{names:?}");
}

#[test]
fn inline_tests_are_shown_as_tests() {
    let found = ask("Add a test for `choose`: the pager of the environment");
    let sections = found.pack.sections.iter().filter(|section| {
        let mut items = section.items.iter();
        items.any(|item| item.name.contains("pager_comes_from_the_environment"))
    });
    let names: Vec<&str> = sections.map(|section| section.name).collect();
    assert_eq!(names, ["tests"]);
}
