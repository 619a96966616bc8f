//! Tests traces and messages of Go; the innermost frame comes last.

use crate::traces::check;

#[test]
fn panics_are_read() {
    check(&[
        (
            "panic: no stock\n\ngoroutine 1 [running]:\nmain.main()\n\t/w/shop/main.go:4 +0x20",
            "/w/shop/main.go:4 main | ! no stock",
        ),
        (
            "goroutine 7 [running]:\nacme.io/shop/db.(*Pool).Get(0xc000010, 0x1)\n\t/w/shop/db/pool.go:17 +0x1d\nmain.main()\n\t/w/shop/main.go:4 +0x20",
            "/w/shop/main.go:4 main | /w/shop/db/pool.go:17 Pool.Get",
        ),
        (
            "goroutine 8 [chan receive]:\nacme.io/shop.(*Cart[...]).Add(...)\n\t/w/shop/cart.go:12",
            "/w/shop/cart.go:12 Cart.Add",
        ),
        (
            "goroutine 1 [running]:\nacme.io/shop.Map[go.shape.int](0x1)\n\t/w/shop/map.go:3 +0x1",
            "/w/shop/map.go:3 Map",
        ),
        (
            "goroutine 1 [running]:\nacme.io/shop.run.func1()\n\t/w/shop/run.go:9 +0x1",
            "/w/shop/run.go:9 run",
        ),
        (
            "goroutine 1 [running]:\nacme.io/shop.(*Cart).Sum.func2.1(0x1)\n\t/w/shop/cart.go:31 +0x1",
            "/w/shop/cart.go:31 Cart.Sum",
        ),
        (
            "goroutine 1 [running]:\nacme.io/shop.Cart.Sum-fm()\n\t/w/shop/cart.go:31 +0x1",
            "/w/shop/cart.go:31 Cart.Sum",
        ),
        (
            "goroutine 1 [running]:\nacme.io/shop.glob..func1()\n\t/w/shop/cart.go:5 +0x1",
            "/w/shop/cart.go:5",
        ),
        (
            "goroutine 19 [running]:\nmain.work(0x1)\n\t/w/main.go:9 +0x1\ncreated by main.start in goroutine 1\n\t/w/main.go:20 +0x5",
            "/w/main.go:20 start | /w/main.go:9 work",
        ),
        (
            "goroutine 19 [running]:\nmain.work(0x1)\n\t/w/main.go:9 +0x1\ncreated by acme.io/shop.(*Cart).Run\n\t/w/cart.go:20 +0x5",
            "/w/cart.go:20 Cart.Run | /w/main.go:9 work",
        ),
        (
            "goroutine 1 [running]:\nmain.main()\n\tC:/w/main.go:9 +0x1",
            "C:/w/main.go:9 main",
        ),
        (
            "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.pick(...)\n\t/w/main.go:8\nmain.main()\n\t/w/main.go:3 +0x1d\nexit status 2",
            "/w/main.go:3 main | /w/main.go:8 pick | ! runtime error: index out of range [5] with length 3",
        ),
        (
            "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n\ngoroutine 1 [running]:\nmain.main()\n\t/w/main.go:3 +0x1d",
            "/w/main.go:3 main | ! runtime error: invalid memory address or nil pointer dereference",
        ),
        (
            "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select (no cases)]:\nmain.main()\n\t/w/main.go:3 +0x1d",
            "/w/main.go:3 main | ! fatal error: all goroutines are asleep - deadlock!",
        ),
        (
            "WARNING: DATA RACE\nRead at 0x00c01 by goroutine 7:\n  main.read()\n      /w/main.go:8 +0x3\n\nPrevious write at 0x00c01 by goroutine 6:\n  main.(*Box).write()\n      /w/main.go:4 +0x4",
            "/w/main.go:4 Box.write | /w/main.go:8 read",
        ),
        // Built with `-trimpath`; inlined functions have no offset.
        (
            "goroutine 1 [running]:\nacme.io/shop.run(...)\n\tacme.io/shop@v1.2.0/run.go:9\nnet/http.HandlerFunc.ServeHTTP(...)\n\tnet/http/server.go:2136\nnet/http.serverHandler.ServeHTTP(0x1)\n\tnet/http/server.go:2938 +0x8e",
            "net/http/server.go:2938 serverHandler.ServeHTTP | net/http/server.go:2136 HandlerFunc.ServeHTTP | acme.io/shop@v1.2.0/run.go:9 run",
        ),
        (
            "goroutine 1 [chan receive]:\ntesting.(*T).Run(0x1)\n\t/go/src/testing/testing.go:1859 +0x1\nmain.main()\n\t_testmain.go:89 +0x9b",
            "_testmain.go:89 main | /go/src/testing/testing.go:1859 T.Run",
        ),
        ("It is at\nlog/logger.go:12", ""),
        // Errors that print their stack.
        (
            "no such item\nacme.io/shop.find\n\t/w/shop/find.go:12\nmain.main\n\t/w/main.go:5",
            "/w/main.go:5 main | /w/shop/find.go:12 find",
        ),
    ]);
}

#[test]
fn goroutine_that_failed_is_innermost() {
    check(&[
        (
            "panic: no stock\n\ngoroutine 34 [running]:\nmain.work()\n\t/w/work.go:9 +0x1\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/w/main.go:3 +0x1d\n\ngoroutine 7 [select]:\nmain.poll()\n\t/w/poll.go:5 +0x1\nexit status 2",
            "/w/poll.go:5 poll | /w/main.go:3 main | /w/work.go:9 work | ! no stock",
        ),
        (
            "WARNING: DATA RACE\nWrite at 0x00c01 by goroutine 7:\n  main.write()\n      /w/main.go:8 +0x3\n\nPrevious read at 0x00c01 by main goroutine:\n  main.read()\n      /w/main.go:4 +0x4\n\nGoroutine 7 (running) created at:\n  main.start()\n      /w/main.go:2 +0x4",
            "/w/main.go:2 start | /w/main.go:4 read | /w/main.go:8 write",
        ),
        // A later panic is closer to the end.
        (
            "panic: one\n\ngoroutine 1 [running]:\nmain.a()\n\t/w/a.go:1 +0x1\n\ngoroutine 2 [select]:\nmain.b()\n\t/w/b.go:2 +0x1\npanic: two\n\ngoroutine 3 [running]:\nmain.c()\n\t/w/c.go:3 +0x1",
            "/w/b.go:2 b | /w/a.go:1 a | /w/c.go:3 c | ! one | ! two",
        ),
    ]);
}

#[test]
fn stacks_of_gin_are_read() {
    check(&[
        (
            "/w/shop/main.go:12 (0x124)\n\tmain.func1: panic(\"no stock\")\n/root/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go:200 (0x123)\n\t(*Context).Next: c.handlers[c.index](c)\n/usr/local/go/src/net/http/server.go:2936 (0x125)",
            "/usr/local/go/src/net/http/server.go:2936 | /root/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go:200 Context.Next | /w/shop/main.go:12 main",
        ),
        // Without the sources.
        (
            "/w/shop/main.go:12 (0x124)\n/w/shop/cart.go:7 (0x12a)\nexpected: a sum",
            "/w/shop/cart.go:7 | /w/shop/main.go:12",
        ),
        ("see /w/shop/main.go:12 (0x124)", ""),
        ("/w/shop/main.go:12 (0xyz)", ""),
    ]);
}

#[test]
fn test_failures_are_read() {
    check(&[
        (
            "--- FAIL: TestSum (0.00s)\n    cart_test.go:12: got 3, want 4",
            "cart_test.go:12 TestSum | ! got 3, want 4",
        ),
        (
            "=== RUN   TestSum\n    cart_test.go:9: empty cart\n--- FAIL: TestSum (0.01s)",
            "cart_test.go:9 TestSum | ! empty cart",
        ),
        (
            "--- FAIL: TestTax (0.01s)\n=== RUN   TestOpen\n--- PASS: TestOpen (0.00s)\n=== RUN   TestSum\n    cart_test.go:9: empty cart\n--- FAIL: TestSum (0.01s)",
            "cart_test.go:9 TestSum | ! empty cart",
        ),
        (
            "--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/empty (0.00s)\n        cart_test.go:12: got 3",
            "cart_test.go:12 TestSum | ! got 3",
        ),
        (
            "--- FAIL: TestSum (0.00s)\n    cart_test.go:12: \n        \tError Trace:\t/w/cart_test.go:12\n        \tError:      \tNot equal: 3 and 4\n        \tTest:       \tTestSum\nFAIL",
            "/w/cart_test.go:12 TestSum | cart_test.go:12 TestSum | ! Not equal: 3 and 4",
        ),
        (
            "--- FAIL: TestPanic (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\ngoroutine 6 [running]:\nacme.io/shop.TestPanic(0xc0)\n\t/w/shop/a_test.go:7 +0x1",
            "/w/shop/a_test.go:7 TestPanic | ! boom [recovered] | ! boom",
        ),
        (
            "--- FAIL: TestA (0.00s)\n    a_test.go:3: one\n    a_test.go:4: two\nFAIL\nexit status 1\nFAIL\tacme.io/shop\t0.012s",
            "a_test.go:4 TestA | a_test.go:3 TestA | ! one | ! two",
        ),
    ]);
}

#[test]
fn compiler_messages_are_read() {
    check(&[
        (
            "./cart.go:3:5: undefined: item",
            "cart.go:3:5 | ! undefined: item",
        ),
        (
            "# acme.io/shop\nshop/cart.go:3:5: cannot use x (variable of type int) as string value in argument to add",
            "shop/cart.go:3:5 | ! cannot use x (variable of type int) as string value in argument to add",
        ),
        (
            "vet: ./cart.go:3:5: undefined: item",
            "cart.go:3:5 | ! undefined: item",
        ),
        (
            "2024/02/01 10:11:12 cart.go:44: no such item",
            "cart.go:44 | ! no such item",
        ),
        (
            "cart.go:7:2: \"os\" imported and not used\ncart.go:9:1: missing return",
            "cart.go:9:1 | cart.go:7:2 | ! \"os\" imported and not used | ! missing return",
        ),
        // Places in sentences do not count.
        ("see cart.go:12 for the sum", ""),
        ("cart.go:12 is where it is added", ""),
    ]);
}
