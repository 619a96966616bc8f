//! Tests that names in a query resolve as each language spells them.

#[path = "shared/described.rs"]
mod described;

use foveate_fixture::snapshot::of_text;
use foveate_query::resolve::resolve;
use foveate_query::text::QueryText;
use foveate_query::{Deadline, RankingConfig, Request};

/// Files in languages whose names are spelled in their own ways.
const SPELLINGS: &str = "
    //- lib/order.rb
    class Base
      def total!
        1
      end
    end
    class Order < Base
      def paid?
        true
      end
      def paid
        1
      end
      def note=(text)
        @text = text
      end
      def initialize(id)
        @id = id
      end
    end

    //- src/pool.rs
    pub struct Pool<T> { items: Vec<T> }
    impl<T> Pool<T> {
        pub fn acquire(&self) {}
    }

    //- net/server.go
    package net

    type Server struct{}

    func (s *Server) Serve() {}

    //- src/money.h
    class Money {
     public:
      ~Money();
      bool operator==(const Money& other) const;
    };
    int convert(int a);

    //- src/money.cpp
    #include \"money.h\"
    Money::~Money() {}
    bool Money::operator==(const Money& other) const { return true; }
    int convert(int a) { return a; }

    //- src/main/java/org/acme/Cart.java
    package org.acme;

    class Cart {
      static class Line {
        void price() {}
      }
    }
";

#[test]
fn names_resolve_as_languages_spell_them() {
    let snapshot = of_text(SPELLINGS);
    let config = RankingConfig::default().resolve;
    let request = Request::default();
    for (query, wanted) in [
        ("`paid?` fails", "lib/order.rb:Order.paid?"),
        ("`paid` fails", "lib/order.rb:Order.paid"),
        ("`Order#paid?` fails", "lib/order.rb:Order.paid?"),
        (
            "NoMethodError: undefined method 'total!' for nil",
            "lib/order.rb:Base.total!",
        ),
        ("Order#paid? fails", "lib/order.rb:Order.paid?"),
        ("Order#paid fails", "lib/order.rb:Order.paid"),
        ("Order#note= fails", "lib/order.rb:Order.note="),
        ("Order#note fails", "lib/order.rb:Order.note="),
        ("Order#total fails", "lib/order.rb:Base.total!"),
        ("Pool::acquire? It fails", "src/pool.rs:Pool.acquire"),
        ("`Order.new(1)` fails", "lib/order.rb:Order"),
        ("`Order#total!` fails", "lib/order.rb:Base.total!"),
        ("`order.total!` fails", "lib/order.rb:Base.total!"),
        ("`Pool<T>::acquire` hangs", "src/pool.rs:Pool.acquire"),
        ("Pool::<u8>::acquire() hangs", "src/pool.rs:Pool.acquire"),
        ("`acquire!` hangs", "src/pool.rs:Pool.acquire"),
        ("`(*Server).Serve` hangs", "net/server.go:Server.Serve"),
        ("net.(*Server).Serve(l) hangs", "net/server.go:Server.Serve"),
        (
            "Money::operator== is slow",
            "src/money.cpp:Money.operator==",
        ),
        ("`operator==` is slow", "src/money.cpp:Money.operator=="),
        ("`Money::~Money()` is slow", "src/money.cpp:Money.~Money"),
        ("`convert` is slow", "src/money.cpp:convert"),
        (
            "`Cart$Line.price` is slow",
            "src/main/java/org/acme/Cart.java:Cart.Line.price",
        ),
    ] {
        let text = QueryText::parse(query);
        let found = resolve(&snapshot, &text, &request, &config, &Deadline::none());
        let first = found.symbols.first();
        let first = first.map(|symbol| described::described(&snapshot, &symbol.definitions));
        assert_eq!(
            first.unwrap_or_default(),
            [wanted],
            "{query}: {:?}",
            found.symbols
        );
    }
}

#[test]
fn title_of_a_test_does_not_hide_the_code_of_its_name() {
    let code = "
        //- src/cart.ts
        export function addRow(rows) {
          return rows.length;
        }

        //- src/cart.test.ts
        describe('z.addRow', () => {
          it('adds', () => {
            expect(1).toBe(1);
          });
        });
    ";
    assert_eq!(
        first_meant(code, "where is `z.addRow` defined?"),
        ["src/cart.ts:addRow"]
    );
}

#[test]
fn signs_belong_to_names_that_are_defined_so() {
    let code = "
        //- src/errors.ts
        export class $ZodError {
          #addIssue(issue) {
            return issue;
          }
        }
        export class ZodError {}

        //- src/limits.py
        def max_rows():
            return 1
    ";
    for (query, wanted) in [
        ("`$ZodError` is slow", "src/errors.ts:$ZodError"),
        ("`ZodError` is slow", "src/errors.ts:ZodError"),
        ("`$max_rows` is wrong", "src/limits.py:max_rows"),
        (
            "`$ZodError.#addIssue` fails",
            "src/errors.ts:$ZodError.#addIssue",
        ),
        ("`addIssue` fails", "src/errors.ts:$ZodError.#addIssue"),
    ] {
        assert_eq!(first_meant(code, query), [wanted], "{query}");
    }
}

/// Returns what the first symbol of a query may mean, as `path:name`.
fn first_meant(code: &str, query: &str) -> Vec<String> {
    let snapshot = of_text(code);
    let config = RankingConfig::default().resolve;
    let (text, request) = (QueryText::parse(query), Request::default());
    let found = resolve(&snapshot, &text, &request, &config, &Deadline::none());
    let first = found.symbols.first();
    let first = first.map(|symbol| described::described(&snapshot, &symbol.definitions));
    first.unwrap_or_default()
}
