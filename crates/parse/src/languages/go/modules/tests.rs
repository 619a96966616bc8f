//! Tests import resolution of Go in small trees.

use super::MODULES;
use crate::testing::Tree;

const WORK: &str = "
//- go.mod
module example.com/shop/v2

require example.com/other v1.0.0
replace (
\texample.com/forked v1.2.3 => ./third/forked
\texample.com/gone => example.com/else v1.0.0
)
//- go.work
use ./tools
//- main.go
package main
//- cart/cart.go
package cart
//- cart/cart_linux.go
package cart
//- cart/cart_test.go
package cart_test
//- cart/inner_test.go
package cart
//- internal/db/db.go
package db
//- pkg/go-yaml/yaml.go
package yaml
//- only/only_test.go
package only
//- tools/go.mod
module example.com/tools // tools
//- tools/gen/gen.go
package gen
//- tools/vendor/github.com/x/z/z.go
package z
//- vendor/github.com/x/y/y.go
package y
//- third/forked/f.go
package forked
//- third/forked/sub/s.go
package sub
//- docs/readme.md
cart
";

#[test]
fn import_paths_resolve_to_packages() {
    let count = Tree::of(WORK).check(
        &MODULES,
        "main.go example.com/shop/v2 -> main.go
        main.go example.com/shop/v2/cart -> cart/cart.go
        main.go example.com/shop/v2/internal/db -> internal/db/db.go
        main.go example.com/shop/v2/pkg/go-yaml -> pkg/go-yaml/yaml.go
        main.go example.com/shop/v2/missing ->
        main.go example.com/shop/v2/only ->
        main.go example.com/shop/cart ->
        main.go example.com/shop/v22/cart ->
        main.go example.com/tools/gen -> tools/gen/gen.go
        main.go example.com/tools ->
        main.go example.com/forked -> third/forked/f.go
        main.go example.com/forked/sub -> third/forked/sub/s.go
        main.go example.com/gone ->
        main.go example.com/other ->
        main.go github.com/x/y -> vendor/github.com/x/y/y.go
        main.go github.com/x/z -> tools/vendor/github.com/x/z/z.go
        main.go fmt ->
        main.go net/http ->
        main.go cart ->
        main.go ./cart -> cart/cart.go
        cart/cart.go ../internal/db -> internal/db/db.go
        cart/cart.go ../../outside ->
        cart/cart_test.go example.com/shop/v2/cart -> cart/cart.go
        tools/gen/gen.go example.com/shop/v2/internal/db -> internal/db/db.go
        tools/gen/gen.go ./ -> tools/gen/gen.go",
    );
    assert!(count >= 25);
}

#[test]
fn library_is_imported_although_a_program_is_beside_it() {
    Tree::of("//- go.mod\nmodule m\n//- width/gen.go\npackage main\n//- width/tables.go\npackage width_tables\n//- width/width.go\npackage width\n//- cmd/a.go\npackage main\n").check(
        &MODULES,
        "cmd/a.go m/width -> width/width.go
        width/gen.go m/cmd -> cmd/a.go",
    );
}

#[test]
fn import_resolves_by_path_ending_without_go_mod() {
    Tree::of("//- a/b/c.go\npackage b\n//- main.go\npackage main\n").check(
        &MODULES,
        "main.go github.com/x/y/a/b -> a/b/c.go
        main.go github.com/x/y ->
        main.go a/b ->",
    );
}

#[test]
fn files_in_a_directory_share_a_package() {
    assert_eq!(
        Tree::of(WORK).packages(&MODULES),
        [
            "cart/cart.go cart/cart_linux.go cart/inner_test.go",
            "cart/cart_test.go",
            "internal/db/db.go",
            "main.go",
            "only/only_test.go",
            "pkg/go-yaml/yaml.go",
            "third/forked/f.go",
            "third/forked/sub/s.go",
            "tools/gen/gen.go",
            "tools/vendor/github.com/x/z/z.go",
            "vendor/github.com/x/y/y.go",
        ]
    );
}
