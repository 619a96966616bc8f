//! Tests the collected definitions.

use super::defines;
use crate::testing::kotlin;

#[test]
fn types_and_objects_are_defined() {
    defines("class A", "class A: class A");
    defines(
        "abstract class A<T : B>(x: Int) : C<T>(x), D, e.F by x where T : G {
}",
        "class A abstract: abstract class A<T : B>(x: Int) : C<T>(x), D, e.F by x where T : G",
    );
    defines(
        "data class Point(val x: Int, private var y: Int = 1, z: Int)",
        "class Point: data class Point(val x: Int, private var y: Int = 1, z: Int)
            field Point.x: val x: Int
            field Point.y private: private var y: Int = 1",
    );
    defines(
        "enum class Color(val rgb: Int) : Named {
  RED(1) {
    override fun paint() {}
  },
  GREEN(2);
  abstract fun paint()
}",
        "enum Color: enum class Color(val rgb: Int) : Named
            field Color.rgb: val rgb: Int
            enum_member Color.RED: RED(1)
            method Color.RED.paint: override fun paint()
            enum_member Color.GREEN: GREEN(2)
            method Color.paint abstract: abstract fun paint()",
    );
    defines(
        "sealed interface Shape<out T> : A {
  fun area(): Double
  val n: Int
  fun draw() {}
}",
        "interface Shape: sealed interface Shape<out T> : A
            method Shape.area abstract: fun area(): Double
            field Shape.n abstract: val n: Int
            method Shape.draw: fun draw()",
    );
    defines(
        "fun interface Fn {
  operator fun invoke(x: Int): Int
}",
        "interface Fn: fun interface Fn
            method Fn.invoke abstract: operator fun invoke(x: Int): Int",
    );
    defines(
        "fun interface Fn { fun invoke(x: Int) }
class A { fun f() { g() } }
enum class B { C; fun f() = 1 }",
        "interface Fn: fun interface Fn
            method Fn.invoke abstract: fun invoke(x: Int)
            class A: class A
            method A.f: fun f()
            enum B: enum class B
            enum_member B.C: C
            method B.f: fun f()",
    );
    defines(
        "object Single : Base() {
  fun go() {}
}",
        "class Single: object Single : Base()
            method Single.go static: fun go()",
    );
    defines(
        "@JvmInline value class Id(val v: Long)",
        "class Id: @JvmInline value class Id(val v: Long)
            field Id.v: val v: Long",
    );
    defines(
        "annotation class Ann(val x: KClass<*>)",
        "class Ann: annotation class Ann(val x: KClass<*>)
            field Ann.x: val x: KClass<*>",
    );
    defines(
        "class A {
  inner class Inner {
    class Deep
  }
  interface B
  object C
}",
        "class A: class A
            class A.Inner: inner class Inner
            class A.Inner.Deep: class Deep
            interface A.B: interface B
            class A.C: object C",
    );
    defines("class A internal constructor(val x: Int) {
  constructor() : this(1) { }
  protected constructor(y: String, z: Int) : super(y)
}", "class A: class A internal constructor(val x: Int)
            field A.x: val x: Int
            method A.constructor constructor: constructor() : this(1)
            method A.constructor constructor protected: protected constructor(y: String, z: Int) : super(y)");
    defines(
        "class A {
  class B
  private constructor(val x: Int) {
    fun f() {}
  }
  fun g() {}
}",
        "class A: class A
            class A.B: class B private constructor(val x: Int)
            field A.B.x: val x: Int
            method A.B.f: fun f()
            method A.g: fun g()",
    );
    defines(
        "class A {
  companion object {
    const val MAX = 1
    @JvmStatic fun of(): A = A()
  }
}",
        "class A: class A
            constant A.MAX static: const val MAX = 1
            method A.of static: @JvmStatic fun of(): A",
    );
    defines(
        "class A {
  companion object Factory : B {
    val x = 1
  }
}",
        "class A: class A
            field A.x static: val x = 1",
    );
}

#[test]
fn multiplatform_and_annotated_types_are_defined() {
    defines(
        "expect class A {
  fun f(): Int
}
actual class B {
  actual fun f(): Int = 1
}",
        "class A overload: expect class A
            method A.f overload: fun f(): Int
            class B: actual class B
            method B.f: actual fun f(): Int",
    );
    defines(
        "typealias Handler<T> = (T) -> Unit
typealias Names = List<String>",
        "type_alias Handler: typealias Handler<T> = (T) -> Unit
            type_alias Names: typealias Names = List<String>",
    );
    defines(
        "@A(b)
@C
open class D {
  val x = 1
  fun f() {}
}",
        "class D: @A(b) @C open class D
            field D.x: val x = 1
            method D.f: fun f()",
    );
    defines(
        "@A(b)
@C
class D

@E
class F",
        "class D: @A(b) @C class D
            class F: @E class F",
    );
}

#[test]
fn functions_and_extensions_are_defined() {
    defines("fun f() {}", "function f: fun f()");
    defines(
        "suspend inline fun <reified T : A> f(vararg xs: T, g: (Int) -> Unit = { }): List<T> where T : B { }",
        "function f async: suspend inline fun <reified T : A> f(vararg xs: T, g: (Int) -> Unit = { }): List<T> where T : B",
    );
    defines(
        "fun String.shout(n: Int): String = uppercase()",
        "method String.shout out-of-line: fun String.shout(n: Int): String",
    );
    defines(
        "infix fun <T> List<T>.plus(o: T) = this",
        "method List.plus out-of-line: infix fun <T> List<T>.plus(o: T)",
    );
    defines("fun a.B?.f() {}", "method a.B.f out-of-line: fun a.B?.f()");
    defines(
        "class A {
  fun String.inside() {}
}",
        "class A: class A
            method A.String.inside out-of-line: fun String.inside()",
    );
    defines(
        "private external fun f(): Int",
        "function f private: private external fun f(): Int",
    );
    defines(
        "expect fun f(): Int",
        "function f overload: expect fun f(): Int",
    );
}

#[test]
fn nested_functions_and_methods_are_defined() {
    defines(
        "@Test fun `it works`() = run { }",
        "function it works: @Test fun `it works`()",
    );
    defines(
        "fun outer() {
  fun inner() {}
  class Local {
    fun m() {}
  }
}",
        "function outer: fun outer()
            function outer.inner: fun inner()
            class outer.Local: class Local
            method outer.Local.m: fun m()",
    );
    defines(
        "fun f() {
  val o = object : A() {
    val x = 1
    override fun go() {}
  }
}",
        "function f: fun f()
            field f.x: val x = 1
            method f.go: override fun go()",
    );
    defines(
        "abstract class A {
  abstract fun f()
  protected open fun g() {}
  private fun h() {}
  internal fun i() {}
}",
        "class A abstract: abstract class A
            method A.f abstract: abstract fun f()
            method A.g protected: protected open fun g()
            method A.h private: private fun h()
            method A.i protected: internal fun i()",
    );
    defines(
        "tailrec operator fun A.get(i: Int): B = this",
        "method A.get out-of-line: tailrec operator fun A.get(i: Int): B",
    );
    defines(
        "/** Doc. */
@A @B(1) fun f() {}",
        "function f: @A @B(1) fun f()",
    );
}

#[test]
fn properties_are_defined() {
    defines(
        "val x = 1
private var y: Int? = null
const val MAX = 10",
        "variable x: val x = 1
            variable y private: private var y: Int? = null
            constant MAX: const val MAX = 10",
    );
    defines(
        "val List<Item>.total: Int
  get() = sumOf { it.price }",
        "method List.total property out-of-line: val List<Item>.total: Int",
    );
    defines(
        "val String.half get() = 1",
        "method String.half property out-of-line: val String.half",
    );
    defines(
        "class A {
  val x: Int = 1
  var y by lazy { 1 }
  lateinit var z: B
  protected val w get() = x
}",
        "class A: class A
            field A.x: val x: Int = 1
            field A.y: var y by lazy { 1 }
            field A.z: lateinit var z: B
            method A.w property protected: protected val w",
    );
    defines(
        "class A {
  var x = 0
    set(value) { field = value }
  var y: Int
    get() = 1
    private set(v) { x = v }
  var z = 1
    private set
}",
        "class A: class A
            method A.x property: var x = 0
            method A.y property: var y: Int
            field A.z: var z = 1 private set",
    );
    defines(
        "interface A {
  val x: Int
  val y: Int get() = 1
}",
        "interface A: interface A
            field A.x abstract: val x: Int
            method A.y property: val y: Int",
    );
    defines(
        "object A {
  val x = 1
  const val Y = 2
}",
        "class A: object A
            field A.x static: val x = 1
            constant A.Y static: const val Y = 2",
    );
    defines(
        r#"val handlers = mapOf(
  "a" to 1,
)"#,
        "variable handlers: val handlers",
    );
    defines(
        "val o = object : A {
  override fun f() {}
}",
        "variable o: val o
            method o.f: override fun f()",
    );
    defines(
        "class A {
  init { val x = 1 }
  val f = fun(x: Int): Int {
    val y = 1
    return y
  }
}",
        "class A: class A
            field A.f: val f",
    );
    defines(
        "expect val x: Int",
        "variable x overload: expect val x: Int",
    );
    defines("val (a, b) = f()", "");
}

#[test]
fn calls_of_get_and_set_and_new_syntax_keep_their_class() {
    defines(
        "class A {
  fun f() {
    val x = g()
    set(x, 1)
    val y = x
    get(y)
  }
  context(scope: Scope)
  fun h(x: Any) = when (x) {
    is Int if x > 0 -> 1
    else -> 2
  }
  fun last() = $$\"$a\"
}",
        "class A: class A
            method A.f: fun f()
            method A.h: fun h(x: Any)
            method A.last: fun last()",
    );
}

#[test]
fn last_line_with_annotations_needs_no_line_end() {
    for (source, names) in [
        ("@A fun f() {}", "f"),
        ("class A\n@B class C { @D(1) fun f() {} }", "A C C.f"),
        ("class A\n@B", "A"),
        ("val x = f(\n  this@A)", "x"),
    ] {
        let facts = crate::parse(kotlin(), source, &crate::Limits::default());
        let found = facts.definitions.iter().map(|definition| {
            assert!(definition.span.end as usize <= source.len(), "{source}");
            &*definition.qualified_name
        });
        assert_eq!(found.collect::<Vec<_>>().join(" "), names, "{source}");
    }
}

#[test]
fn bodies_of_enum_entries_may_be_one_line() {
    let source = "enum class State {
  New { override fun next() = Paid },
  Paid { override fun next() = New };
  abstract fun next(): State
}
class After { fun f() {} }
";
    let facts = crate::testing::facts(kotlin(), source);
    let names: Vec<&str> = facts.definitions.iter().map(|d| &*d.name).collect();
    assert_eq!(
        names,
        ["State", "New", "next", "Paid", "next", "next", "After", "f"]
    );
    assert!(facts.issues.is_empty(), "{:?}", facts.issues);
}

#[test]
fn heads_and_accessors_with_annotations_keep_their_class() {
    for (source, expected) in [
        (
            "package a
class A @Inject internal constructor(val x: Int) {
  fun f() {}
}
class B
",
            "A x f B",
        ),
        (
            "package a
@Target(
    AnnotationTarget.CLASS,
    AnnotationTarget.PROPERTY_SETTER
)
@Retention(AnnotationRetention.BINARY)
public annotation class A

annotation class B
",
            "A B",
        ),
        (
            "package a
fun f(body: context(Scope) () -> Unit) {}
class A {
  fun g(body: suspend context(Scope) (Int) -> Unit) {}
}
",
            "f A g",
        ),
    ] {
        let facts = crate::testing::facts(kotlin(), source);
        let names: Vec<&str> = facts.definitions.iter().map(|d| &*d.name).collect();
        assert_eq!(names.join(" "), expected, "{source}");
    }
}

#[test]
fn members_of_classes_with_a_delegate_are_defined() {
    defines(
        "class A(b: B) : C, B by make(b) {
  val y: Int
    get() = b.z
  var z = listOf(1)
  fun f() = run { val x = 1 }
}",
        "class A: class A(b: B) : C, B by make(b)
            method A.y property: val y: Int
            field A.z: var z = listOf(1)
            method A.f: fun f()",
    );
}

/// Each of these was a syntax error; most lost the class around it.
#[test]
fn names_like_keywords_guards_and_dollars_keep_their_class() {
    for (body, expected) in [
        (
            "fun f(where: B?) {
    g()
    where?.let { h(it) }
  }
  fun i() {}",
            "A f i",
        ),
        (
            "fun f() {
    val b = C.insert {
      it[d] = 1
    } get C.d
    g(b)
  }
  fun i() {}",
            "A f i",
        ),
        (
            "fun f(b: Any) = when (b) {
    is Int if b == \"\" -> \"c\"
    !is C<*> if b.d() && b.e() -> \"f\"
    else -> \"g\"
  }
  fun i() {}",
            "A f i",
        ),
        (
            "fun f(@Value($$\"${a.b-c:}#{d}\") e: String) {}
  fun i() {}",
            "A f i",
        ),
        (
            "fun f() {
    override()
    g()
  }
  fun i() {}",
            "A f i",
        ),
        (
            "@B(
    [
      C::class,
    ],
  )
  fun i(d: Array<E> = []) {}",
            "A i",
        ),
    ] {
        let facts = crate::testing::facts(kotlin(), &format!("class A {{\n  {body}\n}}\n"));
        let names: Vec<&str> = facts.definitions.iter().map(|d| &*d.name).collect();
        assert_eq!(names.join(" "), expected, "{body}");
        assert!(facts.issues.is_empty(), "{body}: {:?}", facts.issues);
    }
}
