//! Tests that code in languages without a parser, and templates, are ranked and shown like other code, and that
//! translations and past migrations are not in their way.

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
