//! Tests the facts collected from PHP sources, feature by feature.

use crate::testing::{definitions, imports, messages, php, references, same, tests};

fn php_of(source: &str) -> String {
    format!("<?php\n{source}")
}

#[track_caller]
fn defines(source: &str, expected: &str) {
    let source = php_of(source);
    same(&definitions(php(), &source), expected, &source);
}

#[track_caller]
fn refers(source: &str, expected: &str) {
    let source = php_of(source);
    same(&references(php(), &source), expected, &source);
}

#[test]
fn builtin_names_are_sorted() {
    use super::super::RULES;
    assert!(super::BUILTIN_TYPES.is_sorted());
    assert!(RULES.lookup.builtin_members.is_sorted() && RULES.lookup.globals.is_sorted());
}

#[test]
fn class_like_types_are_defined() {
    for (source, expected) in [
        ("class A {}", "class A: class A"),
        (
            "final class A extends B\\C implements \\D, E {}",
            "class A: final class A extends B\\C implements \\D, E",
        ),
        ("abstract class A {}", "class A abstract: abstract class A"),
        (
            "interface A extends B, C {}",
            "interface A: interface A extends B, C",
        ),
        ("trait A {}", "class A: trait A"),
        (
            "enum A: string implements B { case C = 'c'; const D = self::C; }",
            "enum A: enum A: string implements B
            enum_member A.C: case C = 'c'
            constant A.D: const D = self::C",
        ),
        (
            "#[A(1)]\n#[B\\C]\nclass D {}",
            "class D: #[A(1)] #[B\\C] class D",
        ),
        ("namespace A\\B;\nclass C {}", "class C: class C"),
        (
            "namespace A { class B {} function c() {} }",
            "class B: class B\nfunction c: function c()",
        ),
    ] {
        defines(source, expected);
    }
    let bases = |source: &str| {
        let facts = crate::testing::facts(php(), &php_of(source));
        facts.definitions[0].bases.join(" ")
    };
    assert_eq!(
        bases("class A extends B implements \\C { use D, E\\F { a as b; } }"),
        "B \\C D E\\F"
    );
    for (source, expected) in [
        ("/** @mixin B<C> */\nclass A {}", "B"),
        (
            "/**\n * @mixin \\B\n * @mixin C\n */\nclass A extends D {}",
            "D \\B C",
        ),
        (
            "/** @see \\B\\C */\nclass A extends D\\Facade {}",
            "D\\Facade \\B\\C",
        ),
        ("/** @see B::c() */\nclass A extends Facade {}", "Facade"),
        ("/** @see B */\nclass A extends C {}", "C"),
    ] {
        assert_eq!(bases(source), expected, "{source}");
    }
    let package = |source: &str| crate::testing::facts(php(), &php_of(source)).package;
    assert_eq!(&*package("namespace A\\B;"), "A.B");
    assert_eq!(&*package("namespace A { }\nnamespace B { }"), "A");
    assert_eq!(&*package("class A {}"), "");
}

#[test]
fn functions_and_methods_are_defined() {
    for (source, expected) in [
        ("function a(int $b, &$c, ...$d): ?E {}", "function a: function a(int $b, &$c, ...$d): ?E"),
        (
            "class A { function b() {} private function c() {} protected static function d() {} }",
            "class A: class A
            method A.b: function b()
            method A.c private: private function c()
            method A.d static protected: protected static function d()",
        ),
        (
            "class A { function __construct(private readonly B $b, $c, protected ?D $d = null) {} }",
            "class A: class A
            method A.__construct constructor: function __construct(private readonly B $b, $c, protected ?D $d = null)
            field A.b private: private readonly B $b
            field A.d protected: protected ?D $d",
        ),
        (
            "abstract class A { abstract function b(); }",
            "class A abstract: abstract class A
            method A.b abstract: abstract function b()",
        ),
        (
            "interface A { public function b(): void; const C = 1; }",
            "interface A: interface A
            method A.b abstract: public function b(): void
            constant A.C: const C = 1",
        ),
        ("function a() { function b() {} }", "function a: function a()\nfunction a.b: function b()"),
        ("if (x()) { function a() {} }", "function a: function a()"),
        (
            "function a() { return new class extends B { function c() {} }; }",
            "function a: function a()
            method a.c: function c()",
        ),
    ] {
        defines(source, expected);
    }
}

#[test]
fn fields_constants_and_variables_are_defined() {
    for (source, expected) in [
        (
            "class A { public $a = 1, $b; private static ?C $c; var $d; readonly int $e; }",
            "class A: class A
            field A.a: public $a
            field A.b: public $a = 1, $b
            field A.$c static private: private static ?C $c
            field A.d: var $d
            field A.e: readonly int $e",
        ),
        (
            "class A { const B = 1, C = [\n1]; private const string D = 'd'; }",
            "class A: class A
            constant A.B: const B = 1
            constant A.C: const B = 1, C = [
            constant A.D private: private const string D = 'd'",
        ),
        ("const A = 1;", "constant A: const A = 1"),
        ("define('A', 1);", "constant A: define('A', 1)"),
        (
            "$a = 1; $a = 2; [$b] = c();",
            "variable $a: $a\nvariable $b: [$b] = c()",
        ),
        ("function a() { $b = 1; }", "function a: function a()"),
        ("define($a, 1);", ""),
    ] {
        defines(source, expected);
    }
}

#[test]
fn test_blocks_and_markers_are_recognised() {
    for (source, expected) in [
        (
            "it('does a', function () { b(); });",
            "function does a block: it('does a',",
        ),
        (
            "describe('a', function () { test('b', fn () => c()); });",
            "function a block: describe('a',
            function a.b block: test('b',",
        ),
        ("test($a, $b);\nit('todo');", ""),
    ] {
        defines(source, expected);
    }
    let decorators = |source: &str| {
        let facts = crate::testing::facts(php(), &php_of(source));
        facts.definitions.last().unwrap().decorators.join(" ")
    };
    assert_eq!(
        decorators("class A { #[Test, Depends('b')]\n#[C] function a() {} }"),
        "Test Depends C"
    );
    assert_eq!(
        decorators("class A {\n/** @test */\nfunction a() {} }"),
        "test"
    );
    assert_eq!(
        decorators("class A {\n/** @testdox x */\nfunction a() {} }"),
        ""
    );
    assert_eq!(decorators("it('a', function () {});"), "it");
}

#[test]
fn calls_and_accesses_are_referenced() {
    for (source, expected) in [
        ("a();", "call a"),
        ("\\a\\b();", "call \\a\\b"),
        ("$a->b($c->d());", "call $a->b\ncall $c->d"),
        ("$a?->b()->c();", "call $a?->b\ncall ?c"),
        ("$this->a->b();", "call $this->a->b"),
        ("A::b();", "name a\ncall a::b"),
        ("A\\B::c();", "attribute a\\b\ncall a\\b::c"),
        (
            "self::a(); parent::b(); static::c();",
            "call self::a\ncall parent::b\ncall static::c",
        ),
        ("[$this, 'b'];", "attribute ?b"),
        (
            "class A { use B { B::c as d; e as protected f; g as private; } }",
            "base b in a",
        ),
        (
            "class A { #[DataProvider('c')] #[E('f')] function b() {} }",
            "decorator dataprovider in a.b\ncall ?c in a.b\ndecorator e in a.b",
        ),
        (
            "class A {\n/** @dataProvider c */\nfunction b() {}\n/** @depends B::c */\nfunction d() {} }",
            "call ?c in a.b",
        ),
        ("$a->make(B::class)->c();", "call $a->make\nname b\ncall ?c"),
        ("f(mock(A::class));", "call f\ncall mock\nname a"),
        ("f([A::class, 'c']);", "call f\nname a\nattribute ?c"),
        (
            "[A::class, 'b c']; [A::class, 'b', 'c']; ['a', 'b'];",
            "name a\nname a",
        ),
        ("new A(b());", "call a\ncall b"),
        ("new self(); new static; new $a;", ""),
        ("(new A)->b();", "call a\ncall ?b"),
        ("$a();", ""),
        ("$a->{$b}();", ""),
        ("a(b: c());", "call a\ncall c"),
        ("A::B;", "name a\nattribute a::b"),
        ("A::class;", "name a"),
        ("A::$b->c();", "name a\ncall a::$b->c"),
        ("$a->b;", "attribute $a->b"),
        ("$a[0]->b;", "attribute ?b"),
        ("A;", "name a"),
        ("PHP_EOL . __DIR__;", ""),
        ("\"x {$a->b()} $c->d\";", "call $a->b\nattribute $c->d"),
        ("echo <<<T\n {$a->b()}\nT;", "call $a->b"),
        (
            "array_map(fn ($a) => $a->b(), C);",
            "call array_map\ncall $a->b\nname c",
        ),
        (
            "match (true) { A::B => c() };",
            "name a\nattribute a::b\ncall c",
        ),
    ] {
        refers(source, expected);
    }
}

#[test]
fn types_and_exceptions_are_referenced() {
    for (source, expected) in [
        (
            "function a(B $b, ?C $c, D|null $d, int $e): F\\G {}",
            "type b in a\ntype c in a\ntype d in a\ntype f\\g in a",
        ),
        (
            "class A extends B implements C { use D; }",
            "base b in a\nbase c in a\nbase d in a",
        ),
        ("class A { private B $b; }", "type b in a"),
        ("class A { function b(): static {} }", ""),
        ("throw new A('b');", "raise a"),
        ("throw A::b();", "name a\ncall a::b"),
        (
            "try {} catch (A | \\B $e) { $e->c(); }",
            "catch a\ncatch \\b\ncall $e->c",
        ),
        ("$a instanceof B;", "type b"),
        (
            "#[A(B::C)]\nfunction d() {}",
            "decorator a in d\nname b in d\nattribute b::c in d",
        ),
        (
            "function (A $a): B { return c($a); };",
            "type a\ntype b\ncall c",
        ),
    ] {
        refers(source, expected);
    }
}

#[test]
fn used_names_and_included_files_are_imported() {
    for (source, expected) in [
        ("use A;", "From : A"),
        ("use A\\B\\C;", "From A\\B: C"),
        ("use \\A\\B;", "From A: B"),
        ("use A\\B as C;", "From A: B as C"),
        ("use A\\B, C\\D;", "From A: B\nFrom C: D"),
        ("use A\\{B, C\\D as E};", "From A: B\nFrom A\\C: D as E"),
        ("use function A\\b;", "From A: b"),
        ("use const A\\B;", "From A: B"),
        ("use A\\{function b, const C};", "From A: b\nFrom A: C"),
        ("use function A\\{b, c};", "From A: b\nFrom A: c"),
        ("require 'a.php';", "Require a.php: * as"),
        ("require_once('a.php');", "Require a.php: * as"),
        ("include __DIR__ . '/a.php';", "Require ./a.php: * as"),
        (
            "include_once dirname(__FILE__) . '/a.php';",
            "Require ./a.php: * as",
        ),
        (
            "require dirname(__DIR__) . '/a.php';",
            "Require ../a.php: * as",
        ),
        (
            "require dirname(__DIR__, 2) . '/a.php';",
            "Require ../../a.php: * as",
        ),
        ("require ROOT . '/a/b.php';", "Require a/b.php: * as"),
        ("require $a;", ""),
        ("class A { use B; }", ""),
        ("$f = function () use ($a) {};", ""),
    ] {
        let source = php_of(source);
        same(&imports(php(), &source), expected, &source);
    }
}

#[test]
fn long_path_is_not_repeated_for_each_import() {
    let name = "A".repeat(2_000);
    let source = php_of(&format!("use {name}\\{{B, C}};\nuse D\\E;"));
    same(&imports(php(), &source), "From D: E", &source);
}

#[test]
fn error_and_log_messages_are_collected() {
    for (source, expected) in [
        ("throw new A('no b');", "Error: no b"),
        ("throw new A(sprintf('no %s', $b));", "Error: no %s"),
        ("throw A::b(\"no {$c} left\");", "Error: no {$c} left"),
        ("$e = new BadError('no b');", "Error: no b"),
        ("$this->logger->info('hi');", "Log: hi"),
        ("Log::warning('hi');", "Log: hi"),
        ("Log::info('hi');", "Log: hi"),
        ("trigger_error('old');", "Log: old"),
        ("strlen('x');", ""),
    ] {
        let source = php_of(source);
        same(&messages(php(), &source), expected, &source);
    }
}

#[test]
fn types_of_variables_are_collected() {
    use foveate_model::values::Value;
    let source = "<?php
class A {
    /** @var B|null */
    private $b;
    private C $c;
    /**
     * @param ?D $d the d
     * @param E[] $e
     * @return \\F\\G|null
     */
    function h($d, $e, I $i) {
        $j = new K();
        $l = M::n();
        /** @var O $p */
        $p = q();
        foreach ($e as $r) {}
        try {} catch (S $s) {}
    }
    function t(): U {}
}";
    let facts = crate::testing::facts(php(), source);
    let written = |value: Value| match value {
        Value::Type(known) => known.path.of(source).to_owned(),
        Value::Name(path) => path.of(source).to_owned(),
        Value::Call(path) => format!("{}()", path.of(source)),
        Value::Element(path) => format!("element of {}", path.of(source)),
        other => format!("{other:?}"),
    };
    let values = &facts.values;
    let locals = values.locals.iter();
    let locals = locals.map(|local| format!("{} {}", local.name.of(source), written(local.value)));
    assert_eq!(
        locals.collect::<Vec<_>>(),
        ["$j K()", "$l M::n()", "$p O", "$r element of $e", "$s S"]
    );
    let held = values.held.iter().map(|held| written(held.value));
    assert_eq!(held.collect::<Vec<_>>(), ["B", "C"]);
    let parameters = values.parameters.iter().map(|parameter| {
        let known = parameter.type_name;
        known.map_or("-", |known| known.path.of(source))
    });
    assert_eq!(parameters.collect::<Vec<_>>(), ["D", "E", "I"]);
    let types = values
        .types
        .iter()
        .map(|known| known.type_name.path.of(source));
    assert_eq!(types.collect::<Vec<_>>(), ["\\F\\G", "U"]);
}

#[test]
fn test_functions_are_recognised() {
    for (source, expected) in [
        ("class ATest { function testB() {} }", "ATest.testB"),
        (
            "class ATest { function test_b() {} function help() {} }",
            "ATest.test_b",
        ),
        ("class ATest { function testify() {} }", ""),
        ("class ATest { #[Test] function b() {} }", "ATest.b"),
        (
            "use PHPUnit\\Framework\\Attributes as P;\nclass ATest { #[P\\Test] function b() {} }",
            "ATest.b",
        ),
        (
            "class ATest { #[\\PHPUnit\\Framework\\Attributes\\Test] function b() {} }",
            "ATest.b",
        ),
        (
            "class ATest { #[DataProvider('c'), Test] function b() {} }",
            "ATest.b",
        ),
        ("class ATest { #[DataProvider('c')] function b() {} }", ""),
        ("class ATest {\n/** @test */\nfunction b() {} }", "ATest.b"),
        (
            "class ATest {\n/** @test */ function b() {}\nfunction c() {} }",
            "ATest.b",
        ),
        (
            "class ATest {\n/**\n * Does.\n *\n * @test\n */\npublic function b() {} }",
            "ATest.b",
        ),
        ("class ATest {\n/** @testdox x */\nfunction b() {} }", ""),
        (
            "class ATest {\n/** @test */\n#[C]\nfunction b() {} }",
            "ATest.b",
        ),
        ("class ATest {\n/** @test */\n\nfunction b() {} }", ""),
        ("it('a', function () {});", "a"),
        ("it(\"a b\", fn () => c());", "a b"),
        ("test('a', function () {});", "a"),
        ("test('a', function (int $b) {})->with([1]);", "a"),
        (
            "describe('a', function () { it('b', function () {}); });",
            "a\na.b",
        ),
        (
            "describe('a', function () { beforeEach(function () {}); });",
            "a",
        ),
        ("it('a');", ""),
        ("it('a', $b);", ""),
        ("test($a, function () {});", ""),
        ("$this->test('a', function () {});", ""),
        ("A::it('a', function () {});", ""),
        ("function test() {}", "test"),
        ("function it() {}", ""),
    ] {
        let source = php_of(source);
        same(&tests(php(), &source), expected, &source);
    }
}
