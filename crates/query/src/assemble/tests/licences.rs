//! Tests that licence notices at the start of files are left out.

use super::*;
use crate::request::{Change, Hunk};

const NOTICE: &str = "# Copyright 2020 The Pool Authors\n# Licensed under the Apache License\n\n";
const REST: &str = "# How pages are read.\nimport os\n\nPAGE_LIMIT = 10\n\n\ndef load(page):\n    return os.read(page)\n";

fn context(head: &str, query: &str) -> String {
    let snapshot = snapshot([("pages.py".to_owned(), format!("{head}{REST}"))]);
    let request = request(query, 2000, IntentKind::BugFix);
    let pack = ask(&snapshot, &request).pack;
    check_invariants(&snapshot, &request, &pack);
    assert!(pack.context.contains("PAGE_LIMIT = 10"), "{}", pack.context);
    pack.context
}

#[test]
fn licence_notice_is_left_out_unless_it_is_asked_for() {
    let shown = context(NOTICE, "PAGE_LIMIT is too low");
    assert!(!shown.contains("Apache"), "{shown}");
    assert!(shown.contains("lines=\"4-11\""), "{shown}");
    assert!(shown.contains("# How pages are read."), "{shown}");
    let shown = context(NOTICE, "PAGE_LIMIT is below a wrong copyright");
    assert!(shown.contains("Apache"), "{shown}");
}

#[test]
fn other_comments_at_the_start_of_a_file_are_shown() {
    let head = "# Pools of pages.\n\n# Copyright of nobody\n\n";
    let shown = context(head, "PAGE_LIMIT is too low");
    assert!(shown.contains("# Pools of pages."), "{shown}");
    assert!(shown.contains("# Copyright of nobody"), "{shown}");
}

#[test]
fn licence_notice_is_left_out_of_a_change_unless_it_changed() {
    let snapshot = snapshot([("pages.py".to_owned(), format!("{NOTICE}{REST}"))]);
    for (line, query, is_shown) in [
        (7, "", false),
        (1, "", true),
        (7, "is the licence right?", true),
    ] {
        let mut request = request(query, 2000, IntentKind::BugFix);
        request.changes = vec![Change {
            path: RepoPath::new("pages.py").unwrap(),
            hunks: vec![Hunk::Lines(Lines::new(line, line))],
        }];
        let pack = ask(&snapshot, &request).pack;
        check_invariants(&snapshot, &request, &pack);
        let context = pack.context;
        assert!(context.contains("PAGE_LIMIT = 10"), "{context}");
        assert_eq!(context.contains("Apache"), is_shown, "{context}");
    }
}
