//! Tests the resolution of C# imports in small trees.

use foveate_model::resolution::FileTree;

use super::MODULES;
use crate::testing::Tree;

const SHOP: &str = r"
//- src/Shop/Cart.cs
namespace Acme.Shop;
public class Cart { public class Line {} }
//- src/Shop/Cart.Partial.cs
namespace Acme.Shop { public partial class Cart {} }
//- src/Shop/Pay/Card.cs
namespace Acme.Shop.Pay { class Card {} enum Kind { A } }
//- src/Core/Text.cs
namespace Acme.Core
{
    namespace Text { public static class Strings { public static int Len(string s) => 1; } }
}
//- src/Core/Global.cs
class Program {}
//- test/Shop.Tests/CartTests.cs
using Acme.Shop;
namespace Acme.Shop.Tests { class CartTests {} }
//- test/Other/Cart.cs
namespace Acme.Shop;
class Fake {}
//- notes/readme.md
# Acme.Shop
";

#[test]
fn namespaces_and_types_resolve_to_files() {
    let count = Tree::of(SHOP).check(
        &MODULES,
        "src/Shop/Pay/Card.cs Acme.Shop -> src/Shop/Cart.Partial.cs
        test/Other/Cart.cs Acme.Shop -> test/Other/Cart.cs
        src/Core/Global.cs Acme.Shop.Pay -> src/Shop/Pay/Card.cs
        src/Core/Global.cs global::Acme.Shop.Pay -> src/Shop/Pay/Card.cs
        src/Core/Global.cs Acme.Core.Text -> src/Core/Text.cs
        src/Core/Global.cs Acme.Core.Text.Strings -> src/Core/Text.cs
        src/Core/Global.cs Acme.Shop.Cart -> src/Shop/Cart.Partial.cs
        src/Core/Global.cs Acme.Shop.Cart.Line -> src/Shop/Cart.cs
        src/Core/Global.cs Acme.Shop.Pay.Kind -> src/Shop/Pay/Card.cs
        src/Core/Global.cs Program -> src/Core/Global.cs
        src/Shop/Cart.cs Pay -> src/Shop/Pay/Card.cs
        src/Shop/Cart.cs Shop.Pay -> src/Shop/Pay/Card.cs
        src/Shop/Cart.cs Core.Text -> src/Core/Text.cs
        test/Shop.Tests/CartTests.cs Pay -> src/Shop/Pay/Card.cs
        test/Shop.Tests/CartTests.cs Tests -> test/Shop.Tests/CartTests.cs
        test/Shop.Tests/CartTests.cs Cart -> src/Shop/Cart.Partial.cs
        src/Core/Global.cs Pay ->
        src/Core/Global.cs System ->
        src/Core/Global.cs System.Linq ->
        src/Core/Global.cs Acme ->
        src/Core/Global.cs Acme.Missing ->
        src/Core/Global.cs Xunit ->",
    );
    assert!(count >= 20);
}

#[test]
fn files_of_a_namespace_are_one_package() {
    assert_eq!(
        Tree::of(SHOP).packages(&MODULES),
        [
            "src/Core/Global.cs",
            "src/Core/Text.cs",
            "src/Shop/Cart.Partial.cs src/Shop/Cart.cs test/Other/Cart.cs",
            "src/Shop/Pay/Card.cs",
            "test/Shop.Tests/CartTests.cs",
        ]
    );
}

#[test]
fn settings_import_namespaces_into_all_files_of_a_project() {
    let tree = Tree::of(
        r#"
//- Directory.Build.props
<Project><Using Include="Acme.Core" /></Project>
//- src/Shop/Shop.csproj
<Project><Using Include="Acme.Pay" /><Using Include="System.Linq" /></Project>
//- src/Shop/Sub/Cart.cs
namespace Acme.Shop;
//- src/Core/Text.cs
namespace Acme.Core;
//- src/Pay/Directory.Build.props
<Project />
//- src/Pay/Pay.csproj
<Project />
//- src/Pay/Card.cs
namespace Acme.Pay;
"#,
    );
    let resolver = (MODULES.resolver)(&tree);
    let files = &tree as &dyn FileTree;
    for (path, expected) in [
        (
            "src/Shop/Sub/Cart.cs",
            Some("src/Pay/Card.cs src/Core/Text.cs"),
        ),
        ("src/Pay/Card.cs", Some("")),
        ("src/Core/Text.cs", None),
    ] {
        let project = resolver.project_of(tree.find(path).unwrap());
        let imports = project.map(|project| {
            let imports = resolver.imports_of_project(project).iter();
            let paths: Vec<&str> = imports.map(|id| files.path(*id)).collect();
            paths.join(" ")
        });
        assert_eq!(imports.as_deref(), expected, "{path}");
    }
}
