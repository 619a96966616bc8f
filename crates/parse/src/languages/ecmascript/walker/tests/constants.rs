//! Tests variables outside of functions: what their values use, and members of objects that are used like enums.

use super::*;

#[test]
fn values_of_variables_enclose_what_they_use() {
    references(
        typescript(),
        "import { list, make, Shape } from 'm';
export const shapes: Shape[] = make(list);
const slice = create({ reducers: { add() { list; } }, part: list });
const map = (given) => given.map(list);
const other = make((list) => list.open());
let first = make(1), second = make(2);
make(3);
export default wrap(shapes);
",
        "type shape in shapes
         call make in shapes
         name list in shapes
         call create in slice
         name list in slice.reducers.add
         name list in slice
         call given.map in map
         name list in map
         call make in other
         call ?list.open in other
         call make in first
         call make in second
         call make
         call wrap in default
         name shapes in default",
    );
}

#[test]
fn members_of_objects_that_never_change_are_defined() {
    definitions(
        typescript(),
        "export const Status = { Open: 'open', Closed: { at: 1 } } as const satisfies All;
const Kind = Object.freeze({ Small: 1, 'very-large': 2, [computed]: 3, name() {}, Nested: { of() {} } });
const keys = ({ kName: Symbol('name'), kSize: Symbol.for('size'), kOwn: Symbol() });
const codes = { NOT_FOUND: make('NOT_FOUND', { deep: 1 }), GONE: make(2), ...others };
const rates = { USD: 1, EUR: 2 };
const mixed = { NOT_FOUND: 1, limit: 2 };
const settings = { limit: 1, nested: { deep: 2 } };
function f() { const Inner = { A: 1 } as const; }
use({ B: 1 } as const);
",
        "constant Status exported: export const Status
         field Status.Open: Open
         field Status.Closed: Closed
         constant Kind: const Kind
         field Kind.Small: Small
         method Kind.name: name()
         field Kind.Nested: Nested
         method Kind.Nested.of: of()
         constant keys: const keys
         field keys.kName: kName
         field keys.kSize: kSize
         field keys.kOwn: kOwn
         constant codes: const codes
         field codes.NOT_FOUND: NOT_FOUND
         field codes.GONE: GONE
         constant rates: const rates
         constant mixed: const mixed
         constant settings: const settings
         function f: function f()",
    );
}
