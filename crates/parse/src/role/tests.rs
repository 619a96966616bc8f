//! Tests roles by paths.

use super::*;

fn check(role: Role, paths: &[&str]) {
    for path in paths {
        let path = RepoPath::new(path).unwrap();
        let language = languages::by_path(&path).unwrap_or(Language::TEXT);
        assert_eq!(of(&path, language, false), role, "{path}");
    }
}

#[test]
fn shipped_code_is_source() {
    check(
        Role::Source,
        &[
            "django/db/models/query.py",
            "django/test/client.py",
            "django/test/__init__.py",
            "django/core/management/commands/test.py",
            "src/_pytest/python.py",
            "src/_pytest/pytester.py",
            "astropy/tests/helper.py",
            "astropy/tests/runner.py",
            "sklearn/utils/testing.py",
            "numpy/testing/_private/utils.py",
            "scrapy/utils/test.py",
            "sympy/testing/runtests.py",
            "src/flask/testing.py",
            "packages/core/src/browser/shell.tsx",
            "packages/test/src/browser/view.ts",
            "packages/core/testing/src/fixture.ts",
            "lib/axios.js",
            "scripts/build.js",
            "django/contrib/auth/templates/registration/password_reset_email.txt",
            "django/contrib/admin/static/admin/js/actions.js",
            "django/contrib/admin/templates/admin/base.html",
            "src/docs/panel.tsx",
            "src/spec/parser.ts",
            "src/commonMain/kotlin/net/ConnectionSpec.kt",
            "src/desktop/kotlin/net/ConnectionSpec.kt",
            "core/src/main/java/net/LoadTest.java",
            "src/main.rs",
        ],
    );
}

#[test]
fn tests_and_their_support_are_tests() {
    check(
        Role::Test,
        &[
            "tests/foo/tests.py",
            "tests/conftest.py",
            "tests/templates/a.html",
            "tests/fixtures/data.json",
            "sympy/core/tests/test_x.py",
            "sympy/core/tests/__init__.py",
            "astropy/tests/tests/test_imports.py",
            "astropy/io/fits/tests/helper.py",
            "testing/test_x.py",
            "testing/conftest.py",
            "test/units/a.py",
            "test/support/util.js",
            "Lib/test/test_os.py",
            "src/test/java/com/x/A.java",
            "src/app/model.test.ts",
            "src/app/model.spec.tsx",
            "src/__tests__/a.js",
            "src/v5/__testfixtures__/named.input.tsx",
            "packages/core/src/node/test/mock.ts",
            "examples/api-tests/src/a.js",
            "examples/tutorial/tests/test_auth.py",
            "pkg/server/handler_test.go",
            "spec/models/user_spec.rb",
            "benchmarks/run.py",
            "tests/README.md",
            "tests-integration/src/process.rs",
            "src/jvmTest/kotlin/net/ConnectionSpec.kt",
            "src/CartTest.java",
            "internal/testutils/wrappers.go",
        ],
    );
}

#[test]
fn prose_and_examples_are_documentation() {
    check(
        Role::Documentation,
        &[
            "README.md",
            "README",
            "CHANGES.rst",
            "LICENSE",
            "docs/ref/models.txt",
            "docs/conf/sample.py",
            "doc/en/example/test_fixture.py",
            "examples/flask_app/app.py",
            "galleries/plot.py",
            "packages/core/README.md",
            "changelogs/fragments/123.yml",
            "src/pkg/docs/intro.txt",
        ],
    );
}

#[test]
fn settings_are_configuration() {
    check(
        Role::Configuration,
        &[
            "pyproject.toml", "setup.py", "setup.cfg", "package.json", "packages/a/package.json",
            "tsconfig.base.json", "Dockerfile", "docker/Dockerfile.dev", "ci/unit/mysql.xml",
            "config/pmd/rules.xml", ".changeset/config.json", "changelogs/config.yml",
            "config/words.json", ".github/workflows/ci.yml", ".eslintrc.js", "vite.config.ts",
            "requirements/dev.txt", "docs/conf.py", "Makefile", "CMakeLists.txt",
        ],
    );
}

#[test]
fn copies_and_program_output_are_generated() {
    check(
        Role::Generated,
        &[
            "node_modules/a/index.js", "vendor/lib/a.py", "astropy/extern/six.py",
            "web/versioned_docs/1/a.md", "sklearn/externals/joblib.py", "static/app.min.js",
            "package-lock.json", "proto/a_pb2.py", "dist/index.js", "static/jquery-3.6.0.js",
        ],
    );
    let path = RepoPath::new("src/parser.py").unwrap();
    assert_eq!(of(&path, Language::TEXT, true), Role::Generated);
}

#[test]
fn program_input_is_data() {
    check(
        Role::Data,
        &[
            "django/conf/locale/de/LC_MESSAGES/django.po",
            "src/words.json",
            "src/config/words.json",
            "lib/shop.xml",
            "src/words.txt",
            "src/logo.svg",
            "data/countries.csv",
        ],
    );
}

/// Checks the roles of paths; each line holds a role and a path.
#[track_caller]
fn check_all(lines: &str) {
    let mut wrong = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (role, name) = line.split_once(' ').unwrap();
        let path = RepoPath::new(name.trim()).unwrap();
        let language = languages::by_path(&path).unwrap_or(Language::TEXT);
        let found = format!("{:?}", of(&path, language, false)).to_lowercase();
        if found != role {
            wrong.push(format!("{name}: {found}, wanted {role}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn go_roles() {
    check_all(
        "source        pkg/cart/cart.go
         source        internal/text/to_string.go
         source        cmd/shop/main.go
         source        doc/man.go
         test          doc/man_test.go
         documentation doc/samples/man.go
         documentation docs/man.md
         test          pkg/cart/cart_test.go
         test          pkg/cart/testdata/empty.go
         test          test/e2e/cart.go
         generated     api/shop.pb.go
         generated     api/shop_grpc.pb.go
         generated     api/shop.pb.gw.go
         generated     apis/v1/zz_generated.deepcopy.go
         generated     pkg/cart/mocks/store.go
         generated     pkg/cart/mock_store.go
         test          pkg/cart/mock_test.go
         generated     vendor/acme.io/shop/cart.go
         generated     Godeps/_workspace/src/acme.io/a.go
         generated     go.sum
         configuration go.mod
         configuration go.work
         configuration .golangci.yml",
    );
}

#[test]
fn rust_roles() {
    check_all(
        "source        src/lib.rs
         source        crates/shop/src/cart.rs
         source        crates/test/src/lib.rs
         test          tests/cart.rs
         test          crates/shop/tests/it/main.rs
         test          crates/shop/src/tests.rs
         test          crates/shop/src/cart/tests/sum.rs
         test          crates/shop/src/cart_test.rs
         test          benches/sum.rs
         documentation examples/cart.rs
         generated     shop-sys/src/bindings.rs
         generated     vendor/serde/src/lib.rs
         generated     third_party/serde/src/lib.rs
         generated     Cargo.lock
         configuration Cargo.toml
         configuration crates/shop/Cargo.toml
         configuration crates/shop/build.rs
         configuration rustfmt.toml",
    );
}

#[test]
fn java_and_kotlin_roles() {
    check_all(
        "source        src/main/java/org/acme/Cart.java
         source        shop/src/main/java/org/acme/test/Runner.java
         source        shop/src/main/kotlin/org/acme/tests/Runner.kt
         source        shop/src/main/java/org/acme/KeySpec.java
         source        shop/src/main/java/org/acme/vendors/Vendor.java
         generated     shop/src/main/java/org/acme/generated/Vendor.java
         generated     vendor/acme/src/main/java/org/acme/Cart.java
         source        src/commonMain/kotlin/org/acme/Cart.kt
         test          src/test/java/org/acme/Support.java
         test          shop/src/test/java/org/acme/CartTest.java
         test          shop/org/acme/CartTests.java
         test          shop/org/acme/CartIT.java
         test          src/integrationTest/java/org/acme/Server.java
         test          src/testFixtures/java/org/acme/Carts.java
         test          src/androidTest/java/org/acme/Screen.java
         test          src/commonTest/kotlin/org/acme/Carts.kt
         test          shop/src/jvmTest/kotlin/org/acme/Carts.kt
         test          src/test/kotlin/CartSpec.kt
         test          src/functionalTest/resources/config/shop.yml
         test          src/commonTest/resources/cart.properties
         test          shop/jvm/test-resources/shop.conf
         source        src/main/java/org/acme/integrationtest/Runner.java
         generated     app/org/acme/R.java
         generated     app/org/acme/BuildConfig.java
         generated     api/org/acme/ShopOuterClass.java
         generated     target/generated-sources/org/acme/A.java
         generated     gradlew
         generated     gradle.lockfile
         configuration pom.xml
         configuration shop/pom.xml
         configuration build.gradle
         configuration shop/build.gradle.kts
         configuration settings.gradle.kts
         configuration build-logic/src/main/kotlin/shop.publish-conventions.gradle.kts
         configuration gradle/publish.gradle
         source        scripts/release.main.kts
         configuration gradle.properties",
    );
}

#[test]
fn c_and_cpp_roles() {
    check_all(
        "source        src/cart.c
         source        include/shop/cart.h
         source        include/shop/detail/test_access.hpp
         source        src/format.cc
         test          test/cart.cc
         test          test/format-test.cc
         test          src/cart_test.cc
         test          src/cart_unittest.cc
         test          test.c
         source        prometheus/testutil/promlint.go
         test          tests/CartTest.cpp
         test          unittests/cart.cpp
         generated     single_include/shop/shop.hpp
         generated     single-header/shop.h
         generated     singleheader/shop.cpp
         generated     amalgamation/shop.c
         generated     extras/shop_amalgamated.hpp
         generated     dist/shop.h
         generated     api/shop.pb.cc
         generated     api/shop.pb.h
         generated     src/parser.tab.c
         generated     src/lexer.yy.c
         generated     third_party/zlib/inflate.c
         generated     deps/lua/src/lapi.c
         generated     external/zlib/inflate.c
         generated     ios/Pods/Shop/Cart.h
         configuration CMakeLists.txt
         configuration src/CMakeLists.txt
         configuration meson.build
         configuration shop.vcxproj
         configuration configure.ac",
    );
}

#[test]
fn csharp_roles() {
    check_all(
        "source        src/Shop/Cart.cs
         source        src/Shop/Contests/Cart.cs
         source        src/Shop.Testing/Carts.cs
         source        src/Shop/Samples/Sample.cs
         test          test/Shop/Carts.cs
         test          src/Shop.Tests/Carts.cs
         test          src/Shop.Tests/data.json
         test          src/Shop.UnitTests/Sum/Carts.cs
         test          ShopTests/Carts.cs
         test          src/Shop.Tests.Web/Models.cs
         test          bench/Shop.Benchmarks/Program.cs
         documentation src/Shop.Samples/Cart.cs
         documentation src/ShopSamples/Cart.cs
         test          src/Shop/CartTests.cs
         generated     src/Shop/Cart.g.cs
         generated     src/Shop/Form.Designer.cs
         generated     src/Shop/Cart.feature.cs
         generated     packages.lock.json
         configuration src/Shop/Shop.csproj
         configuration Shop.sln
         configuration Directory.Build.props
         configuration global.json
         configuration nuget.config",
    );
}

#[test]
fn ruby_roles() {
    check_all(
        "source        lib/shop/cart.rb
         source        lib/shop/spec/runner.rb
         source        app/models/cart.rb
         source        bin/shop.rb
         test          spec/cart_spec.rb
         test          spec/support/carts.rb
         test          engines/api/spec/support/carts.rb
         test          test/cart_test.rb
         test          test/test_helper.rb
         test          features/step_definitions/cart.rb
         generated     db/schema.rb
         generated     vendor/gems/rake/lib/rake.rb
         generated     lib/api/shop_pb.rb
         generated     Gemfile.lock
         configuration Gemfile
         configuration Rakefile
         configuration shop.gemspec
         configuration config.ru
         configuration .rubocop.yml",
    );
}

#[test]
fn php_roles() {
    check_all(
        "source        src/Cart.php
         source        app/Http/Controllers/CartController.php
         source        src/Testing/Runner.php
         test          tests/Unit/CartTest.php
         test          tests/bootstrap.php
         test          src/CartTest.php
         test          tests/Fixtures/carts.php
         test          spec/Shop/CartSpec.php
         generated     vendor/symfony/console/Application.php
         generated     vendor/autoload.php
         generated     _ide_helper.php
         generated     proto/GPBMetadata/Shop.php
         generated     composer.lock
         configuration composer.json
         configuration phpunit.xml.dist
         configuration phpunit.xml
         configuration .php-cs-fixer.dist.php
         configuration phpstan.neon",
    );
}

#[test]
fn parts_of_applications_have_roles() {
    check_all(
        "source        resources/views/list/cart.twig
         source        app/views/carts/_row.html.erb
         source        templates/base/footer.tmpl
         source        lib/shop_web/cart.html.heex
         source        src/app/cart.component.html
         source        Views/Cart/Index.cshtml
         source        Shop/MainWindow.xaml
         source        app/src/main/res/layout-land/cart.xml
         source        app/src/main/res/menu/cart.xml
         configuration app/src/main/AndroidManifest.xml
         configuration src/main/webapp/WEB-INF/web.xml
         data          app/src/main/res/values-de/strings.xml
         data          conf/locale/locale_en-US.ini
         data          config/locales/views/carts/en.yml
         data          translations/messages.de.yml
         data          web/src/locales/de.json
         data          src/main/resources/messages_de.properties
         data          shop/migrations/0002_cart.py
         data          db/migrate/20240131120000_add_cart.rb
         data          app/DoctrineMigrations/Version20190510141130.php
         data          models/migrations/v12.go
         data          src/main/resources/db/migration/V2__cart.sql
         data          alembic/versions/3f2a9c1d_cart.py
         source        models/migrations/migrations.go
         source        shop/migrations/__init__.py
         source        django/db/migrations/state.py
         source        src/locale/de.js
         source        lang/parser.go
         source        lib/shop/cart.ex
         source        lib/cart.dart
         source        lua/shop/cart.lua
         test          lua/shop/cart_spec.lua
         test          lib/cart_test.dart
         source        app/views/carts/show.json.jbuilder
         source        src/parser/cart.y
         source        schema/cart.thrift
         configuration m4/cart.m4
         configuration shop.cabal
         configuration docker/prod.Dockerfile
         generated     app/pubspec.lock
         generated     shop/api/shop.api
         documentation RELEASENOTES.adoc
         documentation man/man1/shop.1
         documentation lib/shop/guide.rdoc
         test          features/cart.feature
         source        script/run_build
         source        shop/src/config/bindings.rs
         generated     public/js/libs/jquery.datetimepicker.js
         generated     wwwroot/lib/bootstrap/css/bootstrap.css
         generated     public/plugins/pdfjs-1.4.20/build/pdf.js
         generated     app/assets/javascripts/jquery-ui.js
         source        app/assets/lib/cart.js
         source        src/jquery.cart.js
         source        public/js/cart.js
         source        lib/plugins/cart.js",
    );
}

#[test]
fn descriptions_of_machines_and_services_are_source() {
    check_all(
        "source        modules/cluster/main.tf
         source        modules/services/cart.nix
         configuration flake.nix
         source        manifests/vhost.pp
         source        charts/shop/templates/deployment.yaml
         configuration charts/shop/values.yaml
         configuration charts/shop/Chart.yaml
         source        roles/shop/tasks/main.yml
         source        roles/shop/defaults/main.yml
         source        tasks/main.yml
         source        vars/Debian.yml
         source        playbooks/shop.yml
         test          molecule/default/converge.yml
         configuration .github/templates/build.yml
         configuration eng/pipelines/templates/build.yml
         configuration config/vars/shop.yml
         configuration deploy/docker-compose.yml",
    );
}

#[test]
fn files_of_rarer_ecosystems_have_roles() {
    check_all(
        "source        src/stdlib_sorting.fypp
         source        boards/shop.dts
         source        ld/memory.ld
         source        schema/cart.xsd
         source        src/parser.mly
         configuration deps.edn
         configuration src/dune
         configuration Shop.psd1
         source        themes/shop.zsh-theme
         test          src/Cart.Tests.ps1
         test          tst/cart.ps1
         test          t/cart.t
         test          acceptance/cart.robot
         documentation paper/cart.tex",
    );
}
