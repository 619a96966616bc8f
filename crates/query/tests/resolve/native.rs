//! Tests what only C and C++ have: frames without a place, the namespace of their standard library, tests that are programs.

use super::*;

#[test]
fn frame_without_a_place_is_found_behind_its_class_or_namespace() {
    const SHOP: &str = "
        //- src/cart.h
        namespace shop {
        class Cart { void drop(); };
        }

        //- src/cart.cc
        #include \"cart.h\"
        namespace shop {
        void Cart::drop() { stop(); }
        void clear() {}
        }

        //- src/list.cc
        namespace shop {
        void List::drop() {}
        }
        ";
    for (name, wanted) in [
        ("shop::Cart::drop()", "src/cart.cc:shop.Cart.drop"),
        ("shop::clear()", "src/cart.cc:shop.clear"),
    ] {
        let trace = format!("    @     0x55d0  {name}");
        check_trace(SHOP, &trace, &[wanted], &["src/cart.cc"]);
    }
    // Neither another class's method nor one without a class is meant.
    for name in ["Other::drop()", "clear()"] {
        check_trace(SHOP, &format!("    @     0x55d0  {name}"), &[], &[]);
    }
}

#[test]
fn names_of_the_standard_library_are_those_in_its_namespace() {
    const SHOP: &str = "
        //- src/shop.hpp
        namespace std {
        template <> struct hash<Cart> {};
        }
        namespace shop {
        class string {};
        }
        ";
    let resolved = |query: &str| {
        let snapshot = snapshot(SHOP, &[]);
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        let written = symbols.filter(|s| s.from == EvidenceSource::InlineCode);
        resolved_by(&snapshot, written)
    };
    assert_eq!(resolved("`std::string` is copied"), [""; 0]);
    assert_eq!(resolved("`std::hash` collides"), ["src/shop.hpp:std.hash"]);
    assert_eq!(
        resolved("`shop::string` is copied"),
        ["src/shop.hpp:shop.string"]
    );
}

#[test]
fn standard_types_without_a_namespace_lead_to_no_similar_name() {
    let resolved = |repository: &str| {
        let snapshot = snapshot(repository, &[]);
        let found = find(
            &snapshot,
            "`size_t` and `int` are compared",
            &Focus::default(),
        );
        let named = found.symbols.iter().filter(|s| s.name == "size_t").take(1);
        resolved_by(&snapshot, named)
    };
    let slice = "
        //- src/slice.h
        class Slice {
         public:
          unsigned long size() const { return 0; }
        };
        ";
    assert_eq!(resolved(slice), [""; 0]);
    let own = "
        //- src/types.h
        typedef unsigned long size_t;
        ";
    assert_eq!(resolved(own), ["src/types.h:size_t"]);
}

#[test]
fn directory_of_a_header_stands_for_the_namespace_that_a_macro_opens() {
    const SHOP: &str = "
        //- include/shop/list.h
        SHOP_BEGIN_NAMESPACE
        int total(int price) { return price; }
        class Cart {
         public:
          int total() { return 0; }
        };
        SHOP_END_NAMESPACE

        //- include/other/list.h
        int total(int price) { return price; }
        ";
    let snapshot = snapshot(SHOP, &[]);
    let found = find(&snapshot, "`shop::total` is wrong", &Focus::default());
    let named = found
        .symbols
        .iter()
        .filter(|s| s.name == "shop.total")
        .take(1);
    assert_eq!(resolved_by(&snapshot, named), ["include/shop/list.h:total"]);
}

#[test]
fn failed_test_of_ctest_is_the_test_file_of_its_name() {
    const SHOP: &str = "
        //- tests/cart_test.cc
        int main() { return 0; }

        //- tests/list_test.cc
        int main() { return 0; }

        //- src/cart.cc
        void clear() {}
        ";
    let snapshot = snapshot(SHOP, &[]);
    let files = |name: &str| {
        let query = format!("It breaks\n\nThe following tests FAILED:\n\t 12 - {name} (Failed)");
        let found = find(&snapshot, &query, &Focus::default()).files;
        let traced = found
            .iter()
            .filter(|file| file.from == EvidenceSource::Traceback);
        let paths = traced.map(|file| snapshot.files.path(file.file).to_owned());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(files("cart_test"), ["tests/cart_test.cc"]);
    // It is no test.
    assert_eq!(files("cart"), [""; 0]);
}

#[test]
fn code_of_an_amalgamation_is_found_in_its_sources() {
    const SHOP: &str = "
        //- src/cart.h
        namespace shop {
        class Cart { void drop(); };
        }

        //- src/cart.cc
        #include \"cart.h\"
        namespace shop {
        void Cart::drop() { stop(); }
        void clear() {}
        }

        //- extras/shop_amalgamated.cpp
        namespace shop {
        class Cart { void drop(); };
        void Cart::drop() {
            stop();
        }
        void clear() {}
        }

        //- external/other/other.cc
        namespace other {
        class List {};
        void open() {}
        }
        namespace shop {
        void clear() {}
        }
        ";
    let frame = |line: u32| format!("extras/shop_amalgamated.cpp:{line}:5: error: no stop");
    check_trace(
        SHOP,
        &frame(4),
        &["src/cart.cc:shop.Cart.drop"],
        &["src/cart.cc"],
    );
    let included = format!(
        "In file included from extras/shop_amalgamated.cpp:1:\n{}",
        frame(4)
    );
    check_trace(
        SHOP,
        &included,
        &["src/cart.cc:shop.Cart.drop"],
        &["src/cart.cc"],
    );
    // Copied code of others is no copy of the sources.
    let other = "external/other/other.cc:6:5: error: no clear";
    check_trace(
        SHOP,
        other,
        &["external/other/other.cc:shop.clear"],
        &["external/other/other.cc"],
    );
    let snapshot = snapshot(SHOP, &[]);
    let query = format!(
        "shop_amalgamated.cpp does not compile\n\n```\n{}\n```\n",
        frame(4)
    );
    for query in [&*query, "Wrong at extras/shop_amalgamated.cpp:4"] {
        let found = find(&snapshot, query, &Focus::default());
        let files = found
            .files
            .iter()
            .map(|file| snapshot.files.path(file.file));
        let mut files = files.collect::<Vec<&str>>();
        files.retain(|path| path.starts_with("extras/"));
        assert!(files.is_empty(), "{query}");
        let symbols = found.symbols.iter();
        let names = resolved_by(&snapshot, symbols);
        let wanted = "src/cart.cc:shop.Cart.drop".to_owned();
        assert!(names.contains(&wanted), "{query}: {names:?}");
    }
}
