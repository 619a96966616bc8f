//! Tests members that are defined outside of their type, and types with several bodies.

use super::*;

const POOL: &str = "
    //- pool/pool.pkg
    package pool
    class Pool(Base)
      field size: Size
      proto acquire
    class Base
      fun close
    class Size
    out Size.grow
    //- pool/methods.pkg
    package pool
    out Pool.acquire
      call self.release
      call self.close
      call self.size.grow
    out Pool.release
      call close
    fun run
      param pool: Pool
      call pool.acquire
      call release
    //- other/pool.pkg
    package other
    class Pool
    out Pool.release
    fun run
      param pool: Pool
      call pool.release
      call pool.acquire
    ";

#[test]
fn out_of_line_members_belong_to_their_type() {
    check_used(
        POOL,
        "pool/methods.pkg:run",
        // `release` needs a receiver here.
        &["pool/methods.pkg:Pool.acquire likely"],
    );
    check_used(
        POOL,
        "other/pool.pkg:run",
        &[
            "other/pool.pkg:Pool.release likely",
            // Linked by the rare name alone, to the definition with a body.
            "pool/methods.pkg:Pool.acquire name_only",
        ],
    );
    check_names(
        POOL,
        "pool/methods.pkg Pool.release -> pool/methods.pkg:Pool.release",
    );
    check_names(POOL, "pool/methods.pkg release -> nothing");
}

#[test]
fn out_of_line_members_see_their_type() {
    check_used(
        POOL,
        "pool/methods.pkg:Pool.acquire",
        &[
            "pool/methods.pkg:Pool.release certain",
            "pool/pool.pkg:Pool.size certain",
            "pool/pool.pkg:Base.close certain",
            "pool/pool.pkg:Size.grow likely",
        ],
    );
    check_used(
        POOL,
        "pool/methods.pkg:Pool.release",
        &["pool/pool.pkg:Base.close certain"],
    );
    let world = world(POOL);
    let found = world.symbols.qualified("Pool.acquire");
    assert_eq!(
        world.describe_all(found.iter().copied()),
        "pool/methods.pkg:Pool.acquire pool/pool.pkg:Pool.acquire"
    );
}

#[test]
fn out_of_line_members_resolve_without_packages() {
    let repository = "
        //- a/error.crate
        class Error
        out Error.new
          call Self::source
          call self.shown
          call source
        //- a/more.crate
        use crate::a::error: Error
        out Error.source
        out Error.shown
        //- b/error.crate
        class Error
        out Error.new
        out Error.source
        //- user.crate
        use crate::a::error: Error
        fun run
          call Error::new
          call Error::source
          call crate::b::error::Error::new
        ";
    check_used(
        repository,
        "a/error.crate:Error.new",
        &[
            "a/more.crate:Error.source certain",
            "a/more.crate:Error.shown certain",
        ],
    );
    check_used(
        repository,
        "user.crate:run",
        &[
            "a/error.crate:Error certain",
            "a/error.crate:Error.new certain",
            "a/more.crate:Error.source certain",
            "b/error.crate:Error certain",
            "b/error.crate:Error.new certain",
        ],
    );
}

#[test]
fn members_are_linked_by_a_rare_name() {
    check_used(
        "
        //- a.pkg
        package a
        class Pool
        out Pool.acquire_connection
        //- b.pkg
        package b
        fun run
          param thing
          call thing.acquire_connection
        ",
        "b.pkg:run",
        &["a.pkg:Pool.acquire_connection likely"],
    );
}

#[test]
fn type_may_have_several_bodies() {
    let repository = "
        //- a.open
        class Client(Base)
          fun connect
            call disconnect
            call ping
        //- b.open
        class Client
          fun disconnect
            call self.connect
            call self.ping
        class Base
          fun ping
        //- c.open
        module inner
          class Client
            fun disconnect
        ";
    check_used(
        repository,
        "a.open:Client.connect",
        &[
            "b.open:Client.disconnect certain",
            "b.open:Base.ping certain",
        ],
    );
    check_used(
        repository,
        "b.open:Client.disconnect",
        &["a.open:Client.connect certain", "b.open:Base.ping certain"],
    );
}

#[test]
fn members_of_enclosing_classes_need_no_receiver() {
    let repository = "
        //- a.pkg
        package a
        fun shown
        class Outer(Base)
          fun shown
          class Inner
            fun run
              call shown
              call inherited
              call known
              call top
        class Base
          fun inherited
          fun top
        fun top
        ";
    check_used(
        repository,
        "a.pkg:Outer.Inner.run",
        &[
            "a.pkg:Outer.shown certain", "a.pkg:Base.inherited certain", "a.pkg:Base.top certain",
        ],
    );
    // In other languages they need a receiver.
    check_used(
        "
        //- a.crate
        fun shown
        class Outer
          fun shown
          fun run
            call shown
        ",
        "a.crate:Outer.run",
        &["a.crate:shown certain"],
    );
}

#[test]
fn php_arrays_that_name_a_method_refer_to_it() {
    const CONTROLLERS: &str = "
        //- composer.json
        {\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}
        //- src/Users.php
        <?php
        namespace App;
        class Users {
            function index() {}
            function sorted() { return usort($this->all, [$this, 'compare']); }
            function compare($a, $b) {}
        }
        //- src/Orders.php
        <?php
        namespace App;
        class Orders { function index() {} function compare($a, $b) {} }
        //- routes.php
        <?php
        use App\\Users;
        function routes() {
            get('/users', [Users::class, 'index']);
        }
        ";
    check_used(
        CONTROLLERS,
        "src/Users.php:Users.sorted",
        &["src/Users.php:Users.compare certain"],
    );
    check_used(
        CONTROLLERS,
        "routes.php:routes",
        &[
            "src/Users.php:Users certain",
            "src/Users.php:Users.index certain",
        ],
    );
}

#[test]
fn constructor_does_not_hide_its_class() {
    const VEC: &str = "
        //- geo/Vec.java
        package geo;
        public class Vec {
            public Vec() {}
            public Vec add(Vec other) { other.scale(2); return this; }
            public void scale(int n) {}
            public static Vec origin() { return new Vec(); }
            static void run() { Vec.origin().add(null).scale(3); }
            static class Zero extends Vec {
                void reset() { scale(0); }
            }
        }
        ";
    check_uses(
        VEC,
        "geo/Vec.java:Vec.scale",
        &[
            "geo/Vec.java:4 likely", "geo/Vec.java:7 likely", "geo/Vec.java:9 certain",
        ],
    );
}

#[test]
fn inherited_constructor_does_not_hide_its_class() {
    const SHAPES: &str = "
        //- base.h
        class Base {
        public:
            Base(int n);
            void move();
            static void reset();
        };
        class Derived : public Base {
        public:
            void run(Base* other);
        };
        //- base.cpp
        #include \"base.h\"
        Base::Base(int n) {}
        void Base::move() {}
        void Base::reset() {}
        void Derived::run(Base* other) {
            other->move();
            Base::reset();
            Base b(1);
            b.move();
            Base::move();
        }
        ";
    check_uses(
        SHAPES,
        "base.cpp:Base.move",
        &[
            "base.cpp:6 likely", "base.cpp:9 likely", "base.cpp:10 certain",
        ],
    );
    check_uses(SHAPES, "base.cpp:Base.reset", &["base.cpp:7 certain"]);
}

#[test]
fn call_means_the_method_and_not_the_field_of_its_name() {
    check_uses(
        "
        //- app/Req.java
        package app;
        public class Req {
            private String host;
            Req host(String h) { return this; }
            String send() { return host.trim(); }
        }
        //- app/Main.java
        package app;
        class Main {
            void run(Req req) {
                new Req().host(\"a\").send();
                var next = req.host(\"b\");
                next.send();
            }
        }
        ",
        "app/Req.java:Req.send",
        &["app/Main.java:4 likely", "app/Main.java:6 likely"],
    );
}

#[test]
fn names_in_literals_are_fields() {
    check_uses(
        "
        //- src/lib.rs
        pub struct Point { pub x: i32 }
        pub struct Other { pub x: i32 }
        pub fn made(x: i32) -> Point { Point { x } }
        pub fn zero() -> Point { Point { x: 0 } }
        ",
        "src/lib.rs:Point.x",
        &["src/lib.rs:3 certain", "src/lib.rs:4 certain"],
    );
    check_uses(
        "
        //- a/point.go
        package a
        type Point struct { X int }
        type Other struct { X int }
        //- a/points.go
        package a
        var one = Point{X: 1}
        var many = []*Point{{X: 2}}
        var other = Other{X: 3}
        ",
        "a/point.go:Point.X",
        &["a/points.go:2 certain", "a/points.go:3 certain"],
    );
    check_uses(
        "
        //- conn.c
        struct conn { int fd; };
        typedef struct conn conn_t;
        struct conn one = { .fd = 1 };
        conn_t two = { .fd = 2 };
        struct conn many[] = { { .fd = 3 } };
        ",
        "conn.c:conn.fd",
        &["conn.c:3 certain", "conn.c:4 likely", "conn.c:5 certain"],
    );
    check_uses(
        "
        //- Point.cs
        class Point { public int X { get; set; } }
        class Other { public int X { get; set; } }
        class Users { Point Zero() { return new Point { X = 0 }; } }
        ",
        "Point.cs:Point.X",
        &["Point.cs:3 certain"],
    );
}

#[test]
fn members_of_types_from_elsewhere_link_to_nothing() {
    check_uses(
        r"
        //- src/Redirect.php
        <?php
        namespace Shop;
        class Redirect {
            public function modifyRequest($request) {}
            public function follow($request) { return Psr7\Utils::modifyRequest($request, []); }
            public function unknown($other) { return $other->modifyRequest($request); }
        }
        ",
        "src/Redirect.php:Redirect.modifyRequest",
        &["src/Redirect.php:6 likely"],
    );
    check_uses(
        "
        //- src/shop/Redirect.java
        package shop;
        class Redirect {
            void modifyRequest() {}
            void follow() { Utils.modifyRequest(); }
        }
        ",
        "src/shop/Redirect.java:Redirect.modifyRequest",
        &[],
    );
}

#[test]
fn star_imports_of_enums_bind_their_variants() {
    check_uses(
        "
        //- Cargo.toml
        [package]
        name = \"shapes\"
        //- src/lib.rs
        mod user;
        use Kind::*;
        pub enum Kind { Circle(f64), Square(f64) }
        fn make() { Circle(1.0); }
        //- src/user.rs
        use crate::Kind;
        use Kind::*;
        fn other() { Circle(2.0); Square(2.0); }
        ",
        "src/lib.rs:Kind.Circle",
        &["src/lib.rs:4 certain", "src/user.rs:3 certain"],
    );
}

#[test]
fn members_of_test_helpers_link_by_name_from_tests_beside_them() {
    check_uses(
        "
        //- Cargo.toml
        [package]
        name = \"shop\"
        //- src/lib.rs
        fn run(given: Unheard) { given.expect_shipped_order(); }
        //- tests/it/util.rs
        pub struct TestShop;
        impl TestShop {
            pub fn expect_shipped_order(&self) {}
        }
        //- tests/it/orders.rs
        fn ships() { prepare(|shop| shop.expect_shipped_order()); }
        //- other/tests/orders.rs
        fn ships() { prepare(|shop| shop.expect_shipped_order()); }
        ",
        "tests/it/util.rs:TestShop.expect_shipped_order",
        &["tests/it/orders.rs:1 likely"],
    );
}

#[test]
fn case_labels_name_constants_of_enums_in_sight() {
    check_uses(
        "
        //- src/shop/Color.java
        package shop;
        public enum Color { RED, GREEN, BLUE }
        //- src/other/Light.java
        package other;
        public enum Light { RED, GREEN }
        //- src/shop/Paint.java
        package shop;
        class Paint {
            int old(Color color) {
                switch (color) {
                    case RED: return 1;
                    default: return 0;
                }
            }
            int mixed(Color color) {
                return switch (color) { case GREEN, RED -> 1; default -> 0; };
            }
            int noLabel() { return RED; }
        }
        ",
        "src/shop/Color.java:Color.RED",
        &[
            "src/shop/Paint.java:5 likely",
            "src/shop/Paint.java:10 likely",
        ],
    );
}

#[test]
fn properties_of_kotlin_and_accessors_of_java_mean_each_other() {
    let repository = "
        //- app/Cart.java
        package app;
        public class Cart {
            private String label;
            private Owner owner;
            public String getLabel() { return label; }
            public void setLabel(String label) { this.label = label; }
            public Owner getOwner() { return owner; }
        }
        //- app/Owner.java
        package app;
        public class Owner { public void close() {} }
        //- app/Read.java
        package app;
        class Read {
            void run(Shelf shelf) {
                shelf.getTitle();
                shelf.setOpen(true);
                shelf.getOwner().close();
                shelf.getSecret();
            }
        }
        //- app/Shelf.kt
        package app
        class Shelf(val title: String, var isOpen: Boolean) {
            var owner: Owner = Owner()
            private val secret = 1
        }
        //- app/Use.kt
        package app
        fun use(cart: Cart) {
            println(cart.label)
            cart.label = \"a\"
            cart.owner.close()
        }
        ";
    for (definition, expected) in [
        ("app/Cart.java:Cart.getLabel", &["app/Use.kt:3 likely"][..]),
        ("app/Cart.java:Cart.setLabel", &["app/Use.kt:4 likely"]),
        (
            "app/Owner.java:Owner.close",
            &["app/Read.java:6 likely", "app/Use.kt:5 likely"],
        ),
        ("app/Shelf.kt:Shelf.title", &["app/Read.java:4 likely"]),
        ("app/Shelf.kt:Shelf.isOpen", &["app/Read.java:5 likely"]),
        ("app/Shelf.kt:Shelf.owner", &["app/Read.java:6 likely"]),
        ("app/Shelf.kt:Shelf.secret", &[]),
    ] {
        check_uses(repository, definition, expected);
    }
}

#[test]
fn extension_functions_of_kotlin_use_members_of_their_type() {
    let repository = "
        //- app/Cart.kt
        package app
        class Cart {
            fun add(item: String) {}
        }
        //- app/Extensions.kt
        package app
        fun add(item: String) {}
        fun Cart.addTwice(item: String) {
            add(item)
            listOf(1).forEach { add(item) }
            again()
        }
        fun Cart.again() {}
        ";
    check_uses(
        repository,
        "app/Cart.kt:Cart.add",
        &["app/Extensions.kt:4 certain", "app/Extensions.kt:5 certain"],
    );
    check_uses(
        repository,
        "app/Extensions.kt:Cart.again",
        &["app/Extensions.kt:6 certain"],
    );
}

#[test]
fn extension_functions_of_kotlin_may_have_an_implicit_receiver() {
    let repository = "
        //- web/Route.kt
        package web
        class Route
        fun Route.page(path: String) {}
        fun routing(block: Route.() -> Unit) {}
        fun home() { routing { page(\"/\") } }
        //- app/Star.kt
        package app
        import web.*
        fun pages() { routing { page(\"/a\") } }
        //- app/Named.kt
        package app
        import web.page
        import web.routing
        fun named() { routing { page(\"/b\") } }
        //- other/Unseen.kt
        package other
        fun unseen() { page(\"/c\") }
        ";
    check_uses(
        repository,
        "web/Route.kt:Route.page",
        &[
            "app/Named.kt:4 certain", "app/Star.kt:3 likely", "web/Route.kt:5 likely",
        ],
    );
}
