//! Tests the frames and messages parsed from PHP traces, the innermost frame last.

use crate::traces::check;

#[test]
fn frames_are_parsed() {
    check(&[
        // A frame's call names the function of the frame before it, which is deeper.
        (
            "#0 /w/src/Kernel.php(12): App\\Router->match('/')\n#1 /w/public/index.php(3): App\\Kernel->run()\n#2 {main}",
            "/w/public/index.php:3 | /w/src/Kernel.php:12 Kernel.run",
        ),
        (
            "PHP Fatal error:  Uncaught App\\NoRoute: none in /w/src/Router.php:9\nStack trace:\n#0 /w/src/Kernel.php(12): App\\Router->match('/')\n#1 {main}\n  thrown in /w/src/Router.php on line 9",
            "/w/src/Kernel.php:12 | /w/src/Router.php:9 Router.match | ! App\\NoRoute: none",
        ),
        (
            "#0 /w/a.php(3): App\\Cart::create()\n#1 /w/b.php(5): App\\{closure}(1)\n#2 /w/c.php(7): array_map(Object(Closure), Array)",
            "/w/c.php:7 | /w/b.php:5 array_map | /w/a.php:3",
        ),
        (
            "#0 /w/a.php(3): f()\n#1 [internal function]: App\\Cart->add()\n#2 /w/b.php(5): array_map()\n#3 {main}",
            "/w/b.php:5 | /w/a.php:3 Cart.add",
        ),
        (
            "#0 /w/a.php(3): f()\n#1 /w/b.php(9): {closure:App\\Cart::sum():12}(1)",
            "/w/b.php:9 | /w/a.php:3 Cart.sum",
        ),
        (
            "#0 /w/a.php(3): f()\n#1 /w/b.php(9): require('/w/a.php')",
            "/w/b.php:9 | /w/a.php:3",
        ),
        (
            "#0 C:\\w\\a.php(3): f()\n#1 C:\\w\\b.php(9): App\\Cart->add()",
            "C:/w/b.php:9 | C:/w/a.php:3 Cart.add",
        ),
        (
            "#10 /w/a.php(3): f()\n#11 /w/b.php(9): g()",
            "/w/b.php:9 | /w/a.php:3 g",
        ),
    ]);
}

#[test]
fn errors_are_parsed() {
    check(&[
        (
            "PHP Fatal error:  Uncaught Error: Call to undefined method App\\Cart::sum() in /w/src/Shop.php:3",
            "/w/src/Shop.php:3 | ! Error: Call to undefined method App\\Cart::sum()",
        ),
        (
            "Fatal error: Uncaught TypeError: bad in /w/src/Shop.php:3",
            "/w/src/Shop.php:3 | ! TypeError: bad",
        ),
        (
            "PHP Warning:  Undefined variable $item in /w/src/Shop.php on line 3",
            "/w/src/Shop.php:3 | ! Undefined variable $item",
        ),
        (
            "Warning: Undefined array key \"item\" in /w/src/Shop.php on line 3",
            "/w/src/Shop.php:3 | ! Undefined array key \"item\"",
        ),
        (
            "PHP Parse error:  syntax error, unexpected '}' in /w/src/Shop.php on line 3",
            "/w/src/Shop.php:3 | ! syntax error, unexpected '}'",
        ),
        (
            "Deprecated: Optional parameter $a declared before required parameter $b in C:\\w\\Shop.php on line 3",
            "C:/w/Shop.php:3 | ! Optional parameter $a declared before required parameter $b",
        ),
        (
            "Notice: Trying to access array offset on value of type null in /w/src/Shop.php on line 3",
            "/w/src/Shop.php:3 | ! Trying to access array offset on value of type null",
        ),
        (
            "App\\NoRoute: none in /w/src/Router.php:9\nStack trace:\n#0 /w/src/Kernel.php(12): App\\Router->match('/')\n\nNext App\\Broken: cannot run in /w/src/Kernel.php:14\nStack trace:\n#0 /w/index.php(3): App\\Kernel->run()",
            "/w/src/Kernel.php:12 | /w/src/Router.php:9 Router.match | /w/index.php:3 | /w/src/Kernel.php:14 Kernel.run | ! App\\NoRoute: none | ! App\\Broken: cannot run",
        ),
        (
            "[2024-01-02 10:11:12] local.ERROR: none {\"exception\":\"[object] (App\\\\NoRoute(code: 0): none at /w/src/Router.php:9)\n[stacktrace]\n#0 /w/src/Kernel.php(12): App\\\\Router->match('/')",
            "/w/src/Kernel.php:12 | /w/src/Router.php:9 Router.match | ! none",
        ),
        (
            "In Router.php line 9:\n\n  No route for /cart\n",
            "Router.php:9 | ! No route for /cart",
        ),
        (
            "Exception trace:\n  at /w/src/Router.php:9\n App\\Router->match() at /w/src/Kernel.php:12\n App\\Kernel->run() at /w/index.php:3",
            "/w/index.php:3 | /w/src/Kernel.php:12 Kernel.run | /w/src/Router.php:9 Router.match",
        ),
        (
            "Exception trace:\n () at /app/src/Runner/Runner.php:210\n PhpCsFixer\\Runner\\Runner->fixParallel() at /app/src/Runner/Runner.php:120\n Console->run() at /app/bin/console.php:5",
            "/app/bin/console.php:5 | /app/src/Runner/Runner.php:120 Console.run | /app/src/Runner/Runner.php:210 Runner.fixParallel",
        ),
        (
            "    0.0001     390000   1. {main}() /w/index.php:0\n    0.0002     390100   2. App\\Kernel->run() /w/index.php:3",
            "/w/index.php:0 | /w/index.php:3",
        ),
        (
            "Symfony\\Component\\Router\\NoRouteException: none at /w/src/Router.php:9",
            "/w/src/Router.php:9 | ! Symfony\\Component\\Router\\NoRouteException: none",
        ),
        // Sentences are no errors.
        ("The sum is made in src/Shop.php on line 3", ""),
        ("It is in src/Shop.php:3 now", ""),
    ]);
}

#[test]
fn phpunit_failures_are_parsed() {
    check(&[
        (
            "1) App\\Tests\\CartTest::testSum\nFailed asserting that 4 matches expected 3.\n\n/w/tests/CartTest.php:12",
            "/w/tests/CartTest.php:12 CartTest.testSum | ! Failed asserting that 4 matches expected 3.",
        ),
        (
            "There was 1 failure:\n\n1) App\\Tests\\CartTest::testSum with data set \"empty\"\nFailed asserting that false is true.\n\n/w/tests/CartTest.php:12\n\nFAILURES!",
            "/w/tests/CartTest.php:12 CartTest.testSum | ! Failed asserting that false is true.",
        ),
        (
            "1) CartTest::testSum\nTypeError: Cart::add(): Argument #1 must be of type int\n\n/w/src/Cart.php:9\n/w/tests/CartTest.php:12",
            "/w/tests/CartTest.php:12 CartTest.testSum | /w/src/Cart.php:9 CartTest.testSum | ! TypeError: Cart::add(): Argument #1 must be of type int",
        ),
        // A place without a test above it is no frame.
        ("/w/tests/CartTest.php:12", ""),
    ]);
}
