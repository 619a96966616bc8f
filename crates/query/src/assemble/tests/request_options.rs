//! Tests the options of a request besides its text: breadth, thresholds, a change, a focus, links, and limits on
//! files and characters.

use foveate_model::{Lines, RepoPath};
use proptest::prelude::*;

use super::*;
use crate::issue::IssueCode;
use crate::permalink::WebPage;
use crate::request::{Change, Focus, Hunk};

pub(super) const POOL: &str = "
    //- pool/core.py
    LIMIT = 10


    class Pool:
        size = 4

        def acquire(self, timeout):
            connection = self.take(timeout)
            return connection

        def release(self, connection):
            self.idle.append(connection)
    //- pool/client.py
    from pool.core import Pool


    def fetch(url):
        pool = Pool()
        connection = pool.acquire(3)
        return connection.get(url)
    //- pool/colors.py
    def darken(color):
        return color - 1
    //- tests/test_core.py
    from pool.core import Pool


    def test_acquire():
        assert Pool().acquire(1)
";

const ACQUIRE: &str = "`Pool.acquire` ignores the timeout of a connection";

fn ask_with(change: impl FnOnce(&mut Request)) -> Answer {
    let snapshot = fixture(POOL);
    let mut request = request(ACQUIRE, 4000, IntentKind::BugFix);
    change(&mut request);
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    answer
}

pub(super) fn all_items(answer: &Answer) -> Vec<&Item> {
    let sections = answer.pack.sections.iter();
    sections.flat_map(|section| &section.items).collect()
}

fn paths(answer: &Answer) -> Vec<&str> {
    let mut paths: Vec<&str> = all_items(answer).iter().map(|i| i.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

#[test]
fn code_around_a_change_is_shown_only_with_words_about_it() {
    let members = |count: usize| {
        (0..count).map(|n| format!("    def step_{n}(self, queue):\n        queue.run_step({n})\n        return queue\n\n"))
            .collect::<String>()
    };
    let snapshot = fixture(&format!("//- pool/steps.py\nclass Steps:\n{}", members(60)));
    let bodies = |query: &str| {
        let request = Request {
            changes: vec![Change {
                path: RepoPath::new("pool/steps.py").unwrap(),
                hunks: vec![Hunk::Lines(Lines::new(3, 3))],
            }],
            breadth: Breadth::Balanced,
            ..request(query, 8000, IntentKind::BugFix)
        };
        let answer = ask(&snapshot, &request);
        let items = all_items(&answer);
        let changed = items.iter().filter(|item| item.reason == "changed").count();
        let full = items.iter().filter(|item| item.fidelity == Fidelity::Full);
        (changed, full.count())
    };
    assert_eq!(bodies(""), (1, 1));
    let (changed, full) = bodies("run_step of the queue in each step");
    assert!(changed == 1 && full > 1, "{full}");
}

#[test]
fn changed_sources_come_before_other_changed_files() {
    let snapshot = fixture(
        "
        //- .github/a.yaml
        name: Tests
        on: push
        //- CHANGES.md
        # Changes

        Pools are faster.
        //- pool/zone.py
        def zone(pool):
            return pool.zone
        ",
    );
    let changes = [
        (".github/a.yaml", 1),
        ("CHANGES.md", 3),
        ("pool/zone.py", 2),
    ];
    let request = Request {
        changes: (changes.iter())
            .map(|(path, line)| Change {
                path: RepoPath::new(path).unwrap(),
                hunks: vec![Hunk::Lines(Lines::new(*line, *line))],
            })
            .collect(),
        ..request("", 4000, IntentKind::BugFix)
    };
    let answer = ask(&snapshot, &request);
    assert_eq!(all_items(&answer)[0].path.as_str(), "pool/zone.py");
}

#[test]
fn narrower_breadth_shows_less_and_reports_the_rest() {
    let ask_at = |breadth| {
        let answer = ask_with(|request| request.breadth = breadth);
        let dropped = answer.pack.dropped.iter();
        let low = dropped.filter(|d| d.reason.name() == "low_value").count();
        (answer.pack.used, low)
    };
    let [(precise, low), (balanced, _), (wide, _)] =
        [Breadth::Precise, Breadth::Balanced, Breadth::Wide].map(ask_at);
    assert!(
        precise < wide && balanced <= wide,
        "{precise} {balanced} {wide}"
    );
    assert!(low > 0);
}

#[test]
fn min_probability_and_max_files_limit_the_context() {
    let everything = ask_with(|_| {});
    let likely = ask_with(|request| request.min_probability = Some(0.9));
    let bodies = |answer| {
        let items = all_items(answer).into_iter();
        items.filter(|item| item.fidelity == Fidelity::Full).count()
    };
    assert!(bodies(&likely) < bodies(&everything));
    assert!(paths(&everything).len() > 1);
    let one = ask_with(|request| request.max_files = Some(1));
    assert_eq!(paths(&one), ["pool/core.py"]);
}

#[test]
fn probabilities_fall_with_rank_and_head_states_confidence() {
    let answer = ask_with(|_| {});
    let is_falling = |p: Vec<f32>| p.is_sorted_by(|a, b| a >= b) && p.iter().all(|p| *p <= 1.0);
    assert!(is_falling(
        answer.files.iter().map(|f| f.probability).collect()
    ));
    assert!(is_falling(
        answer.functions.iter().map(|f| f.probability).collect()
    ));
    assert!(is_falling(
        answer.places.iter().map(|p| p.probability).collect()
    ));
    assert!((0.0..=1.0).contains(&answer.pack.confidence));
    let head = answer.pack.context.lines().next().unwrap();
    let confidence = format!("confidence: {:.2}", answer.pack.confidence);
    assert!(head.contains(&confidence), "{head}");
    assert!(
        head.contains(&format!("tokens: {} of 4000", answer.pack.used)),
        "{head}"
    );
}

#[test]
fn vague_query_gets_low_confidence_issue() {
    let mut files = Vec::new();
    for number in 0..190 {
        let lines = "    page.wait()\n".repeat(40);
        let code = format!("def part_{number}(page):\n{lines}    return page.slow({number})\n");
        files.push((format!("app/part_{number}.py"), code));
    }
    let snapshot = snapshot(files);
    let mut request = request("the page is slow", 1000, IntentKind::BugFix);
    request.breadth = Breadth::Precise;
    let answer = ask(&snapshot, &request);
    assert!(
        answer
            .issues
            .iter()
            .any(|issue| issue.code.name() == "low_confidence")
    );
    let head = answer.pack.context.lines().next().unwrap();
    assert!(
        head.contains("a stack trace, a name or a version would help"),
        "{head}"
    );
}

#[test]
fn query_of_one_word_gets_low_confidence() {
    let code = "def part(page):\n    # This is slow.\n    return page.part()\n";
    let snapshot = snapshot([("part.py".to_owned(), code.to_owned())]);
    let mut request = request("it is slow", 1000, IntentKind::BugFix);
    request.intent = None;
    let answer = ask(&snapshot, &request);
    assert!(answer.pack.confidence <= 0.25, "{}", answer.pack.confidence);
    assert!(
        answer
            .issues
            .iter()
            .any(|issue| issue.code.name() == "low_confidence")
    );
}

#[test]
fn lookup_by_name_gets_no_low_confidence_issue() {
    let code = "class A:\n    def place_order(self):\n        return nsolve(1)\n\n\nclass B:\n    def place_order(self):\n        return 2\n\n\ndef nsolve(n):\n    return n\n";
    let mut files = vec![("shop.py".to_owned(), code.to_owned())];
    for number in 0..60 {
        let code = format!("def part_{number}(order):\n    return order.nsolve({number})\n");
        files.push((format!("part_{number}.py"), code));
    }
    let snapshot = snapshot(files);
    let is_doubted = |query: &str| {
        let mut request = request(query, 2000, IntentKind::BugFix);
        request.intent = None;
        let issues = ask(&snapshot, &request).issues;
        issues
            .iter()
            .any(|issue| issue.code.name() == "low_confidence")
    };
    for query in [
        "who calls place_order?", "where is nsolve defined?", "nsolve",
    ] {
        assert!(!is_doubted(query), "{query}");
    }
    assert!(is_doubted("the part is wrong"));
}

#[test]
fn large_change_does_not_crowd_out_query_target() {
    let mut files = vec![(
        "zoo.py".to_owned(),
        "def feed_lions(keeper):\n    return keeper.meat\n".to_owned(),
    )];
    for number in 0..60 {
        let lines = "    page.wait()\n".repeat(20);
        let code = format!("def part_{number}(page):\n{lines}    return page\n");
        files.push((format!("app/part_{number:02}.py"), code));
    }
    let snapshot = snapshot(files);
    let shown = |query: &str| {
        let mut request = request(query, 2000, IntentKind::BugFix);
        request.changes = (0..60)
            .map(|number| Change {
                path: RepoPath::new(&format!("app/part_{number:02}.py")).unwrap(),
                hunks: vec![Hunk::Lines(Lines::new(1, 22))],
            })
            .collect();
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        answer.pack.context
    };
    // The place that the query asks about may be part of the change or not.
    assert!(shown("`feed_lions` gives no meat").contains("return keeper.meat"));
    assert!(shown("`part_57` waits too long").contains("def part_57(page):"));
    assert!(!shown("").contains("part_57"));
}

#[test]
fn max_chars_omissions_are_dropped_and_lower_confidence() {
    let lines: String = (0..30)
        .map(|n| {
            format!("        self.connections_of_the_pool[{n}].acquire_with_timeout(timeout)\n")
        })
        .collect();
    let pool = format!("class Pool:\n    def acquire(self, timeout):\n{lines}");
    let snapshot = snapshot([("pool.py".to_owned(), pool)]);
    let ask_in = |max_chars: Option<usize>| {
        let mut request = request(ACQUIRE, 4000, IntentKind::BugFix);
        request.max_chars = max_chars;
        ask(&snapshot, &request)
    };
    let all = ask_in(None);
    let is_whole = |answer: &Answer| answer.pack.context.contains("[29].acquire");
    assert!(is_whole(&all));
    let mut left_out = 0;
    for max_chars in (300..2600).step_by(50) {
        let cut = ask_in(Some(max_chars));
        if is_whole(&cut) {
            continue;
        }
        left_out += 1;
        let mut dropped = cut.pack.dropped.iter();
        assert!(
            dropped.any(|dropped| dropped.name == "Pool.acquire"),
            "{max_chars}"
        );
        assert!(cut.pack.confidence < all.pack.confidence, "{max_chars}");
    }
    assert!(left_out > 10, "{left_out}");
}

#[test]
fn best_place_remains_within_max_chars() {
    let call =
        "        self.connections_of_the_pool.acquire_with_the_timeout_of_the_caller(timeout)\n";
    let pool = format!(
        "class Pool:\n    def acquire(self, timeout):\n{}",
        call.repeat(30)
    );
    let others: String = (0..30)
        .map(|n| format!("def use_{n}(pool):\n    return pool.acquire_timeout({n})\n\n\n"))
        .collect();
    let snapshot = snapshot([
        ("pool.py".to_owned(), pool),
        ("others.py".to_owned(), others),
    ]);
    for max_chars in (1000..5000).step_by(100) {
        let mut request = request(ACQUIRE, 8000, IntentKind::UsageExploration);
        request.max_chars = Some(max_chars);
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        assert_eq!(answer.places[0].name, "Pool.acquire");
        let is_in = all_items(&answer)
            .iter()
            .any(|item| item.name == "Pool.acquire");
        assert!(is_in, "{max_chars}: {}", answer.pack.context);
    }
}

#[test]
fn places_outside_functions_are_ranked_and_shown() {
    let snapshot = fixture(POOL);
    let request = request(
        "raise the LIMIT of connections",
        2000,
        IntentKind::Implementation,
    );
    let answer = ask(&snapshot, &request);
    let is_limit =
        |place: &&crate::rank::ListedPlace| place.path == "pool/core.py" && place.lines.contains(1);
    let place = answer.places.iter().find(is_limit).unwrap();
    assert_eq!(
        (place.kind, &*place.name),
        ("constant", "LIMIT"),
        "{place:?}"
    );
    assert!(
        answer.pack.context.contains("LIMIT = 10"),
        "{}",
        answer.pack.context
    );
}

#[test]
fn change_without_query_shows_callers_and_tests() {
    let answer = ask_with(|request| {
        request.query = String::new();
        request.intent = None;
        request.breadth = Breadth::Balanced;
        request.changes = vec![Change {
            path: RepoPath::new("pool/core.py").unwrap(),
            hunks: vec![Hunk::Lines(Lines::new(8, 8))],
        }];
    });
    let reasons: Vec<(String, String)> = all_items(&answer)
        .into_iter()
        .map(|item| (item.name.clone(), item.reason.clone()))
        .collect();
    let has = |name: &str, reason: &str| reasons.contains(&(name.to_owned(), reason.to_owned()));
    assert!(has("Pool.acquire", "changed"), "{reasons:?}");
    assert!(
        answer.pack.context.contains("pool.acquire(3)"),
        "{}",
        answer.pack.context
    );
    assert!(
        answer.pack.context.contains("test_acquire"),
        "{}",
        answer.pack.context
    );
    assert!(!answer.pack.context.contains("darken"));
}

#[test]
fn whole_caller_states_what_it_calls() {
    let snapshot = fixture(
        "
        //- shop/price.py
        def net_price(item):
            return item.price

        def net_total(items):
            return sum(net_price(item) for item in items)

        def net_name(item):
            return item.name
        ",
    );
    let shown_callers = |query: &str, intent| {
        let answer = ask(&snapshot, &request(query, 2000, intent));
        let items = all_items(&answer).into_iter();
        let whole = items.filter(|item| item.fidelity == Fidelity::Full);
        let calls = whole.filter(|item| item.reason.starts_with("calls net_price"));
        let calls: Vec<String> = calls.map(|item| item.name.clone()).collect();
        (calls, answer.pack.context)
    };
    let (calls, context) = shown_callers("who calls net_price?", IntentKind::UsageExploration);
    assert_eq!(calls, ["net_total"], "{context}");
    assert!(context.contains("calls=\"net_price\""), "{context}");
    // For a bug fix, calls are not listed.
    let (calls, _) = shown_callers("`net_price` in net_total is wrong", IntentKind::BugFix);
    assert!(calls.is_empty());
}

#[test]
fn card_of_a_changed_stretch_is_its_changed_line() {
    let lines = (1..=40).map(|number| format!("pool = wait for connection number {number}\n"));
    let snapshot = snapshot([("pool.ini".to_owned(), lines.collect())]);
    let mut request = request("", 200, IntentKind::BugFix);
    request.changes = vec![Change {
        path: RepoPath::new("pool.ini").unwrap(),
        hunks: vec![Hunk::Lines(Lines::new(12, 12))],
    }];
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    assert!(
        pack.context
            .contains(">\npool = wait for connection number 12\n</"),
        "{}",
        pack.context
    );
}

#[test]
fn long_changed_function_is_cut_around_changed_lines() {
    let mut code = "def long(a):\n".to_owned();
    for number in 0..600 {
        code.push_str(&format!("    step_{number}(a, {number})\n"));
    }
    let snapshot = snapshot([("long.py".to_owned(), code)]);
    let mut request = request("", 1500, IntentKind::BugFix);
    request.changes = vec![Change {
        path: RepoPath::new("long.py").unwrap(),
        hunks: vec![Hunk::Lines(Lines::new(402, 402))],
    }];
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    assert!(
        pack.context.contains("    step_400(a, 400)"),
        "{}",
        pack.context
    );
    assert!(pack.context.contains("left out"));
}

#[test]
fn folded_body_that_max_chars_removes_counts_as_dropped() {
    let doc = "    Words about the page that nobody needs to mend it.\n".repeat(40);
    let code: String = (0..20)
        .map(|n| format!("    page_{n} = pool.take_the_next_page_of_the_pool({n})\n"))
        .collect();
    let code = format!("def take_page(pool):\n    \"\"\"Takes a page.\n\n{doc}    \"\"\"\n{code}");
    let snapshot = snapshot([("pool.py".to_owned(), code)]);
    let ask_in = |max_chars| {
        let mut request = request("`take_page` takes a page twice", 700, IntentKind::BugFix);
        request.max_chars = max_chars;
        ask(&snapshot, &request)
    };
    let is_shown = |answer: &Answer| {
        let items = all_items(answer);
        items
            .iter()
            .any(|item| item.name == "take_page" && !item.shown.is_empty())
    };
    let all = ask_in(None);
    assert!(is_shown(&all), "{}", all.pack.context);
    let mut removed = 0;
    for max_chars in (400..3000).step_by(20) {
        let answer = ask_in(Some(max_chars));
        if !is_shown(&answer) {
            removed += 1;
            assert!(answer.pack.confidence < all.pack.confidence, "{max_chars}");
            let dropped: Vec<&str> = answer.pack.dropped.iter().map(|d| &*d.name).collect();
            assert_eq!(dropped, ["take_page"], "{max_chars}");
        }
    }
    assert!(removed > 0);
}

#[test]
fn focus_comes_first_if_only_one_file_may_be_shown() {
    let answer = ask_with(|request| {
        request.max_files = Some(1);
        request.focus.paths = vec![RepoPath::new("pool/colors.py").unwrap()];
    });
    assert_eq!(paths(&answer), ["pool/colors.py"]);
}

#[test]
fn reason_has_the_rank_among_all_places() {
    let answer = ask_with(|request| {
        request.changes = vec![Change {
            path: RepoPath::new("pool/client.py").unwrap(),
            hunks: vec![Hunk::Lines(Lines::new(4, 7))],
        }];
    });
    assert_eq!(answer.places[0].name, "Pool.acquire");
    let items = all_items(&answer);
    let acquire = items.iter().find(|item| item.name == "Pool.acquire");
    let reason = acquire.map(|item| item.reason.as_str());
    assert_eq!(reason, Some("named by the query, rank 1"));
}

#[test]
fn best_place_is_shown_where_max_chars_is_the_smaller_limit() {
    let body: String = (0..60)
        .map(|n| {
            format!("    self.connections_of_the_pool_{n}.acquire_with_timeout(timeout_{n})\n")
        })
        .collect();
    let code = format!("def take_page(pool):\n{body}");
    let snapshot = snapshot([("pool.py".to_owned(), code)]);
    for max_chars in (800..4600).step_by(200) {
        let mut request = request("`take_page` takes a page twice", 8000, IntentKind::BugFix);
        request.max_chars = Some(max_chars);
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let context = &answer.pack.context;
        assert!(
            context.contains("def take_page(pool)"),
            "{max_chars}: {context}"
        );
    }
    let mut request = request("`take_page` takes a page twice", 8000, IntentKind::BugFix);
    request.max_chars = Some(100);
    let issues = ask(&snapshot, &request).issues;
    let detail = issues
        .iter()
        .find(|issue| issue.code.name() == "budget_too_small");
    let detail = detail.map(|issue| issue.detail.as_str());
    assert_eq!(
        detail,
        Some("none of the code that was found fits into 100 characters; raise max_chars")
    );
}

#[test]
fn focus_gets_at_least_a_card() {
    let answer = ask_with(|request| {
        request.breadth = Breadth::Precise;
        request.focus = Focus {
            paths: vec![RepoPath::new("pool/colors.py").unwrap()],
            symbols: vec!["fetch".to_owned()],
        };
    });
    let reason = |name: &str, path: &str| {
        let mut items = all_items(&answer).into_iter();
        items.any(|item| item.name == name && item.path == path)
    };
    assert!(reason("fetch", "pool/client.py"), "{}", answer.pack.context);
    assert!(
        paths(&answer).contains(&"pool/colors.py"),
        "{}",
        answer.pack.context
    );
}

#[test]
fn links_point_to_lines_and_max_chars_is_kept() {
    let mut snapshot = fixture(POOL);
    snapshot.revision.commit = "c0ffee".to_owned();
    let mut request = request(ACQUIRE, 8000, IntentKind::BugFix);
    request.format = Format::Markdown;
    request.web_page = Some(WebPage::guess("https://github.com/acme/pool"));
    let pack = ask(&snapshot, &request).pack;
    let file = "https://github.com/acme/pool/blob/c0ffee/pool/core.py";
    // The method stands in its class.
    let shown = format!("#### [4-12]({file}#L4-L12)\n");
    assert!(pack.context.contains(&shown), "{}", pack.context);
    let link = format!("{file}#L6-L10");
    let mut items = pack.sections.iter().flat_map(|section| &section.items);
    assert!(items.any(|item| item.link.as_ref() == Some(&link)));
    assert!(
        pack.context.contains("<details><summary>"),
        "{}",
        pack.context
    );
    snapshot.revision.dirty = true;
    let dirty = ask(&snapshot, &request).pack;
    assert!(
        !dirty.context.contains("https://"),
        "its lines are not those of the commit"
    );
    request.max_chars = Some(1000);
    let short = ask(&snapshot, &request).pack;
    assert!(short.context.chars().count() <= 1000);
    assert!(short.context.contains("acquire"), "{}", short.context);
}

#[test]
fn entries_are_grouped_by_file_and_class() {
    let answer = ask_with(|_| {});
    let context = &answer.pack.context;
    assert_eq!(
        context.matches("<file path=\"pool/core.py\">").count(),
        1,
        "{context}"
    );
    // The methods follow the class without markup between them.
    let class = "<definition lines=\"4-12\">\nclass Pool:\n    size = 4\n\n    def acquire(";
    assert!(context.contains(class), "{context}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// For any lengths and budget, the best place is in the context, at least its signature.
    #[test]
    fn best_place_is_never_missing(
        lengths in prop::collection::vec(1..400usize, 1..12),
        budget in 200..4000usize,
        breadth in prop_oneof![Just(Breadth::Precise), Just(Breadth::Balanced), Just(Breadth::Wide)],
        format in prop_oneof![Just(Format::Xml), Just(Format::Markdown), Just(Format::Json)],
    ) {
        let files = lengths.iter().enumerate().map(|(number, length)| {
            let body = "    pool.take(page)\n".repeat(*length);
            let code = format!("def take_{number}(pool, page):\n{body}    return pool\n");
            (format!("part_{number}.py"), code)
        });
        let snapshot = snapshot(files.collect::<Vec<_>>());
        let request = Request {
            breadth,
            format,
            ..request("`take_0` takes a page twice from the pool", budget, IntentKind::BugFix)
        };
        let answer = ask(&snapshot, &request);
        check_invariants(&snapshot, &request, &answer.pack);
        let first = answer.places.first().unwrap();
        let is_there = all_items(&answer)
            .iter()
            .any(|item| item.path == first.path && item.name == first.name);
        prop_assert!(is_there, "{} at {budget}: {}", first.name, answer.pack.context);
    }
}

#[test]
fn long_documentation_is_folded_in_a_small_budget() {
    let doc = "    Words about the page that nobody needs to mend it.\n".repeat(40);
    let code = format!(
        "def take_page(pool):\n    \"\"\"Takes a page.\n\n{doc}    \"\"\"\n    page = pool.take()\n    return page\n"
    );
    let snapshot = snapshot([("pool.py".to_owned(), code)]);
    let ask_at = |budget| {
        let request = request("`take_page` takes a page twice", budget, IntentKind::BugFix);
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let item = items(&pack, "definitions")[0].clone();
        (pack.context, item)
    };
    let (context, item) = ask_at(480);
    assert!(item.folded && item.cut, "{item:?}");
    assert_eq!(
        item.shown,
        [Lines::new(1, 5), Lines::new(44, 46)],
        "{context}"
    );
    assert!(
        context.contains("… 38 lines left out (6-43) …"),
        "{context}"
    );
    assert!(context.contains("    page = pool.take()"), "{context}");
    let (context, item) = ask_at(8000);
    assert!(!item.folded && context.matches("nobody needs").count() == 40);
}

#[test]
fn implementation_lists_sibling_files() {
    let siblings = |kind| {
        let answer = ask_with(|request| {
            request.intent = Some(kind);
            request.breadth = Breadth::Balanced;
        });
        let items = all_items(&answer).into_iter();
        let found = items.filter(|item| item.reason == "other files of its directory");
        (found.count(), answer.pack.context)
    };
    let (count, context) = siblings(IntentKind::Implementation);
    assert_eq!(count, 1, "{context}");
    assert!(context.contains("colors.py: darken"), "{context}");
    assert_eq!(siblings(IntentKind::BugFix).0, 0);
}

#[test]
fn low_confidence_for_lack_of_room_asks_for_a_larger_limit() {
    let line = "    connection = self.take_connection_of_the_pool(timeout, connection)\n";
    let code = format!(
        "def acquire_connection(self, timeout):\n{}",
        line.repeat(60)
    );
    let snapshot = snapshot([("pool.py".to_owned(), code)]);
    let head_within = |budget, max_chars| {
        let query = "`acquire_connection` ignores the timeout";
        let mut request = request(query, budget, IntentKind::BugFix);
        request.max_chars = max_chars;
        let answer = ask(&snapshot, &request);
        answer.pack.context.lines().next().unwrap().to_owned()
    };
    let head = |budget| head_within(budget, None);
    let limited = head_within(4000, Some(1000));
    assert!(
        limited.contains("(low: a larger `max_chars` would help)"),
        "{limited}"
    );
    assert!(
        head(200).contains("(low: a larger budget would help)"),
        "{}",
        head(200)
    );
    assert!(!head(4000).contains("low:"), "{}", head(4000));
}

#[test]
fn changed_code_states_its_changed_lines() {
    let code: String = (0..3)
        .map(|n| {
            format!(
                "def part_{n}(page):\n    page.load({n})\n    page.wait({n})\n    return page\n\n\n"
            )
        })
        .collect();
    let snapshot = snapshot([("pages.py".to_owned(), code)]);
    for format in [Format::Xml, Format::Markdown, Format::Json] {
        let mut request = request("", 2000, IntentKind::BugFix);
        request.format = format;
        request.changes = vec![Change {
            path: RepoPath::new("pages.py").unwrap(),
            hunks: vec![
                Hunk::Lines(Lines::new(2, 2)),
                Hunk::Lines(Lines::new(4, 4)),
                Hunk::Lines(Lines::new(9, 14)),
            ],
        }];
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        for ranges in ["2,4", "9-10", "13-14"] {
            assert!(pack.context.contains(ranges), "{ranges}: {}", pack.context);
        }
    }
}

#[test]
fn advice_on_an_unknown_focus_fits_its_entries() {
    let detail = |paths: &[&str], symbols: &[&str]| {
        let answer = ask_with(|request| {
            request.focus = Focus {
                paths: paths.iter().map(|p| RepoPath::new(p).unwrap()).collect(),
                symbols: symbols.iter().map(|name| (*name).to_owned()).collect(),
            };
        });
        let mut issues = answer.issues.into_iter();
        let unknown = issues.find(|issue| issue.code == IssueCode::UnknownFocus);
        unknown.map(|issue| issue.detail).unwrap_or_default()
    };
    let of_files = detail(&["pool/gone.py"], &[]);
    assert!(
        of_files.ends_with("(files: pool/gone.py); give paths of files from the repository's root"),
        "{of_files}"
    );
    let of_symbols = detail(&[], &["Gone"]);
    assert!(
        of_symbols.ends_with("(symbols: Gone); give names as they are defined"),
        "{of_symbols}"
    );
    assert_eq!(detail(&["pool/core.py"], &["Pool"]), "");
}
