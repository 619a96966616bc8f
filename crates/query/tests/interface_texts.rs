//! Tests that a text of the user interface leads, through the translations, to the code that shows it.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;

/// Three screens; only one may have the key of the text. The words of the text are in none. Returns the first of them.
fn first_screen(translations: &str, code: &str) -> String {
    let text = format!(
        "
        {translations}

        //- src/first.java
        class First {{
            void bind() {{
                show(other.unrelated);
            }}
        }}

        //- src/second.java
        class Second {{
            void bind() {{
                show({code});
            }}
        }}

        //- src/third.java
        class Third {{
            void bind() {{
                show(other.unknown);
            }}
        }}
    "
    );
    let answer = ask::ask(&of_text(&text), "\"Mark all read\" is offered twice");
    let mut paths = answer.files.iter().map(|file| file.path.to_string());
    paths
        .find(|path| path.starts_with("src/"))
        .unwrap_or_default()
}

#[test]
fn text_leads_to_the_code_with_its_key() {
    for (translations, code) in [
        (
            "//- res/values/strings.xml
        <resources>
            <string name=\"mark_read_label\">Mark all read</string>
        </resources>",
            "R.string.mark_read_label",
        ),
        (
            "//- locales/en.json
        {
          \"inbox\": {
            \"seen\": \"Mark all read\"
          }
        }",
            "t(\"inbox.seen\")",
        ),
        (
            "//- config/locales/en.yml
        en:
          inbox:
            mark_seen: Mark all read",
            "t(\"inbox.mark_seen\")",
        ),
        (
            "//- conf/locale/locale_en.ini
        [inbox]
        mark_seen = Mark all read",
            "tr(\"mark_seen\")",
        ),
    ] {
        assert_eq!(
            first_screen(translations, code),
            "src/second.java",
            "{code}"
        );
    }
}

#[test]
fn text_leads_to_no_code_with_another_key() {
    let translations = "//- locales/en.json
        {
          \"inbox\": {
            \"seen\": \"Mark all read\"
          }
        }";
    assert_ne!(
        first_screen(translations, "t(\"outbox.seen\")"),
        "src/second.java"
    );
}
