//! Collects tests that are blocks: `describe('Client', () => { … })`, `it('connects', async () => { … })`, and the
//! hooks around them: `beforeEach(() => { … })`. Each is a function that is named by its title or its hook, so that it
//! can be shown whole and the references in it link it to the tested code. Facts do not depend on the path of their
//! file, so the form of the call decides: a function of a test runner, a title, and a function that is written in
//! place.

use foveate_model::{DefinitionKind, LocalId, Span, Visibility};
use tree_sitter::Node;

use super::definitions::inside_function;
use super::{Kind, Walker};
use crate::collect::{Draft, span};

/// Names of the functions of test runners that add tests and groups of tests.
pub(crate) const TEST_BLOCKS: &[&str] = &[
    "it", "test", "specify", "describe", "context", "suite", "module", "xit", "xtest", "xspecify",
    "xdescribe", "xcontext", "fit", "fdescribe", "fcontext",
];
/// Names of the functions of test runners that run a function before or after tests. They are no tests.
pub(crate) const HOOKS: &[&str] = &[
    "before", "after", "beforeEach", "afterEach", "beforeAll", "afterAll", "setup", "teardown",
    "suiteSetup", "suiteTeardown",
];
/// Objects whose `test` adds a test.
const RUNNERS: &[&str] = &["Deno", "QUnit", "t", "tap"];
/// Members of these functions that add tests, too.
const MODIFIERS: &[&str] = &[
    "only", "skip", "each", "for", "concurrent", "sequential", "serial", "parallel", "failing",
    "fails", "fixme", "slow", "skipIf", "runIf", "ignore",
];
/// Names by which tests are known where others are made from them, as in `base.extend(…)`.
const EXTENDED: &[&str] = &["test", "base", "it"];
/// Maximum number of variables that are followed from one test to the one that it extends.
const MAX_STEPS: usize = 4;
/// Longest name of a block, in bytes.
const MAX_TITLE: usize = 120;

impl<'t> Walker<'t> {
    /// Adds the test, group of tests or hook that a call is.
    pub(super) fn test_block(&mut self, call: Node<'_>, depth: u32) {
        if let Some(runner) = self.test_runner(call) {
            if let Some((title, function)) = self.title_and_function(call, runner) {
                let id = self.define_block(call, title, runner, function);
                self.collector.within(depth, inside_function(id, None));
            }
            return;
        }
        let Some((hook, place)) = self.hook(call) else {
            return;
        };
        let Some((title, function)) = self.function_of_hook(call) else {
            return;
        };
        let id = self.define_block(call, (hook, place), hook, function);
        if let Some(definition) = self.collector.facts.definitions.get_mut(id.0 as usize)
            && let Some((title, _)) = title
        {
            definition.name = format!("{hook} {title}").into();
            definition.qualified_name = format!("{} {title}", definition.qualified_name).into();
        }
        self.collector.within(depth, inside_function(id, None));
    }

    fn define_block(
        &mut self,
        call: Node<'_>,
        (name, place): (&'t str, Span),
        runner: &'t str,
        function: Node<'_>,
    ) -> LocalId {
        let mut draft = Draft::new(name, DefinitionKind::Function, span(call), place);
        self.fill_function(&mut draft, function);
        draft.visibility = Some(Visibility::Public);
        draft.decorators = vec![runner.into()];
        draft.modifiers.is_block = true;
        self.collector.define(draft)
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
            runner = match names.next()? {
                // `t.only(…)` is `t.test.only(…)`.
                "only" | "skip" => "test",
                name => name,
            };
        }
        if !TEST_BLOCKS.contains(&runner) {
            if !self.extends_test(runner) {
                return None;
            }
            runner = "test";
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

    /// Whether a variable of the file holds a `test` with fixtures: `const shopTest = base.extend({ … })`.
    fn extends_test(&self, mut name: &'t str) -> bool {
        for _ in 0..MAX_STEPS {
            let id = self.top_level.get(name);
            let definition = id.and_then(|id| self.collector.definition(*id));
            let value = definition.and_then(|definition| definition.body);
            let value = value.map_or("", |body| body.of(self.collector.text));
            let Some((of, rest)) = value.split_once(".extend") else {
                return false;
            };
            if !rest.starts_with(['(', '<']) {
                return false;
            }
            if EXTENDED.contains(&of) {
                return true;
            }
            name = of;
        }
        false
    }

    /// Returns the hook that a call adds, and its place. Some of the names are common, so the call must be a
    /// statement of the file or of a block.
    fn hook(&self, call: Node<'_>) -> Option<(&'t str, Span)> {
        let callee = call.child_by_field_id(self.grammar.fields.function)?;
        if !matches!(self.kind(callee), Kind::Identifier | Kind::Member) {
            return None;
        }
        let written = self.collector.of(callee);
        let (object, name) = written.rsplit_once('.').unwrap_or(("", written));
        if !HOOKS.contains(&name) || !is_statement(call) {
            return None;
        }
        let is_of_runner = object.is_empty()
            || object == "hooks"
            || RUNNERS.contains(&object)
            || TEST_BLOCKS.contains(&object)
            || self.extends_test(object);
        let outer = self.collector.context.parent;
        let outer = outer.and_then(|outer| self.collector.definition(outer));
        let end = callee.end_byte();
        let is_in_block = outer.is_none_or(|outer| outer.modifiers.is_block);
        (is_of_runner && is_in_block).then(|| (name, Span::new(end - name.len(), end)))
    }

    /// Returns the function of a hook, and the title before it.
    fn function_of_hook<'n>(&self, call: Node<'n>) -> Option<(Option<(&'t str, Span)>, Node<'n>)> {
        let first = self.argument(call, 0)?;
        match self.title(first) {
            Some(title) => {
                let function = self.function_of_test(self.argument(call, 1)?)?;
                Some((Some(title), function))
            }
            None => Some((None, self.function_of_test(first)?)),
        }
    }

    /// Returns an argument of a call, without comments.
    pub(super) fn argument<'n>(&self, call: Node<'n>, position: usize) -> Option<Node<'n>> {
        let list = call.child_by_field_id(self.grammar.fields.arguments)?;
        let mut cursor = list.walk();
        list.named_children(&mut cursor)
            .filter(|argument| self.kind(*argument) != Kind::Comment)
            .nth(position)
    }

    /// Returns the title in the arguments of a call, its place, and the function after it.
    fn title_and_function<'n>(
        &self,
        call: Node<'n>,
        runner: &str,
    ) -> Option<((&'t str, Span), Node<'n>)> {
        let first = self.argument(call, 0)?;
        let title = match self.title(first) {
            Some(title) => title,
            // Functions called `module` that take a value and a function are often those of loaders.
            None if runner != "module" && is_statement(call) => self.computed_title(first)?,
            None => return None,
        };
        // Options may precede the function, a time limit may follow it.
        let function = [1, 2]
            .into_iter()
            .filter_map(|position| self.argument(call, position))
            .find_map(|argument| self.function_of_test(argument))?;
        Some((title, function))
    }

    /// Returns the first line of a text that is not blank, bounded in length, and its place.
    fn title(&self, literal: Node<'_>) -> Option<(&'t str, Span)> {
        if self.kind(literal) != Kind::Text {
            return None;
        }
        self.first_line(self.collector.inside_quotes(literal))
    }

    /// Returns the source text of a title that is no literal, `'adds ' + name` or `Client.name`, and the name in
    /// options: `{ name: 'adds' }`.
    fn computed_title(&self, argument: Node<'_>) -> Option<(&'t str, Span)> {
        match self.kind(argument) {
            Kind::Identifier | Kind::Member | Kind::Binary | Kind::Call | Kind::Wrapper => {
                self.first_line(span(argument))
            }
            Kind::Object => {
                let mut cursor = argument.walk();
                let name = argument.named_children(&mut cursor).find(|pair| {
                    let key = pair.child_by_field_id(self.grammar.fields.key);
                    key.is_some_and(|key| matches!(self.collector.of(key), "name" | "title"))
                })?;
                self.title(name.child_by_field_id(self.grammar.fields.value)?)
            }
            _ => None,
        }
    }

    /// Returns the first line of a stretch, bounded in length, and its place.
    fn first_line(&self, whole: Span) -> Option<(&'t str, Span)> {
        let line = whole.of(self.collector.text).lines().next()?;
        let title = line.get(..line.floor_char_boundary(MAX_TITLE))?;
        let start = whole.start as usize;
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

/// Whether a call is a statement of its own, whose value nothing uses.
fn is_statement(call: Node<'_>) -> bool {
    let mut outer = call.parent();
    if let Some(waited) = outer.filter(|outer| outer.kind() == "await_expression") {
        outer = waited.parent();
    }
    outer.is_some_and(|outer| outer.kind() == "expression_statement")
}
