//! Tests references, inheritance, and their confidence.

use super::*;

pub(crate) const SHOP: &str = "
    //- shop/client.py
    from shop.pool import Pool, make_pool
    import shop.pool as pools
    class Base:
        def close_all(self): pass
        def ping(self): pass
    class Client(Base):
        limit = 3
        def __init__(self, pool: Pool):
            self.pool = pool
            self.spare = Pool()
        def connect(self):
            self.ping()
            self.pool.acquire()
            self.spare.acquire()
            return super().close_all()
        def reconnect(self):
            return self.connect()
    def direct():
        pool = pools.Pool()
        pool.acquire()
        Pool.acquire(pool)
        pools.make_pool().acquire()
        Pool().acquire()
    def annotated(one: Pool, two: 'pools.Pool' = None):
        one.acquire()
        two.acquire()
    def shadowed(make_pool):
        make_pool()
    def hidden():
        make_pool = print
        make_pool()
    def recursive():
        recursive()
    //- shop/pool.py
    class Pool:
        def acquire(self): pass
        def get(self): pass
    def make_pool() -> Pool:
        return Pool()
    //- shop/__init__.py
    ";

#[test]
fn methods_are_found_through_receivers() {
    check_uses(
        SHOP,
        "shop/pool.py:Pool.acquire",
        &[
            "shop/client.py:13 likely", "shop/client.py:14 likely", "shop/client.py:20 likely",
            "shop/client.py:21 certain", "shop/client.py:22 likely", "shop/client.py:23 likely",
            "shop/client.py:25 likely", "shop/client.py:26 likely",
        ],
    );
}

#[test]
fn methods_are_found_through_classes_and_bases() {
    check_uses(
        SHOP,
        "shop/client.py:Base.ping",
        &["shop/client.py:12 certain"],
    );
    check_uses(
        SHOP,
        "shop/client.py:Base.close_all",
        &["shop/client.py:15 certain"],
    );
    check_uses(
        SHOP,
        "shop/client.py:Client.connect",
        &["shop/client.py:17 certain"],
    );
}

#[test]
fn local_names_shadow_imports_and_recursion_is_not_a_use() {
    check_uses(
        SHOP,
        "shop/pool.py:make_pool",
        &["shop/client.py:22 certain"],
    );
    check_uses(SHOP, "shop/client.py:recursive", &[]);
    check_used(SHOP, "shop/client.py:recursive", &[]);
}

#[test]
fn recursive_calls_are_found_apart_from_other_uses() {
    check_recursions(
        SHOP,
        "shop/client.py:recursive",
        &["shop/client.py:33 certain"],
    );
    let repository = "
        //- walk.js
        export function walk(node) {
            walk.count = 1;
            return node.parts.map((part) => walk(part));
        }
        walk(1);
        //- app/Node.java
        package app;
        class Node {
            Node next;
            int depth() { return 1 + next.depth(); }
        }
        //- go.mod
        module shop
        //- walk.go
        package shop
        func Walk(n int) { Walk(n - 1) }
        //- Cargo.toml
        [package]
        name = \"shop\"
        //- src/lib.rs
        pub fn walk(n: u32) { walk(n - 1) }
        //- lib/node.rb
        class Node
          def walk
            walk
          end
        end
        ";
    for (definition, expected) in [
        (
            "walk.js:walk",
            &["walk.js:2 certain", "walk.js:3 certain"][..],
        ),
        ("app/Node.java:Node", &["app/Node.java:3 certain"]),
        ("app/Node.java:Node.depth", &["app/Node.java:4 likely"]),
        ("walk.go:Walk", &["walk.go:2 certain"]),
        ("src/lib.rs:walk", &["src/lib.rs:1 certain"]),
        ("lib/node.rb:Node.walk", &["lib/node.rb:3 certain"]),
    ] {
        check_recursions(repository, definition, expected);
    }
    check_uses(repository, "walk.js:walk", &["walk.js:5 certain"]);
}

#[test]
fn uses_record_their_enclosing_definition() {
    let world = world(SHOP);
    let used = |name: &str| {
        let used = world.graph.used_by(world.named(name));
        let mut names: Vec<String> = used
            .iter()
            .map(|(id, confidence)| {
                let name = world.describe(*id);
                format!("{} {}", name.split(':').nth(1).unwrap(), confidence.name())
            })
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        used("shop/client.py:Client.reconnect"),
        ["Client.connect certain"]
    );
    assert_eq!(
        used("shop/client.py:direct"),
        ["Pool certain", "Pool.acquire certain", "make_pool certain"]
    );
    let site = world
        .graph
        .uses_of(world.named("shop/client.py:Client.connect"))[0];
    assert_eq!(
        site.enclosing,
        Some(world.named("shop/client.py:Client.reconnect"))
    );
}

#[test]
fn common_names_do_not_link_callers() {
    let repository = "
        //- a.py
        import os, requests
        from external import thing
        def use(mapping, other):
            mapping.get('x')
            requests.get('x')
            thing.very_special_method()
            os.path.join('a')
            acquire()
            other.plainly()
        //- b.py
        class Cache:
            def get(self, key): pass
            def join(self): pass
            def very_special_method(self): pass
            def plainly(self): pass
        def acquire(): pass
        def plainly(): pass
        //- c.py
        class Another:
            def plainly(self): pass
        //- d.py
        class Third:
            def plainly(self): pass
        //- e.py
        class Fourth:
            def plainly(self): pass
        ";
    for definition in [
        "b.py:Cache.get",
        "b.py:Cache.join",
        "b.py:Cache.very_special_method",
        "b.py:Cache.plainly",
        "b.py:acquire",
        "c.py:Another.plainly",
    ] {
        check_uses(repository, definition, &[]);
    }
}

#[test]
fn rare_names_link_with_fitting_confidence() {
    let repository = "
        //- a.py
        def use(one, two):
            one.reserve_seats()
            two.release_seats()
            two.settle()
            [x.reserve_seats() for x in one]
        //- b.py
        class Cinema:
            def reserve_seats(self): pass
            def release_seats(self): pass
            def settle(self): pass
        //- c.py
        class Theatre:
            def release_seats(self): pass
        ";
    check_uses(
        repository,
        "b.py:Cinema.reserve_seats",
        &["a.py:2 likely", "a.py:5 likely"],
    );
    check_uses(
        repository,
        "b.py:Cinema.release_seats",
        &["a.py:3 name_only"],
    );
    check_uses(
        repository,
        "c.py:Theatre.release_seats",
        &["a.py:3 name_only"],
    );
    check_uses(repository, "b.py:Cinema.settle", &["a.py:4 name_only"]);
}

#[test]
fn attributes_of_unknown_receivers_are_found_in_ruby() {
    let repository = "
        //- cart.rb
        class Cart
          attr_accessor :discount_rate, :owner, :shade
          def initialize(owner)
            @owner = owner
          end
        end
        //- report.rb
        class Report
          def print(one, cart)
            one.discount_rate
            one.discount_rate = 3
            cart.owner
            one.owner
            one.shade
          end
        end
        ";
    check_uses(
        repository,
        "cart.rb:Cart.discount_rate",
        &["report.rb:3 likely", "report.rb:4 likely"],
    );
    // The receiver has the name of the class; by itself, a plain word means nothing.
    check_uses(repository, "cart.rb:Cart.owner", &["report.rb:5 likely"]);
    check_uses(repository, "cart.rb:Cart.shade", &[]);
}

#[test]
fn names_never_cross_languages() {
    check_uses(
        "
        //- a.ts
        export function use(x) { return x.reserveSeats(); }
        //- b.py
        class Cinema:
            def reserveSeats(self): pass
        ",
        "b.py:Cinema.reserveSeats",
        &[],
    );
}

#[test]
fn ecmascript_receivers_are_inferred() {
    let repository = "
        //- src/service.ts
        export class Service {
            start() { return this; }
            protected helper() { this.start(); }
            static create(): Service { return new Service(); }
        }
        //- src/app.tsx
        import { Service } from './service';
        export class App extends Service {
            @inject(Service)
            protected readonly service: Service;
            private spare = new Service();
            constructor(protected readonly given: Service) { super(); }
            run(extra?: Service) {
                this.service.start();
                this.spare.start();
                this.given.start();
                extra?.start();
                const local = new Service();
                local.start();
                Service.create().start();
                super.start();
                this.start();
                [1].map(start => start());
            }
        }
        export const view = (service: Service) => <Service />;
        ";
    check_uses(
        repository,
        "src/service.ts:Service.start",
        &[
            "src/app.tsx:8 likely", "src/app.tsx:9 likely", "src/app.tsx:10 likely",
            "src/app.tsx:11 likely", "src/app.tsx:13 likely", "src/app.tsx:14 likely",
            "src/app.tsx:15 certain", "src/app.tsx:16 certain", "src/service.ts:3 certain",
        ],
    );
    check_uses(
        repository,
        "src/service.ts:Service.create",
        &["src/app.tsx:14 certain"],
    );
}

#[test]
fn merged_declarations_and_aliases_are_resolved() {
    let repository = "
        //- src/service.ts
        export const Service = Symbol('Service');
        export interface Service {
            start(): void;
        }
        export namespace Service {
            export function is(value: unknown): boolean { return check(value); }
            function check(value: unknown): boolean { return true; }
            export const known: Options = {};
            export interface Options { deep: boolean }
        }
        export type Alias = Service | undefined;
        export type Shape = { width: number };
        //- src/app.ts
        import { Alias, Service, Shape } from './service';
        class App {
            constructor(private service: Service) {}
            run(alias: Alias, shape: Shape) {
                this.service.start();
                alias.start();
                Service.is(shape.width);
            }
        }
        ";
    check_uses(
        repository,
        "src/service.ts:Service.start",
        &["src/app.ts:5 likely", "src/app.ts:6 likely"],
    );
    check_uses(
        repository,
        "src/service.ts:Service.is",
        &["src/app.ts:7 certain"],
    );
    check_uses(
        repository,
        "src/service.ts:Service.check",
        &["src/service.ts:6 certain"],
    );
    check_uses(
        repository,
        "src/service.ts:Service.Options",
        &["src/service.ts:8 certain"],
    );
    check_uses(
        repository,
        "src/service.ts:Shape.width",
        &["src/app.ts:7 likely"],
    );
}

#[test]
fn members_of_external_values_are_external() {
    check_uses(
        "
        //- a.ts
        import * as chai from 'chai';
        import { client } from 'elsewhere';
        const expect = chai.expect;
        expect(1).to.reserveSeats(1);
        client.make().reserveSeats();
        document.reserveSeats();
        //- b.ts
        export class Cinema { reserveSeats() { return 1; } }
        ",
        "b.ts:Cinema.reserveSeats",
        &[],
    );
}

#[test]
fn bases_are_linked() {
    let world = world(
        "
        //- shop/__init__.py
        from .base import Model
        //- shop/base.py
        class Model: pass
        //- app.py
        import shop
        class User(shop.Model): pass
        class Admin(User, dict): pass
        ",
    );
    let model = world.named("shop/base.py:Model");
    let user = world.named("app.py:User");
    assert_eq!(world.graph.bases(user), [model]);
    assert_eq!(world.graph.bases(world.named("app.py:Admin")), [user]);
}

#[test]
fn rust_test_modules_refer_to_what_they_import() {
    const CODE: &str = "
        //- Cargo.toml
        [package]
        name = \"shop\"
        //- src/lib.rs
        pub fn total() {}
        pub struct Cart;
        impl Cart { pub fn empty() {} }
        mod tests {
            use super::total;
            use crate::Cart;
            fn checks() { total(); Cart::empty(); }
        }
        ";
    check_used(
        CODE,
        "src/lib.rs:tests.checks",
        &[
            "src/lib.rs:total certain",
            "src/lib.rs:Cart certain",
            "src/lib.rs:Cart.empty certain",
        ],
    );
}

#[test]
fn overloads_count_as_one_name() {
    const CODE: &str = "
        //- Texts.cs
        static class Texts {
            static string FormatWith(string a, int b) { return a; }
            static string FormatWith(string a, long b) { return a; }
            static string FormatWith(string a, bool b) { return a; }
            static string FormatWith(string a, char b) { return a; }
        }
        //- Use.cs
        class Use { void Run(dynamic text) { text.FormatWith(1); } }
        ";
    let world = world(CODE);
    let target = world.named("Texts.cs:Texts.FormatWith");
    assert_eq!(world.graph.uses_of(target).len(), 1);
}

#[test]
fn members_that_ruby_macros_declare_are_used() {
    let repository = "
        //- user.rb
        class User
          belongs_to :team
          scope :active, -> { order(:name) }
          def self.first_active
            active.first
          end
          def team_name
            team.name
          end
        end
        ";
    check_uses(repository, "user.rb:User.active", &["user.rb:5 certain"]);
    check_uses(repository, "user.rb:User.team", &["user.rb:8 certain"]);
}

#[test]
fn inherited_methods_that_ruby_calls_by_super_are_used() {
    let repository = "
        //- order.rb
        class Base
          def total(tax)
            tax
          end
        end
        class Order < Base
          def total(tax)
            super
            super(tax) + 1
          end
        end
        ";
    check_uses(
        repository,
        "order.rb:Base.total",
        &["order.rb:8 certain", "order.rb:9 certain"],
    );
    let world = world(repository);
    let sites = world.graph.uses_of(world.named("order.rb:Base.total"));
    let content = world.files.content(sites[1].file).unwrap();
    let reference = content.facts.references[sites[1].reference as usize];
    assert_eq!(reference.name.of(&content.text), "super");
    assert!(content.text[reference.name.end as usize..].starts_with("(tax)"));
}

#[test]
fn methods_that_ruby_names_by_symbols_are_used() {
    let repository = "
        //- shelf.rb
        class Book
          def full_title
          end
          def hide
          end
        end
        class Shelf
          def initialize
            @book = Book.new
          end
          def titles(books)
            books.map(&:full_title)
            books.first.public_send(:full_title)
            @book.send(:hide)
            Book.new.method(:hide)
            books.first.send(:hide)
          end
        end
        ";
    check_uses(
        repository,
        "shelf.rb:Book.full_title",
        &["shelf.rb:12 likely", "shelf.rb:13 likely"],
    );
    check_uses(
        repository,
        "shelf.rb:Book.hide",
        &["shelf.rb:14 likely", "shelf.rb:15 likely"],
    );
}

#[test]
fn names_before_a_member_are_uses() {
    check_uses(
        "
        //- shop/conf.py
        class Kind:
            RED = 1
        settings = make()
        //- shop/main.py
        from shop import conf
        from shop.conf import Kind, settings
        def run(other):
            settings.load()
            Kind.RED
            conf.Kind.RED
            local = Kind
            local.RED
            other.Kind
        //- shop/__init__.py
        ",
        "shop/conf.py:Kind",
        &[
            "shop/main.py:5 certain", "shop/main.py:6 certain", "shop/main.py:7 certain",
        ],
    );
    check_uses(
        "
        //- app/Level.java
        package app;
        class Level { static int parse(String text) { return 1; } }
        class User {
            int run() { return Level.parse(\"a\"); }
        }
        ",
        "app/Level.java:Level",
        &["app/Level.java:4 certain"],
    );
}

#[test]
fn names_between_a_module_and_a_member_are_uses() {
    check_uses(
        "
        //- shop/conf.py
        TABLE = {}
        //- shop/main.py
        from shop import conf
        import shop
        def run():
            conf.TABLE.get(1)
            conf.TABLE.rows.first.load()
            shop.conf.TABLE.get(1)
            conf.other.TABLE.get(1)
        //- shop/__init__.py
        ",
        "shop/conf.py:TABLE",
        &[
            "shop/main.py:4 certain", "shop/main.py:5 certain", "shop/main.py:6 certain",
        ],
    );
    check_uses(
        "
        //- go.mod
        module example.com/shop
        //- conf/conf.go
        package conf
        var Table = map[string]int{}
        //- main.go
        package main
        import \"example.com/shop/conf\"
        func run() {
            conf.Table.Get()
        }
        ",
        "conf/conf.go:Table",
        &["main.go:4 certain"],
    );
}

#[test]
fn fields_before_a_member_are_used() {
    let repository = "
        //- app/Cart.java
        package app;
        class Cart {
            private Pool pool;
            static final Pool SHARED = make();
            Pool close() {
                pool.close();
                this.pool.close();
                SHARED.close();
                return Cart.SHARED.next;
            }
            void other(Pool pool) {
                pool.close();
            }
        }
        //- app/Shop.kt
        package app
        class Shop(private val stock: Stock) {
            fun close() {
                stock.close()
                this.stock.close()
            }
        }
        //- shop/Till.cs
        namespace Shop;
        class Till {
            readonly Drawer _drawer = Make();
            Drawer Spare { get; set; }
            void Close() {
                _drawer.Close();
                Spare.Close();
            }
        }
        //- src/Till.php
        <?php
        class Till {
            private $drawer;
            function close() {
                $this->drawer->close();
            }
        }
        //- till.py
        class Till:
            def __init__(self):
                self.drawer = make()
            def close(self):
                self.drawer.close()
        ";
    for (definition, expected) in [
        (
            "app/Cart.java:Cart.pool",
            &["app/Cart.java:6 certain", "app/Cart.java:7 certain"][..],
        ),
        (
            "app/Cart.java:Cart.SHARED",
            &["app/Cart.java:8 certain", "app/Cart.java:9 certain"],
        ),
        (
            "app/Shop.kt:Shop.stock",
            &["app/Shop.kt:4 certain", "app/Shop.kt:5 certain"],
        ),
        ("shop/Till.cs:Till._drawer", &["shop/Till.cs:6 certain"]),
        ("shop/Till.cs:Till.Spare", &["shop/Till.cs:7 certain"]),
        ("src/Till.php:Till.drawer", &["src/Till.php:5 certain"]),
        (
            "till.py:Till.drawer",
            &["till.py:3 certain", "till.py:5 certain"],
        ),
    ] {
        check_uses(repository, definition, expected);
    }
}
