//! Tests that files of one package see each other's top level.

use super::*;

const SHOP: &str = "
    //- shop/cart.pkg
    package shop
    use other: Elsewhere
    class Cart(Base)
      fun add
        call helper
        call secret
        call Item
        call Elsewhere
        call Unknown
    //- shop/base.pkg
    package shop
    use unseen: Item
    class Base
      fun close
    fun helper
    private fun secret
    //- shop/sub/item.pkg
    package shop
    class Item
    proto helper
    //- other/elsewhere.pkg
    package other
    class Elsewhere
    class Unknown
    //- other/user.pkg
    package user
    use shop as shop
    use shop: Item, secret
    use other: *
    fun run
      call shop.helper
      call shop.Base
      call Item
      call Elsewhere
      call Cart
    ";

#[test]
fn package_names_need_no_import() {
    check_used(
        SHOP,
        "shop/cart.pkg:Cart.add",
        &[
            "other/elsewhere.pkg:Elsewhere certain",
            "shop/base.pkg:helper certain",
            "shop/sub/item.pkg:Item certain",
        ],
    );
    let world = world(SHOP);
    let bases = world.graph.bases(world.named("shop/cart.pkg:Cart"));
    assert_eq!(
        world.describe_all(bases.iter().copied()),
        "shop/base.pkg:Base"
    );
}

#[test]
fn package_import_finds_all_its_files() {
    check_used(
        SHOP,
        "other/user.pkg:run",
        &[
            "other/elsewhere.pkg:Elsewhere certain",
            "shop/base.pkg:Base certain",
            "shop/base.pkg:helper certain",
            "shop/sub/item.pkg:Item certain",
        ],
    );
    check_names(
        SHOP,
        "
        other/user.pkg shop -> module shop/base.pkg
        other/user.pkg shop.Cart -> shop/cart.pkg:Cart
        other/user.pkg Cart -> nothing
        shop/base.pkg Item -> nothing
        ",
    );
    check_dotted(
        SHOP,
        "
        shop.Item -> shop/sub/item.pkg:Item
        shop.Cart.close -> shop/base.pkg:Base.close
        ",
    );
}

#[test]
fn package_import_counts_only_used_files() {
    check_imports(
        SHOP,
        "
        other/user.pkg: other/elsewhere.pkg shop/base.pkg shop/sub/item.pkg
        shop/cart.pkg: other/elsewhere.pkg
        shop/base.pkg:
        ",
    );
    // No use of the package is known.
    check_imports(
        "
        //- a.pkg
        package a
        use b as b
        //- b/one.pkg
        package b
        //- b/two.pkg
        package b
        ",
        "a.pkg: b/one.pkg",
    );
}

#[test]
fn nearest_definition_in_package_wins() {
    let repository = "
        //- a/one.pkg
        package p
        fun main
        //- a/two.pkg
        package p
        fun run
          call main
        //- b/c/one.pkg
        package p
        fun main
        //- b/d/two.pkg
        package p
        fun run
          call main
        ";
    check_used(repository, "a/two.pkg:run", &["a/one.pkg:main certain"]);
    check_used(repository, "b/d/two.pkg:run", &["b/c/one.pkg:main certain"]);
}

#[test]
fn prototype_resolves_to_definition_with_body() {
    let repository = "
        //- lib/pool.open
        proto acquire
        proto never_defined
        //- lib/source/pool.open
        use lib.pool: *
        fun acquire
        //- other/source/pool.open
        fun acquire
        //- main.open
        use lib.pool: *
        fun run
          call acquire
          call never_defined
        ";
    check_used(
        repository,
        "main.open:run",
        &[
            "lib/pool.open:never_defined certain",
            "lib/source/pool.open:acquire certain",
        ],
    );
    check_imports(repository, "main.open: lib/pool.open");
}

#[test]
fn star_imports_are_transitive_only_where_language_allows() {
    let includes = "
        //- a.open
        use b: *
        //- b.open
        use c: *
        //- c.open
        fun far
        ";
    check_names(includes, "a.open far -> c.open:far");
    check_names(
        "
        //- a.pkg
        package a
        use b: *
        //- b.pkg
        package b
        use c: *
        fun near
        //- c.pkg
        package c
        fun far
        ",
        "
        a.pkg near -> b.pkg:near
        b.pkg far -> c.pkg:far
        a.pkg far -> nothing
        ",
    );
}

#[test]
fn global_usings_hold_in_all_files_of_a_project() {
    let repository = "
        //- src/Core/Extensions.cs
        namespace Acme.Core;
        public static class Extensions { public static int Words(this string text) => 1; }
        //- src/Pay/Extensions.cs
        namespace Acme.Pay;
        public static class Extensions { public static int Cents(this string text) => 1; }
        //- src/Shop/Shop.csproj
        <Project><ItemGroup><Using Include=\"Acme.Pay\" /></ItemGroup></Project>
        //- src/Shop/Usings.cs
        global using Acme.Core;
        //- src/Shop/Sub/Cart.cs
        namespace Acme.Shop.Sub;
        class Cart {
            int Count(string text) { return text.Words(); }
            int Sum(string text) { return text.Cents(); }
        }
        //- src/Other/Other.csproj
        <Project />
        //- src/Other/Use.cs
        namespace Acme.Other;
        class Use { int Sum(string text) { return text.Words() + text.Cents(); } }
        ";
    check_uses(
        repository,
        "src/Core/Extensions.cs:Extensions.Words",
        &[
            "src/Other/Use.cs:2 name_only",
            "src/Shop/Sub/Cart.cs:3 likely",
        ],
    );
    check_uses(
        repository,
        "src/Pay/Extensions.cs:Extensions.Cents",
        &[
            "src/Other/Use.cs:2 name_only",
            "src/Shop/Sub/Cart.cs:4 likely",
        ],
    );
}

#[test]
fn imports_reach_into_types() {
    let repository = "
        //- shop/cart.pkg
        package shop
        class Cart
          field limit
          class State
            field EMPTY
            fun next
        //- shop/other.pkg
        package shop
        fun unrelated
        //- user.pkg
        package user
        use shop.Cart: limit, State
        use shop.Cart.State: *
        use shop.Cart.State: EMPTY, Missing
        fun run
          call next
        ";
    check_names(
        repository,
        "
        user.pkg limit -> shop/cart.pkg:Cart.limit
        user.pkg State -> shop/cart.pkg:Cart.State
        user.pkg EMPTY -> shop/cart.pkg:Cart.State.EMPTY
        user.pkg Missing -> nothing
        ",
    );
    check_used(
        repository,
        "user.pkg:run",
        &["shop/cart.pkg:Cart.State.next certain"],
    );
}
