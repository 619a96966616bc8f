//! Tests that elements of collections are inferred from the types of the collections, in each language. As in `receivers`,
//! two classes have a method of the same name, and all functions named `use_…` call the method of the first one.

use super::receivers::check;

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
