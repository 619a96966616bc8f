//! Tests which answers of issue forms and details about the machine are dropped from a query.

use super::*;

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
fn continued_boxes_of_templates_are_dropped() {
    let with_below = |below: &str| {
        let text = parse(&format!(
            "A title\n\n- [ ] I have searched the issues and\n{below}\n\nThe body.\n"
        ));
        texts(&text, SegmentKind::Prose).join("\n")
    };
    let gone = with_below("  found no set_alpha there,\n  nor elsewhere");
    assert_eq!(gone, "The body.");
    for kept in [
        "set_alpha fails", "\n  set_alpha fails", "  - set_alpha fails",
        "- [ ] Repair\n  set_alpha",
    ] {
        assert!(with_below(kept).contains("set_alpha"), "{kept}");
    }
}

#[test]
fn footers_of_mails_are_dropped() {
    let prose_of = |lines: &str| {
        let text = parse(&format!("A title\n\nset_alpha fails.\n\n{lines}\n"));
        texts(&text, SegmentKind::Prose).join("\n")
    };
    for footer in [
        "Sent from my iPhone",
        "Sent from my Samsung Galaxy smartphone.",
        "You are receiving this because you commented.",
        "> You are receiving this because you commented.",
        "Reply to this email directly, view it on GitHub",
        "unsubscribe <https://a.example/unsubscribe/1>.",
        "-- \nYou received this message because you are subscribed to the group.",
    ] {
        assert_eq!(prose_of(footer), "set_alpha fails.", "{footer}");
    }
    for kept in [
        "Sent from my handler to the phone, the mail is lost.",
        "Reply to this email directly does not work.",
        "unsubscribe is called twice, see <https://a.example/a>",
        "--\nThe mailing list parser fails.",
    ] {
        let last = kept.lines().last().unwrap_or_default();
        let last = last.split('<').next().unwrap_or_default().trim();
        assert!(prose_of(kept).contains(last), "{kept}");
    }
}

#[test]
fn lone_links_to_reproductions_are_left_out() {
    let text = parse(
        "Comments move\n\n[Playground link](https://acme.example/playground/#abc)\n\n\
         In [the demo](https://acme.example/demo) they vanish.\n\n\
         [Link](https://github.com/acme/shop/issues/12)\n",
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("vanish"), "{prose}");
    assert!(!prose.to_lowercase().contains("playground"), "{prose}");
    assert_eq!(text.citations.len(), 1, "{:?}", text.citations);
}

#[test]
fn title_of_a_merge_gives_way_to_what_is_merged() {
    for merge in [
        "Merge pull request #12 from ada/fix-pool",
        "Backport pull request #12 from acme/release-1.2",
        "Merge branch 'main' into fix",
    ] {
        let text = parse(&format!("{merge}\n\nPool never wakes up\n\nMerged-by: Ada"));
        assert_eq!(text.title(), "Pool never wakes up", "{merge}");
        assert_eq!(parse(merge).title(), merge);
    }
}
