//! Tests definitions.

use super::{defines, members};

#[test]
fn types_and_their_heads() {
    defines("class A {}", "class A protected: class A");
    defines(
        "public abstract class A<T extends B> extends C<T> implements D, e.F {}",
        "class A abstract: public abstract class A<T extends B> extends C<T> implements D, e.F",
    );
    defines(
        "sealed interface A extends B, C<D> permits E {}",
        "interface A protected: sealed interface A extends B, C<D> permits E",
    );
    defines(
        "public final record Point(int x, String... names) implements Shape {}",
        "class Point: public final record Point(int x, String... names) implements Shape
            field Point.x: int x
            field Point.names: String... names",
    );
    defines(
        "enum Color implements Named { RED, GREEN(1) { void paint() {} }; final int code = 1; Color() {} }",
        "enum Color protected: enum Color implements Named
            enum_member Color.RED: RED
            enum_member Color.GREEN: GREEN(1)
            method Color.GREEN.paint protected: void paint()
            field Color.code protected: final int code = 1
            method Color.Color constructor private: Color()",
    );
    defines(
        r#"@interface Ann { String value() default ""; int[] sizes(); int MAX = 1; }"#,
        r#"interface Ann protected: @interface Ann
            method Ann.value abstract: String value() default ""
            method Ann.sizes abstract: int[] sizes()
            constant Ann.MAX static: int MAX = 1"#,
    );
    defines(
        r#"@Entity(name = "a")
@b.Table
public class A {}"#,
        r#"class A: @Entity(name = "a") @b.Table public class A"#,
    );
}

#[test]
fn nested_and_special_types_are_defined() {
    defines(
        "class A { class Inner { static class Nested {} } interface B {} enum C { D } record E() {} }",
        "class A protected: class A
            class A.Inner protected: class Inner
            class A.Inner.Nested static protected: static class Nested
            interface A.B protected: interface B
            enum A.C protected: enum C
            enum_member A.C.D: D
            class A.E protected: record E()",
    );
    defines("module a.b { requires c; exports d; }", "");
    defines("@Deprecated package a.b;", "");
    defines("void main() { }", "method main protected: void main()");
}

#[test]
fn fields_are_defined() {
    members("int x;", "field A.x protected: int x");
    members(
        "private static final int MAX = 1, MIN;",
        "constant A.MAX static private: private static final int MAX = 1, MIN
            constant A.MIN static private: private static final int MAX = 1, MIN",
    );
    members(
        "protected List<A> items = new ArrayList<>();",
        "field A.items protected: protected List<A> items = new ArrayList<>()",
    );
    members(
        "static final int[] TABLE = {
  1, 2
};",
        "constant A.TABLE static protected: static final int[] TABLE",
    );
    members(
        "int grid[][] = {};",
        "field A.grid protected: int grid[][] = {}",
    );
}

#[test]
fn methods_and_constructors() {
    members("public A() { }", "method A.A constructor: public A()");
    members(
        "<T> A(T t) throws B { this(); }",
        "method A.A constructor protected: <T> A(T t) throws B",
    );
    members(
        "public static <T> T of(T t, int... rest) { return t; }",
        "method A.of static: public static <T> T of(T t, int... rest)",
    );
    members(
        "protected abstract void run(@NonNull String a) throws E;",
        "method A.run abstract protected: protected abstract void run(@NonNull String a) throws E",
    );
    members(
        "native int hash();",
        "method A.hash protected: native int hash()",
    );
    members(
        r#"@Override @Test(timeout = 5) public String toString() { return ""; }"#,
        "method A.toString: @Override @Test(timeout = 5) public String toString()",
    );
    members(
        "private int[] sizes()[] { return null; }",
        "method A.sizes private: private int[] sizes()[]",
    );
    members(
        "synchronized strictfp final void go() {}",
        "method A.go protected: synchronized strictfp final void go()",
    );
    members(
        "void f(A this, int x) {}",
        "method A.f protected: void f(A this, int x)",
    );
}

#[test]
fn initialisers_and_anonymous_classes() {
    members(
        "static { int a = 1; }
{ int b = 2; }",
        "",
    );
    members("Comparator<A> order = new Comparator<A>() { int n; public int compare(A a, A b) { return 0; } };", "field A.order protected: Comparator<A> order = new Comparator<A>() { int n; public int compare(A a, A b) { return 0; } }
            field A.order.n protected: int n
            method A.order.compare: public int compare(A a, A b)");
    members(
        "void f() { class Local { void g() {} } run(new Runnable() { public void run() {} }); }",
        "method A.f protected: void f()
            class A.f.Local protected: class Local
            method A.f.Local.g protected: void g()
            method A.f.run: public void run()",
    );
    members(
        "Runnable r = () -> { class InLambda {} };",
        "field A.r protected: Runnable r = () -> { class InLambda {} }
            class A.r.InLambda protected: class InLambda",
    );
}

#[test]
fn members_of_records_and_interfaces() {
    members(
        "record P(int x) { P { if (x < 0) x = 0; } P() { this(1); } }",
        "class A.P protected: record P(int x)
            field A.P.x: int x
            method A.P.P constructor protected: P
            method A.P.P constructor protected: P()",
    );
    members(
        "interface I { int N = 1; void a(); default void b() {} static void c() {} private void d() {} }",
        "interface A.I protected: interface I
            constant A.I.N static: int N = 1
            method A.I.a abstract: void a()
            method A.I.b: default void b()
            method A.I.c static: static void c()
            method A.I.d private: private void d()",
    );
    members(
        "/** Doc. */
@Ann int x;",
        "field A.x protected: @Ann int x",
    );
    members(
        "int open, module, record, with, sealed;",
        "field A.open protected: int open, module, record, with, sealed
            field A.module protected: int open, module, record, with, sealed
            field A.record protected: int open, module, record, with, sealed
            field A.with protected: int open, module, record, with, sealed
            field A.sealed protected: int open, module, record, with, sealed",
    );
}
