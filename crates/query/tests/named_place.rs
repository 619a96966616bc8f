//! Tests that the place of a failure comes first if the query says little else.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;

/// The words of the path and of the message are those of other functions.
const CODE: &str = "
    //- lib/cart/option.rb
    class Option
      def unwrap_option_value(value)
        # A cart option value: unwrap the option, or none, of the cart.
        value.unwrap
      end

      def cart_option(option)
        # The option of a cart, called with an option value.
        unwrap_option_value(option)
      end
    end

    //- lib/cart/total.rb
    class Total
      def price(lines)
        lines.each do |line|
          add(line)
        end
      end

      def each(lines)
        lines
      end
    end
";

fn first(query: &str) -> String {
    let found = ask::ask(&of_text(CODE), query);
    found.functions[0].name.clone()
}

#[test]
fn function_of_a_bare_trace_is_first() {
    let trace = "lib/cart/total.rb:3:in 'price': undefined method 'unwrap' for a cart option value (NoMethodError)\n\
                 \tfrom lib/cart/option.rb:9:in 'cart_option'";
    assert_eq!(first(trace), "Total.price");
}

#[test]
fn function_at_a_bare_line_is_first() {
    assert_eq!(first("lib/cart/total.rb:4"), "Total.price");
}

#[test]
fn line_decides_for_names_of_built_in_members() {
    assert_eq!(
        first("lib/cart/total.rb:4:in 'each': none (NoMethodError)"),
        "Total.price"
    );
}

#[test]
fn file_of_any_kind_that_is_named_with_its_directory_is_first() {
    let mut code = String::new();
    for directory in ["a", "b", "c", "d"] {
        code.push_str(&format!(
            "
            //- src/{directory}/messages.properties
            save=the crash on save in messages
            //- src/{directory}/Dockerfile
            RUN save the crash
            "
        ));
    }
    let snapshot = of_text(&code);
    for named in ["src/b/messages.properties", "src/c/Dockerfile"] {
        let found = ask::ask(&snapshot, &format!("Crash in {named} on save"));
        assert_eq!(found.files[0].path, named);
    }
}

#[test]
fn function_that_moved_since_the_trace_is_first() {
    let code = "
        //- shop/cart.py
        def show(cart):
            return str(cart)

        def clear(cart):
            cart.rows = []

        //- shop/tax.py
        def check_tax_rate(rate):
            if rate < 0:
                raise ValueError('bad rate')
    ";
    let snapshot = of_text(code);
    let named = |function: &str| {
        let trace = format!(
            "Traceback (most recent call last):\n  File \"shop/cart.py\", line 5, in {function}\nValueError: bad"
        );
        ask::ask(&snapshot, &trace).functions[0].name.clone()
    };
    assert_eq!(named("check_tax_rate"), "check_tax_rate");
    // The line decides for a name that no function has.
    assert_eq!(named("apply_tax_rate"), "clear");
}
