//! Tests the classes that variables, members and results have.

use super::*;

/// Returns the variables and results of functions whose class is known: `function variable Class`, `function Class`.
fn classes(source: &str) -> Vec<String> {
    let facts = facts(javascript(), source);
    let class = |value: Value| match value {
        Value::Call(path) => Some(path.of(source)),
        Value::Type(name) => Some(name.path.of(source)),
        _ => None,
    };
    let name = |id| facts.definition(id).map_or("", |d| &*d.qualified_name);
    let locals = facts.values.locals.iter().filter_map(|local| {
        let function = local.function.map_or("", name);
        let class = class(local.value)?;
        Some(format!("{function} {} {class}", local.name.of(source)))
    });
    let held = facts.values.held.iter();
    let held =
        held.filter_map(|held| Some(format!("{} {}", name(held.definition), class(held.value)?)));
    let types = facts.values.types.iter();
    let types = types.map(|known| {
        format!(
            "{} {}",
            name(known.definition),
            known.type_name.path.of(source)
        )
    });
    locals.chain(held).chain(types).collect()
}

#[test]
fn statements_after_others_on_a_line_bind_variables() {
    same(
        &classes(
            "function f() { const c = new Cart(); c.add('; const d = new D()'); }
function g() { if (x) { return null; } let c = new Cart(); return c; } // { const e = new E();
function h() { list.map(() => { return new Other(); }); }
function i(x) {
  const c = x ? new Cart(1) : new Cart(2);
  const d = x ? new Cart() : new Other();
}
class Cart {
  static of() { return new Cart() }
}
",
        ),
        "f c Cart
         g c Cart
         i c Cart
         g Cart
         Cart.of Cart",
        "",
    );
}

#[test]
fn types_in_documentation_are_read_where_the_code_states_none() {
    same(
        &classes(
            "/**
 * Adds a line.
 * @param {Cart} cart - the @type {Wrong} cart
 * @returns {!Promise<Cart>} the cart
 */
function add(cart) {
  /** @type {import('./store').Store} */
  const store = open();
  // @type {Wrong}
  const other = 1;
}
/** @type {Store} */
let shared = null;
/** @returns {Cart} is too far above. */

function far() {}
/** @returns {{cart: Cart}} */
function shape() {}
",
        ),
        "add store Store
         shared Store
         add Cart",
        "",
    );
    let source = "/**
 * @param {Cart} cart
 * @param {Wrong} other.part
 * @param {Store} [other=none]
 */
function add(cart, other, third) {}
";
    let facts = facts(javascript(), source);
    let types = facts.values.parameters.iter().map(|parameter| {
        let known = parameter.type_name;
        known.map_or("", |known| known.path.of(source))
    });
    assert_eq!(types.collect::<Vec<_>>(), ["Cart", "Store", ""]);
}

#[test]
fn object_literals_implement_the_types_that_they_are_stated_to_have() {
    references(
        typescript(),
        "import { Aa, Bb, Dd, Ee, F, make } from 'm';
const a: Aa<F> = { open() {} };
const b = { open() {} } satisfies Bb;
function c(): m.C { make(); return { open() {} }; }
const d = async (): Promise<Dd> => ({ open() {} });
class K { e(): Ee { return { open() {} } as Ee; } }
const f: F = make();
function g(): F { return make({}); }
function h<T>(): T { return {}; }
",
        "base aa in a
         type f in a
         base bb in b
         base m.c in c
         call make in c
         type promise in d
         base dd in d
         base ee in k.e
         type ee in k.e
         type f in f
         call make in f
         type f in g
         call make in g
         type t in h",
    );
}

#[test]
fn members_of_parts_of_a_type_are_its_own() {
    definitions(
        typescript(),
        "type A = B & { size: number } & Readonly<{ open(): void; at: { x: 1 } }>;
type C = B | { size: number };
interface D extends Partial<Omit<B, 'a'> & { size: number }>, E<{ at: 1 }> { own: F & { inner: 1 } }
",
        "type_alias A: type A
         field A.size: size: number
         method A.open: open(): void
         field A.at: at: { x: 1 }
         type_alias C: type C
         interface D: interface D extends Partial<Omit<B, 'a'> & { size: number }>, E<{ at: 1 }>
         field D.size: size: number
         field D.own: own: F & { inner: 1 }",
    );
    let facts = facts(
        typescript(),
        "interface D extends Partial<Omit<B, 'a'> & { b: 1 }>, E<F> {}\n",
    );
    let interface = facts.definitions.first().unwrap();
    assert_eq!(*interface.bases, ["B", "E"].map(Box::from));
}
