//! Tests the imports and types in documentation comments.

use super::*;

const SHOP: &str = "/** @import { Builder, A as B } from '@shop/kit' */
/**
 * @import Till, {
 *   Coin
 * } from './till.js'
 * @import * as ns from \"./all\"
 */
/** @typedef {{ door: import('./door').Door }} House */
/** @typedef {import('./cart').Cart} Basket */
class Desk {}

/**
 * @param {Builder} builder
 * @param {Array<import('./door').Door>} doors
 * @param {import('./other').Door} other
 * @returns {ns.Page | undefined}
 */
export function open(builder, doors) {
    /** @type {Map<string, Desk>} */
    const desks = new Map();
}
";

#[test]
fn documentation_imports_types() {
    imports(
        javascript(),
        SHOP,
        "From @shop/kit: Builder, A as B (type)
         From ./till.js: default as Till, Coin (type)
         From ./all: * as ns (type)
         From ./door: Door (type)
         From ./cart: Cart as Basket (type)",
    );
    // The code of TypeScript has the types.
    imports(typescript(), SHOP, "");
}

#[test]
fn documentation_refers_to_types_that_the_file_knows() {
    references(
        javascript(),
        SHOP,
        "type door
         type builder in open
         type door in open
         type ns.page in open
         type desk in open
         call map in open",
    );
}

#[test]
fn type_of_a_module_is_no_definition_of_its_name_in_the_file() {
    let source = "/** @type {import('./a').Desk} */\nlet desk;\nclass Desk {}\n";
    imports(javascript(), source, "");
    references(javascript(), source, "");
}

#[test]
fn unfinished_tags_end_the_reading() {
    for source in [
        "/** @import { A */\nlet a;\n",
        "/** @import { A } from 'a */\nlet a;\n",
        "/** @type {import('./a').A */\nlet a;\n",
        "/** @type {import('./a') */\nlet a;\n",
        "/** See @import, and write ada@import.org */\nlet a;\n",
    ] {
        imports(javascript(), source, "");
    }
}
