//! Tests that a short question finds a well-known file by what the file decides, without a word that the file has.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use foveate_fixture::snapshot::of_text;
use foveate_query::{Deadline, RankingConfig, Request, answer};

const SHOP: &str = "
    //- codecov.yml
    status:
      project: off

    //- .editorconfig
    [*]
    max_line_length = 120

    //- .github/dependabot.yml
    interval: daily

    //- pyproject.toml
    [tool.towncrier]
    directory = 'notes'

    //- shop/request.py
    def pull(request, week):
        '''Checks one request a week.'''
        return request.age < week

    //- shop/price.py
    def discount(price, percent):
        '''Takes off that many percent, but no less than one.'''
        return price * percent
";

/// Returns the first file, and the signals that its score is made of.
fn first(query: &str) -> (String, Vec<(&'static str, f32)>, f32) {
    let request = Request {
        query: query.to_owned(),
        ..Request::default()
    };
    let (snapshot, config) = (of_text(SHOP), RankingConfig::default());
    let answer = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0);
    let file = answer.files.first().unwrap();
    let signals = file
        .signals
        .iter()
        .map(|signal| (signal.name, signal.value));
    (file.path.clone(), signals.collect(), file.score)
}

#[test]
fn well_known_file_is_found_by_what_it_decides() {
    for (query, path) in [
        (
            "Let the status of a patch pass with less coverage",
            "codecov.yml",
        ),
        ("Indent with tabs instead of spaces", ".editorconfig"),
        ("Add a category to the news fragments", "pyproject.toml"),
        (
            "Bump our dependencies once a month",
            ".github/dependabot.yml",
        ),
    ] {
        let (file, signals, score) = first(query);
        assert_eq!(file, path, "{query}");
        assert!(
            signals
                .iter()
                .any(|(name, value)| *name == "described" && *value > 1.0),
            "{signals:?}"
        );
        let sum: f32 = signals.iter().map(|(_, value)| value).sum();
        assert!((sum - score).abs() < 1e-4, "{signals:?}: {score}");
    }
}

#[test]
fn question_with_code_is_about_the_code() {
    let (file, signals, _) = first("Coverage is wrong\n\n```\ndiscount(price, percent)\n```");
    assert_eq!(file, "shop/price.py");
    assert!(
        signals
            .iter()
            .all(|(name, _)| !matches!(*name, "described" | "kind")),
        "{signals:?}"
    );
}

#[test]
fn described_file_is_shown_though_it_has_no_word_of_the_query() {
    let request = Request {
        query: "Add a category to the news fragments".to_owned(),
        budget_tokens: 1000,
        ..Request::default()
    };
    let (snapshot, config) = (of_text(SHOP), RankingConfig::default());
    let answer = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0);
    let context = &answer.pack.context;
    assert!(context.contains("directory = 'notes'"), "{context}");
}

/// Elsewhere the name of a tool asks for its settings.
#[test]
fn name_of_the_project_asks_for_none_of_its_settings() {
    let first = |directory: &str, query: &str| {
        let mut code = "
            //- tox.ini
            [tox]
            env_list = fix
            //- .github/workflows/check.yml
            jobs:
              tox:
                - run: tox run -e fix
            "
        .to_owned();
        for number in 0..10 {
            code.push_str(&format!(
                "
            //- src/{directory}/part{number}.py
            def part{number}():
                return 'tox'
            "
            ));
        }
        code.push_str(&format!(
            "
            //- src/{directory}/options.py
            def environments(option):
                '''Reads the environments given several times.'''
                return option.split(',')
            "
        ));
        let request = Request {
            query: query.to_owned(),
            ..Request::default()
        };
        let (snapshot, config) = (of_text(&code), RankingConfig::default());
        let answer = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0);
        answer.files[0].path.clone()
    };
    let query = "Giving environments several times differs in tox";
    assert_eq!(first("tox", query), "src/tox/options.py");
    assert_eq!(first("shop", query), "tox.ini");
    assert_eq!(
        first("tox", "Run tox with another version in the workflow"),
        ".github/workflows/check.yml"
    );
}
