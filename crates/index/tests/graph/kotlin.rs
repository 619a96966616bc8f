//! Tests of receivers in Kotlin: those of lambdas, and of extensions of types from elsewhere; and of Java that uses Kotlin.

use super::receivers::check;
use super::{check_dotted, check_uses};

#[test]
fn kotlin_receivers_of_lambdas() {
    check(
        "
        //- Pool.kt
        class Pool {
            val child: Pool? = null
            fun close() {}
        }
        class Other { fun close() {} }
        class Closer {
            fun close() {}
            fun use_before_class(pool: Pool) { with(pool) { close() } }
            fun use_this(pool: Pool) { pool.apply { plain { this.close() } } }
        }
        typealias PoolAction = Pool.() -> Unit
        fun pool(action: PoolAction? = null): Pool = Pool()
        class Owner { fun withPool(name: String, action: suspend Pool.(Int) -> Unit) {} }
        fun owner(action: Owner.() -> Unit) {}
        fun Owner.extended(action: (Pool.() -> Unit)?) {}
        fun other(action: Other.() -> Unit) {}
        fun plain(action: (Pool) -> Unit) {}
        fun <T> typed(action: Pool.() -> T) {}
        fun use_with(pool: Pool) { with(pool) { close() } }
        fun use_apply() { Pool().apply { close() } }
        fun use_run(pool: Pool?) { pool?.run { close() } }
        fun use_alias() { pool { close() } }
        fun use_member(pool: Pool) { with(pool) { child?.close() } }
        fun use_nested() { owner { withPool(\"a\") { close() } } }
        fun use_extension(owner: Owner) { owner.extended { close() } }
        fun use_outer(pool: Pool) { pool.apply { plain { close() } } }
        fun use_innermost() { other { pool { close() } } }
        fun use_type_argument() { typed<Int> { close() } }
        fun both(first: (Pool) -> Unit = {}, action: Pool.() -> Unit = {}) {}
        fun use_brackets(owner: Owner) { owner.withPool(\"a\", { close() }) }
        fun use_apply_in_brackets() { Pool().apply({ close() }) }
        fun use_with_in_brackets(pool: Pool) { with(pool, { close() }) }
        fun of_named_argument() { both(first = { close() }) }
        fun of_earlier_argument() { both({ close() }, {}) }
        fun of_another() { other { close() } }
        fun of_none() { plain { close() } }
        fun shadowed(pool: Pool, close: () -> Unit) { with(pool) { close() } }
        ",
        "Pool.kt:Pool.close",
    );
}

#[test]
fn kotlin_extensions_of_foreign_types() {
    const KOTLIN: &str = "
        //- app/Page.kt
        package app
        import names.slugify
        fun title(name: String) {
            name.slugify()
            \"a\".slugify()
            Slugs.slugify()
        }
        //- app/Star.kt
        package app
        import names.*
        fun title(name: String) { name.slugify() }
        //- other/Unseen.kt
        package other
        fun title(name: String) { name.slugify() }
        //- names/Strings.kt
        package names
        fun String.slugify(): String = this
        ";
    check_uses(
        KOTLIN,
        "names/Strings.kt:String.slugify",
        &[
            "app/Page.kt:4 likely", "app/Page.kt:5 likely", "app/Star.kt:3 likely",
        ],
    );
}

#[test]
fn kotlin_extensions_of_built_in_types_are_no_members_of_other_types() {
    check_uses(
        "
        //- app/Page.kt
        package app
        import names.*
        class Slugs { fun slugify(): Int = 1 }
        class Holder(val name: String) { fun title() { name.slugify() } }
        fun title(name: String) { name.slugify() }
        fun made(): String = \"a\"
        fun local() { made().slugify() }
        fun unknown() { \"a\".slugify() }
        //- names/Strings.kt
        package names
        fun String.slugify(): String = this
        ",
        "names/Strings.kt:String.slugify",
        &[
            "app/Page.kt:4 likely", "app/Page.kt:5 likely", "app/Page.kt:7 likely",
            "app/Page.kt:8 name_only",
        ],
    );
}

#[test]
fn kotlin_extensions_in_objects_are_seen_by_their_imports() {
    let repository = "
        //- app/Page.kt
        package app
        import web.Tools.shout
        import web.Url.Companion.toUrl
        fun open(text: String) {
            text.toUrl()
            text.shout()
        }
        //- app/Unseen.kt
        package app
        fun open(text: String) { text.shout() }
        //- web/Url.kt
        package web
        class Url {
            companion object {
                fun String.toUrl(): Url = Url()
            }
        }
        object Tools {
            fun String.shout(): String = this
        }
        ";
    for (definition, expected) in [
        ("web/Url.kt:Url.String.toUrl", &["app/Page.kt:5 likely"][..]),
        ("web/Url.kt:Tools.String.shout", &["app/Page.kt:6 likely"]),
    ] {
        check_uses(repository, definition, expected);
    }
}

#[test]
fn kotlin_extension_that_is_imported_by_name_is_no_member_of_another_type() {
    check_uses(
        "
        //- app/Named.kt
        package app
        import names.slugify
        fun title() { \"a\".slugify() }
        //- app/Star.kt
        package app
        import names.*
        fun title() { \"a\".slugify() }
        //- names/Slugs.kt
        package names
        class Slugs { fun slugify(): Int = 1 }
        fun String.slugify(): String = this
        ",
        "names/Slugs.kt:String.slugify",
        &["app/Named.kt:3 likely", "app/Star.kt:3 name_only"],
    );
}

#[test]
fn kotlin_extensions_of_several_foreign_types_are_overloads() {
    const KOTLIN: &str = "
        //- app/Page.kt
        package app
        import java.net.Socket
        import names.quiet
        fun run(socket: Socket) { socket.quiet() }
        //- app/Pool.kt
        package app
        import names.*
        import other.*
        fun run(socket: java.net.Socket) { socket.loud() }
        //- names/Quiet.kt
        package names
        import java.io.Closeable
        import java.net.Socket
        fun Closeable.quiet() {}
        fun Socket.quiet() {}
        fun Closeable.loud() {}
        //- other/Quiet.kt
        package other
        import java.net.Socket
        fun Socket.loud() {}
        ";
    for (definition, expected) in [
        ("names/Quiet.kt:Closeable.quiet", "app/Page.kt:4 likely"),
        ("names/Quiet.kt:Socket.quiet", "app/Page.kt:4 likely"),
        ("names/Quiet.kt:Closeable.loud", "app/Pool.kt:4 name_only"),
        ("other/Quiet.kt:Socket.loud", "app/Pool.kt:4 name_only"),
    ] {
        check_uses(KOTLIN, definition, &[expected]);
    }
}

#[test]
fn parameters_of_constructors_are_in_scope_in_initial_values() {
    check_uses(
        "
        //- Pool.kt
        class Pool {
            val child: Pool? = null
            fun close(): Int = 1
        }
        class Other { fun close(): Int = 2 }
        open class Base(closed: Int)
        class User(
            made: Pool,
            val first: Int = made.close(),
        ) : Base(made.close()) {
            val second = made.close()
            val third = listOf(1).map { made.child?.close() }
            init { made.close() }
            fun parameter(made: Other) = made.close()
            fun outside() = made.close()
            val fourth = object : Runnable { override fun run() { made.close() } }
        }
        class Shadowed(made: Pool) {
            val size = made.close()
            companion object { fun made(): Other = Other() }
        }
        ",
        "Pool.kt:Pool.close",
        &[
            "Pool.kt:9 likely", "Pool.kt:10 likely", "Pool.kt:11 likely", "Pool.kt:12 likely",
            "Pool.kt:13 likely", "Pool.kt:16 likely", "Pool.kt:19 likely",
        ],
    );
}

#[test]
fn use_in_a_path_of_several_lines_is_in_the_line_of_its_name() {
    check_uses(
        "
        //- shop/Cart.kt
        package shop
        class Cart {
            val rows = listOf(1)
            fun first() {
                println(
                    rows
                        .first
                        .next
                )
            }
            fun sum() = rows
                .map { it + 1 }
            fun size() = rows.size
        }
        ",
        "shop/Cart.kt:Cart.rows",
        &[
            "shop/Cart.kt:6 certain", "shop/Cart.kt:11 certain", "shop/Cart.kt:13 certain",
        ],
    );
}

#[test]
fn extensions_are_found_by_the_paths_of_imports() {
    check_dotted(
        "
        //- Totals.kt
        package org.acme.shop
        class Cart {
            fun Item.inside() {}
        }
        fun Cart.total(): Int = 2
        val Cart.size: Int get() = 2
        //- Other.kt
        package org.acme
        fun Cart.total(): Int = 3
        ",
        "
        org.acme.shop.total -> Totals.kt:Cart.total
        org.acme.shop.size -> Totals.kt:Cart.size
        org.acme.total -> Other.kt:Cart.total
        org.acme.shop.inside -> nothing
        com.acme.shop.total -> nothing
        ",
    );
}

#[test]
fn java_calls_functions_of_kotlin_files_and_members_of_objects() {
    let repository = "
        //- app/Far.java
        package app;
        import shop.CartKt;
        import shop.Till;
        import shop.Titles;
        class Far {
            void run() {
                CartKt.sum();
                Titles.title();
                Till.INSTANCE.open();
                MissingKt.sum();
            }
        }
        //- shop/Cart.kt
        package shop
        fun sum(): Int = 1
        fun Till.total(): Int = 2
        //- shop/Names.kt
        @file:JvmName(\"Titles\")
        package shop
        fun title(): String = \"\"
        //- shop/Near.java
        package shop;
        class Near {
            void run() {
                CartKt.sum();
                CartKt.total(Till.INSTANCE);
                Titles.title();
                Basket.Companion.of().close();
                NamesKt.title();
            }
        }
        //- shop/Till.kt
        package shop
        object Till {
            fun open() {}
        }
        class Basket {
            companion object {
                fun of(): Basket = Basket()
            }
            fun close() {}
        }
        ";
    for (definition, expected) in [
        (
            "shop/Cart.kt:sum",
            &["app/Far.java:7 certain", "shop/Near.java:4 certain"][..],
        ),
        ("shop/Cart.kt:Till.total", &["shop/Near.java:5 certain"]),
        (
            "shop/Names.kt:title",
            &["app/Far.java:8 certain", "shop/Near.java:6 certain"],
        ),
        ("shop/Till.kt:Till.open", &["app/Far.java:9 certain"]),
        ("shop/Till.kt:Basket.of", &["shop/Near.java:7 certain"]),
        ("shop/Till.kt:Basket.close", &["shop/Near.java:7 likely"]),
    ] {
        check_uses(repository, definition, expected);
    }
}
