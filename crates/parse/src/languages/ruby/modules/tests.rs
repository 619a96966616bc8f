//! Tests the resolution of Ruby imports in small trees.

use super::{MODULES, STANDARD};
use crate::testing::Tree;

#[test]
fn standard_library_names_are_sorted() {
    assert!(STANDARD.is_sorted());
}

#[test]
fn required_files_are_found() {
    let paths = [
        "Rakefile",
        "app/models/concerns/searchable.rb",
        "app/models/shop/cart.rb",
        "bin/run.rb",
        "gems/pay/lib/pay.rb",
        "gems/pay/lib/pay/card.rb",
        "gems/pay/pay.gemspec",
        "gems/pay/spec/card_spec.rb",
        "gems/pay/spec/spec_helper.rb",
        "lib/shop.rb",
        "lib/shop/client.rb",
        "lib/shop/json.rb",
        "lib/shop/time.rb",
        "lib/tasks/a.rake",
        "shop.gemspec",
        "test/helper.rb",
        "test/scripts/fluent/out_test.rb",
        "test/unit/client_test.rb",
        "test/unit/support.rb",
    ];
    let tree = Tree::new(&paths.map(|path| (path, "x = 1\n")));
    for (importer, module, found) in [
        ("bin/run.rb", "shop", "lib/shop.rb"),
        ("bin/run.rb", "shop/client", "lib/shop/client.rb"),
        ("bin/run.rb", "shop/client.rb", "lib/shop/client.rb"),
        ("lib/shop.rb", "shop/client", "lib/shop/client.rb"),
        ("lib/shop/client.rb", "./json", "lib/shop/json.rb"),
        ("lib/shop/client.rb", "../shop", "lib/shop.rb"),
        ("bin/run.rb", "../lib/shop", "lib/shop.rb"),
        ("bin/run.rb", "./lib/shop", "lib/shop.rb"),
        // Files of the standard library take precedence over files beside the importer.
        ("lib/shop/client.rb", "json", ""),
        ("lib/shop/client.rb", "time", ""),
        ("lib/shop/time.rb", "time", ""),
        ("lib/shop/client.rb", "nokogiri", ""),
        ("lib/shop.rb", "shop", ""),
        ("test/unit/client_test.rb", "helper", "test/helper.rb"),
        (
            "test/unit/client_test.rb", "support", "test/unit/support.rb",
        ),
        (
            "test/unit/client_test.rb", "unit/support", "test/unit/support.rb",
        ),
        (
            "test/unit/client_test.rb",
            "fluent/out_test",
            "test/scripts/fluent/out_test.rb",
        ),
        (
            "gems/pay/spec/card_spec.rb", "spec_helper", "gems/pay/spec/spec_helper.rb",
        ),
        (
            "gems/pay/spec/card_spec.rb", "pay/card", "gems/pay/lib/pay/card.rb",
        ),
        ("bin/run.rb", "pay", "gems/pay/lib/pay.rb"),
        ("bin/run.rb", "pay/card", "gems/pay/lib/pay/card.rb"),
        ("bin/run.rb", "shop/cart", "app/models/shop/cart.rb"),
        (
            "bin/run.rb",
            "searchable",
            "app/models/concerns/searchable.rb",
        ),
        ("Rakefile", "lib/tasks/a.rake", "lib/tasks/a.rake"),
        ("Rakefile", "./lib/tasks/a.rake", "lib/tasks/a.rake"),
        ("bin/run.rb", "../../shop", ""),
        ("bin/run.rb", "", ""),
    ] {
        assert_eq!(
            tree.resolve(&MODULES, importer, module),
            found,
            "{module} in {importer}"
        );
    }
}

#[test]
fn imported_name_is_the_file_stem() {
    let imported = MODULES.imported_name;
    assert_eq!(imported("a/b"), Some("b"));
    assert_eq!(imported("./a/b.rb"), Some("b"));
}

#[test]
fn all_files_are_one_package() {
    let tree = Tree::new(&[("a.rb", ""), ("b/c.rb", "")]);
    assert_eq!(tree.packages(&MODULES), ["a.rb b/c.rb"]);
}
