//! Tests the frames and messages parsed from Kotlin traces, the innermost frame last.

use crate::traces::check;

#[test]
fn frames_are_parsed() {
    check(&[
        (
            "\tat org.acme.CartKt.main(Cart.kt:3)",
            "org/acme/Cart.kt:3 main",
        ),
        ("\tat CartKt.main(Cart.kt)", "Cart.kt:0 main"),
        (
            "\tat org.acme.ShopKt__Cart_jvmKt.sum(Cart.jvm.kt:3)",
            "org/acme/Cart.jvm.kt:3 sum",
        ),
        (
            "\tat org.acme.CartTest$an empty cart.adds non-null (new) items(CartTest.kt:8)",
            "org/acme/CartTest.kt:8 an empty cart.adds non-null (new) items",
        ),
        (
            "\tat org.acme.CartTest.adds non-null items$lambda$0(CartTest.kt:8)",
            "org/acme/CartTest.kt:8 CartTest.adds non-null items",
        ),
        (
            "\tat org.acme.CartTest$adds items$1.invokeSuspend(CartTest.kt:8)",
            "org/acme/CartTest.kt:8 CartTest.adds items",
        ),
        (
            "\tat org.acme.Cart.sum(Cart.kt:3)",
            "org/acme/Cart.kt:3 Cart.sum",
        ),
        (
            "\tat org.acme.Cart$sum$1.invokeSuspend(Cart.kt:8)",
            "org/acme/Cart.kt:8 Cart.sum",
        ),
        (
            "\tat org.acme.Cart$sum$1$2.invokeSuspend(Cart.kt:8)",
            "org/acme/Cart.kt:8 Cart.sum",
        ),
        (
            "\tat org.acme.CartKt$main$1.invokeSuspend(Cart.kt:8)",
            "org/acme/Cart.kt:8 main",
        ),
        (
            "\tat org.acme.CartKt$main$1.invoke(Cart.kt:8)",
            "org/acme/Cart.kt:8 main",
        ),
        (
            "\tat org.acme.Cart$Companion.create(Cart.kt:8)",
            "org/acme/Cart.kt:8 Companion.create",
        ),
        (
            "\tat org.acme.Cart.sum$default(Cart.kt:8)",
            "org/acme/Cart.kt:8 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum$suspendImpl(Cart.kt:8)",
            "org/acme/Cart.kt:8 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum$lambda$0(Cart.kt:8)",
            "org/acme/Cart.kt:8 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.sum$lambda-1(Cart.kt:8)",
            "org/acme/Cart.kt:8 Cart.sum",
        ),
        (
            "\tat org.acme.Cart.access$sum(Cart.kt:8)",
            "org/acme/Cart.kt:8 Cart.sum",
        ),
        (
            "\tat org.acme.Price.plus-Wj2kLZ0(Price.kt:8)",
            "org/acme/Price.kt:8 Price.plus",
        ),
        (
            "\tat org.acme.Cart.<init>(Cart.kt:5)",
            "org/acme/Cart.kt:5 Cart",
        ),
        (
            "\tat kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:108)",
            "kotlinx/coroutines/DispatchedTask.kt:108 DispatchedTask.run",
        ),
        (
            "    at 3   shop.kexe   0x1a2b   kfun:org.acme.Cart#sum(kotlin.Int){} + 12 (/w/Cart.kt:3:5)",
            "/w/Cart.kt:3:5 Cart.sum",
        ),
        (
            "    at 4   shop.kexe   0x1a2b   kfun:org.acme#main(){} + 12 (/w/main.kt:3:5)",
            "/w/main.kt:3:5 main",
        ),
    ]);
}

#[test]
fn native_frames_without_debug_symbols_are_parsed() {
    check(&[
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme.Cart#sum(kotlin.Int;kotlin.Int){}kotlin.Int + 12",
            ":0 Cart.sum",
        ),
        (
            "    at 0   Shop   0x1a2b   kfun:org.acme.Cart#sum(){}-trampoline + 12 (/w/<compiler-generated>:0:0)",
            ":0 Cart.sum",
        ),
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme#total__at__org.acme.Cart(){}kotlin.Int + 12",
            ":0 Cart.total",
        ),
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme#total@kotlin.collections.Collection<org.acme.Cart<0:0>>(){}kotlin.Int + 12",
            ":0 Collection.total",
        ),
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme.Cart.$loadCOROUTINE$1.invokeSuspend#internal + 12",
            ":0 Cart.load",
        ),
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme.$load$lambda-0COROUTINE$1#invokeSuspend(kotlin.Result<kotlin.Any?>){}kotlin.Any? + 12",
            ":0 load",
        ),
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme.Cart.object-1.sum$lambda-0#internal + 12",
            ":0 Cart.sum",
        ),
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme.Cart#<get-size>(){}kotlin.Int + 12",
            ":0 Cart.size",
        ),
        (
            "    at 2   Shop   0x1a2b   kfun:org.acme.Cart#<init>(kotlin.String?){} + 12",
            ":0 Cart",
        ),
        (
            "27  Shop   0x1a2b kfun:org.acme.Cart#sum(){} + 100 (Cart.kt:26)",
            "Cart.kt:26 Cart.sum",
        ),
        ("27 Shop   kfun:org.acme.Cart.sum#internal", ":0 Cart.sum"),
        ("The symbol is kfun:org.acme.Cart#sum(){}", ""),
        ("    at 4   Shop   0x1a2b   kfun:#main(){} + 12", ""),
    ]);
}

#[test]
fn whole_traces_are_parsed() {
    check(&[
        (
            "Exception in thread \"main\" kotlin.UninitializedPropertyAccessException: lateinit property cart has not been initialized\n\tat org.acme.MainKt.main(Main.kt:5)",
            "org/acme/Main.kt:5 main | ! kotlin.UninitializedPropertyAccessException: lateinit property cart has not been initialized",
        ),
        (
            "java.lang.IllegalStateException: closed\n\tat org.acme.Wire.read(Wire.kt:7)\n\tat org.acme.MainKt$main$1.invokeSuspend(Main.kt:5)\n\tat kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)",
            "kotlin/coroutines/jvm/internal/ContinuationImpl.kt:33 BaseContinuationImpl.resumeWith | org/acme/Main.kt:5 main | org/acme/Wire.kt:7 Wire.read | ! java.lang.IllegalStateException: closed",
        ),
        (
            "FATAL EXCEPTION: main\njava.lang.RuntimeException: none\n\tat org.acme.ui.Screen.onCreate(Screen.kt:31)",
            "org/acme/ui/Screen.kt:31 Screen.onCreate | ! java.lang.RuntimeException: none",
        ),
        (
            "CartTest[jvm] > sums()[jvm] FAILED\n    kotlin.AssertionError at CartTest.kt:12",
            "CartTest.kt:12 | ! kotlin.AssertionError",
        ),
        (
            "Caused by: java.io.IOException: reset\n\tat org.acme.Wire.read(Wire.kt:7)\n\t... 3 more",
            "org/acme/Wire.kt:7 Wire.read | ! java.io.IOException: reset",
        ),
    ]);
}

#[test]
fn compiler_messages_are_parsed() {
    check(&[
        (
            "e: file:///w/src/Cart.kt:3:5 Unresolved reference: itm",
            "/w/src/Cart.kt:3:5 | ! Unresolved reference: itm",
        ),
        (
            "e: file:///w/src/Cart.kt:3:5 Unresolved reference 'itm'.\ne: file:///w/src/Line.kt:9:1 Expecting a top level declaration",
            "/w/src/Line.kt:9:1 | /w/src/Cart.kt:3:5 | ! Unresolved reference 'itm'. | ! Expecting a top level declaration",
        ),
        (
            "e: /w/src/Cart.kt: (3, 5): Unresolved reference: itm",
            "/w/src/Cart.kt:3:5 | ! Unresolved reference: itm",
        ),
        (
            "w: file:///w/build.gradle.kts:3:5 'itm' is deprecated",
            "/w/build.gradle.kts:3:5 | ! 'itm' is deprecated",
        ),
        (
            "src/Cart.kt:3:5: error: unresolved reference: itm",
            "src/Cart.kt:3:5 | ! unresolved reference: itm",
        ),
        (
            "src/Cart.kt:3:5: warning: variable 'x' is never used",
            "src/Cart.kt:3:5 | ! variable 'x' is never used",
        ),
        (
            "e: java.lang.IllegalStateException: Backend Internal error",
            "! java.lang.IllegalStateException: Backend Internal error",
        ),
        (
            "[ERROR] /w/src/Cart.kt:[3,5] Unresolved reference: itm",
            "/w/src/Cart.kt:3:5 | ! Unresolved reference: itm",
        ),
        ("e: that is, Cart.kt", ""),
    ]);
}
