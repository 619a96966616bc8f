//! Tests the frames and messages parsed from Ruby traces, the innermost frame last.

use crate::traces::check;

#[test]
fn frames_are_parsed() {
    check(&[
        ("lib/cart.rb:3:in 'Cart#sum'", "lib/cart.rb:3 Cart.sum"),
        ("lib/cart.rb:3:in `sum'", "lib/cart.rb:3 sum"),
        (
            "\tfrom lib/cart.rb:3:in 'Shop::Cart#sum'",
            "lib/cart.rb:3 Cart.sum",
        ),
        (
            "lib/cart.rb:3:in 'Shop::Cart.create'",
            "lib/cart.rb:3 Cart.create",
        ),
        ("lib/cart.rb:3:in `block in sum'", "lib/cart.rb:3 sum"),
        (
            "lib/cart.rb:3:in 'block (2 levels) in Shop::Cart#sum'",
            "lib/cart.rb:3 Cart.sum",
        ),
        ("lib/cart.rb:3:in `rescue in sum'", "lib/cart.rb:3 sum"),
        (
            "lib/cart.rb:3:in `ensure in block in sum'",
            "lib/cart.rb:3 sum",
        ),
        ("bin/shop.rb:9:in `<main>'", "bin/shop.rb:9"),
        ("bin/shop:9:in '<main>'", "bin/shop:9"),
        ("Rakefile:4:in `block in <top (required)>'", "Rakefile:4"),
        ("lib/cart.rb:3:in `<class:Cart>'", "lib/cart.rb:3"),
        (
            "lib/cart.rb:3:in 'Cart#empty?'",
            "lib/cart.rb:3 Cart.empty?",
        ),
        ("lib/cart.rb:3:in 'Cart#[]='", "lib/cart.rb:3 Cart.[]="),
        (
            "app/views/carts/show.html.erb:3:in '_app_views_carts_show_html_erb__12_34'",
            "app/views/carts/show.html.erb:3",
        ),
        (
            "lib/tasks/shop.rake:3:in 'block in Object#fill'",
            "lib/tasks/shop.rake:3 Object.fill",
        ),
        (
            "lib/cart.rb:3:in 'sum'\n<internal:kernel>:187:in 'loop'\nbin/shop.rb:9:in '<main>'",
            "bin/shop.rb:9 | lib/cart.rb:3 sum",
        ),
        ("C:/w/lib/cart.rb:3:in `sum'", "C:/w/lib/cart.rb:3 sum"),
        (
            "rack (3.1.8) lib/rack/builder.rb:277:in 'Rack::Builder#call'\napp/cart.rb:3:in `sum'",
            "app/cart.rb:3 sum | gems/rack-3.1.8/lib/rack/builder.rb:277 Builder.call",
        ),
        ("the cart (3) lib/cart.rb:3:in `sum'", ""),
        ("cart (new) lib/cart.rb:3:in `sum'", ""),
    ]);
}

#[test]
fn errors_are_parsed() {
    check(&[
        (
            "lib/cart.rb:12:in `block in sum': undefined method `price' for nil:NilClass (NoMethodError)\n\tfrom lib/cart.rb:11:in `each'\n\tfrom bin/shop.rb:3:in `<main>'",
            "bin/shop.rb:3 | lib/cart.rb:11 each | lib/cart.rb:12 sum | ! undefined method `price' for nil:NilClass (NoMethodError)",
        ),
        (
            "lib/cart.rb:12:in 'Integer#/': divided by 0 (ZeroDivisionError)\n\tfrom lib/cart.rb:12:in 'Cart#mean'",
            "lib/cart.rb:12 Cart.mean | lib/cart.rb:12 Integer./ | ! divided by 0 (ZeroDivisionError)",
        ),
        (
            "Traceback (most recent call last):\n\t2: from bin/shop.rb:9:in `<main>'\n\t1: from lib/cart.rb:6:in `sum'\nlib/cart.rb:3:in `price': no price (RuntimeError)",
            "bin/shop.rb:9 | lib/cart.rb:6 sum | lib/cart.rb:3 price | ! no price (RuntimeError)",
        ),
        (
            "NoMethodError: undefined method 'price' for nil\n  lib/cart.rb:12:in 'Cart#sum'\n  lib/cart.rb:3:in 'Cart#total'",
            "lib/cart.rb:3 Cart.total | lib/cart.rb:12 Cart.sum | ! NoMethodError: undefined method 'price' for nil",
        ),
        (
            "lib/cart.rb:3: syntax error, unexpected end-of-input",
            "lib/cart.rb:3 | ! syntax error, unexpected end-of-input",
        ),
        (
            "lib/cart.rb:3: warning: assigned but unused variable - x",
            "lib/cart.rb:3 | ! assigned but unused variable - x",
        ),
        // A linter's findings are no errors: they are about the reporter's own files.
        ("lib/cart.rb:3:5: C: Style/Quotes: Prefer single quotes", ""),
        ("see lib/cart.rb:3 in the docs", ""),
    ]);
}

#[test]
fn test_framework_failures_are_parsed() {
    check(&[
        (
            "  1) Cart sums prices\n     Failure/Error: expect(cart.sum).to eq 3\n\n       expected: 3\n            got: 4\n\n     # ./spec/cart_spec.rb:12:in 'block (2 levels) in <top (required)>'",
            "spec/cart_spec.rb:12 | ! expected: 3",
        ),
        (
            "     Failure/Error: cart.sum\n\n     NoMethodError:\n       undefined method 'price' for nil\n     # ./lib/cart.rb:3:in 'Cart#sum'\n     # ./spec/cart_spec.rb:9:in 'block (3 levels) in <top (required)>'",
            "spec/cart_spec.rb:9 | lib/cart.rb:3 Cart.sum | ! NoMethodError:",
        ),
        (
            "     Failure/Error: expect(a).to be b\n     # ./spec/cart_spec.rb:12",
            "spec/cart_spec.rb:12",
        ),
        (
            "  1) Failure:\nCartTest#test_sum [test/cart_test.rb:12]:\nExpected: 3\n  Actual: 4",
            "test/cart_test.rb:12 CartTest.test_sum | ! Expected: 3",
        ),
        (
            "Failure:\nShop::CartTest#test_sum [/w/test/cart_test.rb:12]:\nExpected false to be truthy.",
            "/w/test/cart_test.rb:12 CartTest.test_sum | ! Failure: | ! Expected false to be truthy.",
        ),
        (
            "  1) Failure:\nCartTest::when full#test_0003_adds all [new] prices [test/cart_test.rb:12]:\nExpected: 3\n  Actual: 4",
            "test/cart_test.rb:12 adds all [new] prices | ! Expected: 3",
        ),
        (
            "     # ./lib/cart.rb:3:in 'Cart#sum'\n\nFailed examples:\n\nrspec ./spec/cart_spec.rb:8 # Cart sums",
            "spec/cart_spec.rb:8 | lib/cart.rb:3 Cart.sum",
        ),
        (
            "     # ./lib/cart.rb:3:in 'Cart#sum'\n\nFinished in 0.1 seconds\n1 example, 1 failure\n\nFailed examples:\n\nrspec ./spec/cart_spec.rb:8 # Cart sums",
            "lib/cart.rb:3 Cart.sum | spec/cart_spec.rb:8",
        ),
        (
            "CartTest#test_sum:\nNoMethodError: undefined method 'price' for nil\n    lib/cart.rb:3:in 'Cart#sum'\n    test/cart_test.rb:9:in 'CartTest#test_sum'",
            "test/cart_test.rb:9 CartTest.test_sum | lib/cart.rb:3 Cart.sum | ! NoMethodError: undefined method 'price' for nil",
        ),
    ]);
}
