//! Tests which names and paths are found in a query.

use super::*;

#[test]
fn paths_beside_other_scripts_and_drives_are_found() {
    for (line, wanted) in [
        ("See C:\\proj\\src\\a.py:14 for it", "proj/src/a.py:14"),
        ("错误发生在src/a.py文件中。", "src/a.py:0"),
        ("错误（src/a.py:14）发生", "src/a.py:14"),
        ("The src/a.py's code is broken.", "src/a.py:0"),
        ("src/a.py？ Why?", "src/a.py:0"),
        ("See „src/a.py“.", "src/a.py:0"),
        ("See \"src/a.py\":325 for it", "src/a.py:325"),
        ("See `src/a.py`:325:7 for it", "src/a.py:325"),
        ("See file:///home/a.py:3 for it", "home/a.py:3"),
        ("See `file:///home/a.py:3` for it", "home/a.py:3"),
        ("See docs/a.rst#usage for it", "docs/a.rst:0"),
        (
            "见https://github.com/o/r/blob/main/src/a.py#L3。",
            "src/a.py:3",
        ),
    ] {
        assert_eq!(paths(&parse(&format!("A title\n\n{line}\n"))), [wanted]);
    }
}

#[test]
fn names_behind_their_paths_are_found() {
    for (word, name) in [
        ("src/a.py:open_all", "open_all"),
        ("src/a.py:Session.open", "Session.open"),
        ("b/form.go:setByForm", "setByForm"),
    ] {
        let path = word.split(':').next().unwrap_or_default();
        for (line, kind) in [
            (format!("Maybe {word}, but why?"), MentionKind::Prose),
            (format!("Maybe `{word}`, but why?"), MentionKind::InlineCode),
        ] {
            let text = parse(&format!("A title\n\n{line}\n"));
            assert_eq!(names(&text, kind), [name], "{line}");
            assert_eq!(paths(&text), [format!("{path}:0")], "{line}");
        }
    }
}

#[test]
fn names_between_slashes_and_backslashes_are_found() {
    for (code, wanted) in [
        ("Style/HashSyntax", &["HashSyntax"][..]),
        ("\\Acme\\Runner\\Runner::fix()", &["Acme.Runner.Runner.fix"]),
        (
            "Acme\\Tokenizer\\Tokens::fromCode",
            &["Acme.Tokenizer.Tokens.fromCode"],
        ),
        ("com.acme.JsonReader#peek", &["com.acme.JsonReader.peek"]),
        ("src/http_client/core", &[]),
        ("src/http_client.py", &[]),
        ("src/http_client.properties", &[]),
        (".get_item", &["get_item"]),
    ] {
        let text = parse(&format!("A title\n\nMaybe `{code}` fails.\n"));
        assert_eq!(names(&text, MentionKind::InlineCode), wanted, "{code}");
    }
}

#[test]
fn decorators_are_told_from_people() {
    let text = parse(
        "@JsonAdapter of a field is ignored\n\n@keep_context fails, @app.teardown() too, \
         @Adapter(Foo) as well, says @JakeWharton to @ada. Mail a_b@c.example.\n",
    );
    assert_eq!(names(&text, MentionKind::Title), ["JsonAdapter"]);
    assert_eq!(
        names(&text, MentionKind::Prose),
        ["keep_context", "app.teardown", "Adapter"]
    );
}

#[test]
fn escaped_underscores_are_part_of_names() {
    let text = parse(
        "KeyError: set\\_title fails\n\nOr keep\\_the\\_context in src\\_win\\a.py with MAX\\_SIZE.\n",
    );
    assert_eq!(text.title(), "KeyError: set_title fails");
    let named = names(&text, MentionKind::ErrorMessage);
    assert!(named.contains(&"set_title"), "{named:?}");
    assert_eq!(
        names(&text, MentionKind::Prose),
        ["keep_the_context", "MAX_SIZE"]
    );
    assert_eq!(paths(&text), ["src/_win/a.py:0"]);
    let literals: Vec<&str> = text.literals.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(literals, ["MAX_SIZE"]);
}

#[test]
fn path_that_only_a_link_names_is_marked() {
    let text = parse(
        "A title\n\nSee https://github.com/o/r/blob/main/src/a.py, https://github.com/o/r/blob/main/src/b.py\n\
         and src/b.py, src/c.py.\n",
    );
    let found = text.paths.iter();
    let marks: Vec<(&str, bool)> = found.map(|it| (it.path.as_str(), it.from_url)).collect();
    assert_eq!(
        marks,
        [("src/a.py", true), ("src/b.py", false), ("src/c.py", false)]
    );
}

#[test]
fn target_of_a_link_is_kept_once() {
    let target = format!("https://h.example/{}", "x".repeat(100));
    let title = "t\n".repeat(200);
    let text = parse(&format!("A title\n\n[a]({target} \"{title}\")\n"));
    let bytes: usize = text.segments.iter().map(|it| it.text.len()).sum();
    assert!(bytes < 1_000, "{bytes} bytes");
}

#[test]
fn lines_in_words_belong_to_their_path() {
    let text = parse(
        "It fails\n\nSee line 12 of `lib/a.rb`, `lib/b.rb` on lines 3-4, and lib/c.rb, line 5. \
         Also `lib/d.rb`. Line 9 of lib/e.rb is fine.",
    );
    assert_eq!(
        paths(&text),
        [
            "lib/c.rb:5", "lib/e.rb:9", "lib/a.rb:12", "lib/b.rb:3", "lib/d.rb:0"
        ]
    );
}

#[test]
fn words_with_a_sigil_are_collected_once() {
    let text = parse("The $patch is lost\n\nIt is $patch and again $patch that is lost.\n");
    let words = text.sigil_words.iter();
    let words: Vec<_> = words.map(|word| (word.kind, &*word.name)).collect();
    let wanted = [MentionKind::Title, MentionKind::Prose].map(|kind| (kind, "$patch"));
    assert_eq!(words, wanted);
}

#[test]
fn parts_of_a_path_in_the_title_are_no_names() {
    for title in ["who imports `shop/shelf.py`?", "who imports shop/shelf.py?"] {
        let text = parse(title);
        assert_eq!(paths(&text), ["shop/shelf.py:0"], "{title}");
        assert_eq!(names(&text, MentionKind::Title), [""; 0], "{title}");
    }
    // It may be an attribute.
    let text = parse("`reply.json` is empty");
    assert_eq!(names(&text, MentionKind::Title).len(), 1);
}

#[test]
fn calls_named_like_extensions_are_no_paths() {
    let text = parse("Reply.json() fails\n\nSo does door.lock(), and `page.html()`.\n");
    assert_eq!(paths(&text), [""; 0]);
    assert_eq!(names(&text, MentionKind::Title), ["Reply.json"]);
    assert_eq!(names(&text, MentionKind::Prose), ["door.lock"]);
    assert_eq!(names(&text, MentionKind::InlineCode), ["page.html"]);
    assert_eq!(
        paths(&parse("See reply.json (it is empty).")),
        ["reply.json:0"]
    );
}

#[test]
fn members_named_like_rare_extensions_are_no_paths() {
    let text =
        parse("Reset of player.move fails\n\nSo does door.re, but not src/door.re or door.nix.\n");
    assert_eq!(paths(&text), ["src/door.re:0", "door.nix:0"]);
    assert_eq!(names(&text, MentionKind::Title), ["player.move"]);
    assert_eq!(names(&text, MentionKind::Prose), ["door.re"]);
}
