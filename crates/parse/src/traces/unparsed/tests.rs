//! Tests the forms of traces and messages in languages without a parser, and sentences that look like them.

use super::super::check;

#[test]
fn traces_of_many_languages_are_read() {
    check(&[
        (
            "lua: lua/shop/cart.lua:12: attempt to index a nil value\nstack traceback:\n\t[C]: in function 'error'\n\tlua/shop/cart.lua:12: in upvalue 'sum'\n\tlua/shop/main.lua:3: in main chunk\n\t[C]: in ?",
            "lua/shop/cart.lua:12 | lua/shop/main.lua:3 | lua/shop/cart.lua:12 | ! attempt to index a nil value",
        ),
        (
            "E5108: Error executing lua: ...al/share/nvim/lazy/shop/lua/cart.lua:12: attempt to call a nil value\nstack traceback:\n\t...al/share/nvim/lazy/shop/lua/cart.lua:12: in function <...al/share/nvim/lazy/shop/lua/cart.lua:9>",
            "share/nvim/lazy/shop/lua/cart.lua:12 | share/nvim/lazy/shop/lua/cart.lua:12 | ! attempt to call a nil value",
        ),
        (
            "Unhandled Exception: Null check operator used on a null value\n#0      Cart._sum (package:shop/src/cart.dart:12:14)\n#1      Cart.sum (package:shop/src/main.dart:3:5)\n<asynchronous suspension>",
            "shop/lib/src/main.dart:3:5 | shop/lib/src/cart.dart:12:14 | ! Null check operator used on a null value",
        ),
        (
            "package:shop/src/cart.dart 12:14  Cart.sum\ntest/cart_test.dart 3:5           main.<fn>",
            "test/cart_test.dart:3:5 | shop/lib/src/cart.dart:12:14",
        ),
        (
            "** (KeyError) key :id not found in: nil\n    (shop 1.7.10) lib/shop/cart.ex:12: anonymous fn/2 in Shop.Cart.sum/2\n    (elixir 1.15.7) lib/enum.ex:1693: Enum.map/2",
            "lib/enum.ex:1693 | lib/shop/cart.ex:12",
        ),
        (
            "    error: undefined variable \"x\"\n    │\n 12 │     x\n    │     ^\n    │\n    └─ lib/shop/cart.ex:12:5: Shop.Cart.sum/2",
            "lib/shop/cart.ex:12:5 | ! undefined variable \"x\" | ! Shop.Cart.sum/2",
        ),
        (
            "{function_clause,[{cart,sum,[1,2],[{file,\"src/cart.erl\"},{line,12}]},\n                  {shop,call,3,[{file,\"src/shop.erl\"},{line,3}]}]}",
            "src/shop.erl:3 | src/cart.erl:12",
        ),
        (
            "  in function  cart:sum/2 (src/cart.erl, line 12)\n  in call from shop:call/3 (src/shop.erl, line 3)",
            "src/shop.erl:3 | src/cart.erl:12",
        ),
        (
            "src/cart.erl:12: variable 'X' is unbound",
            "src/cart.erl:12 | ! variable 'X' is unbound",
        ),
        (
            "shop: Prelude.head: empty list\nCallStack (from HasCallStack):\n  error, called at libraries/base/GHC/List.hs:1646:3 in base:GHC.List\n  sum, called at src/Cart.hs:12:13 in shop-inplace:Cart",
            "src/Cart.hs:12:13 | libraries/base/GHC/List.hs:1646:3",
        ),
        (
            "src/Cart.hs:12:17: error: [GHC-83865]\n    • Couldn't match expected type ‘Text’ with actual type ‘String’",
            "src/Cart.hs:12:17 | ! [GHC-83865]",
        ),
        (
            "Can't locate object method \"sum\" via package \"Cart\" at lib/Shop/Cart.pm line 12.\n\tShop::Cart::sum(1) called at lib/Shop.pm line 3",
            "lib/Shop.pm:3 | lib/Shop/Cart.pm:12 | ! Can't locate object method \"sum\" via package \"Cart\"",
        ),
        (
            "Use of uninitialized value $x in addition (+) at lib/Shop/Cart.pm line 12, <STDIN> line 5.",
            "lib/Shop/Cart.pm:12 | ! Use of uninitialized value $x in addition (+)",
        ),
        (
            "Error in `sum()`:\n! object 'x' not found\nBacktrace:\n    ▆\n 1. ├─shop::sum(df)\n 2. ├─shop:::other(df) at R/shop.R:3:3\n 3. │ └─base::withCallingHandlers(...) at R/cart.R:12:3\n 4. └─rlang::abort(...)",
            "R/shop.R:3:3 | R/cart.R:12:3",
        ),
        (
            "ERROR: MethodError: no method matching sum(::Nothing)\nStacktrace:\n  [1] sum(x::Nothing)\n    @ Shop ~/.julia/packages/Shop/n3cOc/src/cart.jl:12\n  [2] call(x::Matrix)\n    @ Shop ~/.julia/packages/Shop/n3cOc/src/shop.jl:3 [inlined]",
            "~/.julia/packages/Shop/n3cOc/src/shop.jl:3 | ~/.julia/packages/Shop/n3cOc/src/cart.jl:12",
        ),
        (
            "/home/ann/shop/Sources/Shop/Cart.swift:12:18: error: cannot convert value of type 'Int'\n        let x: String = 1\n                        ^",
            "/home/ann/shop/Sources/Shop/Cart.swift:12:18 | ! cannot convert value of type 'Int'",
        ),
        (
            "Shop/Cart.swift:12: Fatal error: Unexpectedly found nil",
            "Shop/Cart.swift:12 | ! Fatal error: Unexpectedly found nil",
        ),
        (
            "\tat shop.cart$sum.invokeStatic(cart.clj:12)\n\tat shop.core$call$fn__123.invoke(core.clj:3)",
            "shop/core.clj:3 | shop/cart.clj:12",
        ),
        (
            "│ Error: Invalid for_each argument\n│ \n│   on .terraform/modules/shop/main.tf line 12, in resource \"aws_thing\" \"this\":\n│   12:   for_each = var.x",
            "main.tf:12",
        ),
        (
            "fatal: [host1]: FAILED! => {\"msg\": \"'x' is undefined\\n\\nThe error appears to be in '/home/ann/play/roles/web/tasks/main.yml': line 12, column 3, but may\\nbe elsewhere\"}",
            "/home/ann/play/roles/web/tasks/main.yml:12:3",
        ),
        (
            "roles/web/tasks/main.yml:12:81: [warning] line too long (95 > 80 characters) (line-length)",
            "roles/web/tasks/main.yml:12:81 | ! [warning] line too long (95 > 80 characters) (line-length)",
        ),
        (
            "Error: template: shop/templates/cart.yaml:12:20: executing \"shop/templates/cart.yaml\" at <.Values.x>: nil pointer",
            "shop/templates/cart.yaml:12:20 | ! executing \"shop/templates/cart.yaml\" at <.Values.x>: nil pointer",
        ),
        (
            "thread 1234 panic: index out of bounds: index 3, len 3\n/home/ann/shop/src/cart.zig:12:17: 0x10a3f2c in sum (shop)\n    x[3] = 1;\n                ^\n/home/ann/shop/src/main.zig:3:9: 0x10a3f2c in main (shop)",
            "/home/ann/shop/src/main.zig:3:9 | /home/ann/shop/src/cart.zig:12:17",
        ),
        (
            "Fatal error: exception Not_found\nRaised at Stdlib__Map.Make.find in file \"map.ml\", line 137, characters 10-25\nCalled from Shop__Cart.sum in file \"src/cart.ml\", line 12, characters 12-40",
            "src/cart.ml:12:12 | map.ml:137:10",
        ),
        (
            "File \"src/cart.ml\", line 12, characters 10-14:\n12 |     let x = f 1\n                ^^^^\nError: This expression has type int",
            "src/cart.ml:12:10 | ! Error: This expression has type int",
        ),
        (
            "The property 'Count' cannot be found on this object.\nAt C:\\Program Files\\Modules\\Shop\\src\\Cart.ps1:12 char:13\n+             $x.Count\n+             ~~~~~~~~",
            "Files/Modules/Shop/src/Cart.ps1:12",
        ),
        (
            "at Get-Sum, /home/ann/shop/src/Cart.ps1: line 12\nat <ScriptBlock>, /home/ann/shop/Shop.ps1: line 3",
            "/home/ann/shop/Shop.ps1:3 | /home/ann/shop/src/Cart.ps1:12",
        ),
        (
            "/home/ann/shop/cart.sh: line 12: x: command not found",
            "/home/ann/shop/cart.sh:12 | ! x: command not found",
        ),
        (
            "/home/ann/shop/cart.sh: 12: x: not found",
            "/home/ann/shop/cart.sh:12 | ! x: not found",
        ),
        (
            "In scripts/cart.sh line 12:\n  echo $x\n       ^-- SC2086 (info): Double quote to prevent globbing.",
            "scripts/cart.sh:12",
        ),
        (
            "       error: attribute 'x' missing\n       at /nix/store/4fq0q6w1-source/modules/cart.nix:12:22:\n            12|     y = z.x;",
            "/nix/store/4fq0q6w1-source/modules/cart.nix:12:22 | ! attribute 'x' missing",
        ),
        (
            "Unhandled exception: Index out of bounds (IndexError)\n  from src/cart.cr:12:5 in 'sum'\n  from src/shop.cr:3:9 in 'call'",
            "src/shop.cr:3:9 | src/cart.cr:12:5 | ! Unhandled exception: Index out of bounds (IndexError)",
        ),
        (
            "In src/cart.cr:12:5\n\n 12 | x.sum\n        ^--\nError: undefined method 'sum' for Nil",
            "src/cart.cr:12:5 | ! Error: undefined method 'sum' for Nil",
        ),
        (
            "Traceback (most recent call last)\n/home/ann/shop/src/shop.nim(3) call\n/home/ann/shop/src/cart.nim(12) sum\nError: unhandled exception: key not found: x [KeyError]",
            "/home/ann/shop/src/shop.nim:3 | /home/ann/shop/src/cart.nim:12 | ! Error: unhandled exception: key not found: x [KeyError]",
        ),
        (
            "/home/ann/shop/src/cart.nim(12, 5) Error: type mismatch: got <int>",
            "/home/ann/shop/src/cart.nim:12:5 | ! Error: type mismatch: got <int>",
        ),
        (
            "src/cart.d(12): Error: undefined identifier `x`",
            "src/cart.d:12 | ! Error: undefined identifier `x`",
        ),
        (
            "/home/ann/shop/src/Cart.fs(12,13): error FS0001: This expression was expected to have type 'string'",
            "/home/ann/shop/src/Cart.fs:12:13 | ! FS0001: This expression was expected to have type 'string'",
        ),
        (
            "Build file '/home/ann/my shop/build.gradle' line: 12",
            "/home/ann/my shop/build.gradle:12",
        ),
        (
            "SCRIPT ERROR: Invalid call. Nonexistent function 'sum' in base 'Nil'.\n          at: _process (res://shop/cart.gd:12)",
            "shop/cart.gd:12 _process",
        ),
        (
            "CMake Error at cmake/cart.cmake:12 (message):\n  There is no shop\nCall Stack (most recent call first):\n  CMakeLists.txt:3 (include)",
            "CMakeLists.txt:3 | cmake/cart.cmake:12",
        ),
        ("make: *** [Makefile:12: cart] Error 1", "Makefile:12"),
        (
            "Makefile:12: *** missing separator.  Stop.",
            "Makefile:12 | ! *** missing separator.  Stop.",
        ),
        (
            "psql:db/cart.sql:12: ERROR:  relation \"x\" does not exist",
            "db/cart.sql:12 | ! ERROR:  relation \"x\" does not exist",
        ),
        (
            "nginx: [emerg] unknown directive \"x\" in /etc/nginx/nginx.conf:12",
            "/etc/nginx/nginx.conf:12",
        ),
        (
            "Error: Undefined variable.\n   ╷\n12 │   color: $x;\n   │          ^^\n   ╵\n  styles/cart.scss 12:10  root stylesheet",
            "styles/cart.scss:12:10 | ! Error: Undefined variable.",
        ),
        (
            "  in \"config/cart.yml\", line 12, column 3",
            "config/cart.yml:12:3",
        ),
        (
            "Error: src/app/cart.html:12:5 - error NG8002: Can't bind to 'x'",
            "src/app/cart.html:12:5 | ! NG8002: Can't bind to 'x'",
        ),
        (
            "Traceback (most recent call last):\n  File \"/home/ann/shop/cart.py\", line 3, in show\n    render()\n  File \"/home/ann/shop/templates/cart.html\", line 12, in block \"total\"\n    {{ x.y }}\nValueError: none",
            "/home/ann/shop/cart.py:3 show | /home/ann/shop/templates/cart.html:12 block | ! ValueError: none",
        ),
        (
            "Variable \"x\" does not exist in \"cart.html.twig\" at line 12.",
            "",
        ),
    ]);
}

#[test]
fn sentences_are_no_traces() {
    check(&[
        ("The cart is in src/cart.lua:12 and should not be.", ""),
        ("See docs/cart.md line 12 for the rounding.", ""),
        ("Since docs/cart.md:12 says so, it must hold.", ""),
        ("It listens at 10.0.0.1:8080: refused", ""),
        ("Change cart.yml:12 (the total) first.", ""),
        ("src/cart.lua:12", ""),
        // The documents of the reporter, in a repository of a tool that checks documents.
        ("index.rst:28: WARNING: more than one target found", ""),
        ("In docs/cart.md:12 we say that it rounds.", ""),
        (
            "There is a bug in the file src/cart.lua:12 that rounds.",
            "",
        ),
        ("1. Look at docs/cart.md:12 for it", ""),
        ("(optional) config/cart.yml:12 may be wrong", ""),
        ("Fails at first, config/cart.yml:3 is wrong", ""),
    ]);
}
