//! Tests the frames and messages parsed from C# traces, the innermost frame last.

use crate::traces::check;

#[test]
fn frames_are_parsed() {
    check(&[
        (
            "   at Shop.Cart.Sum(Int32 n) in /w/src/Cart.cs:line 12",
            "/w/src/Cart.cs:12 Cart.Sum",
        ),
        (
            "   at Shop.Cart.Sum() in C:\\w\\Cart.cs:line 12",
            "C:/w/Cart.cs:12 Cart.Sum",
        ),
        (
            "   at Shop.Cart.<Sum>d__3.MoveNext() in /w/Cart.cs:line 12",
            "/w/Cart.cs:12 Cart.Sum",
        ),
        (
            "   at Shop.Cart.<>c.<Sum>b__3_0(Line l) in /w/Cart.cs:line 12",
            "/w/Cart.cs:12 Cart.Sum",
        ),
        (
            "   at Shop.Cart.<>c__DisplayClass3_0.<Sum>b__0(Line l) in /w/Cart.cs:line 12",
            "/w/Cart.cs:12 Cart.Sum",
        ),
        (
            "   at Shop.Cart.<>c__DisplayClass3_0.<<Sum>b__0>d.MoveNext() in /w/Cart.cs:line 12",
            "/w/Cart.cs:12 Cart.Sum",
        ),
        (
            "   at Shop.Cart.<Sum>g__Add|3_0(Int32 n) in /w/Cart.cs:line 12",
            "/w/Cart.cs:12 Cart.Add",
        ),
        (
            "   at Shop.Cart..ctor(String name) in /w/Cart.cs:line 5",
            "/w/Cart.cs:5 Cart",
        ),
        (
            "   at Shop.Cart..cctor() in /w/Cart.cs:line 5",
            "/w/Cart.cs:5",
        ),
        (
            "   at Shop.Cart.get_Total() in /w/Cart.cs:line 5",
            "/w/Cart.cs:5 Cart.Total",
        ),
        (
            "   at Shop.Pool`1.Take[T](T item) in /w/Pool.cs:line 5",
            "/w/Pool.cs:5 Pool.Take",
        ),
        (
            "   at Shop.Cart.Line.Price() in /w/Cart.cs:line 5",
            "/w/Cart.cs:5 Line.Price",
        ),
        (
            "   at Shop.Cart+Line.Price() in /w/Cart.cs:line 5",
            "/w/Cart.cs:5 Line.Price",
        ),
        (
            "   at Program.<Main>$(String[] args) in /w/Program.cs:line 3",
            "/w/Program.cs:3 Program.Main",
        ),
        (
            "   at Shop.Orders.Cart.Sum(Int32 n)",
            "Shop/Orders/Cart.cs:0 Cart.Sum",
        ),
        ("   at Shop.Pool`1.Take(T item)", "Shop/Pool.cs:0 Pool.Take"),
        (
            "   at System.Linq.Enumerable.First[TSource](IEnumerable`1 source)",
            "System/Linq/Enumerable.cs:0 Enumerable.First",
        ),
        (
            "  at Shop.Cart.Sum (System.Int32 n) [0x0001a] in /w/Cart.cs:12 ",
            "/w/Cart.cs:12 Cart.Sum",
        ),
        (
            "  at Shop.Cart.Sum (System.Int32 n) [0x0001a] in <0a1b2c>:0",
            "Shop/Cart.cs:0 Cart.Sum",
        ),
        (
            "Shop.Cart:Sum(Int32) (at Assets/Cart.cs:12)",
            "Assets/Cart.cs:12 Cart.Sum",
        ),
        (
            "  at Shop.Pool`1[T].Take[S] (T item) [0x0001a] in <0a1b2c>:0",
            "Shop/Pool.cs:0 Pool.Take",
        ),
        (
            "   at Program.<<Main>$>g__Add|0_0(Int32 n) in /w/Program.cs:line 3",
            "/w/Program.cs:3 Program.Add",
        ),
    ]);
}

#[test]
fn explicit_interface_implementation_is_a_method_of_its_class() {
    check(&[
        (
            "   at Shop.Cart.Shop.IStore.Get(String key) in /w/Cart.cs:line 12",
            "/w/Cart.cs:12 Cart.Get",
        ),
        (
            "   at Shop.Cart.System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator()",
            "Shop/Cart.cs:0 Cart.GetEnumerator",
        ),
        (
            "   at Shop.Data.Pool`2.Acme.IStore<T>.Get(String key)",
            "Shop/Data/Pool.cs:0 Pool.Get",
        ),
        (
            "   at Shop.Cart+Line.Acme.IStore<T>.Get(String key) in /w/Cart.cs:line 12",
            "/w/Cart.cs:12 Line.Get",
        ),
        (
            "   at Shop.Data.Pool`2.<Shop-IStore<T>-GetAsync>d__5.MoveNext()",
            "Shop/Data/Pool.cs:0 Pool.GetAsync",
        ),
        // The code of the interface itself.
        (
            "   at Shop.Data.IStore.Get(String key)",
            "Shop/Data/IStore.cs:0 IStore.Get",
        ),
    ]);
}

#[test]
fn whole_traces_are_parsed() {
    check(&[
        (
            "Unhandled exception. System.InvalidOperationException: empty\n   at Shop.Cart.Sum(Int32 n) in /w/Cart.cs:line 12\n   at Program.Main() in /w/Program.cs:line 3",
            "/w/Program.cs:3 Program.Main | /w/Cart.cs:12 Cart.Sum | ! System.InvalidOperationException: empty",
        ),
        (
            "System.AggregateException: One or more errors occurred.\n ---> System.IO.IOException: reset\n   at Shop.Wire.Read() in /w/Wire.cs:line 7\n   --- End of inner exception stack trace ---\n   at Shop.Main.Run() in /w/Main.cs:line 3",
            "/w/Wire.cs:7 Wire.Read | /w/Main.cs:3 Main.Run | ! System.AggregateException: One or more errors occurred. | ! System.IO.IOException: reset",
        ),
        (
            "System.NullReferenceException: Object reference not set to an instance of an object.\n   at Shop.Cart.<SumAsync>d__3.MoveNext() in /w/Cart.cs:line 12\n--- End of stack trace from previous location ---\n   at Shop.Main.Run() in /w/Main.cs:line 3",
            "/w/Cart.cs:12 Cart.SumAsync | /w/Main.cs:3 Main.Run | ! System.NullReferenceException: Object reference not set to an instance of an object.",
        ),
        (
            "Unhandled Exception: System.ArgumentNullException: Value cannot be null. (Parameter 'item')\n   at Shop.Cart.Add(Item item)",
            "Shop/Cart.cs:0 Cart.Add | ! System.ArgumentNullException: Value cannot be null. (Parameter 'item')",
        ),
    ]);
}

#[test]
fn compiler_and_test_messages_are_parsed() {
    check(&[
        (
            "Cart.cs(3,5): error CS1002: ; expected",
            "Cart.cs:3:5 | ! CS1002: ; expected",
        ),
        (
            "/w/Cart.cs(3,5): error CS0103: The name 'itm' does not exist in the current context [/w/Shop.csproj]",
            "/w/Cart.cs:3:5 | ! CS0103: The name 'itm' does not exist in the current context",
        ),
        (
            "Cart.cs(3,5,3,9): warning CS0168: The variable 'x' is declared but never used",
            "Cart.cs:3:5 | ! CS0168: The variable 'x' is declared but never used",
        ),
        (
            "  Failed Shop.Tests.CartTests.Sums [3 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\n  Stack Trace:\n     at Shop.Tests.CartTests.Sums() in /w/CartTests.cs:line 12",
            "/w/CartTests.cs:12 CartTests.Sums | ! Assert.Equal() Failure: Values differ",
        ),
        (
            "[xUnit.net 00:00:01.23]     Shop.Tests.CartTests.Sums [FAIL]\n   at Shop.Tests.CartTests.Sums() in /w/CartTests.cs:line 12",
            "/w/CartTests.cs:12 CartTests.Sums",
        ),
        // Sentences are no frames.
        ("at Shop.Cart the sum is made", ""),
        ("at the call of Sum()", ""),
        ("at Shop.Cart.Sum (native)", ""),
    ]);
}
