//! What the walker finds, a short line per fact.

mod conventions;
mod definitions;
mod imports;
mod references;

use crate::testing::{self, java, same};

#[track_caller]
fn defines(source: &str, expected: &str) {
    same(&testing::definitions(java(), source), expected, source);
}

/// Definitions in a class `A`, without the class.
#[track_caller]
fn members(source: &str, expected: &str) {
    let found = testing::definitions(java(), &format!("class A {{\n{source}\n}}"));
    same(found.get(1..).unwrap_or_default(), expected, source);
}

#[track_caller]
fn refers(source: &str, expected: &str) {
    same(&testing::references(java(), source), expected, source);
}

/// References in a method `A.f`.
#[track_caller]
fn uses(source: &str, expected: &str) {
    let found = testing::references(java(), &format!("class A {{ void f() {{\n{source}\n}} }}"));
    same(&found, expected, source);
}

#[track_caller]
fn takes(source: &str, expected: &str) {
    same(&testing::imports(java(), source), expected, source);
}

#[track_caller]
fn says(source: &str, expected: &str) {
    same(&testing::messages(java(), source), expected, source);
}
