//! Tests which stack traces are found in a query, and their frames.

use super::*;

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
fn rule_above_the_first_line_is_no_title() {
    let row = "  172    Method Cart::sum() should return int.";
    let table =
        format!(" ------ -----\n  Line   src/Cart.php\n ------ -----\n{row}\n ------ -----\n");
    let text = parse(&table);
    assert_eq!(frames(&text), ["src/Cart.php:172 "]);
    assert_eq!(parse("-----\n\nSum is wrong\n").title(), "Sum is wrong");
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
fn repeated_trace_counts_once() {
    let trace = |time: &str, line: u32| {
        format!(
            "```\nTraceback (most recent call last):\n  File \"shop/cart.py\", line {line}, in total\n    \
             log('at {time}')\nTimeoutError: none left at {time}\n```\n"
        )
    };
    let twice = format!(
        "It fails\n\n{}\nand again\n\n{}",
        trace("12:00:00", 9),
        trace("12:00:31", 9)
    );
    let text = parse(&twice);
    assert_eq!(texts(&text, SegmentKind::Traceback).len(), 1);
    assert_eq!(
        texts(&text, SegmentKind::ErrorMessage),
        ["TimeoutError: none left at 12:00:00"]
    );
    let other = format!(
        "It fails\n\n{}\n{}",
        trace("12:00:00", 9),
        trace("12:00:00", 12)
    );
    let text = parse(&other);
    assert_eq!(texts(&text, SegmentKind::Traceback).len(), 2);
    assert_eq!(frames(&text).len(), 2);
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
fn cited_header_of_a_trace_does_not_hide_its_line() {
    let text = parse(
        "It fails\n\nWhen I call set_alpha I get Traceback (most recent call last): KeyError\n",
    );
    assert_eq!(names(&text, MentionKind::Prose), ["set_alpha", "KeyError"]);
    let title = "Ctrl-C in Client.connect prints \"Traceback (most recent call last)\"";
    assert_eq!(parse(title).title(), title);
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

#[test]
fn head_of_a_trace_is_title_and_part_of_the_trace() {
    for (query, title, frame) in [
        (
            "error: no method `sum`\n  --> src/cart.rs:3:5\n   |\n",
            "error: no method `sum`",
            "src/cart.rs:3 ",
        ),
        (
            "--- FAIL: TestSum (0.00s)\n    cart_test.go:12: got 3\n",
            "--- FAIL: TestSum (0.00s)",
            "cart_test.go:12 ",
        ),
        (
            "/ci/src/cart.ts\n  13:9  error  Unexpected any  no-explicit-any\n",
            "/ci/src/cart.ts",
            "/ci/src/cart.ts:13 ",
        ),
    ] {
        let text = parse(query);
        assert_eq!(text.title().replace('`', ""), title.replace('`', ""));
        assert_eq!(frames(&text), [frame], "{query}");
    }
}

#[test]
fn frames_that_mail_programs_wrapped_are_whole() {
    for (trace, wanted) in [
        (
            "> Traceback (most recent call last):\n>   File \"/usr/lib/python3.12/site-packages/shop/transports/wire.py\",\n> line 101, in send\n>     yield\n>   File \"/usr/lib/python3.12/site-packages/shop/cart.py\", line 914, in\n> total\n>     add()\n> ValueError: no price",
            &[
                "/usr/lib/python3.12/site-packages/shop/transports/wire.py:101 send",
                "/usr/lib/python3.12/site-packages/shop/cart.py:914 total",
            ][..],
        ),
        (
            "Unhandled exception. System.InvalidOperationException: none\n   at Shop.Orders.Cart.Total(Order order, Customer customer) in\nC:\\work\\shop\\Cart.cs:line 70",
            &["C:/work/shop/Cart.cs:70 Cart.Total"],
        ),
        // The code below a place is no function.
        (
            "  File \"/usr/lib/python3.12/site-packages/shop/transports.py\", line 3\n    for x in y\n             ^\nSyntaxError: expected ':'",
            &["/usr/lib/python3.12/site-packages/shop/transports.py:3 "],
        ),
    ] {
        let text = parse(&format!("It hangs\n\n{trace}\n"));
        assert_eq!(frames(&text), wanted, "{trace}");
    }
}

#[test]
fn mangled_names_are_read_as_in_sources() {
    let text = parse(
        "It crashes\n\n```\n./shop(_ZN4shop4Cart3sumEi+0x1d) [0x55d0]\n./shop(main+0x1a) [0x55d2]\n```\n",
    );
    assert_eq!(frames(&text), [":0 main", ":0 Cart.sum"]);
    let text = parse(
        "Cannot link\n\nmain.cc:(.text+0x1f): undefined reference to `_ZN4shop4Cart3sumEi'\n",
    );
    assert_eq!(names(&text, MentionKind::ErrorMessage), ["shop.Cart.sum"]);
}

#[test]
fn causes_of_a_repeated_trace_are_kept_once() {
    let chain = |line: u32| {
        format!(
            "Then:\n\n```\nTraceback (most recent call last):\n  File \"shop/pool.py\", line {line}, in take\n    raise EmptyError(1)\nEmptyError: 1\n\n\
             During handling of the above exception, another exception occurred:\n\n\
             Traceback (most recent call last):\n  File \"shop/pool.py\", line 9, in give\n    raise FullError(1)\nFullError: 1\n```\n\n"
        )
    };
    let text = parse(&format!("It fails\n\n{}{}", chain(3).repeat(5), chain(5)));
    let lines: Vec<u32> = text.causes.iter().map(|frame| frame.line).collect();
    assert_eq!(lines, [3, 5]);
}
