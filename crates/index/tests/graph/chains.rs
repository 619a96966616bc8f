//! Tests that receivers are inferred through chains of calls: in variables, through extensions, through functions that
//! return their own object, and in nameless classes. As in `receivers`, two classes have a method of the same name, and
//! all functions named `use_…` call the method of the first one.

use super::receivers::check;
use super::*;

#[test]
fn variables_hold_results_of_chains() {
    check(
        "
        //- Pool.java
        class Pool { void close() {} }
        class Other { void close() {} }
        class Builder {
            Builder add(int size) { return this; }
            Holder hold() { return null; }
        }
        class Holder {
            Pool pool;
            Holder next() { return this; }
            Pool take() { return pool; }
            List<Pool> all() { return null; }
            Other other() { return null; }
            Pool made() { return new Builder().add(1).hold().take(); }
        }
        class Users {
            void use_three() { var made = new Builder().hold().next().take(); made.close(); }
            void use_many() { var made = new Builder().add(1).add(2).add(3).hold().take(); made.close(); }
            void use_field() { var made = new Builder().add(1).hold().pool; made.close(); }
            void use_parentheses(Holder holder) { var made = (holder).take(); made.close(); }
            void use_loop() { for (var made : new Builder().add(1).hold().all()) { made.close(); } }
            void not_the_other() { var made = new Builder().add(1).hold().other(); made.close(); }
        }
        ",
        "Pool.java:Pool.close",
    );
    check(
        "
        //- Pool.cs
        class Pool { public void Close() {} }
        class Other { public void Close() {} }
        class Builder {
            public Builder Add(int size) { return this; }
            public Holder Hold() { return null; }
        }
        class Holder { public Pool Held { get; set; } public Pool Take() { return Held; } }
        class Users {
            void use_three() { var made = new Builder().Add(1).Hold().Take(); made.Close(); }
            void use_property() { var made = new Builder().Add(1).Hold().Held; made.Close(); }
        }
        ",
        "Pool.cs:Pool.Close",
    );
}

#[test]
fn chains_are_results_and_values_in_other_files() {
    const KOTLIN: &str = "
        //- app/Pool.kt
        package app
        class Pool { fun close() {} }
        class Other { fun close() {} }
        class Builder {
            fun add(size: Int): Builder = this
            fun hold(): Holder = Holder()
        }
        class Holder { fun take(): Pool = Pool() }
        val held = Builder().add(1).hold().take()
        fun made() = Builder().add(1).hold().take()
        //- app/Use.kt
        package app
        fun use_value() { held.close() }
        fun use_result() { made().close() }
        ";
    check(KOTLIN, "app/Pool.kt:Pool.close");
}

#[test]
fn elements_by_their_index() {
    check(
        "
        //- Pool.kt
        class Pool { fun close() {} }
        class Other { fun close() {} }
        class Holder { fun all(): List<Pool> = listOf() }
        fun holder() = Holder()
        fun use_index(pools: List<Pool>) { pools[0].close() }
        fun use_variable(pools: List<Pool>) { val made = pools[0]; made.close() }
        fun use_element_of_result(holder: Holder) { val made = holder.all()[0]; made.close() }
        fun use_element_of_chain() { val made = holder().all()[0]; made.close() }
        fun not_the_element(pools: List<Pool>) { pools.close() }
        ",
        "Pool.kt:Pool.close",
    );
    check(
        "
        //- Pool.php
        <?php
        class Pool { function close() {} }
        class Other { function close() {} }
        /** @param Pool[] $pools */
        function use_variable($pools) { $made = $pools[0]; $made->close(); }
        ",
        "Pool.php:Pool.close",
    );
}

#[test]
fn extensions_inside_of_chains() {
    check(
        "
        //- Core/Builder.cs
        namespace Shop.Core;
        public class BuilderBase {}
        public class Builder : BuilderBase { public Pool Build() { return null; } }
        public class Pool { public void Close() {} }
        public class Other { public void Close() {} }
        public static class Extensions {
            public static Builder AddOne(this Builder builder) { return builder; }
            public static TBuilder AddAny<TBuilder>(this TBuilder builder, int count)
                where TBuilder : BuilderBase { return builder; }
            public static Pool Opened(this IDbConnection connection) { return null; }
        }
        //- App/Users.cs
        using Shop.Core;
        namespace Shop.App;
        class Users {
            void use_extension() { new Builder().AddOne().Build().Close(); }
            void use_type_parameter() { new Builder().AddAny(1).AddOne().AddAny(2).Build().Close(); }
            void use_local() { var made = new Builder().AddAny(1).Build(); made.Close(); }
            void use_foreign(IDbConnection connection) { var made = connection.Opened(); made.Close(); }
        }
        ",
        "Core/Builder.cs:Pool.Close",
    );
}

#[test]
fn extensions_of_objects() {
    const KOTLIN: &str = "
        //- core/Table.kt
        package core
        interface FieldSet
        open class Table : FieldSet
        //- query/Query.kt
        package query
        import core.FieldSet
        class Query {
            fun where(): Query = this
            fun close() {}
        }
        class Other { fun close() {} }
        fun FieldSet.query(): Query = Query()
        //- app/Use.kt
        package app
        import core.Table
        import query.query
        object Users : Table()
        fun use_object() { Users.query().close() }
        fun use_chain(table: Table) { table.query().where().close() }
        fun use_local() { val made = Users.query().where(); made.close() }
        ";
    check(KOTLIN, "query/Query.kt:Query.close");
    check_uses(
        KOTLIN,
        "query/Query.kt:FieldSet.query",
        &[
            "app/Use.kt:5 likely", "app/Use.kt:6 likely", "app/Use.kt:7 likely",
        ],
    );
}

#[test]
fn functions_return_their_own_object() {
    check(
        "
        //- Car.java
        abstract class Base<B extends Base<B>> {
            B add(int size) { return null; }
            Base<?> plain() { return this; }
        }
        class Car extends Base<Car> { void close() {} }
        class Other { void close() {} }
        class Users {
            void use_type_parameter() { new Car().add(1).add(2).close(); }
            void not_the_base() { new Car().plain().close(); }
        }
        ",
        "Car.java:Car.close",
    );
    check(
        "
        //- Car.php
        <?php
        class Base {
            function with(): self { return $this; }
            /** @return static */
            function documented() { return $this; }
            function plain() { return $this; }
        }
        class Car extends Base { function close() {} }
        class Other { function close() {} }
        function use_self() { (new Car())->with()->close(); }
        function use_documented(Car $car) { $car->documented()->close(); }
        function use_object(Car $car) { $car->plain()->plain()->close(); }
        ",
        "Car.php:Car.close",
    );
    check(
        "
        //- car.py
        class Base:
            def add(self):
                return self
            @classmethod
            def make(cls):
                return cls()
        class Car(Base):
            def close(self): pass
        class Other:
            def close(self): pass
        def use_object():
            Car().add().close()
        def use_class():
            Car.make().close()
        ",
        "car.py:Car.close",
    );
}

#[test]
fn results_without_types_are_those_of_overridden_methods() {
    check(
        "
        //- Pool.php
        <?php
        class Pool { function close() {} }
        class Other { function close() {} }
        interface Store {
            /** @return Pool[] */
            function all();
            /** @return Pool */
            function open();
        }
        class Memory implements Store {
            /** @inheritDoc */
            function all() { return array_values([]); }
            function open() { throw new Error(); }
        }
        class Cached extends Memory { function open() {} }
        function use_loop(Memory $store) { foreach ($store->all() as $made) { $made->close(); } }
        function use_result(Memory $store) { $store->open()->close(); }
        function use_derived(Cached $store) { $made = $store->open(); $made->close(); }
        ",
        "Pool.php:Pool.close",
    );
}

#[test]
fn tested_variables_have_the_members_of_the_type() {
    check(
        "
        //- Pool.php
        <?php
        class Base { function open() {} }
        class Pool extends Base { function close() {} }
        class Holder extends Base { function pool(): Pool { return new Pool(); } }
        class Other extends Base { function close() {} }
        function use_test(Base $made) { if ($made instanceof Pool) { $made->close(); } }
        function use_untyped($made) { return $made instanceof Pool && $made->close(); }
        function use_second($made) { if ($made instanceof Base || $made instanceof Pool) { $made->close(); } }
        function use_chain(Base $made) { if ($made instanceof Holder) { $made->pool()->close(); } }
        function use_variable() { $made = new Base(); return $made instanceof Pool && $made->close(); }
        function other_test(Base $made) { if ($made instanceof Other) { $made->close(); } }
        function not_tested(Base $made) { $made->close(); }
        ",
        "Pool.php:Pool.close",
    );
    check(
        "
        //- Pool.kt
        class Pool { fun close() {} }
        class Holder { fun pool() = Pool() }
        class Other { fun close() {} }
        fun use_if(made: Any) { if (made is Pool) made.close() }
        fun use_not(made: Any) { if (made !is Pool) return
            made.close() }
        fun use_when(made: Any) { when (made) { is Pool -> made.close() } }
        fun use_when_value() { when (val made = any()) { is Pool -> made.close() } }
        fun use_chain(made: Any) { if (made is Holder) made.pool().close() }
        fun other_when(made: Any) { when (made) { is Other -> made.close() } }
        fun other_declared(made: Other) { if (made is Pool) made.close() }
        ",
        "Pool.kt:Pool.close",
    );
}

#[test]
fn parameters_of_functions_among_the_arguments() {
    check(
        "
        //- Pool.cs
        class Pool { public void Close() {} }
        class Other { public void Close() {} }
        class Options {
            public Options(int size) {}
            public Options(Action<Pool> configure) {}
            public Options Add(string name, Action<Pool>? configure) { return this; }
            public Options Map(Func<Other, Pool> change) { return this; }
            public Options Both(Action<Pool> first, Action<Other> second) { return this; }
        }
        static class Extensions {
            public static void AddPool(this IServices services, Action<Pool> configure) {}
        }
        class Users {
            void use_constructor() { new Options(made => made.Close()); }
            void use_method(Options options) { options.Add(\"a\", made => { made.Close(); }); }
            void use_chain() { new Options(1).Add(\"a\", null).Add(\"b\", (made) => made.Close()); }
            void use_extension(IServices services) { services.AddPool(made => made.Close()); }
            void other_argument(Options options) { options.Map(made => made.Close()); }
            void not_told_apart(Options options) { options.Both(made => made.Close(), null); }
        }
        ",
        "Pool.cs:Pool.Close",
    );
    check(
        "
        //- Pool.kt
        class Pool { fun close() {} }
        class Other { fun close() {} }
        class Builder {
            fun each(action: ((Pool) -> Unit)?): Builder = this
            fun others(action: (other: Other) -> Unit): Builder = this
        }
        fun build(size: Int, action: (pool: Pool) -> Unit) {}
        fun use_implicit() { build(1) { it.close() } }
        fun use_named(builder: Builder) { builder.each { made -> made.close() } }
        fun use_in_brackets() { build(1, { it.close() }) }
        fun use_named_in_brackets(builder: Builder) { builder.each({ made -> made.close() }) }
        fun use_chain(builder: Builder) { builder.others {}.each { made -> made.close() } }
        fun other_argument(builder: Builder) { builder.others { it.close() } }
        ",
        "Pool.kt:Pool.close",
    );
}

#[test]
fn nameless_classes_have_the_members_of_their_base() {
    const JAVA: &str = "
        //- Rules.java
        abstract class Rules {
            Title name;
            Builder bind(int size) { return null; }
            abstract void configure();
        }
        class Title { Title trim() { return this; } void size() {} }
        class Builder { void close() {} }
        class Other { void close() {} Builder bind(int size) { return null; } }
        //- Users.java
        class Users {
            void first() {
                run(new Rules() {
                    void configure() { bind(1).close(); }
                });
            }
            void second() {
                run(new Rules(by(() -> bind(1))) {
                    void configure() { this.bind(2).close(); }
                });
                bind(3);
            }
            void third(Date name) {
                run(new Rules() {
                    void configure() { name.trim().size(); }
                });
            }
        }
        ";
    let expected = &["Users.java:4 likely", "Users.java:9 likely"];
    check_uses(JAVA, "Rules.java:Rules.bind", expected);
    check_uses(JAVA, "Rules.java:Builder.close", expected);
    // The parameter hides the field.
    check_uses(JAVA, "Rules.java:Title.size", &[]);
    const KOTLIN: &str = "
        //- Rules.kt
        open class Rules { fun bind(): Builder = Builder() }
        interface Listener { fun heard(): Builder }
        class Builder { fun close() {} }
        class Other { fun close() {} fun bind(): Builder = Builder() }
        //- Users.kt
        fun first() = run(object : Rules(), Listener {
            fun configure() { bind().close() }
            fun told() { heard().close() }
        })
        ";
    check_uses(
        KOTLIN,
        "Rules.kt:Builder.close",
        &["Users.kt:2 likely", "Users.kt:3 likely"],
    );
    const PHP: &str = "
        //- Rules.php
        <?php
        class Rules { function bind(): Builder { return new Builder(); } }
        class Builder { function close() {} }
        class Other { function close() {} function bind() {} }
        //- users.php
        <?php
        function first() {
            return new class extends Rules {
                function configure() { $this->bind()->close(); bind(); }
            };
        }
        ";
    let expected = &["users.php:4 likely"];
    check_uses(PHP, "Rules.php:Rules.bind", expected);
    check_uses(PHP, "Rules.php:Builder.close", expected);
}

#[test]
fn services_have_the_type_that_is_asked_for() {
    check(
        "
        //- Pool.cs
        class Pool { public void Close() {} }
        class Other { public void Close() {} }
        class Users {
            void use_result(IServiceProvider services) { services.GetRequiredService<Pool>().Close(); }
            void use_variable(IServiceProvider services) {
                var pool = services.GetService<Pool>();
                pool?.Close();
            }
            async Task use_awaited(Stream text) {
                var pool = await JsonSerializer.DeserializeAsync<Pool>(text);
                pool.Close();
            }
            void of_another(IServiceProvider services) { services.GetService<Other>().Close(); }
            void of_elements(Rows rows) { rows.Cast<Pool>().Close(); }
        }
        ",
        "Pool.cs:Pool.Close",
    );
}

#[test]
fn conversions_and_literals_of_defined_types_are_objects() {
    check(
        "
        //- go.mod
        module acme
        //- a/a.go
        package a

        type Values []interface{}

        func (v Values) Close() {}

        type Level int

        func (l Level) Close() {}

        func use_conversion(list []interface{}) {
        \tv := Values(list)
        \tv.Close()
        }

        func use_literal() {
        \tv := Values{1, 2}
        \tv.Close()
        }

        func use_chain(list []interface{}) {
        \tValues(list).Close()
        }

        func of_another() {
        \tLevel(3).Close()
        }
        ",
        "a/a.go:Values.Close",
    );
}
