//! Tests frames of C and C++ that have no place.

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
