//! Tests that elements of collections are inferred from the types of the collections, in each language. As in
//! `receivers`, two classes have a method of the same name, and all functions named `use_…` call the method of the
//! first one.

use super::receivers::check;
use super::*;

const ITEMS: &str = "
    //- items.go
    package shop
    type Item struct{ Next *Item }
    func (i *Item) Weigh() int { return 1 }
    func (i *Item) Check() bool { return true }
    func (i *Item) Less(j *Item) bool { return true }
    type Other struct{}
    func (o *Other) Weigh() int { return 2 }
    func (o *Other) Check() bool { return true }
    func (o *Other) Longest() int { return 2 }
    type ByName []*Item
    func (b ByName) Longest() int { return len(b) }
    ";

#[test]
fn go_types_defined_by_lists_have_methods() {
    check(
        &format!(
            "{ITEMS}
            func use_parameter(b ByName) int {{ return b.Longest() }}
            func use_conversion(items []*Item) int {{ b := ByName(items); return b.Longest() }}
            func use_made() int {{ b := make(ByName, 2); return b.Longest() }}
            func use_declared() int {{ var b ByName; return b.Longest() }}
            type Shop struct {{ names ByName }}
            func (s *Shop) use_field() int {{ return s.names.Longest() }}
            func other(o *Other) int {{ return o.Longest() }}
            "
        ),
        "items.go:ByName.Longest",
    );
}

#[test]
fn elements_of_go_types_that_have_methods() {
    check(
        &format!(
            "{ITEMS}
            func (b ByName) Check() bool {{ return false }}
            func (b ByName) use_loop() {{ for _, item := range b {{ item.Check() }} }}
            func (b ByName) use_index(i int) bool {{ return b[i].Check() }}
            func (b ByName) use_indexed(i int) bool {{ item := b[i]; return item.Check() }}
            func use_lists(lists map[string][]*Item) {{
                for _, item := range lists[\"a\"] {{ item.Check() }}
            }}
            func use_result() bool {{ return all()[0].Check() }}
            func all() ByName {{ return nil }}
            func whole(b ByName) bool {{ return b.Check() }}
            "
        ),
        "items.go:Item.Check",
    );
}

#[test]
fn go_lists_and_maps_that_are_made() {
    check(
        &format!(
            "{ITEMS}
            func use_made() {{
                items := make(map[string]*Item)
                items[\"a\"].Weigh()
            }}
            func use_literal() {{
                items := []*Item{{}}
                for _, item := range items {{ item.Weigh() }}
            }}
            func other() {{
                items := make([]*Other, 0)
                items[0].Weigh()
            }}
            "
        ),
        "items.go:Item.Weigh",
    );
}

#[test]
fn go_types_defined_by_structs_have_their_fields() {
    check(
        &format!(
            "{ITEMS}
            type Crate Item
            func (c *Crate) Open() {{}}
            func use_field(c *Crate) int {{ return c.Next.Weigh() }}
            "
        ),
        "items.go:Item.Weigh",
    );
}

#[test]
fn typescript() {
    check(
        "
        //- pool.ts
        export class Pool { close() {} }
        export class Other { close() {} }
        class Holder {
            private pools: Map<string, Pool> = new Map();
            readonly made = new Map<string, Pool>();
            own: Set<Pool> = new Set();
            named: Record<string, Pool> = {};
            list: Pool[] = [];
            others: Map<string, Map<string, Other>> = new Map();
            use_get(name: string) { this.pools.get(name)!.close(); }
            use_made(name: string) { const made = this.made.get(name); made.close(); }
            use_values() { for (const made of this.pools.values()) { made.close(); } }
            use_entries() { for (const [name, made] of this.pools) { made.close(); } }
            use_array() { for (const made of [...this.pools.values()]) { made.close(); } }
            use_object() { for (const [name, made] of Object.entries(this.named)) { made.close(); } }
            use_key(name: string) { const made = this.named[name]; made.close(); }
            use_set() { this.own.forEach((made) => made.close()); }
            use_index() {
                return this.list
                    .filter((each) => each)
                    .map((each, index) => each.close());
            }
            use_function() { this.pools.forEach(function (made) { made.close(); }); }
            not_a_longer_chain() {
                this.list
                    .map((each) => each.next())
                    .some((made) => made.close());
            }
            use_found() { const found = this.list.find((made) => made); found.close(); }
            not_the_map(name: string) { this.pools.close(); this.others.get(name).close(); }
            not_one_collection(others: Other[]) {
                this.list.forEach((made) => made.close());
                others.forEach((made) => made.close());
            }
        }
        function use_parameter(pools: Map<string, Pool>) { pools.get('a').close(); }
        function use_local() { const pools = new Map<string, Pool>(); pools.get('a').close(); }
        ",
        "pool.ts:Pool.close",
    );
}

#[test]
fn python() {
    check(
        "
        //- pool.py
        class Pool:
            def close(self): pass
        class Other:
            def close(self): pass
        class Holder:
            def __init__(self):
                self.pools: dict[str, Pool] = {}
                self.list: list[Pool] = []
                self.others: list[Other] = []
                self.nested: dict[str, list[Other]] = {}
            def use_values(self):
                for made in self.pools.values():
                    made.close()
            def use_items(self):
                for key, made in sorted(self.pools.items()):
                    made.close()
            def use_key(self, key):
                self.pools[key].close()
            def use_key_of_local(self, key):
                made = self.pools[key]
                made.close()
            def use_get(self, key):
                made = self.pools.get(key)
                made.close()
            def use_pop(self):
                self.list.pop().close()
            def use_comprehension(self):
                return [made.close() for made in self.list if made]
            def use_values_in_brackets(self):
                return any(made.close() for key, made in self.pools.items())
            def use_copy(self):
                for made in list(self.pools.values()):
                    made.close()
            def not_a_pair(self):
                for made in self.pools.items():
                    made.close()
            def not_one_collection(self):
                all(made.close() for made in self.list)
                all(made.close() for made in self.others)
            def not_the_dictionary(self, key):
                self.pools.close()
                self.nested[key].close()
        def use_parameter(pools: Dict[str, \"Pool\"]):
            pools[\"a\"].close()
        ",
        "pool.py:Pool.close",
    );
}

#[test]
fn kotlin() {
    check(
        "
        //- Pool.kt
        class Pool { fun close() {} }
        class Other { fun close() {} }
        class Holder(val pools: Map<String, Pool>, val list: List<Pool>, val sizes: Map<String, Int>) {
            fun use_key() { pools[\"a\"]!!.close() }
            fun use_local() { val made = pools[\"a\"] ?: return; made.close() }
            fun use_value() { pools.getValue(\"a\").close() }
            fun use_values() { for (made in pools.values) { made.close() } }
            fun use_let() { pools[\"a\"]?.let { it.close() } }
            fun use_first() { list.first().close() }
            fun use_each_value() { pools.values.forEach { it.close() } }
            fun not_the_map() { pools.close(); sizes[\"a\"].close() }
        }
        ",
        "Pool.kt:Pool.close",
    );
}

#[test]
fn rust() {
    check(
        "
        //- src/lib.rs
        struct Pool;
        impl Pool { fn close(&self) {} fn len(&self) {} }
        struct Other;
        impl Other { fn close(&self) {} }
        struct Holder {
            pools: HashMap<String, Pool>,
            shared: Arc<Mutex<HashMap<String, Box<Pool>>>>,
            list: Vec<Pool>,
            others: HashMap<String, Other>,
            pairs: Vec<(Pool, Other)>,
        }
        impl Holder {
            fn use_get(&self) { self.pools.get(\"a\").unwrap().close(); }
            fn use_key(&self) { self.pools[\"a\"].close(); }
            fn use_if_let(&self) { if let Some(made) = self.pools.get(\"a\") { made.close(); } }
            fn use_values(&self) { for made in self.pools.values() { made.close(); } }
            fn use_pairs(&self) { for (_, made) in &self.pools { made.close(); } }
            fn use_entry(&mut self) { self.pools.entry(name()).or_insert(Pool).close(); }
            fn use_shared(&self) { self.shared.lock().unwrap().get(\"a\").unwrap().close(); }
            fn use_first(&self) { if let Some(made) = self.list.first() { made.close(); } }
            fn use_closure(&self) { self.pools.values().for_each(|made| made.close()); }
            fn use_numbered(&self) { self.list.iter().enumerate().for_each(|(_, made)| made.close()); }
            fn not_the_value(&self) { self.others.get(\"a\").unwrap().close(); }
            fn not_a_pair(&self) { for (_, made) in &self.pairs { made.close(); } }
        }
        ",
        "src/lib.rs:Pool.close",
    );
}

#[test]
fn members_of_maps_are_none_of_their_values() {
    check_uses(
        "
        //- src/lib.rs
        struct Pool;
        impl Pool { fn len(&self) {} }
        fn sizes(pools: HashMap<String, Pool>) { pools.len(); }
        ",
        "src/lib.rs:Pool.len",
        &[],
    );
}

#[test]
fn c_sharp() {
    check(
        "
        //- Pool.cs
        class Pool { public int Key; public void Drain() {} }
        class Other { public void Drain() {} }
        class Cache { public bool TryGetValue(string key, out Pool value) { return false; } public void Drain() {} }
        class Holder {
            private readonly Dictionary<string, Pool> pools = new();
            private readonly Dictionary<string, List<Other>> others = new();
            void use_key() { pools[\"a\"].Drain(); }
            void use_local() { var made = pools[\"a\"]; made.Drain(); }
            void use_values() { foreach (var made in pools.Values) { made.Drain(); } }
            void use_pair() { foreach (var pair in pools) { pair.Value.Drain(); } }
            void use_taken() { if (pools.TryGetValue(\"a\", out var made)) { made.Drain(); } }
            void use_selected() { pools.Values.Select(made => made.Drain()); }
            void not_the_key() { foreach (var pair in pools) { pair.Key.Drain(); } }
            void not_the_others() { others[\"a\"].Drain(); }
            void not_the_cache(Cache cache) { if (cache.TryGetValue(\"a\", out var made)) { made.Drain(); } }
        }
        ",
        "Pool.cs:Pool.Drain",
    );
}

#[test]
fn java() {
    check(
        "
        //- Pool.java
        class Pool { void close() {} }
        class Other { void close() {} }
        class Holder {
            private final Map<String, Pool> pools = new HashMap<>();
            private final Map<String, Other> others = new HashMap<>();
            void use_pairs() { pools.forEach((key, made) -> made.close()); }
            void use_present() { pools.computeIfPresent(\"a\", (key, made) -> { made.close(); return made; }); }
            void not_the_key() { pools.forEach((made, value) -> made.close()); }
            void not_one_map() {
                pools.forEach((key, made) -> made.close());
                others.forEach((key, made) -> made.close());
            }
        }
        ",
        "Pool.java:Pool.close",
    );
}
