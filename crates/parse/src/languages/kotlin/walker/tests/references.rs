//! Tests the collected references.

use super::{refers, uses};

#[test]
fn calls_and_members_are_referenced() {
    uses(
        "a.run(b); run(); a.b.C.run()",
        "call a.run in a.f
            call run in a.f
            call a.b.c.run in a.f",
    );
    uses(
        "this.x.run()
super.run()
this@Outer.run()
super<Base>.run()",
        "call this.x.run in a.f
            call super.run in a.f
            call ?run in a.f
            call ?run in a.f",
    );
    uses(
        "make().then().done
a?.b?.run()
a!!.run()",
        "call make in a.f
            call ?then in a.f
            attribute ?done in a.f
            call a?.b?.run in a.f
            call ?run in a.f",
    );
    uses(
        "Foo(1).run()
val x = a.Foo<Bar>()
Foo.of(1)",
        "call foo in a.f
            call ?run in a.f
            call a.foo in a.f
            type bar in a.f
            call foo.of in a.f",
    );
    uses(
        "val x = foo<Bar>(one)
val y = Outer.Inner<Bar>(one).done()",
        "call foo in a.f
            type bar in a.f
            name one in a.f
            call outer.inner in a.f
            type bar in a.f
            name one in a.f
            call ?done in a.f",
    );
}

#[test]
fn names_in_lambdas_and_operators_are_referenced() {
    uses(
        "items.map { it.price }.filter { x -> x.ok() }
run(one) { two() }",
        "call items.map in a.f
            attribute it.price in a.f
            call ?filter in a.f
            call x.ok in a.f
            call run in a.f
            name one in a.f
            call two in a.f",
    );
    uses(
        "first to second
a.b shl c.d",
        "call first to in a.f
            name second in a.f
            call a.b shl in a.f
            attribute c.d in a.f",
    );
    uses(
        "one + two; one[two]; one in two; one..two; !one; one ?: two",
        "name one in a.f
            name two in a.f
            name one in a.f
            name two in a.f
            name one in a.f
            name two in a.f
            name one in a.f
            name two in a.f
            name one in a.f
            name one in a.f
            name two in a.f",
    );
    uses(
        "items.map(Item::name).map(::foo).map(this::bar).map(::Baz)
Foo::class.java.name; go(Foo::class, Foo::value); Bar::class.go()",
        "call items.map in a.f
            attribute item::name in a.f
            call ?map in a.f
            attribute foo in a.f
            call ?map in a.f
            attribute this::bar in a.f
            call ?map in a.f
            attribute baz in a.f
            type foo in a.f
            call go in a.f
            type foo in a.f
            attribute foo::value in a.f
            type bar in a.f",
    );
    uses(
        "take(::foo.name); take(this::bar.isInitialized)
Foo::baz.call(other)",
        "call take in a.f
            attribute foo in a.f
            call take in a.f
            attribute this::bar in a.f
            attribute foo::baz in a.f
            name other in a.f",
    );
    uses(
        "make<Foo> { go() }
val z = make<Bar> { 1 } with other",
        "call make in a.f
            type foo in a.f
            call go in a.f
            call make in a.f
            type bar in a.f
            call ?with in a.f
            name other in a.f",
    );
    uses(
        "f(name = other, second = Other.X)",
        "call f in a.f
            name other in a.f
            attribute other.x in a.f",
    );
}

#[test]
fn types_and_exceptions_are_referenced() {
    uses(
        "val xs: List<Item>? = null
val f: (Arg, a.Ret) -> Map<Key, *> = g",
        "type list in a.f
            type item in a.f
            type arg in a.f
            type a.ret in a.f
            type map in a.f
            type key in a.f",
    );
    uses(
        "if (x is Foo && y !is a.Bar) (x as Foo).go()
val z = y as? Baz",
        "type foo in a.f
            type a.bar in a.f
            type foo in a.f
            call ?go in a.f
            type baz in a.f",
    );
    uses(
        "try { open() } catch (e: IOException) { e.print() } catch (e: a.MyError) { } finally { close() }",
        "call open in a.f
            catch ioexception in a.f
            call e.print in a.f
            catch a.myerror in a.f
            call close in a.f",
    );
    uses(
        r#"throw AError("no $what")"#,
        "raise aerror in a.f
            name what in a.f",
    );
    uses(
        "throw error
throw make()
throw a.BError(one)",
        "name error in a.f
            call make in a.f
            raise a.berror in a.f
            name one in a.f",
    );
}

#[test]
fn names_in_branches_and_loops_are_referenced() {
    uses(
        "when (val z = other) { is Circle -> z.area()
  in low..high -> go()
  Color.RED, null -> stop()
  else -> super.total() }",
        "name other in a.f
            type circle in a.f
            call z.area in a.f
            name low in a.f
            name high in a.f
            call go in a.f
            attribute color.red in a.f
            call stop in a.f
            call super.total in a.f",
    );
    uses(
        "for ((key, value) in pairs) key.go(value)
for (item: Item in items) item.go()",
        "name pairs in a.f
            call key.go in a.f
            type item in a.f
            name items in a.f
            call item.go in a.f",
    );
    uses(
        "val o = object : Listener(one), Other {
  override fun on(e: Event) { total() }
}",
        "base listener in a.f
            name one in a.f
            base other in a.f
            type event in a.f.on
            call total in a.f.on",
    );
    uses(
        r#"val s = "a $name b ${item.price} \$no"
val t = """raw $other""""#,
        "name name in a.f
            attribute item.price in a.f
            name other in a.f",
    );
    uses(
        "loop@ for (x in xs) { if (done) break@loop else continue }
list.forEach { return@forEach }",
        "name xs in a.f
            name done in a.f
            name loop in a.f
            call list.foreach in a.f",
    );
    uses(
        "val x = make()
val (a, b) = pair
var z: Foo = Bar()
x.go(); z.go(); a.go()",
        "call make in a.f
            name pair in a.f
            type foo in a.f
            call bar in a.f
            call x.go in a.f
            call z.go in a.f
            call a.go in a.f",
    );
    uses(
        "return value.field ?: MAX_SIZE",
        "attribute value.field in a.f
            name max_size in a.f",
    );
    uses(
        "val f = fun(a: Foo): Bar { return a.go() }",
        "type foo in a.f
            type bar in a.f
            call a.go in a.f",
    );
}

#[test]
fn references_have_an_enclosing_definition() {
    refers(
        r#"@file:JvmName("X")
@Entity(Names.A) class Shop<T : Item>(val a: Foo, b: Bar = Baz()) : Base<T>(b), Iface by b where T : Other {
  val c = b.go()
}"#,
        "decorator jvmname
            decorator entity in shop
            attribute names.a in shop
            type item in shop
            type foo in shop
            type bar in shop
            call baz in shop
            base base in shop
            base iface in shop
            type other in shop
            call b.go in shop",
    );
    refers(
        "fun String.f(a: Foo): Bar where A : B = Bar(a.x)",
        "type foo in string.f
            type bar in string.f
            call bar in string.f
            attribute a.x in string.f",
    );
    refers(
        "val x: Foo by lazy { Foo(it) }",
        "type foo
            call lazy
            call foo",
    );
    refers(
        "var x: Foo = Bar()
  set(value) { field = value.y; go(other) }",
        "type foo in x
            call bar in x
            attribute value.y in x
            call go in x
            name other in x",
    );
    refers(
        "enum class A {
  ONE(Foo()) {
    override fun f() { go() }
  }
}",
        "call foo in a
            call go in a.one.f",
    );
    refers(
        "typealias A<T> = Map<Foo, T>",
        "type map
            type foo",
    );
    refers(
        "class A {
  init { val q = load(); run(q) }
  constructor(x: Foo) : this(Bar(x)) { go() }
}",
        "call load in a
            call run in a
            type foo in a.constructor
            call bar in a.constructor
            call go in a.constructor",
    );
    refers(
        "@get:Inject @field:[One Two(X.Y)] val x: Foo",
        "decorator inject
            decorator one
            decorator two
            attribute x.y
            type foo",
    );
    refers(
        "fun <T : Foo> f(vararg x: Bar, block: Baz.(Int) -> Unit) { block(x) }",
        "type foo in f
            type bar in f
            type baz in f
            call block in f",
    );
    refers(
        "actual class Foo : Bar.Baz<Arg>(), a.b.Deep",
        "base bar.baz in foo
            type arg in foo
            base a.b.deep in foo",
    );
}
