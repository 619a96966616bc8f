//! Tests the members that calls define.

use super::*;

#[test]
fn calls_define_members() {
    let source = "function Cart() {}
Object.defineProperty(Cart.prototype, 'total', { get() { return 1; } });
Object.defineProperty(Cart, 'maximum', { value: 3 });
defineGetter(req, 'fresh', function () { return true; });
req.__defineGetter__('stale', function stale() { return this.fresh; });
Object.defineProperty(unknown, 'other', { value: 3 });
Object.defineProperty(Cart, '__esModule', { value: true });
Object.defineProperty(Cart, key, { value: 3 });
Object.defineProperty(exports, 'price', { get: () => 3 });
defineProperty(Cart);
";
    let found = testing::definitions(javascript(), source);
    let has = |name: &str| {
        let parts = |line: &String| line.split([' ', ':']).any(|part| part == name);
        found.iter().any(parts)
    };
    for name in [
        "Cart", "Cart.total", "Cart.maximum", "req.fresh", "req.stale", "price",
    ] {
        assert!(has(name), "{name}: {found:?}");
    }
    for name in ["unknown.other", "Cart.__esModule", "Cart.key"] {
        assert!(!has(name), "{name}: {found:?}");
    }
}
