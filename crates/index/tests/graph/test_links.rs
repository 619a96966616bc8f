//! Tests the links between tests and what they test.

use super::*;

#[test]
fn python_tests_are_linked() {
    let repository = "
        //- shop/__init__.py
        from .client import Client
        //- shop/client.py
        class Client:
            def connect(self): pass
            def close_now(self): pass
        def parse_url(text): pass
        def unrelated(): pass
        //- tests/test_client.py
        from shop import Client
        class TestClient:
            def test_connect_twice(self):
                client = Client()
                client.connect()
            def test_other(self):
                Client().close_now()
        def test_parse_url():
            pass
        //- tests/test_other.py
        import shop.client
        def helper():
            shop.client.unrelated()
        def test_it():
            shop.client.Client()
        def test_parse_url():
            pass
        def test_unknown():
            connect()
        ";
    check_tests(
        repository,
        "shop/client.py:Client",
        &[
            "tests/test_client.py:TestClient.test_connect_twice Reference",
            "tests/test_client.py:TestClient.test_other Reference",
            "tests/test_other.py:test_it Reference",
            "tests/test_client.py:TestClient Name",
        ],
    );
    check_tests(
        repository,
        "shop/client.py:Client.connect",
        &["tests/test_client.py:TestClient.test_connect_twice Reference"],
    );
    check_tests(
        repository,
        "shop/client.py:parse_url",
        &[
            "tests/test_client.py:test_parse_url Name",
            "tests/test_other.py:test_parse_url Name",
        ],
    );
    check_tests(repository, "shop/client.py:unrelated", &[]);
    check_test_files(
        repository,
        "shop/client.py",
        &[
            "tests/test_client.py Reference",
            "tests/test_other.py Reference",
        ],
    );
}

#[test]
fn private_functions_are_tested_through_their_callers() {
    let repository = "
        //- shop/__init__.py
        //- shop/parse.py
        def parse(text):
            return _scan(text)
        def _scan(text):
            return _next(text)
        def _next(text):
            return _far(text)
        def _far(text):
            pass
        //- tests/test_parse.py
        from shop.parse import parse
        def test_parse():
            parse('')
        class TestServer:
            def start(self):
                parse('')
        ";
    check_tests(
        repository,
        "shop/parse.py:parse",
        &["tests/test_parse.py:test_parse Reference"],
    );
    for private in ["shop/parse.py:_scan", "shop/parse.py:_next"] {
        check_tests(
            repository,
            private,
            &["tests/test_parse.py:test_parse Indirect"],
        );
    }
    check_tests(repository, "shop/parse.py:_far", &[]);
}

#[test]
fn test_files_are_linked_by_path_and_import() {
    let repository = "
        //- src/view/panel.tsx
        export const Panel = () => null;
        //- src/view/__tests__/panel.test.tsx
        describe('panel', () => {});
        //- src/model/panel.ts
        export const model = 1;
        //- src/model/panel.spec.ts
        describe('panel', () => {});
        //- src/other.spec.ts
        import './model/panel';
        //- src/index.ts
        export const all = 1;
        ";
    check_test_files(
        repository,
        "src/view/panel.tsx",
        &["src/view/__tests__/panel.test.tsx Path"],
    );
    check_test_files(
        repository,
        "src/model/panel.ts",
        &["src/other.spec.ts Import", "src/model/panel.spec.ts Path"],
    );
    check_test_files(repository, "src/index.ts", &[]);
}

const TESTED: &str = "
    //- pool.crate
    class Pool
    out Pool.acquire
    fun split
    fun make_pool
    module tests
      fun prepared
        call make_pool
      @test fun splits
        call split
        call prepared
        call crate::other::far
      @tokio::test fun acquires
        param pool: Pool
        call pool.acquire
    //- other.crate
    fun far
    fun unrelated
    //- tests/all.crate
    use crate::other: unrelated
    @test fun everything
      call unrelated
    fun test_by_name
      call unrelated
    ";

/// Each of very many sources of one name has its test beside it; the others are not compared with that test.
#[test]
fn tests_mirror_one_of_many_sources_of_a_name() {
    let mut text = String::new();
    for page in 0..600 {
        text += &format!("//- app/p{page}/page.ts\nexport function page{page}() {{}}\n");
        text += &format!("//- app/p{page}/page.test.ts\ntest('is shown', () => {{}});\n");
    }
    let world = world(&text);
    for page in [0, 300, 599] {
        let file = |name: &str| world.files.find(&format!("app/p{page}/{name}")).unwrap();
        let tests = world.graph.test_files_of(file("page.ts"));
        let tests: Vec<_> = tests.iter().map(|(test, _)| *test).collect();
        assert_eq!(tests, [file("page.test.ts")], "{page}");
    }
}

#[test]
fn decorated_tests_in_source_files_are_linked() {
    check_tests(
        TESTED,
        "pool.crate:split",
        &["pool.crate:tests.splits Reference"],
    );
    check_tests(
        TESTED,
        "pool.crate:Pool.acquire",
        &["pool.crate:tests.acquires Reference"],
    );
    check_tests(
        TESTED,
        "other.crate:far",
        &["pool.crate:tests.splits Reference"],
    );
    // Helpers of tests are not themselves tested.
    check_tests(TESTED, "pool.crate:tests.prepared", &[]);
    check_test_files(
        TESTED,
        "other.crate",
        &["tests/all.crate Reference", "pool.crate Reference"],
    );
    check_test_files(TESTED, "pool.crate", &[]);
}

#[test]
fn decorated_tests_in_test_files_are_linked() {
    check_tests(
        TESTED,
        "other.crate:unrelated",
        &[
            "tests/all.crate:everything Reference",
            "tests/all.crate:test_by_name Reference",
        ],
    );
}

#[test]
fn names_of_test_blocks_do_not_hide_what_they_test() {
    check_uses(
        "
        //- app/models/ticket.rb
        class Ticket
          def self.build_one
            new
          end
        end
        //- spec/models/ticket_spec.rb
        RSpec.describe Ticket do
          it 'builds' do
            Ticket.build_one
          end
        end
        ",
        "app/models/ticket.rb:Ticket",
        &[
            "spec/models/ticket_spec.rb:1 certain",
            "spec/models/ticket_spec.rb:3 certain",
        ],
    );
    const WORDS: &str = "
        //- words.h
        int split_words(const char* text);
        //- words.cc
        #include \"words.h\"
        int split_words(const char* text) { return 1; }
        //- words_test.cc
        #include \"words.h\"
        class WordsFixture { protected: void fill(int n); };
        TEST(WordsTest, split_words) { split_words(\"a b\"); }
        TEST_F(WordsFixture, fills) { fill(1); }
        ";
    check_uses(WORDS, "words.cc:split_words", &["words_test.cc:3 certain"]);
    // The test is a member of its fixture.
    check_uses(
        WORDS,
        "words_test.cc:WordsFixture.fill",
        &["words_test.cc:4 certain"],
    );
    const CARTS: &str = "
        //- cart.h
        class Cart { public: void add(int n); };
        //- cart_test.cc
        #include \"cart.h\"
        TEST_CASE(\"carts\") {
          Cart cart;
          SECTION(\"add\") { cart.add(1); }
        }
        ";
    // A section sees the variables of its test.
    check_uses(CARTS, "cart.h:Cart.add", &["cart_test.cc:4 likely"]);
}

#[test]
fn test_blocks_of_scripts_are_linked() {
    const STORE: &str = "
        //- src/store.js
        export class Store { save() {} }
        export function open() { return new Store(); }
        export function shut() {}
        //- src/store.test.js
        import { Store, open, shut } from './store';
        let shared;
        describe('Store', () => {
            let store;
            function filled() { return open(); }
            beforeEach(() => {
                store = new Store();
                shared = open();
            });
            it('saves', () => {
                store.save();
            });
            it.each([1, 2])('is filled with %i', async () => {
                await filled();
            });
        });
        test('is opened twice', () => {
            const store = open();
            [open(), store].map(shut);
        });
        ";
    check_tests(
        STORE,
        "src/store.js:Store.save",
        &["src/store.test.js:Store.saves Reference"],
    );
    check_tests(
        STORE,
        "src/store.js:shut",
        &["src/store.test.js:is opened twice Reference"],
    );
    // What the group does by itself belongs to the group.
    check_tests(
        STORE,
        "src/store.js:Store",
        &["src/store.test.js:Store Reference"],
    );
    check_tests(
        STORE,
        "src/store.js:open",
        &[
            "src/store.test.js:Store Reference",
            "src/store.test.js:is opened twice Reference",
        ],
    );
    // Functions of a group are visible in its tests.
    check_uses(
        STORE,
        "src/store.test.js:Store.filled",
        &["src/store.test.js:14 certain"],
    );
    check_test_files(STORE, "src/store.js", &["src/store.test.js Reference"]);
    // Blocks have no names in code.
    check_names(STORE, "src/store.test.js Store -> src/store.js:Store");
}

#[test]
fn variables_that_hooks_of_tests_assign_have_their_types() {
    check_tests(
        "
        //- src/pool.js
        export class Pool { close() {} }
        export class Other { close() {} }
        //- src/pool.test.js
        import { Other, Pool } from './pool';
        let pool;
        beforeEach(() => {
            pool = new Pool();
        });
        describe('of the first', () => {
            let inner;
            beforeEach(() => {
                inner = new Pool();
            });
            it('closes', () => {
                pool.close();
                inner.close();
            });
        });
        describe('of another', () => {
            let inner;
            beforeEach(() => {
                inner = new Other();
            });
            it('closes', () => {
                inner.close();
            });
        });
        ",
        "src/pool.js:Pool.close",
        &["src/pool.test.js:of the first.closes Reference"],
    );
}

#[test]
fn imports_in_groups_of_tests_are_followed() {
    const FOO: &str = "
        //- lib/foo.js
        exports.bar = function () {};
        exports.baz = function () {};
        //- test/foo.test.js
        describe('foo', function () {
            const foo = require('../lib/foo');
            const { baz } = require('../lib/foo');
            it('bars', () => {
                foo.bar();
                [1].map(baz);
            });
        });
        ";
    for tested in ["lib/foo.js:bar", "lib/foo.js:baz"] {
        check_tests(FOO, tested, &["test/foo.test.js:foo.bars Reference"]);
    }
}
