//! Tests that the type of a receiver is inferred from what the text says, in each language. In each repository two
//! classes have a method of the same name, so that the name alone resolves nothing, and all functions named `use_…`
//! call the method of the first one.

use std::collections::BTreeSet;

use foveate_index::Confidence;

use super::*;

/// Asserts that all functions named `use_…`, and no others, use the method `method` of the first class.
#[track_caller]
fn check(text: &str, method: &str) {
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
        ",
        "src/lib.rs:Pool.close",
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
        function not_an_element($pools) { $pools->close(); }
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
        end
        ",
        "pool.rb:Pool.close",
    );
}
