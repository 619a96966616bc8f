//! Tests that code in languages without a parser, and templates, are ranked and shown like other code, that translations
//! and past migrations are not in their way, and that traces and messages lead to such code.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;
use foveate_query::Answer;

/// The same words are in the code, and more often in the notes, the translations and the migrations. Some are in another source.
fn answer(path: &str, query: &str) -> Answer {
    let code = format!(
        "
        //- {path}
        -- Rounds the discount of a cart.
        cart.round_discount(price)
          discount = round(price)

        //- HISTORY.md
        # History
        The discount of a cart is rounded. The cart has a discount. Round the discount of a cart.

        //- config/locales/en.yml
        en:
          cart:
            discount: The discount of your cart is rounded
            round: Round the discount of the cart

        //- db/migrate/20240131120000_round_discount_of_cart.sql
        -- Rounds the discount of each cart.
        UPDATE cart SET discount = round(discount);

        //- src/price.go
        package main

        // The price of a cart.
        func price(cart int) int {{
        \treturn cart
        }}
    "
    );
    ask::ask(&of_text(&code), query)
}

/// Paths of code without a parser, and of templates.
const PATHS: [&str; 10] = [
    "lib/cart.lua",
    "lib/cart.ex",
    "lib/cart.dart",
    "src/Cart.hs",
    "Sources/Cart.m",
    "app/views/carts/show.html.erb",
    "templates/cart.twig",
    "modules/cart/main.tf",
    "charts/shop/templates/cart.yaml",
    "roles/cart/tasks/main.yml",
];

#[test]
fn code_without_a_parser_is_first_and_shown() {
    for path in PATHS {
        let answer = answer(
            path,
            "Discount of the cart is not rounded\n\nThe price is 3.3333.",
        );
        assert_eq!(answer.files[0].path, path);
        let items = answer.pack.sections.iter().flat_map(|s| &s.items);
        let shown: Vec<&str> = items.map(|item| item.path.as_str()).collect();
        assert!(shown.contains(&path), "{path}: {shown:?}");
    }
}

#[test]
fn translations_and_migrations_come_first_if_the_title_asks_for_them() {
    for (query, path) in [
        (
            "Wrong locale: discount of the cart\n\nThe text says rounded.",
            "config/locales/en.yml",
        ),
        (
            "Migration that rounds the discount of each cart fails",
            "db/migrate/20240131120000_round_discount_of_cart.sql",
        ),
    ] {
        assert_eq!(answer("lib/cart.lua", query).files[0].path, path, "{query}");
    }
}

/// Two files of a language, with a line that no word of a query names, and the settings of their project.
fn at_place(extension: &str, report: &str) -> Answer {
    let code = format!(
        "
        //- src/cart.{extension}
        -- The cart.
        a = 1
        secret_line = 2
        b = 3

        //- src/shop.{extension}
        -- The shop.
        call = cart
        run = call

        //- .github/workflows/ci.yml
        on: push
        jobs:
          version:
            steps:
              - run: the latest version
    "
    );
    ask::ask(&of_text(&code), report)
}

#[test]
fn innermost_place_of_a_trace_is_first_and_its_line_is_shown() {
    for (extension, trace) in [
        (
            "lua",
            "lua: src/cart.lua:3: attempt to call a nil value\nstack traceback:\n\tsrc/cart.lua:3: in function 'run'\n\tsrc/shop.lua:2: in main chunk",
        ),
        (
            "ex",
            "** (KeyError) key :id not found\n    (app 1.7.10) src/cart.ex:3: Cart.run/2\n    (app 1.7.10) src/shop.ex:2: Shop.call/2",
        ),
        (
            "zig",
            "thread 7 panic: index out of bounds\n/home/ann/app/src/cart.zig:3:17: 0x10a3f2c in run (app)\n    x = y;\n        ^\n/home/ann/app/src/shop.zig:2:9: 0x10a3f2c in main (app)",
        ),
        (
            "nim",
            "Traceback (most recent call last)\n/home/ann/app/src/shop.nim(2) call\n/home/ann/app/src/cart.nim(3) run\nError: unhandled exception: none [KeyError]",
        ),
        (
            "pm",
            "Can't locate object method \"run\" at /usr/share/perl5/src/cart.pm line 3.\n\tcall(1) called at /usr/share/perl5/src/shop.pm line 2",
        ),
        (
            "tf",
            "Error: Unsupported argument\n\n  on src/cart.tf line 3:\n  3:     x = 1",
        ),
    ] {
        let query = format!("Fails with the latest version\n\n```\n{trace}\n```\n");
        let answer = at_place(extension, &query);
        assert_eq!(
            answer.files[0].path,
            format!("src/cart.{extension}"),
            "{trace}"
        );
        assert!(answer.pack.context.contains("secret_line"), "{trace}");
    }
}

#[test]
fn message_about_settings_leads_to_them() {
    let message = "The workflow is not valid. .github/workflows/ci.yml (Line: 3, Col: 3): Unexpected value 'version'";
    let answer = at_place(
        "lua",
        &format!("It stopped working\n\n```\n{message}\n```\n"),
    );
    assert_eq!(answer.files[0].path, ".github/workflows/ci.yml");
}

/// The runtime has a file with the name of one in the repository.
#[test]
fn frame_of_a_runtime_leads_to_no_file_of_its_name() {
    let trace = "Unhandled exception: Index out of bounds (IndexError)\n  from /usr/share/crystal/lib/cart.cr:3:1 in '[]'\n  from src/shop.cr:2:5 in 'run'";
    let answer = at_place("cr", &format!("Crash\n\n```\n{trace}\n```\n"));
    assert_eq!(answer.files[0].path, "src/shop.cr");
}
