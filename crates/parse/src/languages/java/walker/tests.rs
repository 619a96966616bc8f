//! Tests the facts that the Java walker finds, one short line per fact.

mod conventions;
mod definitions;
mod imports;
mod references;

use crate::testing::{self, java, same};

#[track_caller]
fn defines(source: &str, expected: &str) {
    same(&testing::definitions(java(), source), expected, source);
}

/// Checks the definitions in a class `A`, without the class.
#[track_caller]
fn members(source: &str, expected: &str) {
    let found = testing::definitions(java(), &format!("class A {{\n{source}\n}}"));
    same(found.get(1..).unwrap_or_default(), expected, source);
}

#[track_caller]
fn refers(source: &str, expected: &str) {
    same(&testing::references(java(), source), expected, source);
}

/// Checks the references in a method `A.f`.
#[track_caller]
fn uses(source: &str, expected: &str) {
    let found = testing::references(java(), &format!("class A {{ void f() {{\n{source}\n}} }}"));
    same(&found, expected, source);
}

#[track_caller]
fn check_imports(source: &str, expected: &str) {
    same(&testing::imports(java(), source), expected, source);
}

#[track_caller]
fn check_messages(source: &str, expected: &str) {
    same(&testing::messages(java(), source), expected, source);
}
