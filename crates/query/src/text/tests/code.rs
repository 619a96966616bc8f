//! Tests which parts of a query are code, in fences and without.

use foveate_model::Language;
use foveate_parse::languages::by_name as language;

use super::*;

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
fn code_and_prose_are_not_swapped_by_unusual_fences() {
    for code in ["```$ run\nok()\n```", "```[log]\nok()\n```"] {
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
fn files_in_output_are_no_names() {
    let text = parse(
        "A title\n\n```\n$ python main.py --x src/app_main.py\nwould reformat src/shop/cart_total.py\n\
         reading './src/cart.test.ts'\nrequest.json of Cart.total\nmain.py:3: note\n```\n",
    );
    let named = names(&text, MentionKind::CodeBlock);
    assert_eq!(named, ["request.json", "Cart.total"]);
    let text = parse("A title\n\n```python\nfrom shop import cart\nrun(src/cart.py)\n```\n");
    assert!(names(&text, MentionKind::CodeBlock).contains(&"cart.py"));
}
