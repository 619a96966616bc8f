//! Tests the resolution of PHP imports in small trees.

use foveate_model::ImportKind;
use foveate_model::resolution::FileTree;

use super::MODULES;
use crate::testing::Tree;

fn tree() -> Tree {
    Tree::new(&[
        ("composer.json", "{}"),
        ("index.php", "<?php\nrequire 'src/boot.php';\n"),
        (
            "packages/a/src/Client.php",
            "<?php\nnamespace App\\Http;\nclass Client {}\n",
        ),
        (
            "src/Http/Client.php",
            "<?php\nnamespace App\\Http;\nclass Client {}\n",
        ),
        (
            "src/Http/Server.php",
            "<?php\nnamespace App\\Http;\nclass Server {}\n",
        ),
        (
            "src/Models/User.php",
            "<?php\nnamespace App\\Models { class User {} }\n",
        ),
        ("src/boot.php", "<?php\nfunction boot() {}\n"),
        ("src/view.php", "<p><?= $a ?></p>\n"),
        (
            "tests/Http/ClientTest.php",
            "<?php\nnamespace App\\Http;\nclass ClientTest {}\n",
        ),
        ("tests/lib.php", "<?php\n"),
        ("wp/a/b.php", "<?php\n"),
    ])
}

#[test]
fn namespaces_are_found() {
    let tree = tree();
    for (importer, module, found) in [
        ("index.php", "App\\Http", "src/Http/Client.php"),
        ("index.php", "\\App\\Http", "src/Http/Client.php"),
        ("index.php", "App\\Http\\", "src/Http/Client.php"),
        ("src/Models/User.php", "App\\Http", "src/Http/Client.php"),
        (
            "packages/a/src/Client.php", "App\\Http", "packages/a/src/Client.php",
        ),
        ("tests/lib.php", "App\\Http", "tests/Http/ClientTest.php"),
        ("index.php", "App\\Models", "src/Models/User.php"),
        ("index.php", "App", ""),
        ("index.php", "App\\Http\\Client", ""),
        ("index.php", "PHPUnit\\Framework", ""),
        ("index.php", "", "index.php"),
        ("src/boot.php", "", "src/boot.php"),
    ] {
        assert_eq!(
            tree.resolve(&MODULES, importer, module),
            found,
            "{module} in {importer}"
        );
    }
}

#[test]
fn included_files_are_found() {
    let tree = tree();
    let files = &tree as &dyn FileTree;
    let resolver = (MODULES.resolver)(files);
    for (importer, path, found) in [
        ("index.php", "src/boot.php", "src/boot.php"),
        ("index.php", "./src/boot.php", "src/boot.php"),
        ("src/Http/Client.php", "../boot.php", "src/boot.php"),
        ("src/Http/Client.php", "./../boot.php", "src/boot.php"),
        ("src/Http/Client.php", "boot.php", "src/boot.php"),
        ("src/Http/Client.php", "src/boot.php", "src/boot.php"),
        ("tests/lib.php", "/src/boot.php", "src/boot.php"),
        ("tests/lib.php", "boot.php", ""),
        ("index.php", "index.php", ""),
        ("wp/a/b.php", "a/b.php", ""),
        ("wp/a/b.php", "../../index.php", "index.php"),
        ("wp/a/b.php", "../../../index.php", ""),
        ("index.php", "vendor/autoload.php", ""),
    ] {
        let from = files.find(importer).unwrap();
        let id = resolver.resolve(files, from, path, ImportKind::Require);
        let path_found = id.map_or("", |id| files.path(id));
        assert_eq!(path_found, found, "{path} in {importer}");
    }
}

#[test]
fn nested_namespaces_resolve_to_files() {
    let tree = tree();
    let files = &tree as &dyn FileTree;
    let resolver = (MODULES.resolver)(files);
    let from = files.find("index.php").unwrap();
    let found = |module, name| {
        let id = resolver.submodule(files, from, module, name);
        id.map(|id| files.path(id))
    };
    assert_eq!(found("App", "Models"), Some("src/Models/User.php"));
    assert_eq!(found("", "App"), None);
}

#[test]
fn files_of_a_namespace_are_one_package() {
    assert_eq!(
        tree().packages(&MODULES),
        [
            "index.php src/boot.php src/view.php tests/lib.php wp/a/b.php",
            "packages/a/src/Client.php src/Http/Client.php src/Http/Server.php tests/Http/ClientTest.php",
            "src/Models/User.php",
        ]
    );
}
