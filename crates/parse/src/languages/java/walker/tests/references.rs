//! Tests references.

use super::{refers, uses};

#[test]
fn calls_and_members() {
    uses(
        "a.run(b); run(); a.b.C.run();",
        "call a.run in a.f
            call run in a.f
            call a.b.c.run in a.f",
    );
    uses(
        "this.x.run(); super.run(); Outer.this.run(); Outer.super.run();",
        "call this.x.run in a.f
            call super.run in a.f
            call outer.this.run in a.f
            call outer.super.run in a.f",
    );
    uses(
        "a().b().c(); a.b().c;",
        "call a in a.f
            call ?b in a.f
            call ?c in a.f
            call a.b in a.f
            attribute ?c in a.f",
    );
}

#[test]
fn constructed_objects_types_and_casts() {
    uses(
        "new A(b.c).run(); new a.B<C>(D.E); outer.new Inner(); new int[n]; new A[3];",
        "call a in a.f
            attribute b.c in a.f
            call ?run in a.f
            call a.b in a.f
            attribute d.e in a.f
            call inner in a.f",
    );
    uses(
        "A x = new A(); x.run();",
        "call a in a.f
            call x.run in a.f",
    );
    uses(
        "A.b = c; A.b.c++; this.z = w[i].v;",
        "attribute a.b in a.f
            attribute a.b.c in a.f
            attribute this.z in a.f
            attribute ?v in a.f",
    );
    uses(
        "List<Item> xs = null; Map<String, a.B[]> m; E[] es; A<?> a; A<? extends Z> b;",
        "type list in a.f
            type item in a.f
            type map in a.f
            type a.b in a.f",
    );
    uses(
        "((Foo) x).bar(); Object o = (a.Foo) x; if (o instanceof Foo) {}",
        "type foo in a.f
            call ?bar in a.f
            type a.foo in a.f
            type foo in a.f",
    );
    uses(
        "if (o instanceof Foo f && f.ok()) f.run(o);",
        "type foo in a.f
            call f.ok in a.f
            call f.run in a.f",
    );
}

#[test]
fn loops_and_exceptions() {
    uses(
        "for (Item item : items) item.go(); for (int i = 0, n = size; i < n; i++) {}",
        "type item in a.f
            name items in a.f
            call item.go in a.f
            name size in a.f",
    );
    uses(
        "try (Reader r = open(); other) { r.read(); } catch (AException | b.BException e) { e.print(); } finally { done(); }",
        "type reader in a.f
            call open in a.f
            name other in a.f
            call r.read in a.f
            catch aexception in a.f
            catch b.bexception in a.f
            call e.print in a.f
            call done in a.f",
    );
    uses(
        r#"throw new AException("no " + what);"#,
        "raise aexception in a.f
            name what in a.f",
    );
    uses(
        "throw error; throw make();",
        "name error in a.f
            call make in a.f",
    );
    uses(
        "throw new a.BException(name) { };",
        "raise a.bexception in a.f
            name name in a.f",
    );
}

#[test]
fn lambdas_and_patterns() {
    uses(
        "run(x -> x.go(y)); run((a, b) -> a); run((A a) -> { a.go(); });",
        "call run in a.f
            call x.go in a.f
            call run in a.f
            call run in a.f
            call a.go in a.f",
    );
    uses(
        "map(A::b); map(this::c); map(A::new); map(a.B::c); map(A<B>::new); map(int[]::new);",
        "call map in a.f
            attribute a::b in a.f
            call map in a.f
            attribute this::c in a.f
            call map in a.f
            call a in a.f
            call map in a.f
            attribute a.b::c in a.f
            call map in a.f
            call a in a.f
            call map in a.f",
    );
    uses(
        "switch (c) { case RED: go(); case A.GREEN: break; default: }",
        "name red in a.f
            call go in a.f
            attribute a.green in a.f",
    );
    uses(
        "int n = switch (o) { case Circle c when c.ok() -> c.area(); case Rec(Point(var x, A y), _) -> y.z(); default -> MAX; };",
        "type circle in a.f
            call c.ok in a.f
            call c.area in a.f
            type rec in a.f
            type point in a.f
            call y.z in a.f
            name max in a.f",
    );
}

#[test]
fn names_and_literals() {
    uses(
        "@SuppressWarnings(Names.ALL) int x = MAX_SIZE + count;",
        "decorator suppresswarnings in a.f
            attribute names.all in a.f
            name max_size in a.f
            name count in a.f",
    );
    uses(
        r#"Class<?> c = Foo.class; Class<?> d = a.Foo[].class; String s = "a" + B;"#,
        "type foo in a.f
            type a.foo in a.f",
    );
    uses("label: for (;;) { break label; }", "");
    uses(
        "var x = make(); x.run(); var y = new Foo(); final var z = a.b;",
        "call make in a.f
            call x.run in a.f
            call foo in a.f
            attribute a.b in a.f",
    );
    uses(
        r#"assert x.ok() : "bad"; synchronized (lock) { }"#,
        "call x.ok in a.f
            name lock in a.f",
    );
    uses(
        "a[0].run(); (a).run(); (a ? b : c).run();",
        "call ?run in a.f
            call ?run in a.f
            call ?run in a.f",
    );
    uses(
        "this.<T>run(); A.<T>make().go(); T t = null;",
        "call ?run in a.f
            name a in a.f
            call ?make in a.f
            call ?go in a.f",
    );
    uses(
        "class Local extends Base<Arg> implements I { @Inject Local(Dep dep) { super(dep); dep.go(); field.x(); } }",
        "base base in a.f.local
            type arg in a.f.local
            decorator inject in a.f.local.local
            type dep in a.f.local.local
            call dep.go in a.f.local.local
            call field.x in a.f.local.local",
    );
    uses(
        "new Thread() { @Override public void run() { stop(); } };",
        "call thread in a.f
            decorator override in a.f.run
            call stop in a.f.run",
    );
    uses(
        "return a.b != null ? a.b : Empty.VALUE;",
        "attribute a.b in a.f
            attribute a.b in a.f
            attribute empty.value in a.f",
    );
    uses(
        r#""a".length(); "%s".formatted(NAME);"#,
        "call ?length in a.f
            call ?formatted in a.f
            name name in a.f",
    );
}

#[test]
fn references_by_position() {
    refers(
        "@Table(name = Names.A) class A<T extends B & C> extends D<E> implements F<G>, h.I permits J { }",
        "decorator table in a
            attribute names.a in a
            base h.i in a",
    );
    refers(
        "import a.Foo; class A { Foo foo = new Foo(Bar.BAZ) { int n() { return foo; } }; int m(Foo foo) throws Ex { return foo.x + n; } }",
        "type foo in a
            call foo in a
            attribute bar.baz in a
            name foo in a.foo.n
            type foo in a.m
            type ex in a.m
            attribute foo.x in a.m",
    );
    refers(
        "enum A { B(C.D) { void f() { g(); } } }",
        "attribute c.d in a
            call g in a.b.f",
    );
    refers(
        "record A(@NonNull B b, C... c) { A { d(b); } }",
        "decorator nonnull in a
            call d in a.a",
    );
    refers(
        "interface A { B C = D.e(); @F B g(@H int i); }",
        "call d.e in a
            decorator f in a.g
            decorator h in a.g",
    );
}
