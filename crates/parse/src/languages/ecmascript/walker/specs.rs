//! Adds tests that are blocks: `describe('Client', () => { … })`, `it('connects', async () => { … })`. Each is a
//! function that is named by its title, so that it can be shown whole and the references in it link it to the
//! tested code. Facts do not depend on the path of their file, so the form of the call decides: a function of a
//! test runner, a text, and a function that is written in place.

use foveate_model::{DefinitionKind, Span, Visibility};
use tree_sitter::Node;

use super::definitions::inside_function;
use super::{Kind, Walker};
use crate::collect::{Draft, span};

/// Names of the functions of test runners that add tests and groups of tests.
pub(crate) const TEST_BLOCKS: &[&str] = &[
    "it", "test", "specify", "describe", "context", "suite", "module", "xit", "xtest", "xspecify",
    "xdescribe", "xcontext", "fit", "fdescribe", "fcontext",
];
/// Objects whose `test` adds a test.
const RUNNERS: &[&str] = &["Deno", "QUnit", "t", "tap"];
/// Members of these functions that add tests, too.
const MODIFIERS: &[&str] = &[
    "only", "skip", "each", "for", "concurrent", "sequential", "serial", "parallel", "failing",
    "fails", "fixme", "slow", "skipIf", "runIf", "ignore",
];
/// Longest name of a block, in bytes.
const MAX_TITLE: usize = 120;

impl<'t> Walker<'t> {
    /// Adds the test or group of tests that a call is.
    pub(super) fn test_block(&mut self, call: Node<'_>, depth: u32) {
        let Some(runner) = self.test_runner(call) else {
            return;
        };
        let Some(((name, place), function)) = self.title_and_function(call) else {
            return;
        };
        let mut draft = Draft::new(name, DefinitionKind::Function, span(call), place);
        self.fill_function(&mut draft, function);
        draft.visibility = Some(Visibility::Public);
        draft.decorators = vec![runner.into()];
        draft.modifiers.is_block = true;
        let id = self.collector.define(draft);
        self.collector.within(depth, inside_function(id, None));
    }

    /// Returns the function that adds a test, without its modifiers: `it` for `it.only(…)` and `it.each(…)(…)`.
    fn test_runner(&self, call: Node<'_>) -> Option<&'t str> {
        let function = self.grammar.fields.function;
        let mut callee = call.child_by_field_id(function)?;
        if self.kind(callee) == Kind::Call {
            callee = callee.child_by_field_id(function)?;
        }
        if !matches!(self.kind(callee), Kind::Identifier | Kind::Member) {
            return None;
        }
        let mut names = self.collector.of(callee).split('.');
        let mut runner = names.next()?;
        if RUNNERS.contains(&runner) {
            runner = names.next()?;
        }
        if !TEST_BLOCKS.contains(&runner) {
            return None;
        }
        for name in names {
            if TEST_BLOCKS.contains(&name) {
                // As in `test.describe(…)`.
                runner = name;
            } else if !MODIFIERS.contains(&name) {
                return None;
            }
        }
        Some(runner)
    }

    /// Returns the title in the arguments of a call, its place, and the function after it.
    fn title_and_function<'n>(&self, call: Node<'n>) -> Option<((&'t str, Span), Node<'n>)> {
        let list = call.child_by_field_id(self.grammar.fields.arguments)?;
        let mut cursor = list.walk();
        let mut arguments = list
            .named_children(&mut cursor)
            .filter(|argument| self.kind(*argument) != Kind::Comment);
        let title = self.title(arguments.next()?)?;
        // Options may precede the function, a time limit may follow it.
        let function = arguments
            .take(2)
            .find_map(|argument| self.function_of_test(argument))?;
        Some((title, function))
    }

    /// Returns the first line of a text that is not blank, bounded in length, and its place.
    fn title(&self, literal: Node<'_>) -> Option<(&'t str, Span)> {
        if self.kind(literal) != Kind::Text {
            return None;
        }
        let inside = self.collector.inside_quotes(literal);
        let line = inside.of(self.collector.text).lines().next()?;
        let title = line.get(..line.floor_char_boundary(MAX_TITLE))?;
        let start = inside.start as usize;
        (!title.trim().is_empty()).then(|| (title, Span::new(start, start + title.len())))
    }

    /// Returns the function that an argument is, also as the last argument of a call such as `fakeAsync(…)`.
    fn function_of_test<'n>(&self, argument: Node<'n>) -> Option<Node<'n>> {
        let is_function =
            |node: &Node<'_>| matches!(self.kind(*node), Kind::Function | Kind::Arrow);
        if self.kind(argument) != Kind::Call {
            return Some(argument).filter(is_function);
        }
        let list = argument.child_by_field_id(self.grammar.fields.arguments)?;
        let mut cursor = list.walk();
        list.named_children(&mut cursor).last().filter(is_function)
    }
}
