//! Tests traces and messages of C and C++; the innermost frame comes last.

use crate::traces::check;

#[test]
fn c_frames_are_read() {
    check(&[
        (
            "#0  0x0000555 in sum (cart=0x1) at src/cart.c:12",
            "src/cart.c:12 sum",
        ),
        ("#1  sum (cart=0x1, n=3) at cart.c:12", "cart.c:12 sum"),
        (
            "#0  sum (c=0x0) at cart.c:12\n#1  0x0000556 in main () at main.c:3",
            "main.c:3 main | cart.c:12 sum",
        ),
        (
            "#0  0x0 in ?? ()\n#1  0x0000556 in main () at main.c:3",
            "main.c:3 main",
        ),
        (
            "  * frame #0: 0x0001 shop`sum(cart=0x1) at cart.c:12:5\n    frame #1: 0x0002 shop`main at main.c:3",
            "main.c:3 main | cart.c:12:5 sum",
        ),
        (
            "    #1 0x55d0 in sum /w/src/cart.c:12:5",
            "/w/src/cart.c:12:5 sum",
        ),
        ("    #1 0x55d0 in sum src/cart.c:12", "src/cart.c:12 sum"),
        (
            "    #1 0x55d0 in sum /w/src/cart.c:12:5 (BuildId: 0a1b)",
            "",
        ),
        (
            "    #0 sum /w/src/cart.c:12:5 (shop+0x1a2b)",
            "/w/src/cart.c:12:5 sum",
        ),
        ("==12==    at 0x1A2B: sum (cart.c:12)", "cart.c:12 sum"),
        (
            "==12== Invalid read of size 4\n==12==    at 0x1A2B: sum (cart.c:12)\n==12==    by 0x1A2C: main (main.c:3)\n==12==  Address 0x0 is not stack'd, malloc'd or (recently) free'd",
            "main.c:3 main | cart.c:12 sum | ! Invalid read of size 4",
        ),
        (
            "==9==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60\nREAD of size 4 at 0x60 thread T0\n    #0 0x55d0 in sum /w/cart.c:12:5\n    #1 0x55d1 in main /w/main.c:3:1\n    #2 0x55d2 in __libc_start_main (/lib/libc.so.6+0x29)",
            "/w/main.c:3:1 main | /w/cart.c:12:5 sum | ! AddressSanitizer: heap-buffer-overflow on address 0x60",
        ),
        (
            "Program received signal SIGSEGV, Segmentation fault.\n0x0000555 in sum (cart=0x0) at cart.c:12",
            "cart.c:12 sum | ! Program received signal SIGSEGV, Segmentation fault.",
        ),
    ]);
}

#[test]
fn cpp_frames_are_read() {
    check(&[
        (
            "#0  shop::Cart::sum (this=0x1) at src/cart.cc:12",
            "src/cart.cc:12 Cart.sum",
        ),
        (
            "#3  0x01 in shop::Pool<int, std::less<int> >::get<char> (this=0x1) at pool.hpp:9",
            "pool.hpp:9 Pool.get",
        ),
        (
            "    #1 0x55d0 in shop::Cart::sum(int, std::vector<int>) const /w/cart.cc:12:5",
            "/w/cart.cc:12:5 Cart.sum",
        ),
        (
            "    #1 0x55d0 in void shop::show<int>(int const&) /w/show.h:12:5",
            "/w/show.h:12:5 shop.show",
        ),
        (
            "    #1 0x55d0 in (anonymous namespace)::read(char const*) /w/read.cpp:12:5",
            "/w/read.cpp:12:5 read",
        ),
        (
            "    #1 0x55d0 in shop::Cart::operator[](int) /w/cart.cpp:12:5",
            "/w/cart.cpp:12:5 Cart.operator[]",
        ),
        (
            "    #1 0x55d0 in shop::Cart::operator<<(int) /w/cart.cpp:12:5",
            "/w/cart.cpp:12:5 Cart.operator<<",
        ),
        (
            "    #1 0x55d0 in shop::run(int)::{lambda(int)#1}::operator()(int) const /w/run.cxx:12:5",
            "/w/run.cxx:12:5 shop.run",
        ),
        (
            "    #1 0x55d0 in shop::run(int)::$_0::operator()(int) const /w/run.cc:12:5",
            "/w/run.cc:12:5 shop.run",
        ),
        (
            "    #1 0x55d0 in shop::Cart::~Cart() /w/cart.cc:12:5",
            "/w/cart.cc:12:5 Cart.~Cart",
        ),
        (
            "==1==    by 0x1A: shop::Cart::sum(int) (cart.cc:12)",
            "cart.cc:12 Cart.sum",
        ),
        (
            " 1# shop::Cart::sum(int) at /w/cart.cc:12",
            "/w/cart.cc:12 Cart.sum",
        ),
        (
            "*** Check failure stack trace: ***\n    @     0x55d0  shop::Cart::sum()\n    @     0x55d1         32  main\n    @     0x55d2  (unknown)",
            ":0 main | :0 Cart.sum",
        ),
        (
            "    @ 000000000040abcd shop::Cart::sum(int)\n                       ./shop/cart.cc:12\n    @ 000000000040abce main\n                       ./shop/main.cc:3",
            "shop/main.cc:3 main | shop/cart.cc:12 Cart.sum",
        ),
        (
            "./shop(shop::Cart::sum+0x51e)[0x55d0]\n./shop(_ZNSo9_M_insert+0x4)[0x55d1]\n./shop(main+0x1a)[0x55d2]",
            ":0 main | :0 Cart.sum",
        ),
        ("    @ 0x shop sum\n    @ face sum\n    @ home sum", ""),
        (
            "terminate called after throwing an instance of 'std::out_of_range'\n  what():  no item",
            "! terminate called after throwing an instance of 'std::out_of_range' | ! no item",
        ),
        (
            "SUMMARY: AddressSanitizer: heap-use-after-free /w/cart.cc:12:5 in shop::Cart::sum()",
            "/w/cart.cc:12:5 Cart.sum | ! AddressSanitizer: heap-use-after-free",
        ),
    ]);
}

#[test]
fn c_messages_are_read() {
    check(&[
        (
            "cart.c:3:5: error: 'itm' undeclared",
            "cart.c:3:5 | ! 'itm' undeclared",
        ),
        (
            "src/cart.c:3:10: fatal error: shop.h: No such file or directory",
            "src/cart.c:3:10 | ! shop.h: No such file or directory",
        ),
        (
            "cart.c:3:5: warning: unused variable 'x' [-Wunused-variable]",
            "cart.c:3:5 | ! unused variable 'x' [-Wunused-variable]",
        ),
        (
            "cart.c: In function 'sum':\ncart.c:3:5: error: 'itm' undeclared\n    3 |     itm = 1;\n      |     ^~~\ncart.c:3:5: note: each undeclared identifier is reported only once",
            "cart.c:3:5 sum | ! 'itm' undeclared",
        ),
        (
            "In file included from src/shop.h:3,\n                 from src/main.c:5:\nsrc/cart.h:9:1: error: unknown type name 'item'",
            "src/shop.h:0 | src/main.c:0 | src/cart.h:9:1 | ! unknown type name 'item'",
        ),
        (
            "cart.c:3:5: runtime error: signed integer overflow: 1 + 2147483647",
            "cart.c:3:5 | ! signed integer overflow: 1 + 2147483647",
        ),
        (
            "shop: src/cart.c:3: sum: Assertion `n > 0' failed.\nAborted (core dumped)",
            "src/cart.c:3 sum | ! Assertion `n > 0' failed.",
        ),
        (
            "cart.c:3: sum: Assertion `n > 0' failed.",
            "cart.c:3 sum | ! Assertion `n > 0' failed.",
        ),
        (
            "=== ASSERTION FAILED ===\n==> cart.c:3 'n == 0' is not true",
            "cart.c:3 | ! 'n == 0' is not true",
        ),
        (
            "7:M 01 Jan 2024 10:00:00.000 # ==> cart.c:3 'n > 0' is not true",
            "cart.c:3 | ! 'n > 0' is not true",
        ),
        (
            "./shop *:80(sum+0x51e)[0x55d0]\n./shop(+0x42)[0x55d1]\n/lib/libc.so.6(abort+0xd3) [0x7f01]\n./shop(main+0x1a)[0x55d2]",
            ":0 main | :0 sum",
        ),
        (
            "Assertion failed: (n > 0), function sum, file cart.c, line 3.",
            "cart.c:3 sum | ! Assertion failed: (n > 0)",
        ),
        (
            "/usr/bin/ld: main.o: in function `main':\nmain.c:9: undefined reference to `sum'",
            "main.c:9 | ! undefined reference to `sum'",
        ),
        (
            "main.c:(.text+0x1a): undefined reference to `sum'",
            "main.c:0 | ! undefined reference to `sum'",
        ),
        (
            "/usr/bin/ld: b.o: in function `sum':\nb.c:(.text+0x0): multiple definition of `sum'; a.o:a.c:(.text+0x0): first defined here",
            "b.c:0 | ! multiple definition of `sum'",
        ),
        (
            "double free or corruption (fasttop)",
            "! double free or corruption (fasttop)",
        ),
        (
            "==9== 72 bytes in 1 blocks are definitely lost in loss record 2 of 2\n==9==    at 0x1A: open_cart (cart.c:12)",
            "cart.c:12 open_cart | ! 72 bytes in 1 blocks are definitely lost in loss record 2 of 2",
        ),
        (
            "C:\\w\\cart.c(3,5): error C2065: 'itm': undeclared identifier [C:\\w\\shop.vcxproj]",
            "C:/w/cart.c:3:5 | ! C2065: 'itm': undeclared identifier",
        ),
        ("the file cart.c:3 has an error: none", ""),
    ]);
}

#[test]
fn cpp_messages_are_read() {
    check(&[
        (
            "cart.cpp:3:5: error: no matching function for call to 'sum'",
            "cart.cpp:3:5 | ! no matching function for call to 'sum'",
        ),
        (
            "cart.cc: In member function 'int shop::Cart::sum(int) const':\ncart.cc:3:5: error: 'itm' was not declared in this scope",
            "cart.cc:3:5 Cart.sum | ! 'itm' was not declared in this scope",
        ),
        (
            "show.h: In instantiation of 'void shop::show(T) [with T = int]':\nmain.cc:4:5:   required from here\nshow.h:9:1: error: static assertion failed: no way to show",
            "main.cc:4:5 | show.h:9:1 shop.show | ! static assertion failed: no way to show",
        ),
        (
            "3>C:\\w\\cart.cpp(3): error C2039: 'sum': is not a member of 'Cart'",
            "C:/w/cart.cpp:3 | ! C2039: 'sum': is not a member of 'Cart'",
        ),
        (
            "shop: cart.cc:3: int shop::Cart::sum(int) const: Assertion `n > 0' failed.",
            "cart.cc:3 Cart.sum | ! Assertion `n > 0' failed.",
        ),
        (
            "[ RUN      ] CartTest.Sums\ntest/cart_test.cc:12: Failure\nExpected equality of these values:\n  cart.sum()\n    Which is: 4\n  3\n[  FAILED  ] CartTest.Sums (0 ms)",
            "test/cart_test.cc:12 Sums | ! Expected equality of these values:",
        ),
        (
            "[ RUN      ] Sizes/CartTest.Sums/0\ntest/cart_test.cc:12: Failure\nExpected true",
            "test/cart_test.cc:12 Sums | ! Expected true",
        ),
        (
            "test/cart_test.cpp:12: FAILED:\n  REQUIRE( cart.sum() == 3 )\nwith expansion:\n  4 == 3",
            "test/cart_test.cpp:12 | ! REQUIRE( cart.sum() == 3 )",
        ),
        (
            "test/cart_test.cpp:12: ERROR: CHECK( cart.empty() ) is NOT correct!",
            "test/cart_test.cpp:12 | ! CHECK( cart.empty() ) is NOT correct!",
        ),
        (
            "cart_test.cc(12): error: Value of: cart.empty()",
            "cart_test.cc:12 | ! Value of: cart.empty()",
        ),
        (
            "cart.cu(12): error: identifier \"itm\" is undefined",
            "cart.cu:12 | ! identifier \"itm\" is undefined",
        ),
    ]);
}

#[test]
fn places_that_instantiate_a_template_are_further_out() {
    check(&[
        (
            "show.h: In instantiation of ‘void shop::show(T) [with T = int]’:\nrun.h:7:9:   required from ‘struct shop::Runner<int>’\nrun.h:20:3:   recursively required from ‘void run(T) [with T = int]’\nrun.h:20:3:   [ skipping 3 instantiation contexts, use -ftemplate-backtrace-limit=0 to disable ]\nmain.cc:4:5:   required from here\n    4 |     run(1);\n      |     ^~~\nshow.h:9:1: error: no way to show",
            "main.cc:4:5 | run.h:20:3 run | run.h:7:9 shop.Runner | show.h:9:1 shop.show | ! no way to show",
        ),
        (
            "show.h: In substitution of 'template<class T> decltype (f(T())) shop::show(T) [with T = int]':\nmain.cc:4:5:   required by substitution of 'template<class T> void run(T) [with T = int]'\nshow.h:9:1: error: no match",
            "main.cc:4:5 | show.h:9:1 | ! no match",
        ),
        // Without the message.
        (
            "run.h:7:9:   required from 'void run(T) [with T = int]'\nmain.cc:4:5:   required from here",
            "main.cc:4:5 | run.h:7:9 run",
        ),
        (
            "show.h:9:1: error: no member named 'name' in 'Cart'\n    return t.name;\nrun.h:7:9: note: in instantiation of function template specialization 'shop::show<Cart>' requested here\nmain.cc:4:5: note: in instantiation of member function 'shop::Runner<Cart>::run' requested here",
            "main.cc:4:5 | run.h:7:9 Runner.run | show.h:9:1 shop.show | ! no member named 'name' in 'Cart'",
        ),
        // Another error at a known place tells nothing about the place before it.
        (
            "show.h:9:1: error: no size\nmain.cc:4:5: note: in instantiation of function template specialization 'shop::show<Cart>' requested here\nshow.h:9:1: error: no size\nmain.cc:5:5: note: in instantiation of function template specialization 'shop::show<Desk>' requested here",
            "main.cc:5:5 | main.cc:4:5 | show.h:9:1 shop.show | ! no size | ! no size",
        ),
        (
            "C:\\w\\show.h(9): error C2039: 'name': is not a member of 'Cart'\nC:\\w\\show.h(9): note: see declaration of 'Cart'\nC:\\w\\main.cpp(4): note: see reference to function template instantiation 'void shop::show<Cart>(T)' being compiled",
            "C:/w/main.cpp:4 | C:/w/show.h:9 shop.show | ! C2039: 'name': is not a member of 'Cart'",
        ),
    ]);
}

#[test]
fn stack_that_failed_is_innermost() {
    check(&[
        (
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\nREAD of size 4 at 0x60 thread T0\n    #0 0x55d0 in sum /w/cart.c:12:5\n    #1 0x55d1 in main /w/main.c:9:3\n\n0x60 is located 0 bytes inside of 4-byte region [0x60,0x64)\nfreed by thread T0 here:\n    #0 0x55d2 in free (/lib/libasan.so+0x1)\n    #1 0x55d3 in drop /w/cart.c:30:3\n\npreviously allocated by thread T0 here:\n    #0 0x55d4 in malloc (/lib/libasan.so+0x2)\n    #1 0x55d5 in create /w/cart.c:5:9\n\nSUMMARY: AddressSanitizer: heap-use-after-free /w/cart.c:12:5 in sum",
            "/w/cart.c:5:9 create | /w/cart.c:30:3 drop | /w/main.c:9:3 main | /w/cart.c:12:5 sum | /w/cart.c:12:5 sum | ! AddressSanitizer: heap-use-after-free on address 0x60 | ! AddressSanitizer: heap-use-after-free",
        ),
        (
            "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x70 by thread T1:\n    #0 sum /w/cart.c:12:5 (shop+0x1)\n\n  Previous write of size 4 at 0x70 by main thread:\n    #0 main /w/main.c:9:3 (shop+0x2)\n\n  Location is global 'total' of size 4 at 0x70 (shop+0x3)\n\n  Thread T1 (tid=2, running) created by main thread at:\n    #0 pthread_create <null> (shop+0x4)\n    #1 start /w/main.c:7:3 (shop+0x5)",
            "/w/main.c:7:3 start | /w/main.c:9:3 main | /w/cart.c:12:5 sum | ! WARNING: ThreadSanitizer: data race (pid=1)",
        ),
        (
            "==9==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x60\nREAD of size 4 at 0x60 thread T0\n    #0 0x55d0 in sum /w/cart.c:12:5\n\nAddress 0x60 is located in stack of thread T0 at offset 36 in frame\n    #0 0x55d1 in main /w/main.c:9:3",
            "/w/main.c:9:3 main | /w/cart.c:12:5 sum | ! AddressSanitizer: stack-buffer-overflow on address 0x60",
        ),
        (
            "==12== Invalid read of size 4\n==12==    at 0x1A: sum (cart.c:12)\n==12==  Address 0x4a is 0 bytes inside a block of size 4 free'd\n==12==    at 0x1B: drop (cart.c:30)\n==12==  Block was alloc'd at\n==12==    at 0x1C: create (cart.c:5)",
            "cart.c:5 create | cart.c:30 drop | cart.c:12 sum | ! Invalid read of size 4",
        ),
    ]);
}
