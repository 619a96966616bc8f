//! Tests traces and messages of Java and its tools; the innermost frame comes last.

use crate::traces::check;

#[test]
fn frames_are_read() {
    check(&[
        (
            "\tat org.acme.Cart.sum(Cart.java:12)",
            "org/acme/Cart.java:12 Cart.sum",
        ),
        (
            "\tat org.acme.Cart$Line.price(Cart.java:40)",
            "org/acme/Cart.java:40 Line.price",
        ),
        (
            "\tat org.acme.Cart.lambda$sum$0(Cart.java:14)",
            "org/acme/Cart.java:14 Cart.sum",
        ),
        (
            "\tat org.acme.Cart$Line.lambda$new$3(Cart.java:14)",
            "org/acme/Cart.java:14 Line",
        ),
        (
            "\tat org.acme.Cart$1.run(Cart.java:50)",
            "org/acme/Cart.java:50 Cart.run",
        ),
        (
            "\tat org.acme.Cart.<init>(Cart.java:5)",
            "org/acme/Cart.java:5 Cart",
        ),
        (
            "\tat org.acme.Cart.<clinit>(Cart.java:3)",
            "org/acme/Cart.java:3",
        ),
        (
            "\tat org.acme.Cart.access$000(Cart.java:3)",
            "org/acme/Cart.java:3 Cart.000",
        ),
        (
            "\tat app//org.acme.Cart.sum(Cart.java:3)",
            "org/acme/Cart.java:3 Cart.sum",
        ),
        (
            "\tat java.base/java.util.ArrayList.get(ArrayList.java:427)",
            "java/util/ArrayList.java:427 ArrayList.get",
        ),
        (
            "\tat acme.shop@1.2/org.acme.Cart.sum(Cart.java:3)",
            "org/acme/Cart.java:3 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum(Unknown Source)",
            "org/acme/Cart.java:0 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum(Unknown Source:12)",
            "org/acme/Cart.java:0 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum(SourceFile:3)",
            "org/acme/Cart.java:0 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum(Native Method)",
            "org/acme/Cart.java:0 Cart.sum",
        ),
        (
            "\tat org.acme.Cart$$Lambda$14/0x0800.run(Unknown Source)",
            "",
        ),
        (
            "\tat org.acme.Cart.sum(Cart.java:12) ~[shop-1.0.jar:1.0]",
            "org/acme/Cart.java:12 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum(Cart.java:12) [classes/:na]",
            "org/acme/Cart.java:12 Cart.sum",
        ),
        (
            "E/AndroidRuntime( 3055): \tat org.acme.Cart.sum(Cart.java:12)",
            "org/acme/Cart.java:12 Cart.sum",
        ),
        (
            "01-02 10:11:12.123 300 301 E AndroidRuntime: \tat org.acme.Cart.sum(Cart.java:12)",
            "org/acme/Cart.java:12 Cart.sum",
        ),
        ("\tat Main.main(Main.java:3)", "Main.java:3 Main.main"),
    ]);
}

#[test]
fn traces_are_read() {
    check(&[
        (
            "java.lang.IllegalStateException: closed\n\tat org.acme.Wire$Worker.run(Wire.java:88)\n\tat org.acme.Main.main(Main.java:5)\nCaused by: java.io.IOException: reset\n\tat org.acme.Wire.read(Wire.java:7)\n\t... 12 more",
            "org/acme/Main.java:5 Main.main | org/acme/Wire.java:88 Worker.run | org/acme/Wire.java:7 Wire.read | ! java.lang.IllegalStateException: closed | ! java.io.IOException: reset",
        ),
        (
            "Exception in thread \"main\" java.lang.NullPointerException: item\n\tat org.acme.Main.main(Main.java:5)",
            "org/acme/Main.java:5 Main.main | ! java.lang.NullPointerException: item",
        ),
        (
            "org.acme.NoStock: none left\n\tat org.acme.Main.main(Main.java:5)\n\tSuppressed: java.io.IOException: close\n\t\tat org.acme.Wire.close(Wire.java:9)",
            "org/acme/Main.java:5 Main.main | org/acme/Wire.java:9 Wire.close | ! java.io.IOException: close",
        ),
        (
            "java.lang.StackOverflowError\n\tat org.acme.Tree.depth(Tree.java:3)\n\tat org.acme.Tree.depth(Tree.java:4)",
            "org/acme/Tree.java:4 Tree.depth | org/acme/Tree.java:3 Tree.depth | ! java.lang.StackOverflowError",
        ),
        (
            "CartTest > sums() FAILED\n    java.lang.AssertionError at CartTest.java:12",
            "CartTest.java:12 | ! java.lang.AssertionError",
        ),
        (
            "CartTest > sums() FAILED\n    org.opentest4j.AssertionFailedError: expected: <1> but was: <2>\n        at app//org.acme.CartTest.sums(CartTest.java:12)",
            "org/acme/CartTest.java:12 CartTest.sums | ! org.opentest4j.AssertionFailedError: expected: <1> but was: <2>",
        ),
        (
            "    => org.opentest4j.AssertionFailedError: sums\n       org.acme.CartTest.sums(CartTest.java:12)",
            "! org.opentest4j.AssertionFailedError: sums",
        ),
    ]);
}

#[test]
fn messages_are_read() {
    check(&[
        (
            "src/main/java/org/acme/Cart.java:3: error: cannot find symbol\n        itm.sum();\n        ^\n  symbol: variable itm",
            "src/main/java/org/acme/Cart.java:3 | ! cannot find symbol",
        ),
        (
            "Cart.java:3: warning: [unchecked] unchecked call to add(E)",
            "Cart.java:3 | ! [unchecked] unchecked call to add(E)",
        ),
        (
            "[ERROR] /w/shop/src/main/java/org/acme/Cart.java:[3,5] cannot find symbol",
            "/w/shop/src/main/java/org/acme/Cart.java:3:5 | ! cannot find symbol",
        ),
        (
            "[ERROR] /w/Cart.java:[3,5] error: ';' expected\n[ERROR] /w/Line.java:[9,1] class, interface, or enum expected",
            "/w/Line.java:9:1 | /w/Cart.java:3:5 | ! ';' expected | ! class, interface, or enum expected",
        ),
        (
            "[ERROR]   CartTest.sums:12 expected:<1> but was:<2>",
            "CartTest.java:12 CartTest.sums | ! expected:<1> but was:<2>",
        ),
        (
            "[ERROR]   CartTest.sums:12->add:30 » NullPointer",
            "CartTest.java:12 CartTest.sums | ! NullPointer",
        ),
        (
            "[ERROR] org.acme.CartTest.sums -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <1> but was: <2>\n\tat org.acme.CartTest.sums(CartTest.java:12)",
            "org/acme/CartTest.java:12 CartTest.sums | ! org.opentest4j.AssertionFailedError: expected: <1> but was: <2>",
        ),
        // Sentences are not messages.
        ("at org.acme.Cart.sum (the method) it breaks", ""),
        ("It happens at Cart.java:12 always", ""),
    ]);
}
