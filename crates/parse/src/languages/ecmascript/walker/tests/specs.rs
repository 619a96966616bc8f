//! Tests the definitions that the blocks of test runners make.

use super::*;

#[test]
fn test_blocks_are_functions() {
    let source = "describe('Client', () => {
  let client;
  const make = () => new Client();
  beforeEach(() => { client = make(); });
  it('connects', async () => { await client.open(); });
  it.only(\"closes\", function () { client.close(); });
  test.each([[1, 2]])(`adds %i`, (a, b) => { add(a, b); });
  it('waits', fakeAsync(() => { tick(); }), 100);
  it('is planned');
});
test.describe('Page', () => {});
Deno.test('denies', { only: true }, () => {});
";
    definitions(
        javascript(),
        source,
        "function Client block: describe('Client', () =>
         function Client.make: const make = () =>
         function Client.beforeEach block: beforeEach(() =>
         function Client.connects async block: it('connects', async () =>
         function Client.closes block: it.only(\"closes\", function ()
         function Client.adds %i block: test.each([[1, 2]])(`adds %i`, (a, b) =>
         function Client.waits block: it('waits', fakeAsync(() =>
         function Page block: test.describe('Page', () =>
         function denies block: Deno.test('denies', { only: true }, () =>",
    );
    same(
        &testing::tests(javascript(), source),
        "Client
         Client.connects
         Client.closes
         Client.adds %i
         Client.waits
         Page
         denies",
        source,
    );
    references(
        javascript(),
        source,
        "call describe in client
         call client in client.make
         call beforeeach in client.beforeeach
         call make in client.beforeeach
         call it in client.connects
         call client.open in client.connects
         call it.only in client.closes
         call client.close in client.closes
         call test.each in client.adds %i
         call add in client.adds %i
         call it in client.waits
         call fakeasync in client.waits
         call tick in client.waits
         call it in client
         call test.describe in page
         call deno.test in denies",
    );
    for other in [
        "schema.test('a', 'b', function () {});",
        "check(test(name, () => {}));",
        "module(name, () => {});",
        "it(() => {});",
        "it('a', works);",
        "/a/.test('b');",
        "it.extend('a', () => {});",
        "angular.module('a', function () {});",
    ] {
        definitions(javascript(), other, "");
    }
}

#[test]
fn hooks_of_tests_are_blocks_but_no_tests() {
    let source = "describe('Client', () => {
  before('opens a pool', async () => { await open(); });
  test.afterAll(() => {});
  list.forEach(() => { setup(() => {}); });
  it('waits', () => {
    after(() => {});
  });
});
setup(() => {});
function own() { setup(() => {}); }
use(after(() => {}));
animation.before(() => {});
";
    definitions(
        javascript(),
        source,
        "function Client block: describe('Client', () =>
         function Client.before opens a pool async block: before('opens a pool', async () =>
         function Client.afterAll block: test.afterAll(() =>
         function Client.setup block: setup(() =>
         function Client.waits block: it('waits', () =>
         function Client.waits.after block: after(() =>
         function setup block: setup(() =>
         function own: function own()",
    );
    same(
        &testing::tests(javascript(), source),
        "Client
         Client.waits",
        source,
    );
}

#[test]
fn computed_titles_name_tests() {
    let source = "const shopTest = base.extend({ page });
export const cartTest = shopTest.extend<Cart>({});
describe(Client.name, async () => {
  it('adds ' + name, () => {});
  it(level, () => {});
  test({ timeout: 3, name: 'waits' }, async () => {});
  await t.test(make(), () => {});
});
t.only('is alone', () => {});
shopTest('sells', async ({ page }) => {});
cartTest.only('adds', () => {});
";
    same(
        &testing::tests(typescript(), source),
        "Client.name
         Client.name.'adds ' + name
         Client.name.level
         Client.name.waits
         Client.name.make()
         is alone
         sells
         adds",
        source,
    );
}

#[test]
fn titles_that_begin_with_a_dot_are_joined_without_another() {
    same(
        &testing::tests(
            javascript(),
            "describe('res', () => { describe('.redirect(url)', () => { it('works', () => {}); }); });",
        ),
        "res
         res.redirect(url)
         res.redirect(url).works",
        "",
    );
}

#[test]
fn test_blocks_get_own_chunks() {
    let source = "import { open } from './open';

describe('open', () => {
  let client;

  it('connects', () => {
    client = open();
    client.connect();
  });

  it('closes', () => {
    client.close();
    open();
  });
});
";
    same(
        &testing::chunks(javascript(), source),
        "1-2 Module
         3-5 Function open
         6-10 Function open.connects
         11-15 Function open.closes",
        source,
    );
}

#[test]
fn long_titles_are_cut() {
    let title = "long ".repeat(50);
    let source = format!("it(`{title}`, () => {{}});\nit(`first\n second`, () => {{}});\n");
    let facts = facts(javascript(), &source);
    let names: Vec<&str> = facts.definitions.iter().map(|d| &*d.name).collect();
    assert_eq!(names, [&title[..120], "first"]);
}
