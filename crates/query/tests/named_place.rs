//! Tests the places that a query names: the place of a failure comes first if the query says little else, and files that
//! are alike share the evidence.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::of_text;
use foveate_index::DefId;
use foveate_model::Lines;
use foveate_query::resolve::{DefinitionEvidence, resolve};
use foveate_query::text::QueryText;
use foveate_query::{Deadline, RankingConfig, Request};

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
fn file_of_a_bare_message_is_first_unless_the_report_says_more() {
    let snapshot = of_text(CODE);
    let first = |words: &str| {
        let message =
            "lib/cart/total.rb:3:in 'price': undefined method 'unwrap' for nil (NoMethodError)";
        let found = ask::ask(&snapshot, &format!("{words}\n\n{message}"));
        found.files[0].path.clone()
    };
    assert_eq!(first("It fails with a value"), "lib/cart/total.rb");
    let report = "The option value of a cart option is not what the cart was given, so that the value of the \
                  option cannot be unwrapped";
    assert_eq!(first(report), "lib/cart/option.rb");
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
fn line_of_a_class_outside_its_methods_leads_to_the_class() {
    let snapshot = of_text(
        "
        //- shop/cart.py
        class Cart:
            limit: int = 'many'
            currency = None

            def total(self, error, value):
                # An error of assignment has incompatible types, a value.
                return error

        //- shop/error.py
        def error(value):
            # The types of an assignment error are incompatible.
            return value
        ",
    );
    for query in [
        "shop/cart.py:2: error: Incompatible types in assignment (value error)  [assignment]",
        "Wrong types, see shop/cart.py:2, an error of incompatible assignment",
    ] {
        let found = ask::ask(&snapshot, query);
        let first = &found.places[0];
        assert_eq!(first.path, "shop/cart.py", "{query}");
        assert!(first.lines.contains(2), "{query}: {:?}", first.lines);
    }
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

const ALIKE: &str = "
    //- a/utils.py
    def launch():
        return run()

    def run():
        return task()

    //- b/utils.py
    def run():
        return task()
";

/// Returns the evidence from `from` as `path:name strength`.
fn evidence(query: &str, from: &str) -> Vec<String> {
    let snapshot = of_text(ALIKE);
    let text = QueryText::parse(query);
    let config = RankingConfig::default().resolve;
    let found = resolve(
        &snapshot,
        &text,
        &Request::default(),
        &config,
        &Deadline::none(),
    );
    let definitions = found.definitions.iter();
    let all = definitions.filter(|found| found.from.name() == from);
    all.map(|found| {
        let id = found.definition;
        let name = &snapshot.files.definition(id).qualified_name;
        let path = snapshot.files.path(id.file);
        format!("{path}:{name} {:.2}", found.strength)
    })
    .collect()
}

#[test]
fn path_of_several_files_shares_its_strength() {
    let found = evidence("See utils.py:2 please", "line");
    assert_eq!(found, ["a/utils.py:launch 0.45", "b/utils.py:run 0.45"]);
    let trace = "It fails.\n\n```\nTraceback (most recent call last):\n  File \"/app/utils.py\", line 2, in run\n    \
                 return task()\nOSError: no\n```";
    let found = evidence(trace, "traceback");
    assert_eq!(found, ["a/utils.py:run 0.25", "b/utils.py:run 0.25"]);
}

#[test]
fn frames_of_different_files_that_look_alike_both_count() {
    let trace = "It fails.\n\n```\nTraceback (most recent call last):\n  File \"/app/a/utils.py\", line 5, in run\n    \
                 return task()\n  File \"/app/b/utils.py\", line 2, in run\n    return task()\nOSError: no\n```";
    let found = evidence(trace, "traceback");
    assert_eq!(found, ["b/utils.py:run 0.50", "a/utils.py:run 0.30"]);
}

/// Returns the place that a query names, as `path:name`; empty if it names none.
fn place(code: &str, query: &str) -> String {
    let snapshot = of_text(code);
    let config = RankingConfig::default().resolve;
    let (text, request) = (QueryText::parse(query), Request::default());
    let found = resolve(&snapshot, &text, &request, &config, &Deadline::none());
    found.place.map_or_else(String::new, |id| {
        let name = &snapshot.files.definition(id).qualified_name;
        format!("{}:{name}", snapshot.files.path(id.file))
    })
}

#[test]
fn place_of_a_frame_is_a_definition_that_counts() {
    let code = "
        //- src/commonMain/kotlin/acme/Buffer.kt
        package acme

        expect class Buffer {
          fun copyTo(out: Int): Int
        }

        //- src/jvmMain/kotlin/acme/Buffer.kt
        package acme

        actual class Buffer {
          actual fun copyTo(out: Int): Int {
            return out
          }
        }
    ";
    let trace =
        "It fails\n\n```\njava.io.EOFException: none\n\tat acme.Buffer.copyTo(Buffer.kt:5)\n```";
    assert_eq!(
        place(code, trace),
        "src/jvmMain/kotlin/acme/Buffer.kt:Buffer.copyTo"
    );
}

#[test]
fn functions_that_raised_the_errors_of_a_chain_are_first() {
    let snapshot = of_text(
        "
        //- shop/pool.py
        class Pool:
            def take(self, wait):
                raise EmptyError(wait)

            def lend(self, wait):
                return self.take(wait)

            def give(self, shelf):
                raise FullError(shelf)
        ",
    );
    let chain = |joint: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"shop/pool.py\", line 6, in lend\n    return self.take(wait)\n  \
             File \"shop/pool.py\", line 3, in take\n    raise EmptyError(wait)\nEmptyError: 1\n\n{joint}\n\n\
             Traceback (most recent call last):\n  File \"app.py\", line 2, in <module>\n    pool.give(1)\n  \
             File \"shop/pool.py\", line 9, in give\n    raise FullError(shelf)\nFullError: 1\n"
        )
    };
    for joint in [
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
    ] {
        let query = chain(joint);
        let config = RankingConfig::default().resolve;
        let (text, request) = (QueryText::parse(&query), Request::default());
        let found = resolve(&snapshot, &text, &request, &config, &Deadline::none());
        let name = |id: &DefId| snapshot.files.definition(*id).qualified_name.to_string();
        assert_eq!(found.place.as_ref().map(name).as_deref(), Some("Pool.give"));
        let causes: Vec<String> = found.causes.iter().map(name).collect();
        assert_eq!(causes, ["Pool.take"]);

        let functions = ask::ask(&snapshot, &query).functions;
        let mut first: Vec<&str> = functions.iter().take(2).map(|f| &*f.name).collect();
        first.sort_unstable();
        assert_eq!(first, ["Pool.give", "Pool.take"]);
    }
}

#[test]
fn mere_name_of_several_files_names_no_place() {
    assert_eq!(place(ALIKE, "error in `utils.py:2`"), "");
    assert_eq!(place(ALIKE, "It fails\n\n```\nutils.py:2: no\n```"), "");
    assert_eq!(place(ALIKE, "error in `b/utils.py:2`"), "b/utils.py:run");
    let tested = "
        //- shop/tests/utils.py
        def check():
            return run()

        //- web/utils.py
        def run():
            return task()
    ";
    assert_eq!(place(tested, "error in `utils.py:2`"), "web/utils.py:run");
}

#[test]
fn link_to_a_branch_with_slashes_names_its_file() {
    for branch in ["main", "0a1b2c3d", "stable/2.2.x", "ada/fix/2.2"] {
        let link = format!("https://github.com/acme/shop/blob/{branch}/lib/cart/total.rb#L4");
        let query = format!("See {link} for the cause");
        assert_eq!(place(CODE, &query), "lib/cart/total.rb:Total.price");
    }
}

#[test]
fn link_names_the_file_at_exactly_its_path() {
    let of_link = |path: &str| {
        let link = format!("https://github.com/acme/shop/blob/main/{path}#L2");
        evidence(&format!("See {link} for the cause"), "line")
    };
    assert_eq!(of_link("a/utils.py"), ["a/utils.py:launch 0.90"]);
    assert!(of_link("shop/src/a/utils.py").is_empty());
    assert!(of_link("src/utils.py").is_empty());
    assert!(of_link("utils.py").is_empty());
}

const HOOKS: &str = "
    //- src/cart.ts
    import { round } from './round';
    import { tax } from './tax';

    export function sum(rows) {
      return round(rows.length);
    }

    //- src/cart.test.ts
    import { sum } from './cart';

    describe('cart', () => {
      let rows;

      beforeEach(() => {
        rows = [1].concat(undefined.none);
      });

      it('sums its rows', () => {
        const all = sum(rows);
        expect(all).toBe(1);
      });

      it('is empty', () => {
        const none = sum([]);
        expect(none).toBe(0);
      });
    });
";

/// Returns the definitions that a query names, and the lines outside functions that it names.
fn at_lines(query: &str) -> (Vec<String>, Vec<u32>) {
    let snapshot = of_text(HOOKS);
    let config = RankingConfig::default().resolve;
    let (text, request) = (QueryText::parse(query), Request::default());
    let found = resolve(&snapshot, &text, &request, &config, &Deadline::none());
    let at = |found: &&DefinitionEvidence| matches!(found.from.name(), "traceback" | "line");
    let definitions = found.definitions.iter().filter(at);
    let name = |id: DefId| snapshot.files.definition(id).name.to_string();
    (
        definitions.map(|found| name(found.definition)).collect(),
        found.lines.iter().map(|named| named.line).collect(),
    )
}

#[test]
fn line_between_tests_names_its_stretch_and_not_the_whole_block() {
    let trace = |place: &str| {
        at_lines(&format!(
            "TypeError: none is not defined\n    at Context.<anonymous> (src/cart.test.ts:{place})"
        ))
    };
    assert_eq!(trace("4:7"), (vec![], vec![4]));
    assert_eq!(trace("7:35"), (vec!["beforeEach".to_owned()], vec![]));
    assert_eq!(trace("11:5"), (vec!["sums its rows".to_owned()], vec![]));
}

#[test]
fn title_of_a_test_decides_where_the_line_is_in_no_test() {
    let (definitions, lines) = at_lines("`cart is empty` fails in src/cart.test.ts:3.");
    assert_eq!(definitions, ["is empty"]);
    assert!(lines.is_empty(), "{lines:?}");
}

#[test]
fn imports_at_a_named_line_are_shown() {
    let error = "src/cart.ts:2:10 - error TS2305: Module './tax' has no exported member 'tax'.";
    let found = ask::ask(&of_text(HOOKS), error);
    let items = found
        .pack
        .sections
        .iter()
        .flat_map(|section| &section.items);
    let mut of_file = items.filter(|item| item.path == "src/cart.ts");
    let shows_line = |shown: &Lines| shown.contains(2);
    assert!(
        of_file.any(|item| item.shown.iter().any(shows_line)),
        "{}",
        found.pack.context
    );
}

/// Returns the names of what is shown because of a line that a query names, sorted.
fn shown_for_lines(code: &str, query: &str) -> Vec<String> {
    let found = ask::ask(&of_text(code), query);
    let sections = found.pack.sections.iter();
    let items = sections.flat_map(|section| &section.items);
    let named = items.filter(|item| item.reason == "has a line that the query names");
    let mut names: Vec<String> = named.map(|item| item.name.clone()).collect();
    names.sort();
    names
}

#[test]
fn functions_of_several_errors_are_shown() {
    let code = "
        //- cart.go
        package shop

        func Sum(rows []int) int {
        	return total
        }

        //- tax.go
        package shop

        func Rate(rows []int) int {
        	return rate
        }

        func Round(rows []int) int {
        	return 1
        }
    ";
    let output =
        "Build fails\n\n```\n./cart.go:4:9: undefined: total\n./tax.go:4:9: undefined: rate\n```";
    assert_eq!(shown_for_lines(code, output), ["Rate", "Sum"]);
    let trace = "It fails\n\n```\npanic: no\n\ngoroutine 1 [running]:\nacme.io/shop.Rate(0x1)\n\t/w/tax.go:4 +0x1d\n```";
    assert_eq!(shown_for_lines(code, trace), [""; 0]);
}

#[test]
fn functions_of_warnings_are_shown_where_there_are_no_errors() {
    let code = "
        //- cart.c
        int sum(int rows) {
          return rows;
        }

        int rate(int rows) {
          return tax;
        }
    ";
    let warning = "cart.c:2:3: warning: unused value";
    let error = "cart.c:6:10: error: 'tax' undeclared";
    let shown = |messages: &str| shown_for_lines(code, &format!("Build\n\n```\n{messages}\n```"));
    assert_eq!(shown(&format!("{warning}\n{error}")), ["rate"]);
    assert_eq!(shown(warning), ["sum"]);
}
