//! Checks on mutated sources, random bytes and hostile inputs that any text gives consistent facts, with
//! the invariants that other crates rely on.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use foveate_model::{FileFacts, Language, ParseIssue, Span};
use foveate_parse::{Limits, parse};
use proptest::prelude::*;

fn language(name: &str) -> Language {
    foveate_parse::languages::by_name(name).unwrap()
}

const LANGUAGES: &[&str] = &[
    "python", "javascript", "typescript", "tsx", "ruby", "php", "vue", "svelte", "markdown",
    "java", "rust", "csharp", "kotlin", "c", "cpp", "go",
];

/// Sources that contain most constructs; mutations break them in critical places.
const SOURCES: &[&str] = &[
    "'''Doc.'''\nimport a.b as c\nfrom . import (d as e, *)\n\n@deco(1)\nclass A(B, c.D[T], metaclass=M):\n    '''Doc.'''\n    x: int = 1\n    def __init__(self, q, *args, **kw):\n        self.a, self.b = q\n        raise E(f'no {q!r} {e(\"x\")}') from q\n    async def m(self): return [i async for i in self.x().y]\n\n# above\nf = lambda z: z\ntry:\n    pass\nexcept (E, c.F) as g:\n    log.info('hé %s', g)\nmatch x:\n    case A(p=1): pass\n__all__ = ['A'] + ['f']\n",
    "/** Doc. */\nimport a, { b as c } from './d';\nexport * as e from 'f';\nconst { g, h: [i] } = require('j'), k = async (l = 1) => { throw new M(`n ${l}`); };\nclass A extends B.C { static #x = 1; y = () => {}; get z() { return this.x?.y; } }\nA.prototype.p = function () {};\nmodule.exports = { A, q() {}, r: { s: function () {} }, ...require('t') };\nexport default { data() {}, methods: { u: () => 1 } };\n",
    "@Dec({ a: 1 })\nexport abstract class A<T extends U> extends B<T> implements I, n.J {\n  @In() private readonly x: Map<string, T> = new Map();\n  constructor(private y: Y, z?: number) { super(); this.w = y!.v; }\n  over(a: string): void;\n  over(a: any) {}\n}\nexport interface I extends n.K<L> { a: string; b?(c: D): E; f: { g: number } }\nexport type H<T> = { kind: 'x' } & T;\nexport const enum O { P, Q = 'é' }\ndeclare module 'r' { function s(): void }\nnamespace N.M { export let t = 1 }\nimport V = require('v');\nexport = V;\n",
    "export const View: FC<Props> = memo(({ a, b }) => {\n  const go = useCallback(() => { b(a); }, []);\n  return <ns.Item on={go} title=\"t\"><div>Hé {a}<Child {...b} /></div></ns.Item>;\n});\n",
    "<script lang=\"ts\">\nimport A from './A.vue';\nexport let a: A[] = f();\nfunction g(x) { return x; }\n</script>\n<!-- <A/> -->\n<A :b=\"g(a)\" {a} on:c={() => g({ d: 'é' })}>{{ a.b }}{#if a}é{/if}</A>\n<style>a{}</style>\n",
    "package a.b;\nimport c.D;\nimport static c.D.e;\nimport f.*;\n/** Doc. */\n@Ann(x = 1, y = \"é\")\npublic abstract class A<T extends B & C> extends D<T> implements E, f.G {\n  private static final int X = 1, Y[] = {2};\n  H<?> h = new H<I[]>(X) { int z; void m() { run(z); } };\n  static { int q = e(); }\n  @Inject <U> A(U u, T... ts) throws J { super(u); this.h = ts[0]; }\n  protected <R> R run(Map<K, f.L[]> m) throws N {\n    for (T t : ts) { t.a().b(x -> x.c(), A::d, f.A::new); }\n    try (O o = open()) { o.read(); } catch (P | f.Q e) { log.warn(\"no é\", e); throw new R(\"é \" + e); }\n    if (o instanceof S s && s.ok()) return switch (o) { case U(V v, var w) -> v.x(); default -> null; };\n    l: while (((W) o).go() != Y.class) break l;\n    String t = \"\"\"\n        é\n        \"\"\";\n  }\n  enum Z { P, Q(1) { void r() {} }; Z(int i) {} }\n  record Rec(int x, @Ann String... y) { Rec { check(x, \"bad\"); } }\n  @interface Ann { String value() default \"\"; int[] z() default {}; }\n  interface I { int N = 1; void a(); default void b() {} }\n}\nmodule a.b { requires c; uses d.E; provides d.E with f.G; }\n",
    "# Doc.\nrequire_relative '../a'\nmodule M\n  class A::B < C[1]\n    include D, E::F\n    attr_reader :g, 'h'\n    P = Struct.new(:q) do\n      def r(s) = s + q\n    end\n    private\n    def i(j, (k, *l), m: 1, **n, &o)\n      @p, t = super, j.u(k)&.v\n      raise X::Y, \"é #{t.w} n\" unless @p ||= Z.new\n    rescue T => e\n      log.warn <<~TXT, e\n        té #{e.x}\n      TXT\n    end\n    class << self; alias a b; define_method(:c) { |d| d }; end\n  end\nend\nRSpec.describe M::A, :f do\n  let(:g) { described_class.new }\n  it \"h #{1}\" do case g in {a:, b: [c, *d]} then d end end\nend\n",
    "//! Doc é.\n#![allow(x)]\nuse a::{self, b::{C, d as e, f::*}, super::g};\nextern crate h as i;\n#[path = \"j.rs\"] mod k;\n/// Doc.\n#[derive(Clone, l::M)]\npub struct A<'a, T: B + 'a = u8, const N: usize = 1>(pub T, &'a str) where T: Fn(u8) -> C;\npub(crate) union U { a: u8, b: f32 }\nenum E<T> { A, B(T, u8), #[error(\"é {0}\")] C { d: D }, F = 1 }\npub trait X: Y + z::Z { type O: P; const Q: u8 = 1; fn r(&self) -> Self::O; async fn s(self: Box<Self>) {} }\nimpl<'a, T> X for A<'a, T> where T: B { type O = u8; fn r(&self) -> Self::O { self.0.t()?.u::<V>().await } }\nimpl A<'_, u8> { pub const fn w(mut self, (x, y): (u8, W)) -> Result<Self, E> { let Some(z) = Self::w(x) else { return Err(E::new(\"é\")) }; z } }\nmacro_rules! m { ($a:expr, $($b:ident),*) => { f($a); $(fn $b() {})* }; () => {} }\ncfg_if! { if #[cfg(x)] { mod n; fn o() {} } else { use p::q; } }\nthread_local! { static R: Cell<S> = const { Cell::new(1) } }\nstatic mut T: U = U { a: 1 }; const _: () = { fn v() {} };\n#[cfg(test)] mod tests { use super::*; #[tokio::test] async fn w() { assert_eq!(super::x(y.z(), m![a::b(c)]), \"é{d}\", e = f.g()); } }\nfn main() { for (a, B { c, d: E(f), .. }) in g.iter() { match h { I::J(k) | k if k.l() => |m: N, &o| m.p(o), _ => {} } if let Some(ref mut q) = r && s { log::info!(\"é {}\", q.t); } } }\n",
    "<p>é</p><?php\nnamespace A\\B;\nuse C\\{D as E, function f};\nrequire_once __DIR__ . '/g.php';\ndefine('H', 1);\n/** @test */\n#[I(1), J\\K]\nabstract class L extends M implements \\N {\n  use O, P\\Q { r as protected s; }\n  const T = 'é';\n  /** @var U|null */\n  private static ?V $w = null;\n  /** @param X $y\n   * @return Z */\n  public function __construct(private readonly A $a, $y, B ...$b): ?static {\n    [$c, 'd' => $d] = $this->e?->f(self::$w, g: new H);\n    try { throw new I(\"n {$c->d()} $e[0]\"); } catch (J|K $l) { echo <<<T\n é {$l->m}\n T; }\n    return fn (N $n) => function () use ($n) { static $o = P::q(); };\n  }\n}\nenum R: string { case S = 's'; }\nit('t', function () { expect(1); });\n?><b><?= $u ?>",
    "// é\n#nullable enable\nglobal using A.B; using static C.D; using E = F.G<int>;\n[assembly: H(\"é\")]\nnamespace I.J\n{\n    /// <summary>Doc <see cref=\"K\"/> é.</summary>\n    [L, M(typeof(N), O = P.Q)]\n    public abstract partial class R<T, U>(S s) : V<T>(s), W.X where T : class, Y, new()\n    {\n        const int A = 1, B = 2; private readonly List<Z?> c = new() { d = 1, [\"é\"] = 2 };\n        public event Handler E { add { } remove { } } event F G;\n        public R(int x, params (int a, K b)[] y) : this(x) { f = y[^1]; } ~R() { }\n        public required string H { get; private init; } = $\"é {A:D2} {B.C()}\"; int I => j; K this[int i] { get => l; set { m = value; } }\n        public static R<T, U> operator +(R<T, U> a, int b) => a; public static explicit operator int(R<T, U> a) => 1;\n        async Task<N> W.X.O<P>(P p, ref Q q, out S r) where P : struct { r = default(S); await foreach (var t in u?.V()!) { yield return t; } }\n        protected internal override void X() {\n            int local(int y) => y + 1;\n#if DEBUG && !Z\n            Console.WriteLine(\"é\");\n#else\n            logger.LogError(@\"c:\\é {x}\", a);\n#endif\n            try { using var b = c.D<E>(f: 1, out var g); } catch (H e) when (e.I is { J: > 1 and not 2 } k) { throw new L(\"é\", e) { M = 1 }; } finally { }\n            var n = o switch { P p when p.Q => R.S, (int t, _) => ((U)v).W, [1, .., var x] => y as Z, _ => throw new A() };\n            from b in c where b.D orderby b.E select new { b.F, G = b };\n            Func<int, int> h = static (i) => i; j += delegate (K k) { k.L(); }; goto m; m: lock (n) { } Span<int> o2 = stackalloc int[] { 1 };\n        }\n        enum M : byte { N = 1, [O] P } delegate T Q<in T>(T t); record struct S2(int X, int Y); interface I3 { static abstract I3 Z(); }\n    }\n}\n",
    "@file:JvmName(\"X\")\npackage a.b\nimport c.d as e\nimport f.*\n/** Doc. */\n@Ann(x = 1, y = \"é\")\nabstract class A<T : B>(val x: Int, private var y: T?, z: C = D()) : E<T>(z), F by z where T : G {\n  constructor(x: Int) : this(x, null) { go() }\n  companion object { const val X = 1 }\n  val h: List<I>\n    get() = x.map { it.j }\n  var k by lazy { \"é $x ${y!!.l()} $\" }\n    private set(value) { field = value }\n  init { val (m, n) = o() }\n  suspend fun <R> T.run(vararg p: Q, q: (R) -> Unit = { }): R? where R : Any {\n    for ((r, s) in t) u@ while (true) break@u\n    try { open().use { v -> v.w() } } catch (e: IOException) { log.warn(\"no é $e\"); throw X(\"é ${e.y}\") }\n    val z = a<B>(1) ?: when (val c = d) { is E -> c.f(); in 1..2, null -> g::class; else -> super<F>.h() }\n    return object : I(1), J { override fun k() = x shl 1 } as? L\n  }\n  inner class M\n  enum class N(val o: Int) : P { Q(1) { override fun r() {} }, S(2); abstract fun r() }\n}\nfun interface T { operator fun invoke(x: Int) }\ninfix fun <U> List<U>.v(w: U) = ::x\ntypealias Y = (Z) -> Unit\n@A\nactual class B { val s = \"\"\"é $x ${y}\"\"\" }\ninternal actual constructor(in1) {}\n@B(1) @C\nconst val D = 1\nval e = f(g = 1) { h, (i, j) -> k[l] }\n@X(\n",
    "#ifndef A_H\n#define A_H\n#include \"b.h\"\n#define MAX(a, b) ((a) > (b) ? f(a) : (b)) /* é */ \\\n  + 1\nAPI_FN static int f(struct s *p, int (*g)(int)) ATTR;\ntypedef struct { int x, y[3]; union { int u; }; } t, *u;\nenum e { A = 1,\n#ifdef B\nC,\n#endif\nD };\nstruct s table[] = { { \"é\", get, 1 }, { .run = set } };\nint f(a\n#ifdef X\n, b) { if (a) {\n#else\n) { if (b) {\n#endif\nfprintf(stderr, \"no %s\", p->q.r[0]->s()); } }\nchar *k(a) char *a; { return a; }\nTEST(one, two) { }\n#endif\n",
    "namespace a::b { inline namespace v { class API A final : public B<C>, d::E { Q_OBJECT\n public: explicit A(int n = 1) : x(n) { throw std::e(\"é\"); } ~A(); operator bool() const; friend void f(A); enum class F : int { G }; using H = I; signals: void s(); private: int x{0}; }; } }\ntemplate <typename T, ENABLE(x > 1)> auto a::b::A<T>::f(T t) -> R { auto [p, q] = [=, z = t](int k) { return k; }(1); for (auto& i : this->x.y()) i->g<T>(); try { } catch (const E& e) { } }\ntemplate <typename T> concept S = requires(T a) { a.f(); };\nTEST_CASE(\"née\", \"[x]\") { R\"(raw)\"; std::lock_guard<m> l(n); }\nMACRO(void, );\n",
    "// Doc é.\npackage a\nimport (\"fmt\"; x \"a.b/c\"; . \"d\"; _ \"e\")\nconst ( A, B = iota, 1 << C; D )\nvar e, f = g.H(), map[string]I{\"é\": {J: 1}}\ntype K[T L | ~int, U any] struct { M; *n.O[T]; p, q func(r S) (t U, err error) `é:\"é\"`; u struct{ v W } }\ntype X interface { Y; z.A; B(c D, _ ...E) (F, error); ~int | string }\ntype ( G = h.I; J []K[int, L]; M chan<- N )\n// Doc.\nfunc (o *K[T, U]) P(q, r T, s ...S) (t *U, err error) {\n\tdefer func() { if v := recover(); v != nil { panic(\"é\") } }()\n\tfor i, w := range x.Y(q) { switch z := w.(type) { case *A, b.C: go z.D(i); default: fallthrough } }\n\tselect { case e, ok := <-f: _ = e; case g <- h.I{J: k}: }\n\tif l, err := m[n].(O); err != nil { return nil, fmt.Errorf(\"é %w\", err) } else if p.q(r) { goto L }\nL:\tt = Map[A, b.B](&C{D: []E{{1}, {F: 2}}}, o.p...); s[1:2][0].T().U(); return\n}\nfunc Asm(x int) int\n",
];

#[track_caller]
fn check(facts: &FileFacts, text: &str) {
    let fits = |span: Span| {
        span.start <= span.end && text.get(span.start as usize..span.end as usize).is_some()
    };
    assert_eq!(
        facts.line_count as usize,
        text.matches('\n').count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
    );

    let mut last = 0;
    for (at, definition) in facts.definitions.iter().enumerate() {
        assert!(definition.span.start >= last, "definitions are sorted");
        last = definition.span.start;
        assert!(
            definition
                .parent
                .is_none_or(|parent| (parent.0 as usize) < at),
            "parents precede"
        );
        assert!(fits(definition.span) && fits(definition.name_span) && fits(definition.signature));
        assert!(definition.span.contains(definition.signature));
        assert!(definition.parameters.is_none_or(fits) && definition.body.is_none_or(fits));
        assert!(definition.lines.end <= facts.line_count && definition.lines.start >= 1);
        assert!(definition.qualified_name.ends_with(&*definition.name));
    }
    let known = |id: foveate_model::LocalId| (id.0 as usize) < facts.definitions.len();
    assert!(
        facts
            .references
            .is_sorted_by_key(|reference| reference.name.start)
    );
    for reference in &facts.references {
        assert!(
            fits(reference.name) && fits(reference.path) && reference.path.contains(reference.name)
        );
        assert!(reference.enclosing.is_none_or(known));
    }
    assert!(
        facts
            .imports
            .iter()
            .all(|import| fits(import.span) && import.enclosing.is_none_or(known))
    );
    assert!(
        facts
            .messages
            .iter()
            .all(|message| fits(message.span) && message.enclosing.is_none_or(known))
    );

    let mut end = 0;
    for region in &facts.regions {
        assert!(fits(region.span) && region.span.start >= end && !region.span.is_empty());
        end = region.span.end;
    }
    let (mut line, mut byte) = (1, 0);
    for chunk in &facts.chunks {
        assert_eq!(
            (chunk.lines.start, chunk.span.start),
            (line, byte),
            "chunks follow each other"
        );
        assert!(chunk.lines.end >= chunk.lines.start && fits(chunk.span));
        assert!(chunk.definition.is_none_or(known));
        (line, byte) = (chunk.lines.end + 1, chunk.span.end);
    }
    assert_eq!(
        (line - 1, byte as usize),
        (facts.line_count, text.len()),
        "chunks cover the file"
    );
}

fn check_all(text: &str) {
    for language in LANGUAGES.iter().copied().map(language) {
        check(&parse(language, text, &Limits::default()), text);
    }
}

#[test]
fn sources_give_consistent_facts() {
    for text in SOURCES
        .iter()
        .copied()
        .chain(["", "\n", "\r\n", "x", "\u{feff}x = 1\n", "a\0b\n"])
        // A parameter list without its end, cut inside a character of two bytes.
        .chain(["def f(é", "function f(é", "const f = (é => é"])
    {
        check_all(text);
        check_all(&text.replace('\n', "\r\n"));
        check_all(text.trim_end());
    }
}

/// One change to a text, at a position in per mille of its length.
#[derive(Clone, Debug)]
enum Edit {
    Cut(usize, usize),
    Insert(usize, String),
    Copy(usize, usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = || 0..1000usize;
    prop_oneof![
        (place(), 1..60usize).prop_map(|(at, len)| Edit::Cut(at, len)),
        (place(), "[\\[\\](){}<>'\"`:;,.=@#/*\\\\ \n\t$é]{1,4}")
            .prop_map(|(at, text)| Edit::Insert(at, text)),
        (place(), place(), 1..80usize).prop_map(|(from, to, len)| Edit::Copy(from, to, len)),
    ]
}

fn apply(text: &mut Vec<char>, edit: &Edit) {
    let place = |mille: usize, len: usize| mille * len / 1000;
    match edit {
        Edit::Cut(at, len) => {
            let at = place(*at, text.len());
            let end = (at + len).min(text.len());
            text.drain(at..end);
        }
        Edit::Insert(at, inserted) => {
            let at = place(*at, text.len());
            text.splice(at..at, inserted.chars());
        }
        Edit::Copy(from, to, len) => {
            let from = place(*from, text.len());
            let copied: Vec<char> = text.iter().skip(from).take(*len).copied().collect();
            let to = place(*to, text.len());
            text.splice(to..to, copied);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn mutated_sources_give_consistent_facts(
        source in 0..SOURCES.len(),
        edits in prop::collection::vec(edit(), 1..8),
    ) {
        let mut text: Vec<char> = SOURCES[source].chars().collect();
        for edit in &edits {
            apply(&mut text, edit);
        }
        check_all(&text.into_iter().collect::<String>());
    }

    #[test]
    fn random_bytes_give_consistent_facts(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        check_all(&String::from_utf8_lossy(&bytes));
        for language in LANGUAGES.iter().copied().map(language) {
            // Reading bytes must return, whatever the result.
            let _ = foveate_parse::read(Some(language), &bytes, &Limits::default());
        }
    }
}

#[test]
fn hostile_inputs_are_bounded() {
    let deep = 50_000;
    let inputs = [
        "[".repeat(deep),
        format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        "(".repeat(deep),
        "{".repeat(deep),
        "a.".repeat(deep),
        "f(".repeat(deep),
        format!("x = {}1", "1 + ".repeat(deep)),
        "x = ".repeat(deep),
        "<a>".repeat(deep),
        "`${".repeat(deep),
        "f'{".repeat(deep),
        "if x:\n ".repeat(2_000),
        (0..2_000)
            .map(|n| format!("{}if x:\n", " ".repeat(n)))
            .collect(),
        "class A { m() { ".repeat(5_000),
        "def f(\n".repeat(deep),
        // Inputs for scanners that search for an end up to the end of the text.
        "val x = 1\n@A(".to_owned(),
        "class A\n@B".repeat(2_000),
        "\n".repeat(1 << 17),
        noise(1 << 20),
    ];
    let limits = Limits {
        timeout: Duration::from_millis(50),
        ..Limits::default()
    };
    for text in &inputs {
        for language in LANGUAGES.iter().copied().map(language) {
            let started = Instant::now();
            let facts = parse(language, text, &limits);
            // Far above the limit: the machine may be busy, but an endless loop is still detected.
            assert!(started.elapsed() < Duration::from_secs(120), "{language:?}");
            check(&facts, text);
        }
    }
}

#[test]
fn repeated_constructs_take_linear_time() {
    let lines = |count: usize, line: fn(usize) -> String| (0..count).map(line).collect::<String>();
    let attributes = "#[a]\n".repeat(20_000);
    let inputs = [
        ("rust", format!("{attributes}fn f() {{}}\n")),
        ("rust", format!("fn f() {{\n{attributes}let x = 1;\n}}\n")),
        (
            "rust",
            format!("#[a]\n{}fn f() {{}}\n", "/// x\n".repeat(30_000)),
        ),
        (
            "ruby",
            format!(
                "class A\n{}def f\n{}end\nend\n",
                lines(20_000, |n| format!("attr_reader :a{n}\n")),
                lines(20_000, |n| format!("@b{n} = 1\n")),
            ),
        ),
        (
            "ruby",
            format!(
                "class A\n{}{}end\n",
                lines(20_000, |n| format!("def a{n}; end\n")),
                lines(20_000, |n| format!("private :b{n}\n")),
            ),
        ),
        (
            "ruby",
            format!(
                "class A\n{}{}\nend\n",
                "# x\n".repeat(40_000),
                "a :b; ".repeat(2_000)
            ),
        ),
        (
            "php",
            format!(
                "<?php\n/**\n{} */\nfunction f({}$z) {{}}\n",
                lines(6_000, |n| format!(" * @param A{n} $b{n}\n")),
                lines(6_000, |n| format!("$a{n},\n")),
            ),
        ),
        (
            "php",
            format!(
                "<?php\nclass A {{\n/**\n{} */\npublic {}$z;\n}}\n",
                " * text\n".repeat(40_000),
                lines(6_000, |n| format!("$a{n},\n")),
            ),
        ),
        (
            "rust",
            format!(
                "fn f() {{ match {} {{ {} }} }}\n",
                "a".repeat(300_000),
                "b => 1, ".repeat(30_000)
            ),
        ),
        (
            "rust",
            format!(
                "bitflags! {{ struct A: u8 {{ const{}{} }} }}\n",
                " ".repeat(600_000),
                "_ ".repeat(30_000)
            ),
        ),
        (
            "rust",
            format!(
                "{}{}",
                lines(25_000, |n| format!("fn a{n}() {{}}\n")),
                lines(25_000, |n| format!("impl B for C{n} {{}}\n")),
            ),
        ),
        (
            "ruby",
            format!(
                "describe A do\n{}{}{}\nend\n",
                "[".repeat(900),
                "described_class, ".repeat(5_000),
                "]".repeat(900)
            ),
        ),
        (
            "kotlin",
            format!("fun f() {{ g {{ {}a -> a }} }}\n", "(a), ".repeat(5_000)),
        ),
        // Chains of calls, each with a lambda.
        (
            "kotlin",
            format!("val a = b{}\n", " {\nc }".repeat(900)).repeat(50),
        ),
        (
            "javascript",
            format!("{}1;\n", "exports = ".repeat(900)).repeat(100),
        ),
        (
            "javascript",
            format!(
                "/**{}*/\nfunction f({}z) {{}}\n",
                "@arg{A}b ".repeat(800),
                "a,".repeat(4_000)
            )
            .repeat(10),
        ),
        (
            "javascript",
            format!(
                "/** a */{}const {{ {} }} = x;\n",
                " ".repeat(100_000),
                lines(20_000, |n| format!("a{n}, "))
            ),
        ),
        (
            "java",
            format!(
                "class A<{}T> {{\n{}}}\n",
                lines(30_000, |n| format!("T{n}, ")),
                lines(30_000, |n| format!("Z z{n};\n")),
            ),
        ),
        (
            "php",
            format!(
                "<?php\nfunction f({}$z) {{\n{}}}\n",
                lines(20_000, |n| format!("$a{n}, ")),
                "return $y;\n".repeat(20_000),
            ),
        ),
        (
            "python",
            format!(
                "{}def f():\n{}",
                "@a\n".repeat(20_000),
                " yield x\n".repeat(20_000)
            ),
        ),
        ("csharp", "#if A\n#endif\n".repeat(20_000)),
        ("csharp", "extension(\n".repeat(5_000)),
    ];
    for (name, text) in &inputs {
        let started = Instant::now();
        check(&parse(language(name), text, &Limits::default()), text);
        // With quadratic work each takes longer, most of them more than a minute.
        let spent = started.elapsed();
        assert!(
            spent < Duration::from_secs(10),
            "{spent:?} {name} {:?}",
            text.get(..40)
        );
    }
}

/// Returns reproducible random printable text.
fn noise(len: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b' ' + (state % 95) as u8)
    })
    .take(len)
    .collect()
}

#[test]
fn nodes_below_depth_limit_are_skipped_and_reported() {
    let text = format!(
        "def f(): pass\nx = {}1{}\ndef g(): pass\n",
        "[".repeat(3_000),
        "]".repeat(3_000)
    );
    let facts = parse(language("python"), &text, &Limits::default());
    assert_eq!(facts.issues, [ParseIssue::Depth]);
    let names: Vec<&str> = facts.definitions.iter().map(|d| &*d.name).collect();
    assert_eq!(names, ["f", "x", "g"]);
}

#[test]
fn long_name_does_not_qualify_members() {
    let class = "A".repeat(3_000);
    let text = format!("class {class}:\n    def b(self): pass\nclass C:\n    def d(self): pass\n");
    let facts = parse(language("python"), &text, &Limits::default());
    let names = facts.definitions.iter().map(|d| &*d.qualified_name);
    assert_eq!(names.collect::<Vec<_>>(), [&*class, "b", "C", "C.d"]);
}

#[test]
fn parsing_timeout_gives_plain_text() {
    let text = "x = [1, 2]\n".repeat(50_000);
    let limits = Limits {
        timeout: Duration::ZERO,
        ..Limits::default()
    };
    let facts = parse(language("python"), &text, &limits);
    assert_eq!(facts.issues, [ParseIssue::Timeout]);
    assert!(facts.definitions.is_empty());
    check(&facts, &text);
}

#[test]
fn step_limit_gives_plain_text() {
    let text = "x = [1, 2]\n".repeat(5_000);
    let facts = |max_steps| {
        let limits = Limits {
            max_steps,
            ..Limits::default()
        };
        parse(language("python"), &text, &limits)
    };
    assert_eq!(facts(10_000).issues, [ParseIssue::Timeout]);
    assert!(facts(10_000).definitions.is_empty());
    assert_eq!(facts(1_000_000).issues, []);
    assert_eq!(facts(1_000_000).definitions.len(), 1);
}

#[test]
fn all_parses_of_a_file_share_one_limit() {
    // Items inside of macro calls are parsed after the text around them.
    let text = "cfg_rt! { pub fn a() {} }\n".repeat(500);
    let names = |max_steps| {
        let limits = Limits {
            max_steps,
            ..Limits::default()
        };
        parse(language("rust"), &text, &limits).definitions.len()
    };
    assert_eq!(names(Limits::default().max_steps), 500);
    assert_eq!(names(12_000), 0);
}
