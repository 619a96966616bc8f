//! Tests the facts of JavaScript, TypeScript and TSX sources, feature by feature.

use foveate_model::Language;
use foveate_model::values::Value;

use crate::testing::{self, facts, javascript, same, tsx, typescript};

mod constants;
mod documentation;
mod prototypes;
mod specs;
mod types;

#[track_caller]
fn definitions(language: Language, source: &str, expected: &str) {
    same(&testing::definitions(language, source), expected, source);
}

#[track_caller]
fn references(language: Language, source: &str, expected: &str) {
    same(&testing::references(language, source), expected, source);
}

#[track_caller]
fn imports(language: Language, source: &str, expected: &str) {
    same(&testing::imports(language, source), expected, source);
}

#[track_caller]
fn exports(language: Language, source: &str, expected: &str) {
    same(&testing::exports(language, source), expected, source);
}

#[test]
fn all_kinds_of_functions_are_defined() {
    for language in [javascript(), typescript(), tsx()] {
        definitions(
            language,
            "function f(a, b = 1) {}
export async function g() {}
function* h() {}
const i = () => 1;
let j = async x => { const local = 1; const k = () => {}; };
const l = function named() {};
use(function callback() {});
var m; m = function () {};
",
            "function f: function f(a, b = 1)
             function g async exported: export async function g()
             function h: function* h()
             function i: const i = () =>
             function j async: let j = async x =>
             function j.k: const k = () =>
             function l: const l = function named()
             function callback: function callback()
             variable m: var m
             function m: m = function ()",
        );
    }
    definitions(
        typescript(),
        "export function f(a: string): void;
export function f(a: number): void;
export function f(a: any): void {}
declare function g(x: T): U;
",
        "function f overload exported: export function f(a: string): void
         function f overload exported: export function f(a: number): void
         function f exported: export function f(a: any): void
         function g: declare function g(x: T): U",
    );
}

#[test]
fn default_exports() {
    for (source, expected) in [
        (
            "export default function () {}",
            "function default default: export default function ()",
        ),
        (
            "export default () => 1",
            "function default default: export default () =>",
        ),
        (
            "export default class {}",
            "class default default: export default class",
        ),
        (
            "export default function f() {}",
            "function f default: export default function f()",
        ),
        (
            "export default class A {}",
            "class A default: export default class A",
        ),
        (
            "export default connect(x)(Y)",
            "constant default default: export default",
        ),
        (
            "export default { name: 'a', data() {}, methods: { go() {}, on: () => 1 } }",
            "constant default default: export default
             method default.data: data()
             field default.methods: methods
             method default.methods.go: go()
             method default.methods.on: on: () =>",
        ),
    ] {
        definitions(javascript(), source, expected);
    }
    exports(
        javascript(),
        "const a = 1; export default a;",
        "a as default",
    );
    exports(typescript(), "export = api;", "api as default");
}

#[test]
fn classes_and_members() {
    definitions(
        javascript(),
        "class A extends B.C {
  static count = 0;
  #secret;
  handle = async (e) => {};
  constructor() { super(); this.x = 1; this.x = 2; this.f = () => 1; }
  get size() { return 1; }
  static async *make() {}
  #hidden() {}
  [Symbol.iterator]() {}
}
const D = class extends A { m() {} };
",
        "class A: class A extends B.C
         field A.count static: static count
         field A.#secret private: #secret
         method A.handle async: handle = async (e) =>
         method A.constructor constructor: constructor()
         field A.x: this.x
         method A.f: this.f = () =>
         method A.size property: get size()
         method A.make async static: static async *make()
         method A.#hidden private: #hidden()
         method A.[Symbol.iterator]: [Symbol.iterator]()
         class D: const D = class extends A
         method D.m: m()",
    );
    definitions(
        typescript(),
        "@Component({ a: 1 })
export abstract class A<T> extends B<T> implements I, n.J {
  @Input() name: string;
  private readonly map = new Map<string, T>();
  constructor(private http: Http, plain: string) {}
  @Memo()
  @Log
  protected async get<K>(
    key: K,
  ): Promise<K> {}
  abstract run(): void;
  over(a: string): void;
  over(a: any) {}
}",
        "class A abstract exported: @Component({ a: 1 }) export abstract class A<T> extends B<T> implements I, n.J
         field A.name: @Input() name: string
         field A.map private: private readonly map
         method A.constructor constructor: constructor(private http: Http, plain: string)
         field A.http private: private http: Http
         method A.get async protected: @Memo() @Log protected async get<K>( key: K, ): Promise<K>
         method A.run abstract: abstract run(): void
         method A.over overload: over(a: string): void
         method A.over: over(a: any)",
    );
}

#[test]
fn bases_decorators_and_documentation() {
    let source = "/* licence */

/**
 * Head.
 *
 * @param x what
 */
@Dec(1)
export class A<T> extends mix(B) implements I<T>, n.J {
  // One.
  // Two.
  m(a, b) { return 1; }
}
/** Doc of f. */
export const f = (x) => x;
";
    let facts = facts(typescript(), source);
    let [class, method, f] = facts.definitions.as_slice() else {
        panic!("{:?}", facts.definitions);
    };
    assert_eq!(*class.bases, ["mix", "I", "n.J"].map(Box::from));
    assert_eq!(*class.decorators, ["Dec".into()]);
    assert_eq!(&*class.doc, "Head.\n\n@param x what");
    assert_eq!((&*method.doc, &*f.doc), ("One.\nTwo.", "Doc of f."));
    assert_eq!((class.lines.start, class.lines.end), (8, 13));
    assert_eq!(method.parameters.map(|p| p.of(source)), Some("a, b"));
    assert_eq!(f.parameters.map(|p| p.of(source)), Some("x"));
    assert_eq!(f.body.map(|b| b.of(source)), Some("x"));
}

#[test]
fn types_enums_and_namespaces() {
    definitions(
        typescript(),
        "export interface I<T> extends A, n.B<T> {
  a: string;
  readonly b?: { inner: number };
  call(x: T): void;
  (x: number): string;
}
export type Alias<T> = { kind: 'x'; go(): void };
type U = A | B;
export enum E { A, B = 2, 'c-d' }
declare const enum F { G }
declare module 'ext' { export function f(): void; }
namespace N.M { export const q = 1; }
import Short = N.M;
declare const VERSION: string;
",
        "interface I exported: export interface I<T> extends A, n.B<T>
         field I.a: a: string
         field I.b: readonly b?: { inner: number }
         method I.call: call(x: T): void
         type_alias Alias exported: export type Alias<T>
         field Alias.kind: kind: 'x'
         method Alias.go: go(): void
         type_alias U: type U
         enum E exported: export enum E
         enum_member E.A: A
         enum_member E.B: B
         enum_member E.c-d: 'c-d'
         enum F: declare const enum F
         enum_member F.G: G
         module ext: declare module 'ext'
         function ext.f exported: export function f(): void
         module N.M: namespace N.M
         constant N.M.q exported: export const q
         type_alias Short: import Short = N.M
         constant VERSION: declare const VERSION: string",
    );
}

#[test]
fn variables_and_objects() {
    definitions(
        javascript(),
        "export const A = 1, B = 2;
let c;
const { d, e: f, g = 1, ...h } = x;
const [i, , j] = y;
const api = { get() {}, list: async () => {}, 'quoted': function () {}, nested: { deep() {} }, plain: 1 };
for (const k of x) { const l = 1; }
function outer() { const m = 1; return { close() {} }; }
const View = memo(forwardRef((props, ref) => null));
if (A) { var n = 1; }
",
        "constant A exported: A
         constant B exported: B
         variable c: let c
         constant d: const { d, e: f, g = 1, ...h }
         constant f: const { d, e: f, g = 1, ...h }
         constant g: const { d, e: f, g = 1, ...h }
         constant h: const { d, e: f, g = 1, ...h }
         constant i: const [i, , j]
         constant j: const [i, , j]
         constant api: const api
         method api.get: get()
         method api.list async: list: async () =>
         method api.quoted: 'quoted': function ()
         field api.nested: nested
         method api.nested.deep: deep()
         function outer: function outer()
         method outer.close: close()
         function View: const View = memo(forwardRef((props, ref) =>
         variable n: var n",
    );
}

#[test]
fn commonjs_assignments_define_and_export() {
    let source = "function Foo() { this.a = 1; this.run = function () {}; }
Foo.prototype.bar = function bar() {};
Foo.prototype = { put: function () {}, del() {} };
Foo.make = () => 1;
$.fn.plug = function () {};
exports.f = function () {};
module.exports.K = class {};
exports.v = 1;
exports.c = exports.d = void 0;
exports.g = Foo;
module.exports = { Foo, y: g, z() {}, w: () => 1, ...require('./rest'), n: require('./n') };
";
    definitions(
        javascript(),
        source,
        "function Foo constructor: function Foo()
         field Foo.a: this.a
         method Foo.run: this.run = function ()
         method Foo.bar: Foo.prototype.bar = function bar()
         method Foo.put: put: function ()
         method Foo.del: del()
         function Foo.make static: Foo.make = () =>
         function $.fn.plug: $.fn.plug = function ()
         function f exported: exports.f = function ()
         class K exported: module.exports.K = class
         constant v exported: exports.v
         method z exported: z()
         function w exported: w: () =>",
    );
    exports(javascript(), source, "Foo as g\nFoo as Foo\ng as y");
    imports(
        javascript(),
        source,
        "ReExport ./rest: * as\nReExport ./n: * as n",
    );
    exports(javascript(), "module.exports = Foo;", "Foo as default");
    definitions(
        javascript(),
        "module.exports = function f() {};",
        "function f default: module.exports = function f()",
    );
    definitions(
        javascript(),
        "module.exports = (a) => {};",
        "function default default: module.exports = (a) =>",
    );
    imports(
        javascript(),
        "module.exports = require('./lib');",
        "ReExport ./lib: * as , default",
    );
}

#[test]
fn all_forms_of_imports_are_found() {
    imports(
        typescript(),
        "import './side.css';
import a from 'a';
import { b, c as d, type E } from './b';
import f, { default as g } from 'f';
import * as h from \"h\";
import i, * as j from 'i';
import type { K } from './k';
import l = require('l');
export * from './m';
export * as n from './n';
export { o, p as q } from './o';
export type { R } from './r';
function s() { return import('./lazy'); }
",
        "From ./side.css:
         From a: default as a
         From ./b: b, c as d, E
         From f: default as f, default as g
         From h: * as h
         From i: default as i, * as j
         From ./k: K (type)
         Require l: * as l
         ReExport ./m: * as
         ReExport ./n: * as n
         ReExport ./o: o, p as q
         ReExport ./r: R (type)
         Dynamic ./lazy:  in s",
    );
    imports(
        javascript(),
        "const a = require('./a');
const { b, c: d, e = 1 } = require('b'), f = require('./f').g;
require('./side');
async function h() { const { i } = await import('./i'); const j = await import(name); }
var k = require(dynamic);
",
        "Require ./a: * as a
         Require b: b, c as d, e
         Require ./f: g as f
         Require ./side:
         Dynamic ./i: i in h",
    );
    exports(
        typescript(),
        "export { a as b, c };\nexport type { D };",
        "a as b\nc as c\nD as D",
    );
}

#[test]
fn all_kinds_of_references_are_found() {
    references(
        typescript(),
        "import { a, B, Base, Dec, n, Err } from 'm';
@Dec()
class C extends Base implements n.I<B> {
  @n.Dec field: Opt<n.Thing> = a;
  m<T>(p: B, q = a): T {
    this.client!.connect?.(p);
    make(1).run().field;
    new n.Thing(a);
    try { throw new Err('x'); } catch (e) { if (e instanceof n.Bad) { throw e; } }
    return { a, key: a, [a]: 1 } as unknown as typeof a;
  }
}
function g(a: number) { return a + n.x.y; }
",
        "decorator dec in c
         base base in c
         base n.i in c
         type b in c
         decorator n.dec in c
         type opt in c
         type n.thing in c
         name a in c
         type b in c.m
         name a in c.m
         type t in c.m
         call this.client!.connect in c.m
         call make in c.m
         call ?run in c.m
         attribute ?field in c.m
         call n.thing in c.m
         name a in c.m
         raise err in c.m
         catch n.bad in c.m
         name a in c.m
         name a in c.m
         name a in c.m
         type a in c.m
         attribute n.x.y in g",
    );
    references(
        tsx(),
        "import { Button, ns, title } from 'm';
const View = () => <div id={title}><Button a=\"b\"><ns.Item /></Button></div>;
",
        "name title in view
         call button in view
         call ns.item in view",
    );
}

#[test]
fn local_names_shadow_imports() {
    references(
        javascript(),
        "import { a, b, c, d, e } from 'm';
function f(a, { b, x: c }, ...d) { a(); b; c.run(); d; e(); }
const g = a => { a; };
function h() { const e = 1; return () => e; }
function i() { try {} catch (b) { b; } }
",
        "call ?a in f
         call ?c.run in f
         call e in f",
    );
}

#[test]
fn error_and_log_messages_are_found() {
    let source = "throw new TypeError(`bad ${name} value`);
console.warn('careful', x);
const e = new HttpError('late');
invariant(x, 'not one');
Promise.reject(new Error(\"no\"));
const texts = { message: `no page ${x}`, title: 'not a message' };
";
    same(
        &testing::messages(javascript(), source),
        "Error: bad ${name} value
         Log: careful
         Error: late
         Error: no
         Error: no page ${x}",
        source,
    );
}

#[test]
fn regions_exclude_template_substitutions() {
    let source = "/** Doc. */\n// note\nconst x = `a ${b('c')} d`; /**/\n";
    same(
        &testing::regions(javascript(), source),
        "Documentation: /** Doc. */
         Comment: // note
         Text: `a
         Text: 'c'
         Text: d`
         Comment: /**/",
        source,
    );
    let source = "const v = <b title=\"t\">Hello {name}</b>;";
    same(
        &testing::regions(tsx(), source),
        "Text: \"t\"\nText: Hello",
        source,
    );
}

#[test]
fn chunks_follow_definitions() {
    let source = "import a from 'a';

/**
 * A.
 */
export class A {
  x = 1;

  m() {
    return 1;
  }

  // About n.
  n() {}
}

export interface I {
  a: string;
  b(): void;
}

const f = () => {
  function inner() {}
};
f();
class B { p() {} q() {} }
";
    same(
        &testing::chunks(typescript(), source),
        "1-2 Module
         3-8 Class A
         9-12 Function A.m
         13-16 Function A.n
         17-21 Class I
         22-24 Function f
         25-25 Module
         26-26 Function B.p",
        source,
    );
}

#[test]
fn functions_in_a_scope_function_get_own_chunks() {
    let source = "export default (o, c) => {
  const proto = c.prototype

  proto.week = function (week) {
    if (week !== null) {
      return this.add(week)
    }
    return 1
  }

  proto.weeks = function () {
    const inner = () => 1
    return inner()
  }
}
";
    same(
        &testing::chunks(javascript(), source),
        "1-3 Function default
         4-10 Function default.week
         11-15 Function default.weeks",
        source,
    );
}

#[test]
fn long_call_is_split_between_inner_statements() {
    let mut source = String::from("register('x', () => {\n");
    for number in 0..30 {
        source.push_str(&format!("  on('{number}', () => {{\n    go();\n  }});\n\n"));
    }
    source.push_str("});\n");
    let chunks = testing::chunks(javascript(), &source);
    let starts: Vec<&str> = chunks
        .iter()
        .filter_map(|chunk| chunk.split('-').next())
        .collect();
    for start in starts.iter().skip(1) {
        let line = source.lines().nth(start.parse::<usize>().unwrap() - 1);
        assert!(
            line.is_some_and(|line| line.starts_with("  on(")),
            "{chunks:?}"
        );
    }
    assert!(chunks.len() >= 2, "{chunks:?}");
}

#[test]
fn documented_functions_of_a_wrapped_module_have_own_chunks() {
    // The documentation is longer than the functions.
    let function = |name: &str| {
        let documentation = "   * Says more.\n".repeat(6);
        format!("  /**\n{documentation}   */\n  function {name}() {{\n    return 1;\n  }}\n\n")
    };
    let functions: String = ["add", "sum", "clear"].map(function).concat();
    let source = format!("function module() {{\n{functions}}}\n");
    same(
        &testing::chunks(javascript(), &source),
        "1-1 Function module
         2-13 Function module.add
         14-25 Function module.sum
         26-38 Function module.clear",
        &source,
    );
}

#[test]
fn very_long_functions_with_many_inside_are_scopes() {
    let source = |count: usize| {
        let functions: String = (0..count)
            .map(|number| format!("  function part{number}() {{}}\n"))
            .collect();
        let rest = "  run();\n".repeat(320);
        format!("function create() {{\n{functions}{rest}}}\n")
    };
    let has_own = |source: &str| {
        let chunks = testing::chunks(javascript(), source);
        chunks.iter().any(|chunk| chunk.ends_with("create.part3"))
    };
    assert!(has_own(&source(10)));
    assert!(!has_own(&source(9)));
}

#[test]
fn nested_functions_are_values() {
    references(
        javascript(),
        "function outer(rows) {
  function first(row) { return row; }
  const second = () => first;
  class Third {}
  function fourth(first) { use(first); }
  rows.map(first).map(second).map(Third).map(other);
  return { fourth, rows };
}
outer.make = function () { make; };
use(first);
",
        "name first in outer.second
         call use in outer.fourth
         call rows.map in outer
         name first in outer
         call ?map in outer
         name second in outer
         call ?map in outer
         name third in outer
         call ?map in outer
         name fourth in outer
         call use",
    );
}

#[test]
fn assignments_declare_no_variable() {
    references(
        javascript(),
        "let cache;
function get() { cache = build(); return cache; }
",
        "call build in get
         name cache in get",
    );
}

#[test]
fn variables_may_hold_the_exports() {
    for (source, expected_definitions, expected_exports) in [
        (
            "var app = exports = module.exports = {}; app.init = function () {};",
            "variable app: var app
             function app.init static: app.init = function ()",
            "app as default",
        ),
        (
            "const make = module.exports = function () {};",
            "function make: const make = module.exports = function ()",
            "make as default",
        ),
        (
            "module.exports = exports = function f() {};",
            "function f default: module.exports = exports = function f()",
            "",
        ),
    ] {
        definitions(javascript(), source, expected_definitions);
        exports(javascript(), source, expected_exports);
    }
}

#[test]
fn functions_with_prototypes_are_constructors() {
    let source = "function A(x) { this.x = x; }
A.prototype.m = function () {};
function D() {}
Object.assign(D.prototype, { n() {}, o: function () {} });
function e() { this.y = 1; }
";
    definitions(
        javascript(),
        source,
        "function A constructor: function A(x)
         field A.x: this.x
         method A.m: A.prototype.m = function ()
         function D constructor: function D()
         method D.n: n()
         method D.o: o: function ()
         function e: function e()",
    );
}

#[test]
fn imports_in_functions_do_not_hide_themselves() {
    references(
        javascript(),
        "function f(c) {
  const a = require('./a');
  const { b, d: e, c: g } = require('./b');
  a.run(); b(e); c(g);
}
",
        "call a.run in f
         call b in f
         name e in f
         call c in f
         name g in f",
    );
}

#[test]
fn decorators_and_default_values_are_read() {
    references(
        typescript(),
        "import { Dec, Kind, Token, T } from 'm';
@Dec({ imports: [Kind] })
class A {
  constructor(@Dec(Token) private token: T) {}
}
function f({ a = Kind, b: { c = Token.x } }, [d = T] = []) {}
const { e = Kind } = f;
",
        "decorator dec in a
         name kind in a
         decorator dec in a.constructor
         name token in a.constructor
         type t in a.constructor
         name kind in f
         attribute token.x in f
         name t in f
         name kind
         name f",
    );
}
