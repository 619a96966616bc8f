//! Tests that the type of a receiver is inferred from what the text says, in each language. In each repository two
//! classes have a method of the same name, so that the name alone resolves nothing, and all functions named `use_…`
//! call the method of the first one.

use std::collections::BTreeSet;

use foveate_index::Confidence;

use super::*;

/// Asserts that all functions named `use_…`, and no others, use the method `method` of the first class.
#[track_caller]
pub(super) fn check(text: &str, method: &str) {
    let world = world(text);
    let name = |id: DefId| world.files.definition(id).name.to_string();
    let target = world.named(method);
    let used = world.graph.uses_of(target).iter();
    let users = used.filter(|site| site.confidence > Confidence::NameOnly);
    let users: BTreeSet<String> = users.filter_map(|site| site.enclosing.map(name)).collect();
    let wanted = world.files.definition_ids().map(name);
    let wanted: BTreeSet<String> = wanted.filter(|name| name.starts_with("use_")).collect();
    assert!(!wanted.is_empty());
    assert_eq!(users, wanted);
}

#[test]
fn python() {
    check(
        "
        //- pool.py
        class Pool:
            def close(self): pass
            @classmethod
            def make(cls) -> \"Pool\": return cls()
        class Other:
            def close(self): pass
        async def opened() -> Pool: ...
        def many() -> list[Pool]: ...
        async def use_await():
            pool = await opened()
            pool.close()
        def use_optional(pool: Optional[Pool]):
            pool.close()
        def use_union(pool: \"Pool | None\"):
            pool.close()
        def use_with():
            with Pool() as pool:
                pool.close()
        def use_class_method():
            Pool.make().close()
        def use_loop(pools: list[Pool]):
            for pool in pools:
                pool.close()
        def use_enumerated(pools: Sequence[Pool]):
            for number, pool in enumerate(pools):
                pool.close()
        def use_result_in_loop():
            for pool in many():
                pool.close()
        def use_item(pools: List[\"Pool\"]):
            pools[0].close()
        class Holder:
            pools: list[Pool]
            def __init__(self, pool=None):
                self.pool = pool or Pool()
            def use_default(self):
                self.pool.close()
            def use_field_in_loop(self):
                for pool in self.pools:
                    pool.close()
        def not_an_element(pools: list[Pool], others: list[list[Pool]]):
            pools.close()
            others[0].close()
        ",
        "pool.py:Pool.close",
    );
}

#[test]
fn typescript() {
    check(
        "
        //- pool.ts
        export class Pool {
            close(): void {}
            child?: Pool;
            items: Pool[] = [];
        }
        export class Other { close(): void {} }
        export async function opened(): Promise<Pool> { return new Pool(); }
        async function use_await() {
            const pool = await opened();
            pool.close();
        }
        async function use_await_in_place() {
            (await opened()).close();
        }
        function use_loop(pools: Pool[]) {
            for (const pool of pools) {
                pool.close();
            }
        }
        function use_item(pools: ReadonlyArray<Pool>) {
            pools[0]!.close();
        }
        function use_cast(value: unknown) {
            (value as Pool).close();
        }
        function use_cast_variable(value: unknown) {
            const pool = value as Pool;
            pool.close();
        }
        function use_optional(pool?: Pool) {
            pool?.child?.close();
        }
        function use_field(pool: Pool) {
            for (const item of pool.items) {
                item.close();
            }
        }
        function use_default(given: unknown) {
            const pool = given ?? new Pool();
            pool.close();
        }
        function notAnElement(pools: Pool[]) {
            pools.close();
        }
        class Holder {
            pool = new Pool();
            use_member() {
                const { pool } = this;
                pool.close();
            }
            use_renamed_member() {
                const {
                    pool: renamed = null,
                } = this;
                renamed.close();
            }
        }
        interface Props { other: Other; pool: Pool }
        function use_parameter({ pool }: Props) {
            pool.close();
        }
        function use_typed_pattern(value: unknown) {
            const { pool }: Props = value;
            pool.close();
        }
        function made(): Props { return {} as Props; }
        function use_member_of_result() {
            const { pool } = made();
            pool.close();
        }
        function use_bare_method(pool: Pool) {
            const { close } = pool;
            close();
        }
        function notThePool({ other }: Props) {
            other.close();
        }
        const holder = new Holder();
        const { items, pool: shared } = holder;
        function use_global_member() {
            shared.close();
        }
        const { items: [first = [].length], pool: later } = holder;
        function use_member_after_a_pattern() {
            later.close();
        }
        ",
        "pool.ts:Pool.close",
    );
}

#[test]
fn cpp() {
    check(
        "
        //- pool.cpp
        class Pool { public: void close(); };
        class Other { public: void close(); };
        struct Holder {
            std::shared_ptr<Pool> pool_;
            std::vector<std::unique_ptr<Pool>> pools_;
            void use_field() { pool_->close(); }
            void use_loop() { for (const auto& pool : pools_) pool->close(); }
        };
        void use_parameter(std::unique_ptr<Pool> pool) { pool->close(); }
        void use_optional(const std::optional<Pool>& pool) { pool->close(); }
        void use_cast(void* raw) { static_cast<Pool*>(raw)->close(); }
        void use_cast_variable(Base* base) {
            if (auto* pool = dynamic_cast<Pool*>(base)) { pool->close(); }
        }
        void use_made() { auto pool = std::make_unique<Pool>(); pool->close(); }
        void not_an_element(std::vector<Pool>& pools) { pools.close(); }
        ",
        "pool.cpp:Pool.close",
    );
}

#[test]
fn java_and_kotlin() {
    check(
        "
        //- Pool.java
        class Pool { void close() {} }
        class Other { void close() {} }
        class Users {
            void use_loop(List<Pool> pools) { for (var pool : pools) pool.close(); }
            void use_optional(Optional<Pool> pool) { pool.orElseThrow().close(); }
            void use_array(Pool[] pools) { pools[0].close(); }
            void not_an_element(List<Pool> pools) { pools.close(); }
            void use_get(List<Pool> pools) { pools.get(0).close(); }
            void use_map(Map<String, Pool> pools) { pools.get(1).close(); }
            void use_values(Map<String, Pool> pools) { for (var it : pools.values()) it.close(); }
            void use_iterator(List<Pool> pools) { var it = pools.iterator(); it.next().close(); }
            void use_optional_element(List<Pool> pools) { pools.stream().findFirst().orElseThrow().close(); }
            void not_a_key(Map<Pool, String> pools) { pools.get(1).close(); }
            void not_the_keys(Map<String, Pool> pools) { pools.keySet().get(0).close(); }
            <P extends Pool> void use_bound(P pool) { pool.close(); }
            void use_lambda(List<Pool> pools) { pools.forEach(pool -> pool.close()); }
            void use_stream(List<Pool> pools) {
                pools.stream().filter(pool -> true).forEach(pool -> pool.close());
            }
            void two_collections(List<Pool> pools, List<Other> others) {
                pools.forEach(it -> it.close());
                others.forEach(it -> it.close());
            }
        }
        class Holder<P extends Pool> {
            P pool;
            void use_bound_field() { pool.close(); }
        }
        ",
        "Pool.java:Pool.close",
    );
    check(
        "
        //- Pool.kt
        class Pool { fun close() {} }
        class Other { fun close() {} }
        fun use_loop(pools: List<Pool>) { for (pool in pools) { pool.close() } }
        fun use_nullable(pool: Pool?) { pool?.close() }
        fun use_cast(value: Any) { (value as Pool).close() }
        fun made() = Pool()
        fun use_result() { made().close() }
        fun <P : Pool> use_bound(pool: P) { pool.close() }
        fun use_implicit(pools: List<Pool>) { pools.filter { true }.forEach { it.close() } }
        fun use_lambda(pools: List<Pool>) { pools.map { pool -> pool.close() } }
        fun use_scope(pool: Pool?) { pool?.let { it.close() } }
        fun <P> use_where(pool: P) where P : Pool { pool.close() }
        fun not_an_element(pools: MutableList<Pool>) { pools.close() }
        ",
        "Pool.kt:Pool.close",
    );
}

#[test]
fn go_and_rust() {
    check(
        "
        //- pool.go
        package pool
        type Pool struct{}
        func (p *Pool) Close() {}
        type Other struct{}
        func (o *Other) Close() {}
        func use_new() { pool := new(Pool); pool.Close() }
        func use_loop(pools []*Pool) { for _, pool := range pools { pool.Close() } }
        type Hall struct{}
        func (h *Hall) Desk(name []byte) *Desk { return nil }
        type Desk struct{}
        func (d *Desk) Lend() *Pool { return nil }
        func (d *Desk) Swap() *Other { return nil }
        func use_chain(hall *Hall) { pool := hall.Desk([]byte(\"a\")).Lend(); pool.Close() }
        func use_made() { pool := Desk{}.Lend(); pool.Close() }
        func other_chain(hall *Hall) { pool := hall.Desk(nil).Swap(); pool.Close() }
        ",
        "pool.go:Pool.Close",
    );
    check(
        "
        //- src/lib.rs
        struct Pool;
        impl Pool { fn close(&self) {} }
        struct Other;
        impl Other { fn close(&self) {} }
        fn use_shared(pool: std::sync::Arc<Pool>) { pool.close() }
        fn use_locked(pool: std::sync::Mutex<Pool>) { pool.lock().unwrap().close() }
        fn use_default() { let pool = Pool::default(); pool.close() }
        fn use_wrapped() {
            let pool = Arc::new(std::sync::Mutex::new(Pool::default()));
            let other = Arc::clone(&pool);
            other.lock().unwrap().close()
        }
        fn use_some() { let pool = Some(Pool::default()); pool.unwrap().close() }
        fn use_in_place() { Box::new(Pool::default()).close() }
        struct Hall;
        impl Hall { fn desk(&self) -> Desk { Desk } }
        struct Desk;
        impl Desk { fn pool(&self) -> Pool { Pool } }
        fn use_chain(hall: &Hall) { let pool = hall.desk().pool(); pool.close() }
        ",
        "src/lib.rs:Pool.close",
    );
}

#[test]
fn bounds_of_type_parameters() {
    check(
        "
        //- run.go
        package run
        type Runner interface { Run() }
        type Other struct{}
        func (o *Other) Run() {}
        func use_bound[R Runner](runner R) { runner.Run() }
        func not_bound[R any](runner R) { runner.Run() }
        ",
        "run.go:Runner.Run",
    );
    check(
        "
        //- src/lib.rs
        trait Job { fn run(&self); }
        struct Other;
        impl Other { fn run(&self) {} }
        struct Holder<J: Job> { job: J }
        impl<J: Job> Holder<J> { fn use_field(&self) { self.job.run() } }
        fn use_bound<J: Clone + Job>(job: J) { job.run() }
        fn use_where<J>(job: &J) where J: Send + Job { job.run() }
        fn use_opaque(job: impl Job) { job.run() }
        fn use_dynamic(job: &dyn Job) { job.run() }
        fn use_boxed(job: Box<dyn Job>) { job.run() }
        fn not_bound<J: Clone>(job: J) { job.run() }
        ",
        "src/lib.rs:Job.run",
    );
    check(
        "
        //- Job.cs
        interface IJob { void Run(); }
        class Other { void Run() {} }
        class Users {
            void use_bound<J>(J job) where J : class, IJob { job.Run(); }
            void not_bound<J>(J job) { job.Run(); }
            void use_lambda(List<IJob> jobs) { jobs.Where(job => true).ForEach(job => job.Run()); }
        }
        class Holder<J> where J : IJob {
            J job;
            void use_field() { job.Run(); }
        }
        ",
        "Job.cs:IJob.Run",
    );
}

#[test]
fn members_of_enums_are_instances() {
    check(
        "
        //- Color.java
        enum Color { RED; void label() {} }
        class Other { void label() {} }
        class Users {
            void use_constant() { Color.RED.label(); }
            void use_local() { var color = Color.RED; color.label(); }
            void use_value_of(String name) { Color.valueOf(name).label(); }
        }
        ",
        "Color.java:Color.label",
    );
    check(
        "
        //- Color.kt
        enum class Color { RED; fun label() {} }
        class Other { fun label() {} }
        fun use_constant() { Color.RED.label() }
        fun use_local() { val color = Color.RED; color.label() }
        ",
        "Color.kt:Color.label",
    );
    check(
        "
        //- src/lib.rs
        enum Shape { Dot, Circle(u8) }
        impl Shape { fn area(&self) {} }
        struct Other;
        impl Other { fn area(&self) {} }
        fn use_variant() { Shape::Dot.area() }
        fn use_variant_with_value() { let shape = Shape::Circle(1); shape.area() }
        ",
        "src/lib.rs:Shape.area",
    );
}

#[test]
fn c_sharp_extensions() {
    const C_SHARP: &str = "
        //- App/Page.cs
        using Shop.Text;
        namespace Shop.App;
        class Page {
            void Run(string name, IThing thing) {
                name.Slug();
                thing.Slug();
                Guid.Slug();
                Color.Red.Label();
            }
        }
        //- Text/Extensions.cs
        namespace Shop.Text;
        public static class Extensions {
            public static string Slug(this string text) { return text; }
            public static string Label(this Color color) { return null; }
        }
        public enum Color { Red }
        ";
    check_uses(
        C_SHARP,
        "Text/Extensions.cs:Extensions.Slug",
        &["App/Page.cs:5 likely", "App/Page.cs:6 likely"],
    );
    check_uses(
        C_SHARP,
        "Text/Extensions.cs:Extensions.Label",
        &["App/Page.cs:8 likely"],
    );
}

#[test]
fn php_and_ruby() {
    check(
        "
        //- Pool.php
        <?php
        class Pool { function close() {} }
        class Other { function close() {} }
        /** @param Pool[] $pools */
        function use_loop(array $pools) { foreach ($pools as $pool) { $pool->close(); } }
        /** @param list<Pool> $pools */
        function use_keyed($pools) { foreach ($pools as $key => $pool) { $pool->close(); } }
        /** @param Pool[] $pools */
        function use_index($pools) { $pools[0]->close(); }
        /** @param Pool[] $pools */
        function not_an_element($pools) { $pools->close(); }
        class Holder {
            private $assigned;
            private $given;
            private $nothing;
            function __construct(Pool $given, private Pool $promoted) {
                $this->assigned = null;
                $this->given = $given;
                $this->nothing = null;
            }
            function fill() { $this->assigned = new Pool(); }
            function use_assigned() { $this->assigned->close(); }
            function use_given() { $this->given->close(); }
            function use_promoted() { $this->promoted->close(); }
            function nothing() { $this->nothing->close(); }
        }
        function make() { return new Pool(); }
        function optional($flag) {
            if ($flag) { return null; }
            $pool = new Pool();
            return $pool;
        }
        function either($flag) {
            if ($flag) { return new Other(); }
            return new Pool();
        }
        function nameless() { return array_map(function () { return new Pool(); }, []); }
        function use_result() { make()->close(); }
        function use_optional_result() { optional(1)->close(); }
        function not_known() { either(1)->close(); nameless()->close(); }
        ",
        "Pool.php:Pool.close",
    );
    check(
        "
        //- pool.rb
        class Pool
          def close; end
        end
        class Other
          def close; end
        end
        class Holder
          attr_reader :pool
          def initialize
            @pool = Pool.new
          end
          def use_reader
            pool.close
          end
          def use_reader_of_self
            self.pool.close
          end
          def cached
            @cached ||= Pool.new
          end
          def use_method
            cached.close
          end
          def made
            # A comment.
            count = 1
            Pool.new
          end
          def use_last_expression
            made.close
          end
          def guarded
            return Other.new if pool
            Pool.new
          end
          def not_known
            guarded.close
          end
        end
        ",
        "pool.rb:Pool.close",
    );
    check(
        "
        //- pool.rb
        module Shop
          class Pool
            def close; end
          end
          class Other
            def close; end
          end
        end
        //- users.rb
        module Shop
          class Users
            # @return [Array<Pool>] all of them
            attr_reader :pools
            # @return [Pool, nil]
            attr_reader :current
            # @param pool [::Shop::Pool] the pool
            def initialize(pool)
              @pool = pool
            end
            # Opens one.
            #
            # @param [String] name its name
            # @return [nil, Shop::Pool]
            def opened(name); end
            # @param pool [Pool]
            # @param count [Integer]
            def use_parameter(pool, count)
              pool.close
            end
            # @param [Pool] pool
            def use_parameter_after_type(pool)
              pool.close
            end
            def use_field_of_parameter
              @pool.close
            end
            def use_result
              opened('a').close
            end
            def use_attribute
              current.close
            end
            def use_element
              pools.reverse.first.close
            end
            def use_index
              pools[0].close
            end
            # @param pools [Array<Pool>]
            def not_an_element(pools)
              pools.close
            end
            # @param pool [String, Integer]
            def not_a_pool(pool)
              pool.close
            end
          end
        end
        ",
        "pool.rb:Shop.Pool.close",
    );
}

#[test]
fn python_results_without_annotations() {
    check(
        "
        //- pool.py
        class Pool:
            def close(self): pass
            def opened(self):
                return self
            @classmethod
            def make(cls): return cls()
            @property
            def twin(self):
                return Pool()
        class Other:
            def close(self): pass
        def make():
            return Pool()
        def optional(flag):
            if flag: return None
            pool = Pool()
            return pool
        def same(pool: Pool):
            return pool
        def either(flag):
            if flag:
                return Pool()
            return Other()
        def many():
            yield Pool()
        @contextmanager
        def opening():
            yield Pool()
        //- user.py
        from pool import Pool, either, make, many, opening, optional, same
        def use_result():
            make().close()
        def use_variable():
            pool = make()
            pool.close()
        def use_local():
            optional(1).close()
        def use_parameter():
            same(1).close()
        def use_self():
            Pool().opened().close()
        def use_class():
            Pool.make().close()
        def use_property(pool: Pool):
            pool.twin.close()
        def use_yielded():
            with opening() as pool:
                pool.close()
        def not_known():
            either(1).close()
            many().close()
        ",
        "pool.py:Pool.close",
    );
}

#[test]
fn typescript_results_without_annotations() {
    check(
        "
        //- pool.ts
        export class Pool {
            close(): void {}
            opened() { return this; }
            static make() { return new Pool(); }
        }
        export class Other { close(): void {} }
        export function make() {
            return new Pool();
        }
        export const arrow = () => new Pool();
        export function cached(key: string) {
            const pool = new Pool();
            if (!key) return null;
            return pool;
        }
        export function either(flag: boolean) {
            if (flag) return new Pool();
            return new Other();
        }
        //- user.ts
        import { Pool, arrow, cached, either, make } from './pool';
        function use_result() { make().close(); }
        function use_arrow() { arrow().close(); }
        function use_local() { cached('a').close(); }
        function use_static() { Pool.make().close(); }
        function use_this() { new Pool().opened().close(); }
        function notKnown() { either(true).close(); }
        ",
        "pool.ts:Pool.close",
    );
}

#[test]
fn constants_of_enums() {
    check(
        "
        //- color.py
        class Color(Enum):
            RED = 1
            def label(self): pass
        class Other:
            def label(self): pass
        def use_member():
            Color.RED.label()
        def use_variable():
            color = Color.RED
            color.label()
        ",
        "color.py:Color.label",
    );
    check(
        "
        //- Suit.php
        <?php
        enum Suit { case Hearts; function label() {} }
        class Other { function label() {} }
        class Card {
            private $suit;
            function __construct() { $this->suit = Suit::Hearts; }
            function use_property() { $this->suit->label(); }
        }
        function use_case() { Suit::Hearts->label(); }
        function use_variable() { $suit = Suit::Hearts; $suit->label(); }
        ",
        "Suit.php:Suit.label",
    );
    check(
        "
        //- Color.java
        enum Color { RED; void label() {} }
        class Other { void label() {} }
        class User { void use_constant() { Color.RED.label(); } }
        ",
        "Color.java:Color.label",
    );
    check(
        "
        //- Color.kt
        enum class Color { RED; fun label() {} }
        class Other { fun label() {} }
        fun use_constant() { Color.RED.label() }
        ",
        "Color.kt:Color.label",
    );
    check(
        "
        //- src/lib.rs
        enum Shape { Circle(f64) }
        impl Shape { fn label(&self) {} }
        struct Other;
        impl Other { fn label(&self) {} }
        fn use_variable() { let shape = Shape::Circle(1.0); shape.label(); }
        ",
        "src/lib.rs:Shape.label",
    );
}

#[test]
fn calls_of_aliases() {
    check(
        "
        //- pool.cpp
        class Pool { public: void close() {} };
        class Other { public: void close() {} };
        using Alias = Pool;
        void use_declared(Alias pool) { pool.close(); }
        void use_shared() { auto pool = std::make_shared<Alias>(); pool->close(); }
        ",
        "pool.cpp:Pool.close",
    );
}
