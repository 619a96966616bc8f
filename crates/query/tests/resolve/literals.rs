//! Tests which definitions the string literals of the code, such as options and routes, and ids of failed tests lead to.

use super::*;

const TOOL: &str = "
    //- tool/cli.py
    PAGE_SIZE = 20


    def arguments(parser):
        parser.add_argument('--dry-run', action='store_true')


    def no_input(answers):
        return answers

    //- tool/checks.py
    import os


    def check_names(found):
        return [Error('clash', id='names.E304')]


    def limit():
        return os.environ['UPLOAD_LIMIT']

    //- tool/web.py
    @app.route('/api/users/<int:user>')
    def show_user(user):
        return user


    def other():
        return 'E3041', '--dry-runs', '/api/userspace'

    //- tool/settings.py
    class PageLines(Setting):
        name = 'page_lines'
        default = 20


    def print_page(page_lines):
        return page_lines * 2

    //- tool/flags.py
    class JsonFlag:
        def long_name(self):
            return 'json-lines'

    //- tool/options.py
    class OpenTimeout(Setting):
        name = 'open_timeout'
        default = 3

    //- tests/test_options.py
    class FakeConfig:
        open_timeout = 5

    //- tests/test_web.py
    class TestUsers:
        def test_show(self):
            assert show_user(1)

        def test_json(self):
            run('--json-lines')
";

/// Asserts that `query` names exactly these definitions by their string literals.
#[track_caller]
fn check_literal(query: &str, expected: &[&str]) {
    let snapshot = snapshot(TOOL, &[]);
    let found = find(&snapshot, query, &Focus::default());
    let symbols = found.symbols.iter();
    let literals = symbols.filter(|s| s.from == EvidenceSource::Literal);
    let resolved = resolved_by(&snapshot, literals);
    assert_eq!(resolved, expected, "{:?}", found.symbols);
}

#[test]
fn literals_resolve_to_enclosing_definition() {
    check_literal(
        "The --dry-run option is ignored",
        &["tool/cli.py:arguments"],
    );
    check_literal(
        "The --json-lines option is ignored",
        &["tool/flags.py:JsonFlag.long_name"],
    );
    check_literal("Running with `--no-input` hangs", &["tool/cli.py:no_input"]);
    check_literal(
        "names.E304 is raised twice",
        &["tool/checks.py:check_names"],
    );
    check_literal("UPLOAD_LIMIT is not an integer", &["tool/checks.py:limit"]);
    check_literal("GET /api/users/<id> is slow", &["tool/web.py:show_user"]);
    // No literal contains these; a name that is defined is found as a name, not as a literal.
    check_literal("--dry and E30 and /api/use are not there", &[]);
    check_literal("PAGE_SIZE is too small", &[]);
}

#[test]
fn setting_whose_default_is_asked_for_resolves_to_its_declaration() {
    let declared = &["tool/settings.py:PageLines"];
    check_literal("What is the default of page_lines?", declared);
    check_literal("What does `page_lines` default to?", declared);
    check_literal("What is page_lines?", &[]);
    check_literal("What is the default of print_page?", &[]);
}

#[test]
fn names_that_no_source_defines_resolve_to_literals() {
    for query in [
        "open_timeout is ignored",
        "Requests hang\n\nI set `config.open_timeout` to 3.",
    ] {
        check_literal(query, &["tool/options.py:OpenTimeout"]);
    }
    // It is defined, no literal is it, or it is one word.
    check_literal("no_input is ignored", &[]);
    check_literal("open_time is ignored", &[]);
    check_literal("`clash` is ignored", &[]);
}

#[test]
fn failed_test_id_resolves_to_the_test() {
    let found = find(
        &snapshot(TOOL, &[]),
        "It breaks\n\n```\nFAILED tests/test_web.py::TestUsers::test_show - KeyError: 1\n```\n",
        &Focus::default(),
    );
    let names: Vec<&str> = found.symbols.iter().map(|s| s.name.as_str()).collect();
    assert!(names.contains(&"TestUsers.test_show"), "{names:?}");
    let mut files = found.files.iter();
    assert!(files.any(|f| f.from == EvidenceSource::Path));
}
