//! Tests the parsing of whole queries: what is removed, what stays, and into which list it goes.

mod names_and_paths;

use std::time::{Duration, Instant};

use foveate_model::Language;
use foveate_parse::languages::by_name as language;

use super::*;

fn parse(query: &str) -> QueryText {
    QueryText::parse(query)
}

fn texts(text: &QueryText, kind: SegmentKind) -> Vec<String> {
    text.of_kind(kind).map(|t| t.trim().to_owned()).collect()
}

fn names(text: &QueryText, kind: MentionKind) -> Vec<&str> {
    let of_kind = text.mentions.iter().filter(|m| m.kind == kind);
    of_kind.map(|m| m.name.as_str()).collect()
}

fn frames(text: &QueryText) -> Vec<String> {
    text.frames
        .iter()
        .map(|f| format!("{}:{} {}", f.path, f.line, f.function))
        .collect()
}

fn paths(text: &QueryText) -> Vec<String> {
    let shown = text.paths.iter().map(|p| format!("{}:{}", p.path, p.line));
    shown.collect()
}

#[test]
fn issue_template_is_reduced_to_its_content() {
    let text = parse(
        "[Bug]: `Pool.acquire` hangs when max_size is 0\r\n\
         \r\n\
         ### First check\r\n\
         - [x] I have searched the existing issues\r\n\
         \r\n\
         ### Describe the bug\r\n\
         <!-- A clear and concise\r\n description -->\r\n\
         Calling `pool.acquire(timeout=1)` never returns, see lib/pool.py:42 and\r\n\
         https://github.com/acme/pool/blob/3f2a9c1/src/pool/wait_queue.py#L10-L20.\r\n\
         The WaitQueue is never woken up.\r\n\
         \r\n\
         ```python\r\n\
         from acme.pool import Pool, open_pool as op\r\n\
         pool = Pool(max_size=0)\r\n\
         pool.acquire()\r\n\
         ```\r\n\
         \r\n\
         ### Environment\r\n\
         - OS: Linux\r\n\
         - Python 3.11.2\r\n\
         ```\r\n\
         acme==1.2.3\r\n\
         ```\r\n\
         ### Additional context\r\n\
         _No response_\r\n",
    );
    assert_eq!(text.title(), "Pool.acquire hangs when max_size is 0");
    assert_eq!(
        text.labels,
        ["bug", "describe the bug", "additional context"]
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("never returns"), "{prose}");
    for gone in [
        "clear and concise", "searched", "Linux", "3.11", "No response", "https",
    ] {
        assert!(!prose.contains(gone), "{gone} is still in {prose}");
    }
    assert_eq!(
        texts(&text, SegmentKind::InlineCode),
        ["pool.acquire(timeout=1)"]
    );
    assert_eq!(texts(&text, SegmentKind::CodeBlock).len(), 1);
    assert_eq!(
        names(&text, MentionKind::Title),
        ["Pool.acquire", "max_size"]
    );
    assert_eq!(
        names(&text, MentionKind::InlineCode),
        ["Pool.acquire", "pool.acquire"]
    );
    assert_eq!(names(&text, MentionKind::Prose), ["WaitQueue"]);
    assert_eq!(
        paths(&text),
        ["lib/pool.py:42", "src/pool/wait_queue.py:10"]
    );
    assert_eq!(text.imports, ["acme.pool.Pool", "acme.pool.open_pool"]);
}

#[test]
fn python_tracebacks_are_found_with_and_without_fences() {
    let trace = "Traceback (most recent call last):\n  File \"/srv/app/run.py\", line 7, in <module>\n    main()\n  File \"/usr/lib/python3/site-packages/acme/core.py\", line 31, in Core.start\n    self.load(x)\n    ~~~~~~~~~^^^\nKeyError: 'host'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/usr/lib/python3/site-packages/acme/conf.py\", line 5, in load\n    raise ConfigError(\"no host_name\") from e\nacme.errors.ConfigError: no host_name\n";
    for query in [
        format!("Start fails\n\nThis happens:\n\n```\n{trace}```\nWhy is that?"),
        format!("Start fails\n\nThis happens:\n\n{trace}\nWhy is that?"),
        format!(
            "Start fails\n\nThis happens:\n\n```pycon\n>>> main()\n{trace}>>> x\n```\nWhy is that?"
        ),
    ] {
        let text = parse(&query);
        assert_eq!(
            frames(&text),
            [
                "/srv/app/run.py:7 ",
                "/usr/lib/python3/site-packages/acme/core.py:31 Core.start",
                "/usr/lib/python3/site-packages/acme/conf.py:5 load",
            ],
            "{query}"
        );
        assert_eq!(
            texts(&text, SegmentKind::ErrorMessage),
            ["KeyError: 'host'", "acme.errors.ConfigError: no host_name"]
        );
        assert!(
            texts(&text, SegmentKind::Prose)
                .join(" ")
                .contains("Why is that?")
        );
        let traceback = texts(&text, SegmentKind::Traceback).join("\n");
        assert!(traceback.contains("acme/core.py Core.start"), "{traceback}");
        assert!(!traceback.contains("site-packages"), "{traceback}");
        assert!(names(&text, MentionKind::ErrorMessage).contains(&"host_name"));
    }
}

#[test]
fn syntax_error_gives_a_frame_without_function() {
    let text = parse(
        "  File \"tool/lex.py\", line 3\n    print x\n          ^\nSyntaxError: invalid syntax\n",
    );
    assert_eq!(frames(&text), ["tool/lex.py:3 "]);
    assert_eq!(
        texts(&text, SegmentKind::ErrorMessage),
        ["SyntaxError: invalid syntax"]
    );
    assert_eq!(text.title(), "");
}

#[test]
fn notebook_and_pytest_frames_are_read() {
    let text = parse(
        "Plot fails\n\n```\n---------------------------------\nTypeError     Traceback (most recent call last)\n<ipython-input-3-0a1b> in <module>()\n----> 1 plot(a)\n\n~/env/lib/acme/plot.py in plot(self, data)\n     11     pass\n---> 12     draw(data)\n     13 \n\nFile ~/env/lib/acme/draw.py:90, in Canvas.draw(self, data)\n     89 x\n---> 90 y\n\nTypeError: no canvas\n```\n\nand in the tests:\n\n```\ntests/test_plot.py:14: in test_plot\n    plot(1)\nE   ValueError: bad data_shape\nsrc/acme/plot.py:12: ValueError\n```\n",
    );
    assert_eq!(
        frames(&text),
        [
            "~/env/lib/acme/plot.py:12 plot",
            "~/env/lib/acme/draw.py:90 Canvas.draw",
            "tests/test_plot.py:14 test_plot",
            "src/acme/plot.py:12 ",
        ]
    );
    assert_eq!(
        texts(&text, SegmentKind::ErrorMessage),
        ["TypeError: no canvas", "ValueError: bad data_shape"]
    );
}

#[test]
fn traces_of_other_languages_are_outermost_first() {
    #[track_caller]
    fn check(trace: &str, wanted: &[&str], error: &str) {
        let text = parse(&format!("It breaks\n\nLike so:\n\n```\n{trace}\n```\n"));
        assert_eq!(frames(&text), wanted);
        let errors = texts(&text, SegmentKind::ErrorMessage);
        assert_eq!(errors.first().map_or("", String::as_str), error);
    }
    check(
        "Uncaught TypeError: store.getItem is not a function\n    at readItem (webpack-internal:///./src/store/read.ts?ab12:14:9)\n    at async Session.restore [as load] (/app/src/session.js:8:3)\n    at new App (file:///app/src/app.tsx:3:1)\n    at C:\\app\\src\\main.js:1:2\n    at node:internal/main:12:3",
        &[
            "node:internal/main:12 ",
            "C:/app/src/main.js:1 ",
            "/app/src/app.tsx:3 App",
            "/app/src/session.js:8 Session.restore",
            "src/store/read.ts:14 readItem",
        ],
        "TypeError: store.getItem is not a function",
    );
    check(
        "java.lang.IllegalStateException: closed\n\tat org.acme.net.Client$Worker.run(Client.java:88)\n\tat org.acme.Main.main(Main.java:5)\nCaused by: java.io.IOException: reset\n\tat org.acme.net.Wire.read(Wire.java:7)\n\t... 3 more",
        &[
            "org/acme/Main.java:5 Main.main",
            "org/acme/net/Client.java:88 Worker.run",
            "org/acme/net/Wire.java:7 Wire.read",
        ],
        "java.lang.IllegalStateException: closed",
    );
    check(
        "panic: nil map\n\ngoroutine 1 [running]:\nexample.com/acme/db.(*Pool).Get(0xc000, 0x1)\n\t/go/src/acme/db/pool.go:17 +0x1d\nmain.main()\n\t/go/src/acme/main.go:4 +0x20",
        &[
            "/go/src/acme/main.go:4 main",
            "/go/src/acme/db/pool.go:17 Pool.Get",
        ],
        "nil map",
    );
    check(
        "thread 'main' panicked at src/pool.rs:9:5:\nno thread left\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/0a1b/library/std/src/panicking.rs:1:2\n   1: acme::pool::Pool::get\n             at ./src/pool.rs:9:5",
        &[
            "src/pool.rs:9 Pool.get",
            "/rustc/0a1b/library/std/src/panicking.rs:1 rust_begin_unwind",
        ],
        "no thread left",
    );
    check(
        "lib/acme/cop.rb:12:in `block in check': undefined method `name' (NoMethodError)\n\tfrom lib/acme/run.rb:3:in 'Acme::Run#call'",
        &["lib/acme/run.rb:3 Run.call", "lib/acme/cop.rb:12 check"],
        "undefined method `name' (NoMethodError)",
    );
    check(
        "PHP Fatal error\n#0 /srv/src/Kernel.php(12): App\\Router->match('/')\n#1 /srv/public/index.php(3): App\\Kernel->run()",
        &[
            "/srv/public/index.php:3 ",
            "/srv/src/Kernel.php:12 Kernel.run",
        ],
        "",
    );
}

/// Asserts that a trace in a fenced block gives these frames, outermost first, with their columns.
#[track_caller]
fn check_frames(trace: &str, wanted: &[&str]) {
    let text = parse(&format!("It breaks\n\nLike so:\n\n```\n{trace}\n```\n"));
    let shown = |f: &Frame| format!("{}:{}:{} {}", f.path, f.line, f.column, f.function);
    let found: Vec<String> = text.frames.iter().map(shown).collect();
    assert_eq!(found, wanted, "{trace}");
}

#[test]
fn frames_of_bundled_javascript_are_read() {
    check_frames(
        "TypeError: parent is null\n    at unmountComponent (runtime-core.esm-bundler.js:6990:5)\n    at Object.unmount [as um] (webpack-internal:///./node_modules/.pnpm/@vue+runtime-core@3.4.21/node_modules/@vue/runtime-core/dist/runtime-core.esm-bundler.js:6915:7)\n    at http://localhost/assets/index-4f3a.js:1:23456\n    at Vue$3.Vue._init (webpack:///./~/vue/dist/vue.esm.js?65d7:4557:10)",
        &[
            "node_modules/vue/dist/vue.esm.js:4557:10 Vue$3.Vue._init",
            "assets/index-4f3a.js:1:23456 ",
            "node_modules/.pnpm/@vue+runtime-core@3.4.21/node_modules/@vue/runtime-core/dist/runtime-core.esm-bundler.js:6915:7 unmount",
            "runtime-core.esm-bundler.js:6990:5 unmountComponent",
        ],
    );
    // Firefox and Safari.
    check_frames(
        "unmountComponent@http://localhost/assets/index-4f3a.js:1:2345\nbaseCreateRenderer/unmount/<@webpack-internal:///./src/a.js:3:4\npromise callback*queueFlush@http://localhost/a.js:5:6\nStore.prototype.commit@store.js:7:8\nforEach@[native code]\n@http://localhost/b.js:9:1",
        &[
            "b.js:9:1 ",
            "store.js:7:8 Store.commit",
            "a.js:5:6 queueFlush",
            "src/a.js:3:4 unmount",
            "assets/index-4f3a.js:1:2345 unmountComponent",
        ],
    );
    // Browser consoles.
    check_frames(
        "unmountComponent @ runtime-core.esm-bundler.js:6990\nflushJobs @ runtime-core.esm-bundler.js:416\n(anonymous) @ app.js:3",
        &[
            "app.js:3:0 ",
            "runtime-core.esm-bundler.js:416:0 flushJobs",
            "runtime-core.esm-bundler.js:6990:0 unmountComponent",
        ],
    );
    check_frames(
        "runtime-core.esm-bundler.js:6990:5 at unmountComponent\nruntime-core.esm-bundler.js:6915:7 at unmount",
        &[
            "runtime-core.esm-bundler.js:6915:7 unmount",
            "runtime-core.esm-bundler.js:6990:5 unmountComponent",
        ],
    );
}

#[test]
fn frame_in_a_sentence_needs_backticks() {
    let text = parse(
        "Unmounting fails\n\nThe frame `runtime-core.esm-bundler.js:6990:5 at unmountComponent` is\nthe last one, mail ada@example.com:25, see src/a.js:12 at startup.\n",
    );
    assert_eq!(
        frames(&text),
        ["runtime-core.esm-bundler.js:6990 unmountComponent"]
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("startup"), "{prose}");
}

#[test]
fn components_of_vue_warnings_are_frames() {
    let text = parse(
        "It warns\n\n```\n[Vue warn]: Unhandled error during execution of scheduler flush\n  at <TodoItem key=1 item= {done: false} onDone=fn<onDone> >\n  at <KeepAlive>\n  at <Anonymous>\n  at <App/>\n```\n",
    );
    assert_eq!(frames(&text), [":0 App", ":0 KeepAlive", ":0 TodoItem"]);
    assert_eq!(
        texts(&text, SegmentKind::ErrorMessage),
        ["Unhandled error during execution of scheduler flush"]
    );
    check_frames(
        "found in\n\n---> <TodoItem> at src/components/TodoItem.vue\n       <App> at src/App.vue\n         <Root>",
        &["src/App.vue:0:0 ", "src/components/TodoItem.vue:0:0 "],
    );
    let text = parse("It warns\n\nLook\nat <b>this</b> and at <Foo> in the page\n");
    assert!(frames(&text).is_empty());
}

#[test]
fn minified_frames_are_left_out_of_search_text() {
    let text = parse(
        "It breaks\n\n```\nTypeError: a is null\n    at e.t (http://h/assets/index-4f3a.js:1:2345)\n    at closeAll (http://h/assets/index-4f3a.js:1:99)\n```\n",
    );
    let traceback = texts(&text, SegmentKind::Traceback).join("\n");
    assert_eq!(traceback, "assets/index-4f3a.js closeAll");
}

#[test]
fn unfenced_code_is_separated_from_prose() {
    let text = parse(
        "Filter is ignored\nDescription\n\t\nGiven this model:\nclass Shelf(models.Model):\n\trows = models.IntegerField(default=0)\n\tclass Meta:\n\t\tordering = ['rows']\nthe following gives every shelf:\nShelf.objects.filter(rows__gt=3)\nThat is because the class of the field is wrong.\n>>> Shelf.objects.count()\n7\n",
    );
    let code = texts(&text, SegmentKind::CodeBlock);
    assert!(
        code.first()
            .is_some_and(|c| c.starts_with("class Shelf") && c.ends_with("['rows']")),
        "{code:?}"
    );
    assert_eq!(
        code.get(1).map(String::as_str),
        Some("Shelf.objects.filter(rows__gt=3)")
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("That is because the class"), "{prose}");
    assert!(!prose.contains("Description"), "{prose}");
    assert!(names(&text, MentionKind::CodeBlock).contains(&"models.IntegerField"));
}

#[test]
fn errors_in_prose_and_title_are_found() {
    let text = parse(
        "TypeError: cannot pickle 'Lock' object when a job is cloned\n\nIt says \"could not find the job store\" as a message, or `StoreError: no such job_id`.",
    );
    assert_eq!(
        texts(&text, SegmentKind::ErrorMessage),
        [
            "TypeError: cannot pickle 'Lock' object when a job is cloned",
            "StoreError: no such job_id",
            "could not find the job store",
        ]
    );
    assert!(text.title().starts_with("TypeError"));
    let named = names(&text, MentionKind::ErrorMessage);
    assert!(
        named.contains(&"Lock") && named.contains(&"job_id"),
        "{named:?}"
    );
}

#[test]
fn details_about_the_machine_are_dropped() {
    let text = parse(
        "A title\n\nBody one.\n\n<details>\n<summary>Versions</summary>\n\nacme: 1.2.3\n\n</details>\n\n<details><summary>Stack trace</summary>\n\n  at run (src/run.ts:3:4)\n\n</details>\n\nBody two.\n",
    );
    assert_eq!(frames(&text), ["src/run.ts:3 run"]);
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(
        prose.contains("Body one.") && prose.contains("Body two.") && !prose.contains("acme"),
        "{prose}"
    );
}

#[test]
fn text_on_the_line_of_details_is_kept() {
    let text = parse(
        "A title\n\n<details><summary>Log</summary> it happens in `Client.acquire` always</details>\n\n\
         <details><summary>Crash in Client.connect</summary>\n\nx\n\n</details>\n\n\
         <details>\n<summary>A</summary> as in Client.close\n</details>\n\n\
         <details><summary>Versions</summary> Client.version 1.2</details>\n",
    );
    assert_eq!(names(&text, MentionKind::InlineCode), ["Client.acquire"]);
    assert_eq!(
        names(&text, MentionKind::Prose),
        ["Client.connect", "Client.close"]
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(!prose.contains("details"), "{prose}");
}

#[test]
fn lines_that_only_look_like_versions_are_kept() {
    for line in [
        "- Call `set_alpha(x=0.5)`",
        "Decimal conversion: `set_alpha` loses digits",
        "ConversionError: cannot convert set_alpha",
        "UnsupportedVersionError: Foo.bar cannot call set_alpha",
        "| `set_alpha(x)` | 0.5 |",
        "Windows: set_alpha loses the last bytes",
        "- Linux: set_alpha fails",
        "Python 3.8: set_alpha fails",
        "```\n>>> set_alpha(x)\n1.0\n2.0\n3.0\n```",
        "```\nalpha = 0.5\nbeta = 1.5\nset_alpha(alpha)\n```",
    ] {
        let text = parse(&format!("A title\n\nIt fails.\n\n{line}\n"));
        let is_named = text.mentions.iter().any(|found| found.name == "set_alpha");
        assert!(is_named, "{line}");
    }
}

#[test]
fn environment_ends_without_a_heading() {
    const MACHINE: &str = "Environment:\n- OS: Linux\n- Python 3.8\n";
    for rest in [
        "Here is my code:\n\n```python\nfrom src.pool.utils import set_alpha\nset_alpha(3)\n```",
        "Code:\n\n```\nobj.set_alpha\n```",
        "My code is this:\n```\nobj.set_alpha\n```",
        "```python\nset_alpha(3)\n```",
        "Calling `set_alpha` returns the wrong value.",
    ] {
        let text = parse(&format!("A title\n\nIt fails.\n\n{MACHINE}\n{rest}\n"));
        let mut names = text.mentions.iter().map(|found| &found.name);
        assert!(names.any(|name| name.contains("set_alpha")), "{rest}");
    }
    for rest in [
        "```\nacme==1.2.3\nspam_eggs\n```",
        "Output of pip freeze:\n```\nspam_eggs\n```",
        "```\n$ uname -a\nLinux spam_eggs\n```",
        "```\n$ ansible --version\nansible [core 2.12.6]\n  module location = /usr/spam_eggs\n  libyaml = True\n```",
        "```\n| options = spam_eggs(\n| x\n```",
        "Version: `spam_eggs` from the main branch",
        "- installed with `pip install spam_eggs` as usual",
        "Linux spam_eggs",
        "[paste the output of `spam_eggs --version` here]",
    ] {
        let text = parse(&format!("A title\n\nIt fails.\n\n{MACHINE}\n{rest}\n"));
        assert_eq!(text.mentions, [], "{rest}");
    }
}

#[test]
fn repeated_innermost_frame_stays_the_last() {
    let trace = |caller: &str| {
        format!(
            "```\nTraceback (most recent call last):\n  File \"{caller}.py\", line 3, in {caller}\n    \
             total()\n  File \"cart.py\", line 9, in total\n    add()\nValueError: no\n```\n"
        )
    };
    let text = parse(&format!(
        "It fails\n\n{}\nand\n\n{}",
        trace("buy"),
        trace("sell")
    ));
    assert_eq!(
        frames(&text),
        ["buy.py:3 buy", "sell.py:3 sell", "cart.py:9 total"]
    );
    check_frames(
        "Program received signal SIGSEGV, Segmentation fault.\n0x0000555555 in add (cart=0x0) at lib/cart.c:95\n(gdb) bt\n#0  0x0000555555 in add (cart=0x0) at lib/cart.c:95\n#1  0x0000555556 in main () at lib/main.c:12",
        &["lib/main.c:12:0 main", "lib/cart.c:95:0 add"],
    );
    let text = parse(
        "It fails\n\n```\nTypeError: no\n    at inner (src/a.js:1:2)\n    at outer (src/b.js:3:4)\n```\n\n\
         The frame `at outer (src/b.js:3:4)` is mine.\n",
    );
    assert_eq!(frames(&text), ["src/b.js:3 outer", "src/a.js:1 inner"]);
}

#[test]
fn traces_behind_prefixes_of_logs_are_read() {
    const PYTHON: &str = "Traceback (most recent call last):\n  File \"shop/cart.py\", line 14, in total\n    return sum(rows)\nTypeError: no sum";
    const JAVASCRIPT: &str =
        "TypeError: no sum\n    at total (shop/cart.js:14:3)\n    at main (shop/main.js:3:1)";
    for prefix in [
        "web_1  | ",
        "2024-01-02T10:11:12.123456+00:00 app[web.1]: ",
        "2024-01-02T10:11:12.123456789Z stderr F ",
        "Jan 02 10:11:12 host app[123]: ",
        "[2024-01-02 10:11:12,123: ERROR/ForkPoolWorker-1] ",
        "[gw0] ",
        "#12 0.345 ",
        "remote: ",
        "10:11:12 ",
    ] {
        let prefixed = |trace: &str| -> String {
            let lines = trace.lines().map(|line| format!("{prefix}{line}\n"));
            lines.collect()
        };
        for (trace, wanted) in [
            (PYTHON, &["shop/cart.py:14 total"][..]),
            (
                JAVASCRIPT,
                &["shop/main.js:3 main", "shop/cart.js:14 total"],
            ),
        ] {
            for query in [
                format!("It fails\n\nLike so:\n\n{}\nWhy?", prefixed(trace)),
                format!("It fails\n\n```\n{}```\nWhy?", prefixed(trace)),
            ] {
                let text = parse(&query);
                assert_eq!(frames(&text), wanted, "{query}");
                let errors = texts(&text, SegmentKind::ErrorMessage);
                assert_eq!(errors, ["TypeError: no sum"], "{query}");
            }
        }
    }
    let text = parse("It fails\n\nI get this stack trace:\nI get it in set_alpha\n");
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("I get it in set_alpha"), "{prose}");
}

#[test]
fn code_beside_the_marks_of_html_and_jira_is_kept() {
    for (open, close) in [
        ("<pre>", "</pre>"),
        ("<pre class=\"code\">", "</pre>"),
        ("{code}", "{code}"),
        ("{code:java}", "{code}"),
        ("{noformat}", "{noformat}"),
    ] {
        let text = parse(&format!(
            "A title\n\n{open}set_alpha(1)\nx\nset_beta(2){close}\n\nSee `set_gamma`.\n"
        ));
        let code = texts(&text, SegmentKind::CodeBlock);
        assert_eq!(code, ["set_alpha(1)\nx\nset_beta(2)"], "{open}");
        let named = names(&text, MentionKind::CodeBlock);
        assert_eq!(named, ["set_alpha", "set_beta"], "{open}");
        let text = parse(&format!("A title\n\n{open}\nx = 1\n{close}\n"));
        assert_eq!(texts(&text, SegmentKind::CodeBlock), ["x = 1"], "{open}");
    }
}

#[test]
fn cited_header_of_a_trace_does_not_hide_its_line() {
    let text = parse(
        "It fails\n\nWhen I call set_alpha I get Traceback (most recent call last): KeyError\n",
    );
    assert_eq!(names(&text, MentionKind::Prose), ["set_alpha", "KeyError"]);
    let title = "Ctrl-C in Client.connect prints \"Traceback (most recent call last)\"";
    assert_eq!(parse(title).title(), title);
}

#[test]
fn code_and_prose_are_not_swapped_by_unusual_fences() {
    for code in [
        "```$ run\nok()\n```", "```[log]\nok()\n```", "> ```\n> ok()",
    ] {
        let text = parse(&format!(
            "A title\n\n{code}\n\nPlease look at `set_alpha`.\n"
        ));
        let named = names(&text, MentionKind::InlineCode);
        assert_eq!(named, ["set_alpha"], "{code}");
        assert_eq!(texts(&text, SegmentKind::CodeBlock), ["ok()"], "{code}");
    }
    let text = parse("A title\n\n<prefix> is not replaced.\n\nSee `set_alpha`.\n");
    assert_eq!(names(&text, MentionKind::InlineCode), ["set_alpha"]);
}

#[test]
fn details_with_logs_stay_despite_version_lines() {
    let text = parse(
        "A title\n\nBody.\n\n<details>\n<summary>Log output</summary>\na 1.2\nb 1.2\nc 1.2\nd 1.2\ne 1.2\nf 1.2\ng 1.2\n```\nload_plugin()\n```\n</details>\n<details><summary>My environment</summary>\n```\nspam_eggs()\n```\n</details>\n",
    );
    let named = names(&text, MentionKind::CodeBlock);
    assert_eq!(named, ["load_plugin"]);
}

#[test]
fn empty_answers_of_issue_forms_are_dropped() {
    let text = parse(
        "Export fails\n\n### Is there an existing issue?\n\n- [X] I have searched the existing issues\n\n### What happened?\n\nThe `ExportJob` stops,\nsee [the loop](https://github.com/a/b/blob/0a1b/src/job.py#L7-L9) and [above](#anchor).\n\n### Version\n\n1.2.3\n\n### Relevant log output\n\n_No response_\n\n### Code of Conduct\n\n- [X] I agree\n",
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    for gone in [
        "1.2.3", "No response", "agree", "searched", "anchor", "github",
    ] {
        assert!(!prose.contains(gone), "{gone} is still in {prose}");
    }
    assert!(prose.contains("the loop"), "{prose}");
    assert_eq!(paths(&text), ["src/job.py:7"]);
    assert_eq!(text.paths.first().map(|p| p.last_line), Some(9));
    assert_eq!(names(&text, MentionKind::InlineCode), ["ExportJob"]);
}

#[test]
fn blocks_and_traces_have_languages() {
    let text = parse(
        "A title\n\n```ts\nlet a = 1\n```\n\n    >>> f(1)\n    2\n\n```\n  File \"a.py\", line 3, in f\n```\n",
    );
    let languages: Vec<(SegmentKind, Option<Language>)> = text
        .segments
        .iter()
        .map(|s| (s.kind, s.language))
        .filter(|(kind, _)| *kind != SegmentKind::Title)
        .collect();
    assert_eq!(
        languages,
        [
            (SegmentKind::CodeBlock, language("typescript")),
            (SegmentKind::CodeBlock, language("python")),
            (SegmentKind::Traceback, language("python")),
        ]
    );
}

#[test]
fn code_in_malformed_fences_is_kept() {
    // A fence in a list that is indented too far, one in a quotation that ends too early, one that
    // is never closed, Trac's marks, a prompt at the start of a line, reStructuredText.
    let text = parse(
        "A title\n\n- so\n\n        ```py\n        one_call()\n        ```\n\n> ```\n> two_calls()\n```\n\nBetween words.\n\n{{{#!python\nthree_calls()\n}}}\n\n>>> four_calls()\n\nHere is more of the same::\n\n    five_calls()\n\n```\nsix_calls()\n",
    );
    let named = names(&text, MentionKind::CodeBlock);
    assert_eq!(
        named,
        [
            "one_call", "two_calls", "three_calls", "four_calls", "five_calls", "six_calls"
        ]
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("Between words."), "{prose}");
}

#[test]
fn quoted_strings_are_segments_and_stay_in_the_prose() {
    let text = parse("A title\n\nThe reporter's page says “no such store” and 'bad key'.");
    assert_eq!(
        texts(&text, SegmentKind::Quoted),
        ["no such store", "bad key"]
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("no such store"), "{prose}");
}

#[test]
fn flattened_text_is_split_into_lines() {
    let text = parse(
        "Timer fires twice ### Describe the bug  When the clock jumps the timer fires twice, which is wrong for everyone who counts on it. ### To Reproduce  **Steps**  1) Start the timer 2) Change the clock **Version** acme v1.3.1  **Platform** Linux",
    );
    assert_eq!(text.title(), "Timer fires twice");
    assert!(text.labels.contains(&"describe the bug".to_owned()));
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(
        prose.contains("clock jumps") && !prose.contains("v1.3.1"),
        "{prose}"
    );
}

#[test]
fn unusual_queries_get_expected_titles() {
    for (query, title) in [
        ("", ""),
        ("   \n\n", ""),
        ("where is Foo defined?", "where is Foo defined?"),
        ("# Heading title #\nbody", "Heading title"),
        ("feat(router): add links\n\nbody", "add links"),
        ("```\ncode\n```", ""),
        ("```$ run\nok\n```", ""),
        ("\u{feff}Title with a mark", "Title with a mark"),
    ] {
        assert_eq!(parse(query).title(), title, "{query:?}");
    }
    let long = "word ".repeat(2000);
    assert!(parse(&long).title().len() <= 161);
}

#[test]
fn hostile_texts_take_linear_time() {
    let pieces = [
        "`",
        "``a`",
        "```\n",
        "<!--",
        "<details>\n",
        "</details>\n",
        "**",
        "[a](",
        "- [ ] ",
        "at (",
        "File \"",
        "a.b::c#d",
        "\u{200b}",
        "Traceback (most recent call last):\n",
        "é\r",
        "{{{",
        ">>> ",
        "from a import (",
        "https://",
        "____",
        "((((",
        "a ",
        "#0 ",
        "1 ",
        "> ",
        ">>",
        "- ",
        "- a\n",
        " - a\n  ",
        "1. ",
        "[",
        "![",
        "[a][",
        "[a]: b\n",
        "|a",
        "|-|\n",
        "*_",
        "~~",
        "&a",
        "<a ",
        "<a>\n",
        "\n    a",
        "a\n===\n",
        "'a \"",
        "/a/",
        "--a.py::b",
        "A_1",
        "a@b.js:1:2\n",
        "a@",
        "at <A a=b >\n",
        "node_modules/",
        "b.js:1:2 at a\n",
        "site-packages/a-1",
        "a.prototype",
        ".prototype",
        "a.c:1:2: error: x\n",
        "\\_",
        "A\\B",
        "a.py:b",
        "web | Error: x\n",
        "<pre>a\n",
        "{code}a\n",
        "\"a.py\":1",
    ];
    for piece in pieces {
        check_time(&piece.repeat(100_000 / piece.len()));
    }
    check_time(&pieces.concat().repeat(200));
    // Comments that begin where code is quoted, and the end of one.
    check_time(&format!("`{}\n-->", "<!--".repeat(25_000)));
}

/// Asserts that a query of some 100 kB is parsed in linear time. It takes half a second without optimisation; the
/// machine may be busy, but quadratic work takes a minute.
#[track_caller]
fn check_time(query: &str) {
    let started = Instant::now();
    let text = parse(query);
    assert!(text.segments.len() <= query.len());
    let beginning: String = query.chars().take(30).collect();
    let spent = started.elapsed();
    assert!(
        spent < Duration::from_secs(10),
        "{spent:?} for {beginning:?}"
    );
}

#[test]
fn citations_are_read_outside_code_and_file_links() {
    let text = parse(
        "Shop closes too early since #4711\n\
         \n\
         Bisected to `5a4d7285`, see [the pull request](https://github.com/ada/shop/pull/77)\n\
         and https://github.com/ada/shop/blob/3f2a9c1d/shop.py#L10, again with #4711.\n\
         ```\n\
         0a1b2c3d and #55\n\
         ```\n",
    );
    let cited: Vec<String> = text.citations.iter().map(|c| format!("{c:?}")).collect();
    assert_eq!(
        cited,
        ["Number(4711)", "Number(77)", "Commit(\"5a4d7285\")"]
    );
}

#[test]
fn pasted_logs_are_read_without_colours_and_times() {
    let coloured =
        parse("It fails\n\n\u{1b}[1m\u{1b}[31mshop/cart.py\u{1b}[0m:14: TypeError: no sum\n");
    assert_eq!(frames(&coloured), ["shop/cart.py:14 "]);
    let copied = parse(
        "It fails\n\n[31mTypeError[39m: no sum\n\
         ##[error][1;31mshop/cart.py[0m:14: TypeError: no sum\n",
    );
    assert_eq!(frames(&copied), ["shop/cart.py:14 "]);
    let code = parse("It fails\n\n    return rows[31m], a[1]\n");
    assert!(
        code.segments
            .iter()
            .any(|segment| segment.text.contains("rows[31m]"))
    );
    let timed = parse(
        "It fails\n\n\
         2024-05-01T12:13:14.1234567Z Traceback (most recent call last):\n\
         2024-05-01T12:13:14.1234568Z   File \"shop/cart.py\", line 14, in total\n\
         2024-05-01T12:13:14.1234569Z     return sum(rows)\n\
         2024-05-01T12:13:14.1234570Z TypeError: no sum\n",
    );
    assert_eq!(frames(&timed), ["shop/cart.py:14 total"]);
    // A single time is a part of the text.
    let sentence = parse("Dates are wrong\n\n2024-05-01T12:13:14Z is shown as yesterday.\n");
    assert!(
        sentence
            .segments
            .iter()
            .any(|segment| segment.text.contains("2024-05-01T12:13:14Z"))
    );
}

#[test]
fn frames_of_vitest_are_read() {
    let text = parse(
        "It fails\n\n\
         \u{276f} handleResult packages/zod/src/core/schemas.ts:1880:20\n \
         \u{276f} packages/zod/src/tests/record.test.ts:12:5\n",
    );
    assert_eq!(
        frames(&text),
        [
            "packages/zod/src/tests/record.test.ts:12 ",
            "packages/zod/src/core/schemas.ts:1880 handleResult"
        ]
    );
}
