//! Tests the facts that the walker collects, one short line per fact.

mod conventions;
mod definitions;
mod imports;
mod references;

use crate::testing::{self, kotlin, same};

#[track_caller]
fn defines(source: &str, expected: &str) {
    let found = testing::definitions(kotlin(), &format!("{source}\n"));
    same(&found, expected, source);
}

#[track_caller]
fn refers(source: &str, expected: &str) {
    let found = testing::references(kotlin(), &format!("{source}\n"));
    same(&found, expected, source);
}

/// Checks the references in a method `A.f`.
#[track_caller]
fn uses(source: &str, expected: &str) {
    let found = testing::references(
        kotlin(),
        &format!("class A {{\nfun f() {{\n{source}\n}}\n}}\n"),
    );
    same(&found, expected, source);
}

#[track_caller]
fn check_imports(source: &str, expected: &str) {
    let found = testing::imports(kotlin(), &format!("{source}\n"));
    same(&found, expected, source);
}

#[track_caller]
fn check_messages(source: &str, expected: &str) {
    let found = testing::messages(kotlin(), &format!("{source}\n"));
    same(&found, expected, source);
}
