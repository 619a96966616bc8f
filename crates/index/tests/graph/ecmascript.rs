//! Tests ECMAScript modules and names.

use super::*;

pub(crate) const WORKSPACE: &str = r##"
    //- package.json
    {"name": "root", "workspaces": ["packages/*"]}
    //- tsconfig.base.json
    { // shared
      "compilerOptions": {"baseUrl": ".", "paths": {"#models/*": ["packages/core/src/models/*"], "exact": ["packages/core/src/exact.ts"],},},
    }
    //- packages/core/package.json
    {"name": "@shop/core", "main": "lib/index.js", "types": "lib/index.d.ts"}
    //- packages/core/tsconfig.json
    {"extends": "../../tsconfig.base.json"}
    //- packages/core/src/index.ts
    export * from './client';
    export { Pool as ConnectionPool, default as makePool } from './pool';
    export * as models from './models';
    export type { Options } from './options';
    //- packages/core/src/exact.ts
    export const exact = 1;
    //- packages/core/src/client.ts
    import makePool, { Pool } from './pool.js';
    import type { Options } from './options';
    import * as all from './models';
    import { User } from '#models/user';
    import { exact } from 'exact';
    import React from 'react';
    export class Client {
        constructor(private readonly pool: Pool) {}
        connect(options: Options) { return this.pool.acquire(); }
    }
    //- packages/core/src/pool.ts
    export class Pool { acquire() { return 1; } }
    export default function createPool() { return new Pool(); }
    //- packages/core/src/options.d.ts
    export interface Options { url: string }
    //- packages/core/src/models/index.ts
    export { User } from './user';
    //- packages/core/src/models/user.tsx
    export class User { save() { return 1; } }
    //- packages/exports/package.json
    {"name": "exporting", "exports": {".": {"import": "./dist/esm/main.mjs", "types": "./dist/main.d.ts"}, "./parts/*": "./dist/parts/*.js", "./closed": "./dist/parts/open.js"}, "imports": {"#inner": "./src/parts/open.ts"}}
    //- packages/exports/src/main.ts
    import { open } from '#inner';
    export function run() { return open(); }
    //- packages/exports/src/parts/open.ts
    export function open() { return 1; }
    //- packages/app/package.json
    {"name": "app"}
    //- packages/app/src/main.ts
    import { Client, ConnectionPool, makePool, models } from '@shop/core';
    import { User } from '@shop/core/lib/models/user';
    import { run } from 'exporting';
    import { open } from 'exporting/parts/open';
    import * as closed from 'exporting/closed';
    import { helper } from '@/helper';
    import '@shop/core/lib/pool';
    const lazy = () => import('./helper');
    //- packages/app/src/helper.ts
    export const helper = () => 1;
    "##;

#[test]
fn ecmascript_import_forms_are_resolved() {
    check_names(
        WORKSPACE,
        "
        packages/core/src/client.ts makePool -> packages/core/src/pool.ts:createPool
        packages/core/src/client.ts Pool -> packages/core/src/pool.ts:Pool
        packages/core/src/client.ts Options -> packages/core/src/options.d.ts:Options
        packages/core/src/client.ts all -> module packages/core/src/models/index.ts
        packages/core/src/client.ts all.User.save -> packages/core/src/models/user.tsx:User.save
        packages/core/src/client.ts User -> packages/core/src/models/user.tsx:User
        packages/core/src/client.ts exact -> packages/core/src/exact.ts:exact
        packages/core/src/client.ts React -> nothing
        packages/app/src/main.ts Client -> packages/core/src/client.ts:Client
        packages/app/src/main.ts ConnectionPool -> packages/core/src/pool.ts:Pool
        packages/app/src/main.ts makePool -> packages/core/src/pool.ts:createPool
        packages/app/src/main.ts models.User -> packages/core/src/models/user.tsx:User
        packages/app/src/main.ts User -> packages/core/src/models/user.tsx:User
        packages/app/src/main.ts run -> packages/exports/src/main.ts:run
        packages/app/src/main.ts open -> packages/exports/src/parts/open.ts:open
        packages/app/src/main.ts closed.open -> packages/exports/src/parts/open.ts:open
        packages/app/src/main.ts helper -> packages/app/src/helper.ts:helper
        packages/exports/src/main.ts open -> packages/exports/src/parts/open.ts:open
        ",
    );
}

#[test]
fn ecmascript_imports_resolve_to_files() {
    check_imports(
        WORKSPACE,
        "
        packages/app/src/main.ts: packages/app/src/helper.ts packages/core/src/client.ts packages/core/src/index.ts packages/core/src/models/index.ts packages/core/src/models/user.tsx packages/core/src/pool.ts packages/exports/src/main.ts packages/exports/src/parts/open.ts
        packages/core/src/models/index.ts: packages/core/src/models/user.tsx
        ",
    );
    check_dotted(
        WORKSPACE,
        "
        @shop/core.Client -> packages/core/src/client.ts:Client
        @shop/core/lib/pool.Pool.acquire -> packages/core/src/pool.ts:Pool.acquire
        exporting.run -> packages/exports/src/main.ts:run
        ",
    );
}

#[test]
fn ecmascript_extensions_outputs_and_directories_are_probed() {
    check_imports(
        "
        //- hooks/package.json
        {\"name\": \"hooks\", \"main\": \"dist/hooks.js\"}
        //- hooks/src/hooks.js
        export const useState = 1;
        //- src/a.mjs
        import './b.js';
        import './c';
        import './d.cjs';
        import './view';
        import '../hooks';
        import './e.css?inline';
        import '../../outside';
        import 'node:fs';
        import './missing';
        //- src/b.ts
        //- src/b.js
        //- src/c.d.ts
        //- src/c.js
        //- src/d.cts
        //- src/view/index.jsx
        //- src/e.css
        a {}
        ",
        "
        src/a.mjs: hooks/src/hooks.js src/b.ts src/c.js src/d.cts src/e.css src/view/index.jsx
        ",
    );
}

#[test]
fn built_entry_means_the_sources_of_its_package() {
    check_imports(
        "
        //- packages/shop/package.json
        {\"name\": \"shop\", \"main\": \"index.js\", \"module\": \"dist/shop.mjs\"}
        //- packages/shop/index.js
        module.exports = require('./dist/shop.prod.cjs');
        //- packages/shop/src/index.ts
        export const open = 1;
        //- packages/shop/types/main.ts
        import { open } from '../dist/shop';
        //- packages/shop/types/other.ts
        import { open } from '../dist/other';
        ",
        "
        packages/shop/index.js: packages/shop/src/index.ts
        packages/shop/types/main.ts: packages/shop/src/index.ts
        packages/shop/types/other.ts:
        ",
    );
}

#[test]
fn commonjs_requires_are_resolved() {
    check_names(
        "
        //- lib/client.js
        const pool = require('./pool');
        const { acquire: take, release } = require('./pool');
        const Client = require('./class');
        function make() { return new Client(); }
        //- lib/pool.js
        function acquire() {}
        exports.release = function () {};
        module.exports.acquire = acquire;
        //- lib/class.js
        class Client {}
        module.exports = Client;
        ",
        "
        lib/client.js pool -> module lib/pool.js
        lib/client.js pool.acquire -> lib/pool.js:acquire
        lib/client.js take -> lib/pool.js:acquire
        lib/client.js release -> lib/pool.js:release
        ",
    );
    check_uses(
        "
        //- lib/client.js
        const Client = require('./class');
        function make() { return new Client(); }
        //- lib/class.js
        class Client {}
        module.exports = Client;
        ",
        "lib/class.js:Client",
        &["lib/class.js:2 certain", "lib/client.js:2 certain"],
    );
}

#[test]
fn nested_functions_are_used_as_values() {
    const APP: &str = "
        //- app.js
        export function App(rows) {
            function onClick() {}
            const label = (row) => row.name;
            button.addEventListener('click', onClick);
            return rows.map(label);
        }
        export function other(onClick) {
            button.addEventListener('click', onClick);
        }
        ";
    check_uses(APP, "app.js:App.onClick", &["app.js:4 certain"]);
    check_uses(APP, "app.js:App.label", &["app.js:5 certain"]);
}

#[test]
fn functions_inside_of_one_that_returns_an_object_are_members_of_its_result() {
    const DOORS: &str = "
        //- src/door.ts
        export function makeDoor(name: string) {
            return {
                open: () => name,
                close() {},
            } as const;
        }
        export const door = makeDoor('front');
        //- src/lid.ts
        export class Lid { open() {} close() {} }
        //- src/app.ts
        import { door, makeDoor } from './door';
        door.open();
        export function run() {
            makeDoor('top').open();
        }
        ";
    check_uses(
        DOORS,
        "src/door.ts:makeDoor.open",
        &["src/app.ts:2 likely", "src/app.ts:4 likely"],
    );
    check_uses(DOORS, "src/lid.ts:Lid.open", &[]);
}

#[test]
fn constants_of_an_exported_object_are_found() {
    const CODES: &str = "
        //- lib/codes.js
        const codes = { NOT_FOUND: make('NOT_FOUND'), GONE: make('GONE') };
        module.exports = codes;
        //- lib/reply.js
        const { NOT_FOUND } = require('./codes');
        function reply() { throw new NOT_FOUND(); }
        ";
    check_uses(
        CODES,
        "lib/codes.js:codes.NOT_FOUND",
        &["lib/reply.js:2 certain"],
    );
}

#[test]
fn members_of_default_exports_are_found() {
    const LIB: &str = "
        //- lib/api.js
        const api = { get() {}, put: function () {} };
        module.exports = api;
        //- lib/app.js
        var app = exports = module.exports = {};
        app.init = function init() {};
        //- lib/index.js
        module.exports = require('./store');
        //- lib/one.js
        const Store = require('./store');
        module.exports = new Store();
        //- lib/store.js
        class Store { static open() {} save() {} }
        module.exports = Store;
        //- lib/tools.js
        export default { mend() {} };
        //- main.js
        const Store = require('./lib/store');
        const api = require('./lib/api');
        const { get, put: send } = require('./lib/api');
        const app = require('./lib/app');
        const one = require('./lib/one');
        const Indexed = require('./lib');
        function run() {
            Store.open();
            api.get();
            get();
            send();
            app.init();
            one.save();
            new Indexed();
            api.missing();
            tools.mend();
        }
        import tools from './lib/tools';
        ";
    check_uses(LIB, "lib/store.js:Store.open", &["main.js:8 certain"]);
    check_uses(
        LIB,
        "lib/api.js:api.get",
        &["main.js:9 certain", "main.js:10 certain"],
    );
    check_uses(LIB, "lib/api.js:api.put", &["main.js:11 certain"]);
    check_uses(LIB, "lib/app.js:app.init", &["main.js:12 certain"]);
    check_uses(LIB, "lib/store.js:Store.save", &["main.js:13 likely"]);
    check_uses(LIB, "lib/tools.js:default.mend", &["main.js:16 certain"]);
    check_uses(
        LIB,
        "lib/store.js:Store",
        &[
            "lib/one.js:2 certain", "lib/store.js:2 certain", "main.js:8 certain",
            "main.js:14 certain",
        ],
    );
}

#[test]
fn functions_with_prototypes_are_classes() {
    const SHAPES: &str = "
        //- lib/shape.js
        function Shape() {
            this.store = new Store();
            draw();
        }
        Shape.prototype.draw = function () {
            this.store.save();
            this.clear();
        };
        Object.assign(Shape.prototype, { clear() {} });
        function Store() {}
        Store.prototype = { save: function () {} };
        module.exports = Shape;
        //- main.js
        const Shape = require('./lib/shape');
        function run() {
            const shape = new Shape();
            shape.draw();
            new Shape().clear();
        }
        ";
    // The bare name `draw` does not mean the method.
    check_uses(SHAPES, "lib/shape.js:Shape.draw", &["main.js:4 likely"]);
    check_uses(
        SHAPES,
        "lib/shape.js:Shape.clear",
        &["lib/shape.js:7 certain", "main.js:5 likely"],
    );
    check_uses(
        SHAPES,
        "lib/shape.js:Store.save",
        &["lib/shape.js:6 likely"],
    );
}

const OVERLOADS: &str = "
    //- src/manager.ts
    export class Manager {
        update(a: string): void;
        update(a: number): void;
        update(a: boolean): void;
        update(a: Date): void;
        update(a: string[]): void;
        update(a: any) { return a; }
        updateEntity(a: string): void;
        updateEntity(a: number): void;
        updateEntity(a: any) { return a; }
    }
    export function open(a: string): void;
    export function open(a: number): void;
    export function open(a: boolean): void;
    export function open(a: Date): void;
    export function open(a: any) { return a; }
    //- src/main.ts
    import { Manager, open } from './manager';
    export function run(manager: Manager) {
        manager.update(1);
        open(1);
    }
    export function other(unknown) {
        unknown.updateEntity(1);
    }
    ";

#[test]
fn uses_of_overloads_are_those_of_the_implementation() {
    let world = world(OVERLOADS);
    let uses_of = |name: &str| {
        let id = world.named(&format!("src/manager.ts:{name}"));
        assert!(!world.files.definition(id).modifiers.is_overload, "{name}");
        let sites = world.graph.uses_of(id).iter();
        sites
            .map(|site| (site.line, site.confidence.name()))
            .collect::<Vec<_>>()
    };
    assert_eq!(uses_of("Manager.update"), [(3, "likely")]);
    assert_eq!(uses_of("open"), [(4, "certain")]);
    // Overloads do not make the only definition of a rare name uncertain.
    assert_eq!(uses_of("Manager.updateEntity"), [(7, "likely")]);
}

#[test]
fn names_before_a_member_are_uses() {
    const KINDS: &str = "
        //- src/kinds.ts
        export class Checker { static isString(x: any) { return true; } }
        export enum Flags { Text = 1 }
        export namespace tools { export function mend() {} }
        export const settings = { load() {} };
        //- src/main.ts
        import { Checker, Flags, settings, tools } from './kinds';
        import * as kinds from './kinds';
        export function run(x: any) {
            Checker.isString(x) || Checker.isString(1);
            tools.mend();
            settings.load();
            return kinds.Flags.Text + Flags.Text;
        }
        export function hidden(Checker: any) {
            Checker.isString(1);
        }
        ";
    check_uses(KINDS, "src/kinds.ts:Checker", &["src/main.ts:4 certain"]);
    check_uses(KINDS, "src/kinds.ts:tools", &["src/main.ts:5 certain"]);
    check_uses(KINDS, "src/kinds.ts:settings", &["src/main.ts:6 certain"]);
    check_uses(KINDS, "src/kinds.ts:Flags", &["src/main.ts:7 certain"]);
}

#[test]
fn calls_through_methods_of_functions_are_uses() {
    const SHAPES: &str = "
        //- shape.js
        function Shape() {}
        Shape.prototype.draw = function () {};
        function helper() {}
        function run(given) {
            helper.call(null);
            Shape.prototype.draw.apply(given);
            given.call(null);
        }
        ";
    check_uses(SHAPES, "shape.js:helper", &["shape.js:5 certain"]);
    check_uses(SHAPES, "shape.js:Shape.draw", &["shape.js:6 certain"]);
    // Its own definition is not a use.
    check_uses(SHAPES, "shape.js:Shape", &["shape.js:6 certain"]);
}

#[test]
fn members_are_linked_by_the_name_of_their_receiver() {
    const SERVER: &str = "
        //- lib/response.js
        var res = Object.create(http.ServerResponse.prototype);
        module.exports = res;
        res.status = function status(code) { return this; };
        //- lib/reply.js
        class Reply { send(body) {} get(name) {} }
        module.exports = Reply;
        //- app.js
        app.get('/', function (req, res) {
            res.status(200);
        });
        function handler(request, reply) {
            reply.send('a');
            reply.get('a');
            other.send('b');
        }
        ";
    check_uses(SERVER, "lib/response.js:res.status", &["app.js:2 likely"]);
    check_uses(SERVER, "lib/reply.js:Reply.send", &["app.js:5 likely"]);
    // Such a name is a member of everything.
    check_uses(SERVER, "lib/reply.js:Reply.get", &[]);
}

#[test]
fn functions_in_object_literals_are_members() {
    const HANDLERS: &str = "
        //- src/handlers.ts
        export const handlers = {
            open() {},
            close: function () {},
            save: () => {},
            nested: { deep() {} },
        } as const;
        export const frozen = Object.freeze({ lock() {} });
        //- src/main.ts
        import { frozen, handlers } from './handlers';
        handlers.open();
        handlers.close();
        handlers.save();
        handlers.nested.deep();
        frozen.lock();
        ";
    for (member, line) in [
        ("handlers.open", 2),
        ("handlers.close", 3),
        ("handlers.save", 4),
        ("handlers.nested.deep", 5),
        ("frozen.lock", 6),
    ] {
        check_uses(
            HANDLERS,
            &format!("src/handlers.ts:{member}"),
            &[format!("src/main.ts:{line} certain").as_str()],
        );
    }
}

#[test]
fn components_are_used_by_tags() {
    const PAGE: &str = "
        //- src/MyButton.vue
        <template><button/></template>
        <script setup>
        const size = 1;
        </script>
        //- src/Old.vue
        <script>
        export default { name: 'Old' };
        </script>
        //- src/Page.vue
        <template>
            <my-button />
            <MyButton />
            <old-one></old-one>
            <other-thing />
        </template>
        <script>
        import MyButton from './MyButton.vue';
        import Old from './Old.vue';
        export default { components: { MyButton, 'old-one': Old } };
        </script>
        //- src/Row.svelte
        <script>
        export let row;
        </script>
        //- src/Table.svelte
        <script>
        import Row from './Row.svelte';
        </script>
        <Row />
        ";
    check_uses(
        PAGE,
        "src/MyButton.vue:default",
        &[
            "src/Page.vue:2 certain", "src/Page.vue:3 certain", "src/Page.vue:10 certain",
        ],
    );
    check_uses(
        PAGE,
        "src/Old.vue:default",
        &["src/Page.vue:4 certain", "src/Page.vue:10 certain"],
    );
    check_uses(
        PAGE,
        "src/Row.svelte:default",
        &["src/Table.svelte:4 certain"],
    );
}

#[test]
fn components_without_a_script_have_uses() {
    check_uses(
        "
        //- src/Moon.vue
        <template><svg/></template>
        //- src/Page.vue
        <template><Moon /></template>
        <script setup>
        import Moon from './Moon.vue';
        </script>
        ",
        "src/Moon.vue:default",
        &["src/Page.vue:1 certain"],
    );
}

#[test]
fn types_in_type_arguments_of_parameters_are_used() {
    check_uses(
        "
        //- src/shape.ts
        export class Shape { a = 1 }
        //- src/main.ts
        import { Shape } from './shape';
        function area(
            shapes: Map<string, Shape>,
            { first = Shape }: Options,
        ): Shape {
            return new Shape();
        }
        ",
        "src/shape.ts:Shape",
        &[
            "src/main.ts:3 certain", "src/main.ts:4 certain", "src/main.ts:5 certain",
            "src/main.ts:6 certain",
        ],
    );
}

#[test]
fn types_in_documentation_are_used() {
    check_uses(
        "
        //- src/shape.js
        export class Shape { area() { return 1; } }
        //- src/main.js
        /** @import { Shape } from './shape.js' */
        /** @param {Shape} shape */
        export function area(shape) { return 1; }
        /** @returns {import('./shape.js').Shape[]} */
        export function shapes() { return []; }
        //- src/other.js
        /** @typedef {import('./shape.js').Shape} Form */
        /** @type {Map<string, Form>} */
        export const forms = new Map();
        /** @type {import('./shape.js').Shape} */
        export let shape;
        ",
        "src/shape.js:Shape",
        &[
            "src/main.js:2 certain", "src/main.js:4 certain", "src/other.js:2 certain",
            "src/other.js:4 certain",
        ],
    );
}

#[test]
fn declarations_import_declarations() {
    check_names(
        "
        //- src/index.js
        export function format() {}
        //- src/index.d.ts
        export interface Options { width: number }
        export function format(): string;
        //- src/standalone.d.ts
        import { Options } from './index.js';
        //- src/standalone.js
        import { format } from './index.js';
        ",
        "
        src/standalone.d.ts Options -> src/index.d.ts:Options
        src/standalone.js format -> src/index.js:format
        ",
    );
}

#[test]
fn members_of_objects_that_never_change_are_used() {
    const KEYS: &str = "
        //- src/status.ts
        export const Status = { Open: 'open', Closed: 'closed' } as const;
        //- src/keys.js
        const keys = { kName: Symbol('name') };
        module.exports = keys;
        //- src/main.js
        import { Status } from './status';
        const { kName } = require('./keys');
        export const first = Status.Open;
        export function name(given) { return given[kName]; }
        ";
    check_uses(
        KEYS,
        "src/status.ts:Status.Open",
        &["src/main.js:3 certain"],
    );
    check_uses(KEYS, "src/keys.js:keys.kName", &["src/main.js:4 certain"]);
}

#[test]
fn variables_use_what_their_values_name() {
    const STORE: &str = "
        //- src/create.ts
        export function create(options: any) { return options; }
        //- src/store.ts
        import { create } from './create';
        export const store = create({ open() {} });
        ";
    check_used(
        STORE,
        "src/store.ts:store",
        &["src/create.ts:create certain"],
    );
    check_uses(STORE, "src/create.ts:create", &["src/store.ts:2 certain"]);
}

#[test]
fn exports_are_known_by_their_other_names() {
    let world = world(
        "
        //- src/side-bar.vue
        <script setup>
        const size = 1;
        </script>
        //- src/Cart/index.tsx
        export default () => <p/>;
        //- src/pool.js
        function open() {}
        function _close() {}
        export { open, _close as close };
        //- src/en.js
        export default { open: 'Open' };
        ",
    );
    let known = |name: &str| {
        let found = world.symbols.also_named(name).iter();
        found.map(|id| world.describe(*id)).collect::<Vec<_>>()
    };
    assert_eq!(known("SideBar"), ["src/side-bar.vue:default"]);
    assert_eq!(known("Cart"), ["src/Cart/index.tsx:default"]);
    assert_eq!(known("close"), ["src/pool.js:_close"]);
    for name in ["open", "en", "index", "default"] {
        assert_eq!(known(name), [""; 0], "{name}");
    }
}
