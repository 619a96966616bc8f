//! Tests how much of a file of settings or prose is shown.

use super::*;

#[test]
fn settings_are_narrowed_to_their_key() {
    let mut text = "[project]\nname = \"shop\"\n\n".to_owned();
    for tool in ["black", "isort", "ruff", "mypy"] {
        text.push_str(&format!(
            "[tool.{tool}]\nline-length = 99\nstrict = true\ncolor = false\n\n"
        ));
    }
    text.push_str("[dependency-groups]\ntests = [\n  \"pytest >= 7\",\n  \"pytest-cov\",\n]\n");
    let snapshot = snapshot([
        ("pyproject.toml".to_owned(), text),
        (
            "shop.py".to_owned(),
            "def sell():\n    return 1\n".to_owned(),
        ),
    ]);
    let mut request = request(
        "Bump the pytest version in pyproject.toml",
        2000,
        IntentKind::Implementation,
    );
    request.breadth = Breadth::Balanced;
    let answer = ask(&snapshot, &request);
    let first = answer.places.first().unwrap();
    assert_eq!((first.path.as_str(), first.kind), ("pyproject.toml", "key"));
    assert!(
        answer.pack.context.contains("\"pytest >= 7\""),
        "{}",
        answer.pack.context
    );
    assert!(first.name.contains("dependency-groups"), "{first:?}");
    assert!(
        !answer.pack.context.contains("[tool.black]"),
        "{}",
        answer.pack.context
    );
}

#[test]
fn job_of_a_workflow_is_shown_with_its_matrix() {
    let workflow = "on: push\njobs:\n  test:\n    strategy:\n      matrix:\n        release: [\"3.11\", \"3.12\"]\n    \
                    steps:\n      - uses: actions/checkout@v4\n      - name: Set up the interpreter\n        \
                    uses: actions/setup-python@v5\n        with:\n          python-version: ${{ matrix.release }}\n      \
                    - name: Run the tests\n        run: pytest\n";
    let snapshot = snapshot([
        (".github/workflows/test.yml".to_owned(), workflow.to_owned()),
        (
            "shop.py".to_owned(),
            "def sell():\n    return 1\n".to_owned(),
        ),
    ]);
    let mut request = request(
        "Set up the interpreter in the test workflow",
        2000,
        IntentKind::Implementation,
    );
    request.breadth = Breadth::Balanced;
    let context = ask(&snapshot, &request).pack.context;
    assert!(context.contains("release: ["), "{context}");
}

#[test]
fn overlapping_passages_of_prose_are_both_shown() {
    let filters: String = (0..150).map(|n| format!("   filter_{n}\n")).collect();
    let index = format!("Filters\n=======\n\n.. toctree::\n   :maxdepth: 1\n\n{filters}");
    let snapshot = snapshot([
        ("doc/index.rst".to_owned(), index),
        (
            "doc/other.rst".to_owned(),
            "Functions\n=========\n\nNothing here.\n".to_owned(),
        ),
    ]);
    let request = request(
        "add a new filter 'shuffle' to the list of filters",
        4000,
        IntentKind::Implementation,
    );
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    let all = pack.sections.iter().flat_map(|section| &section.items);
    assert!(
        all.filter(|item| item.path == "doc/index.rst").count() > 1,
        "{}",
        pack.context
    );
    assert!(pack.context.contains("filter_44"), "{}", pack.context);
    let mut dropped = pack.dropped.iter();
    assert!(!dropped.any(|dropped| dropped.path == "doc/index.rst"));
}
