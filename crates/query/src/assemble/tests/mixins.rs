//! Tests short questions about modules that classes include, about aliases of methods, and about methods of objects whose
//! class is unknown.

use super::look_ups::{asked, reasons};
use super::*;

const ACCOUNTS: &str = "
    //- app/lockable.rb
    module Lockable
      def unlock_access
        refresh_token
      end
    end

    //- app/user.rb
    class User
      include Lockable
    end

    //- app/admin.rb
    class Admin
      include Lockable

      def unlock_access
        super
      end
    end

    //- app/registry.rb
    class Registry
      MODULES = [Lockable]
    end

    //- test/account_test.rb
    class AccountTest < Minitest::Test
      def test_state
        User.new.unlock_access
      end
    end
";

#[test]
fn classes_that_include_a_module_are_listed() {
    let snapshot = fixture(ACCOUNTS);
    for query in [
        "which classes include Lockable?",
        "which classes include the `Lockable` concern?",
        "which classes extend Lockable",
    ] {
        let pack = asked(&snapshot, query, 4000);
        let mut found = reasons(&pack, "callers");
        found.sort();
        let wanted = ["Admin: uses Lockable", "User: uses Lockable"];
        assert_eq!(found, wanted, "{query}: {}", pack.context);
    }
    let pack = asked(&snapshot, "who includes Lockable?", 4000);
    assert!(pack.context.contains("class User"), "{}", pack.context);
}

#[test]
fn members_of_a_module_that_is_included_count_as_those_of_a_type() {
    let snapshot = fixture(ACCOUNTS);
    let pack = asked(&snapshot, "which tests cover Lockable?", 4000);
    let tests = reasons(&pack, "tests");
    let call = "AccountTest.test_state: calls Lockable.unlock_access";
    assert_eq!(tests, [call], "{}", pack.context);
    let pack = asked(&snapshot, "implementations of Lockable.unlock_access", 4000);
    let overriding = "Admin.unlock_access: overrides Lockable.unlock_access";
    assert_eq!(reasons(&pack, "callers"), [overriding], "{}", pack.context);
}

#[test]
fn alias_of_a_method_uses_it_and_calls_nothing() {
    let snapshot = fixture(
        "
        //- request.rb
        class Request
          def uri
            build(1)
          end

          alias url uri
          alias_method :link, :uri
        end
        ",
    );
    let pack = asked(&snapshot, "who calls Request.uri?", 4000);
    for alias in ["alias url uri", "alias_method :link, :uri"] {
        let wanted = format!(" uses=\"Request.uri\">\n  {alias}\n");
        assert!(pack.context.contains(&wanted), "{}", pack.context);
    }
}

#[test]
fn uses_by_name_alone_are_listed_where_no_other_is_known() {
    let method = "  def activate_account\n    true\n  end\nend\n";
    let mut strategies = "class Strategy\n".to_owned();
    for name in ["alpha", "beta", "gamma", "delta"] {
        strategies.push_str(&format!(
            "  def {name}(resource)\n    resource.activate_account\n"
        ));
        // Too long to be shown whole.
        for n in 0..40 {
            strategies.push_str(&format!("    resource.note({n}, resource.rest({n}))\n"));
        }
        strategies.push_str("  end\n\n");
    }
    strategies.push_str("end\n");
    let files = |others: &[&str]| {
        let modules = others.iter().map(|module| {
            let path = format!("app/{}.rb", module.to_lowercase());
            (path, format!("module {module}\n{method}"))
        });
        let strategies = ("app/strategy.rb".to_owned(), strategies.clone());
        snapshot(modules.chain([strategies]))
    };
    let unsure = "confidence=\"name_only\"";
    let pack = asked(
        &files(&["Lockable", "Trackable"]),
        "who calls activate_account?",
        600,
    );
    assert!(pack.context.contains(unsure), "{}", pack.context);
    // The only method of the name is likely to be meant.
    let pack = asked(&files(&["Lockable"]), "who calls activate_account?", 600);
    assert!(!pack.context.contains(unsure), "{}", pack.context);
}
