//! The graph on whole small repositories written as text: one `check` function per question.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;

use foveate_index::{DefId, Files, Graph, Symbols};
use foveate_model::{ObjectId, SourceFile};
use foveate_parse::Limits;

struct World {
    files: Files,
    symbols: Symbols,
    graph: Graph,
}

fn sources(text: &str) -> Vec<SourceFile> {
    foveate_fixture::repository(text)
        .into_iter()
        .map(|file| {
            let by_name = foveate_parse::language_by_name(&file.path);
            let (language, content) =
                foveate_parse::read(by_name, file.text.as_bytes(), &Limits::default());
            let (content, skipped) = match content {
                Ok(content) => (Some(Arc::new(content)), None),
                Err(reason) => (None, Some(reason)),
            };
            SourceFile {
                role: foveate_parse::role(&file.path, language, false),
                blob: ObjectId::from_sha1([0; 20]),
                size: file.text.len() as u64,
                path: file.path,
                language,
                content,
                skipped,
            }
        })
        .collect()
}

fn world(text: &str) -> World {
    of_sources(sources(text))
}

fn of_sources(sources: Vec<SourceFile>) -> World {
    let files = Files::new(sources);
    let symbols = Symbols::new(&files);
    let graph = Graph::new(&files, &symbols);
    World {
        files,
        symbols,
        graph,
    }
}

impl World {
    fn describe(&self, id: DefId) -> String {
        let path = self.files.path(self.files.file_of(id));
        format!("{path}:{}", self.files.definition(id).qualified_name)
    }

    fn describe_all(&self, ids: impl IntoIterator<Item = DefId>) -> String {
        let all: Vec<String> = ids.into_iter().map(|id| self.describe(id)).collect();
        all.join(" ")
    }

    /// The definition that `describe` would call so.
    fn named(&self, description: &str) -> DefId {
        let (_, name) = description.split_once(':').unwrap();
        let candidates = self.symbols.qualified(name);
        *candidates
            .iter()
            .rev()
            .find(|id| self.describe(**id) == description)
            .unwrap_or_else(|| panic!("{description} is not defined"))
    }

    fn dump(&self) -> String {
        let mut dump = String::new();
        for id in self.files.definition_ids() {
            let graph = &self.graph;
            dump += &format!(
                "{} {:?} {:?} {:?} {:?} {:?}\n",
                self.describe(id),
                graph.uses_of(id),
                graph.used_by(id),
                graph.bases(id),
                graph.subclasses(id),
                graph.tests_of(id),
            );
        }
        for id in self.files.ids() {
            dump += &format!(
                "{:?} {:?} {:?}\n",
                self.graph.imports(id),
                self.graph.importers(id),
                self.graph.test_files_of(id)
            );
        }
        dump
    }
}

/// Each line of `expected` is `path name -> definitions`, for names at the top level of a file.
fn check_names(repository: &str, expected: &str) {
    let world = world(repository);
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (question, answer) = line.split_once(" -> ").unwrap();
        let (path, name) = question.split_once(' ').unwrap();
        let file = world.files.find(path).unwrap();
        let mut found = world.describe_all(world.graph.resolve_name(&world.files, file, name));
        if let Some(module) = world.graph.resolve_name_module(&world.files, file, name) {
            found = format!("module {}", world.files.path(module));
        }
        if found.is_empty() {
            found = String::from("nothing");
        }
        assert_eq!(found, answer, "{question}");
    }
}

/// Each line is `dotted.path -> definitions`.
fn check_dotted(repository: &str, expected: &str) {
    let world = world(repository);
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (path, answer) = line.split_once(" -> ").unwrap();
        let mut found = world.describe_all(world.graph.resolve_dotted(&world.files, path));
        if found.is_empty() {
            found = String::from("nothing");
        }
        assert_eq!(found, answer, "{path}");
    }
}

/// Each line is `path: files that it imports`.
fn check_imports(repository: &str, expected: &str) {
    let world = world(repository);
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (path, answer) = line.split_once(':').unwrap();
        let file = world.files.find(path).unwrap();
        let imports = world.graph.imports(file);
        for imported in imports {
            assert!(world.graph.importers(*imported).contains(&file));
        }
        let found: Vec<&str> = imports.iter().map(|id| world.files.path(*id)).collect();
        assert_eq!(found.join(" "), answer.trim(), "{path}");
    }
}

/// The uses of a definition, as `path:line confidence` each.
#[track_caller]
fn check_uses(repository: &str, definition: &str, expected: &[&str]) {
    let world = world(repository);
    let found: Vec<String> = world
        .graph
        .uses_of(world.named(definition))
        .iter()
        .map(|site| {
            let path = world.files.path(site.file);
            format!("{path}:{} {}", site.line, site.confidence.name())
        })
        .collect();
    assert_eq!(found, expected, "{definition}");
}

/// The tests of a definition, as `path:name Link` each.
#[track_caller]
fn check_tests(repository: &str, definition: &str, expected: &[&str]) {
    let world = world(repository);
    let found: Vec<String> = world
        .graph
        .tests_of(world.named(definition))
        .iter()
        .map(|(id, link)| format!("{} {link:?}", world.describe(*id)))
        .collect();
    assert_eq!(found, expected, "{definition}");
}

/// The test files of a file, as `path Link` each.
#[track_caller]
fn check_test_files(repository: &str, path: &str, expected: &[&str]) {
    let world = world(repository);
    let found: Vec<String> = world
        .graph
        .test_files_of(world.files.find(path).unwrap())
        .iter()
        .map(|(id, link)| format!("{} {link:?}", world.files.path(*id)))
        .collect();
    assert_eq!(found, expected, "{path}");
}

// Python: modules and names.

const PYTHON: &str = "
    //- setup.py
    from setuptools import setup
    //- src/shop/__init__.py
    from .client import Client as Client
    from . import models
    from .star import *
    //- src/shop/client.py
    from __future__ import annotations
    import shop.models
    import shop.db.pool as pool
    from .db.pool import (Pool as P, acquire)
    from . import models as m
    from shop import models, Client as Again
    try:
        from ..nowhere import lost
    except ImportError:
        from .fallback import lost
    class Client:
        def connect(self):
            from .db import late
            return late
    //- src/shop/fallback.py
    def lost(): pass
    //- src/shop/models.py
    class Model:
        def save(self): pass
    class User(Model):
        pass
    //- src/shop/models.pyi
    class Model: ...
    //- src/shop/db/__init__.py
    def late(): pass
    //- src/shop/db/pool.py
    from ..models import User
    class Pool: pass
    def acquire(): pass
    //- src/shop/star.py
    from .deeper import *
    __all__ = ['listed', 'deep']
    def listed(): pass
    def unlisted(): pass
    //- src/shop/deeper.py
    def deep(): pass
    def _hidden(): pass
    ";

#[test]
fn python_imports_of_every_form() {
    check_names(
        PYTHON,
        "
        src/shop/client.py P -> src/shop/db/pool.py:Pool
        src/shop/client.py acquire -> src/shop/db/pool.py:acquire
        src/shop/client.py pool -> module src/shop/db/pool.py
        src/shop/client.py pool.Pool -> src/shop/db/pool.py:Pool
        src/shop/client.py m.Model -> src/shop/models.py:Model
        src/shop/client.py models.User.save -> src/shop/models.py:Model.save
        src/shop/client.py shop.models.User -> src/shop/models.py:User
        src/shop/client.py shop.Client -> src/shop/client.py:Client
        src/shop/client.py Again -> src/shop/client.py:Client
        src/shop/client.py lost -> src/shop/fallback.py:lost
        src/shop/client.py late -> src/shop/db/__init__.py:late
        src/shop/client.py annotations -> nothing
        src/shop/__init__.py Client -> src/shop/client.py:Client
        src/shop/__init__.py models -> module src/shop/models.py
        src/shop/__init__.py listed -> src/shop/star.py:listed
        src/shop/__init__.py deep -> src/shop/deeper.py:deep
        src/shop/__init__.py unlisted -> nothing
        src/shop/__init__.py _hidden -> nothing
        src/shop/db/pool.py User -> src/shop/models.py:User
        ",
    );
}

#[test]
fn python_imports_lead_to_files() {
    check_imports(
        PYTHON,
        "
        setup.py:
        src/shop/client.py: src/shop/__init__.py src/shop/db/__init__.py src/shop/db/pool.py src/shop/fallback.py src/shop/models.py
        src/shop/db/pool.py: src/shop/models.py
        ",
    );
}

#[test]
fn python_dotted_paths_follow_reexports() {
    check_dotted(
        PYTHON,
        "
        shop.Client -> src/shop/client.py:Client
        shop.client.Client.connect -> src/shop/client.py:Client.connect
        shop.models.User.save -> src/shop/models.py:Model.save
        shop.db.late -> src/shop/db/__init__.py:late
        shop.listed -> src/shop/star.py:listed
        shop.nothing -> nothing
        elsewhere.Client -> nothing
        ",
    );
}

#[test]
fn python_namespace_packages_and_other_roots() {
    let repository = "
        //- packages/storage/google/cloud/storage/__init__.py
        //- packages/storage/google/cloud/storage/client.py
        class Client: pass
        //- packages/queue/google/cloud/tasks.py
        class Queue: pass
        //- vendored/__init__.py
        //- vendored/six/__init__.py
        //- vendored/six/moves.py
        def get(): pass
        //- app.py
        from google.cloud.storage.client import Client
        from google.cloud import storage, tasks
        from six.moves import get
        import helpers
        import logging
        import random
        //- tools/random.py
        def seed(): pass
        //- tools/logging/__init__.py
        //- tools/run.py
        import helpers
        import random
        //- tools/helpers.py
        def help_me(): pass
        ";
    check_names(
        repository,
        "
        app.py Client -> packages/storage/google/cloud/storage/client.py:Client
        app.py storage -> module packages/storage/google/cloud/storage/__init__.py
        app.py tasks.Queue -> packages/queue/google/cloud/tasks.py:Queue
        app.py get -> vendored/six/moves.py:get
        app.py helpers -> nothing
        app.py logging -> nothing
        app.py random -> nothing
        tools/run.py helpers.help_me -> tools/helpers.py:help_me
        tools/run.py random -> module tools/random.py
        ",
    );
}

#[test]
fn python_takes_the_root_nearest_to_the_importer() {
    let repository = "
        //- a/tests/__init__.py
        //- a/tests/support.py
        def make(): pass
        //- a/tests/test_it.py
        from tests.support import make
        //- b/tests/__init__.py
        //- b/tests/support.py
        def make(): pass
        //- b/tests/test_it.py
        from tests.support import make
        ";
    check_imports(
        repository,
        "
        a/tests/test_it.py: a/tests/support.py
        b/tests/test_it.py: b/tests/support.py
        ",
    );
}

// ECMAScript: modules and names.

const WORKSPACE: &str = r##"
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
fn ecmascript_imports_of_every_form() {
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
fn ecmascript_imports_lead_to_files() {
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
fn ecmascript_probes_endings_outputs_and_directories() {
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
fn commonjs_requires() {
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

// References.

const SHOP: &str = "
    //- shop/client.py
    from shop.pool import Pool, make_pool
    import shop.pool as pools
    class Base:
        def close_all(self): pass
        def ping(self): pass
    class Client(Base):
        limit = 3
        def __init__(self, pool: Pool):
            self.pool = pool
            self.spare = Pool()
        def connect(self):
            self.ping()
            self.pool.acquire()
            self.spare.acquire()
            return super().close_all()
        def reconnect(self):
            return self.connect()
    def direct():
        pool = pools.Pool()
        pool.acquire()
        Pool.acquire(pool)
        pools.make_pool().acquire()
        Pool().acquire()
    def annotated(one: Pool, two: 'pools.Pool' = None):
        one.acquire()
        two.acquire()
    def shadowed(make_pool):
        make_pool()
    def hidden():
        make_pool = print
        make_pool()
    def recursive():
        recursive()
    //- shop/pool.py
    class Pool:
        def acquire(self): pass
        def get(self): pass
    def make_pool() -> Pool:
        return Pool()
    //- shop/__init__.py
    ";

#[test]
fn methods_through_receivers() {
    check_uses(
        SHOP,
        "shop/pool.py:Pool.acquire",
        &[
            "shop/client.py:13 likely",
            "shop/client.py:14 likely",
            "shop/client.py:20 likely",
            "shop/client.py:21 certain",
            "shop/client.py:22 likely",
            "shop/client.py:23 likely",
            "shop/client.py:25 likely",
            "shop/client.py:26 likely",
        ],
    );
}

#[test]
fn methods_through_classes_and_bases() {
    check_uses(
        SHOP,
        "shop/client.py:Base.ping",
        &["shop/client.py:12 certain"],
    );
    check_uses(
        SHOP,
        "shop/client.py:Base.close_all",
        &["shop/client.py:15 certain"],
    );
    check_uses(
        SHOP,
        "shop/client.py:Client.connect",
        &["shop/client.py:17 certain"],
    );
}

#[test]
fn local_names_hide_imported_ones_and_recursion_is_no_caller() {
    check_uses(
        SHOP,
        "shop/pool.py:make_pool",
        &["shop/client.py:22 certain"],
    );
    check_uses(SHOP, "shop/client.py:recursive", &[]);
}

#[test]
fn enclosing_definitions_and_what_they_use() {
    let world = world(SHOP);
    let used = |name: &str| {
        let used = world.graph.used_by(world.named(name));
        let mut names: Vec<String> = used
            .iter()
            .map(|(id, confidence)| {
                let name = world.describe(*id);
                format!("{} {}", name.split(':').nth(1).unwrap(), confidence.name())
            })
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        used("shop/client.py:Client.reconnect"),
        ["Client.connect certain"]
    );
    assert_eq!(
        used("shop/client.py:direct"),
        ["Pool certain", "Pool.acquire certain", "make_pool certain"]
    );
    let site = world
        .graph
        .uses_of(world.named("shop/client.py:Client.connect"))[0];
    assert_eq!(
        site.enclosing,
        Some(world.named("shop/client.py:Client.reconnect"))
    );
}

#[test]
fn callers_are_not_invented() {
    let repository = "
        //- a.py
        import os, requests
        from external import thing
        def use(mapping, other):
            mapping.get('x')
            requests.get('x')
            thing.very_special_method()
            os.path.join('a')
            acquire()
            other.plainly()
        //- b.py
        class Cache:
            def get(self, key): pass
            def join(self): pass
            def very_special_method(self): pass
            def plainly(self): pass
        def acquire(): pass
        def plainly(): pass
        //- c.py
        class Another:
            def plainly(self): pass
        //- d.py
        class Third:
            def plainly(self): pass
        //- e.py
        class Fourth:
            def plainly(self): pass
        ";
    for definition in [
        "b.py:Cache.get",
        "b.py:Cache.join",
        "b.py:Cache.very_special_method",
        "b.py:Cache.plainly",
        "b.py:acquire",
        "c.py:Another.plainly",
    ] {
        check_uses(repository, definition, &[]);
    }
}

#[test]
fn rare_names_link_as_what_they_are() {
    let repository = "
        //- a.py
        def use(one, two):
            one.reserve_seats()
            two.release_seats()
            two.settle()
            [x.reserve_seats() for x in one]
        //- b.py
        class Cinema:
            def reserve_seats(self): pass
            def release_seats(self): pass
            def settle(self): pass
        //- c.py
        class Theatre:
            def release_seats(self): pass
        ";
    check_uses(
        repository,
        "b.py:Cinema.reserve_seats",
        &["a.py:2 likely", "a.py:5 likely"],
    );
    check_uses(
        repository,
        "b.py:Cinema.release_seats",
        &["a.py:3 name_only"],
    );
    check_uses(
        repository,
        "c.py:Theatre.release_seats",
        &["a.py:3 name_only"],
    );
    check_uses(repository, "b.py:Cinema.settle", &["a.py:4 name_only"]);
}

#[test]
fn names_never_cross_languages() {
    check_uses(
        "
        //- a.ts
        export function use(x) { return x.reserveSeats(); }
        //- b.py
        class Cinema:
            def reserveSeats(self): pass
        ",
        "b.py:Cinema.reserveSeats",
        &[],
    );
}

#[test]
fn ecmascript_receivers() {
    let repository = "
        //- src/service.ts
        export class Service {
            start() { return this; }
            protected helper() { this.start(); }
            static create(): Service { return new Service(); }
        }
        //- src/app.tsx
        import { Service } from './service';
        export class App extends Service {
            @inject(Service)
            protected readonly service: Service;
            private spare = new Service();
            constructor(protected readonly given: Service) { super(); }
            run(extra?: Service) {
                this.service.start();
                this.spare.start();
                this.given.start();
                extra?.start();
                const local = new Service();
                local.start();
                Service.create().start();
                super.start();
                this.start();
                [1].map(start => start());
            }
        }
        export const view = (service: Service) => <Service />;
        ";
    check_uses(
        repository,
        "src/service.ts:Service.start",
        &[
            "src/app.tsx:8 likely",
            "src/app.tsx:9 likely",
            "src/app.tsx:10 likely",
            "src/app.tsx:11 likely",
            "src/app.tsx:13 likely",
            "src/app.tsx:14 likely",
            "src/app.tsx:15 certain",
            "src/app.tsx:16 certain",
            "src/service.ts:3 certain",
        ],
    );
    check_uses(
        repository,
        "src/service.ts:Service.create",
        &["src/app.tsx:14 certain"],
    );
}

#[test]
fn merged_declarations_and_aliases() {
    let repository = "
        //- src/service.ts
        export const Service = Symbol('Service');
        export interface Service {
            start(): void;
        }
        export namespace Service {
            export function is(value: unknown): boolean { return check(value); }
            function check(value: unknown): boolean { return true; }
            export const known: Options = {};
            export interface Options { deep: boolean }
        }
        export type Alias = Service | undefined;
        export type Shape = { width: number };
        //- src/app.ts
        import { Alias, Service, Shape } from './service';
        class App {
            constructor(private service: Service) {}
            run(alias: Alias, shape: Shape) {
                this.service.start();
                alias.start();
                Service.is(shape.width);
            }
        }
        ";
    check_uses(
        repository,
        "src/service.ts:Service.start",
        &["src/app.ts:5 likely", "src/app.ts:6 likely"],
    );
    check_uses(
        repository,
        "src/service.ts:Service.is",
        &["src/app.ts:7 certain"],
    );
    check_uses(
        repository,
        "src/service.ts:Service.check",
        &["src/service.ts:6 certain"],
    );
    check_uses(
        repository,
        "src/service.ts:Service.Options",
        &["src/service.ts:8 certain"],
    );
    check_uses(
        repository,
        "src/service.ts:Shape.width",
        &["src/app.ts:7 likely"],
    );
}

#[test]
fn ambient_modules_are_what_the_package_is() {
    check_names(
        "
        //- packages/api/package.json
        {\"name\": \"@shop/api\", \"types\": \"src/api.d.ts\"}
        //- packages/api/src/api.d.ts
        declare module '@shop/api' {
            export class Session { stop(): void }
        }
        //- packages/app/main.ts
        import * as api from '@shop/api';
        import { Session } from '@shop/api';
        ",
        "
        packages/app/main.ts Session -> packages/api/src/api.d.ts:@shop/api.Session
        packages/app/main.ts api.Session -> packages/api/src/api.d.ts:@shop/api.Session
        ",
    );
}

#[test]
fn members_of_external_values_are_external() {
    check_uses(
        "
        //- a.ts
        import * as chai from 'chai';
        import { client } from 'elsewhere';
        const expect = chai.expect;
        expect(1).to.reserveSeats(1);
        client.make().reserveSeats();
        document.reserveSeats();
        //- b.ts
        export class Cinema { reserveSeats() { return 1; } }
        ",
        "b.ts:Cinema.reserveSeats",
        &[],
    );
}

#[test]
fn inheritance_goes_both_ways() {
    let world = world(
        "
        //- shop/__init__.py
        from .base import Model
        //- shop/base.py
        class Model: pass
        //- app.py
        import shop
        class User(shop.Model): pass
        class Admin(User, dict): pass
        ",
    );
    let model = world.named("shop/base.py:Model");
    let user = world.named("app.py:User");
    assert_eq!(world.graph.bases(user), [model]);
    assert_eq!(world.graph.subclasses(model), [user]);
    assert_eq!(world.graph.subclasses(user), [world.named("app.py:Admin")]);
}

// Tests.

#[test]
fn python_tests_are_linked() {
    let repository = "
        //- shop/__init__.py
        from .client import Client
        //- shop/client.py
        class Client:
            def connect(self): pass
            def close_now(self): pass
        def parse_url(text): pass
        def unrelated(): pass
        //- tests/test_client.py
        from shop import Client
        class TestClient:
            def test_connect_twice(self):
                client = Client()
                client.connect()
            def test_other(self):
                Client().close_now()
        def test_parse_url():
            pass
        //- tests/test_other.py
        import shop.client
        def helper():
            shop.client.unrelated()
        def test_it():
            shop.client.Client()
        def test_parse_url():
            pass
        def test_unknown():
            connect()
        ";
    check_tests(
        repository,
        "shop/client.py:Client",
        &[
            "tests/test_client.py:TestClient.test_connect_twice Reference",
            "tests/test_client.py:TestClient.test_other Reference",
            "tests/test_other.py:test_it Reference",
            "tests/test_client.py:TestClient Name",
        ],
    );
    check_tests(
        repository,
        "shop/client.py:Client.connect",
        &["tests/test_client.py:TestClient.test_connect_twice Reference"],
    );
    check_tests(
        repository,
        "shop/client.py:parse_url",
        &[
            "tests/test_client.py:test_parse_url Name",
            "tests/test_other.py:test_parse_url Name",
        ],
    );
    check_tests(repository, "shop/client.py:unrelated", &[]);
    check_test_files(
        repository,
        "shop/client.py",
        &[
            "tests/test_client.py Reference",
            "tests/test_other.py Reference",
        ],
    );
}

#[test]
fn private_functions_are_tested_through_their_callers() {
    let repository = "
        //- shop/__init__.py
        //- shop/parse.py
        def parse(text):
            return _scan(text)
        def _scan(text):
            return _next(text)
        def _next(text):
            return _far(text)
        def _far(text):
            pass
        //- tests/test_parse.py
        from shop.parse import parse
        def test_parse():
            parse('')
        class TestServer:
            def start(self):
                parse('')
        ";
    check_tests(
        repository,
        "shop/parse.py:parse",
        &["tests/test_parse.py:test_parse Reference"],
    );
    for private in ["shop/parse.py:_scan", "shop/parse.py:_next"] {
        check_tests(
            repository,
            private,
            &["tests/test_parse.py:test_parse Indirect"],
        );
    }
    check_tests(repository, "shop/parse.py:_far", &[]);
}

#[test]
fn test_files_by_path_and_import() {
    let repository = "
        //- src/view/panel.tsx
        export const Panel = () => null;
        //- src/view/__tests__/panel.test.tsx
        describe('panel', () => {});
        //- src/model/panel.ts
        export const model = 1;
        //- src/model/panel.spec.ts
        describe('panel', () => {});
        //- src/other.spec.ts
        import './model/panel';
        //- src/index.ts
        export const all = 1;
        ";
    check_test_files(
        repository,
        "src/view/panel.tsx",
        &["src/view/__tests__/panel.test.tsx Path"],
    );
    check_test_files(
        repository,
        "src/model/panel.ts",
        &["src/other.spec.ts Import", "src/model/panel.spec.ts Path"],
    );
    check_test_files(repository, "src/index.ts", &[]);
}

// Hostile and odd repositories.

#[test]
fn cycles_end() {
    let world = world(
        "
        //- a.py
        from b import *
        from b import x, y as z
        class A(A): pass
        class B(C): pass
        class C(B):
            def f(self):
                self.missing_everywhere()
                x.missing_everywhere()
        v = v.w
        def g():
            u = u.w
            u.missing_everywhere()
        //- b.py
        from a import *
        from a import x, z as y
        //- pkg/__init__.py
        from . import pkg
        from .pkg import pkg
        //- m.ts
        export * from './n';
        export { p as q } from './n';
        import { q } from './n';
        q.missingEverywhere();
        //- n.ts
        export * from './m';
        export { q as p } from './m';
        //- tsconfig.json
        {\"extends\": \"./tsconfig.json\", \"compilerOptions\": {\"paths\": {\"*\": [\"*\"]}}}
        ",
    );
    let class = world.named("a.py:C");
    assert_eq!(world.graph.bases(class), [world.named("a.py:B")]);
    assert_eq!(world.graph.bases(world.named("a.py:A")), []);
    assert_eq!(world.graph.resolve_dotted(&world.files, "a.x"), []);
    assert_eq!(world.graph.resolve_dotted(&world.files, "a.C.nothing"), []);
}

#[test]
fn webs_of_star_imports_are_bounded() {
    let mut text = String::new();
    for file in 0..120 {
        text += &format!("//- m{file}.py\n");
        for other in 0..120 {
            text += &format!("from m{other} import *\n");
        }
        for name in 0..20 {
            text += &format!("unknown_{file}_{name}()\n");
        }
        text += &format!("def known_{file}(): pass\n");
    }
    let world = world(&text);
    let file = world.files.find("m0.py").unwrap();
    let found = world.graph.resolve_name(&world.files, file, "known_119");
    assert_eq!(world.describe_all(found), "m119.py:known_119");
}

#[test]
fn huge_and_broken_settings_are_harmless() {
    let patterns: Vec<String> = (0..3_000)
        .map(|n| format!("\"p{n}/*\": [\"src/*\", 7, null]"))
        .collect();
    let nested = format!("{}\"x\"{}", "{\"a\":".repeat(100), "}".repeat(100));
    check_names(
        &format!(
            "
//- tsconfig.json
{{\"compilerOptions\": {{\"paths\": {{{}}}}}}}
//- package.json
{{\"name\": 7, \"exports\": {nested}, \"main\": [\"../../../etc/passwd\"]}}
//- lib/package.json
{{\"name\": \"broken\", \"exports\": {nested}, \"main\": \"../../../etc/passwd\"}}
//- lib/tsconfig.json
{{ not json
//- src/a.ts
export const a = 1;
//- lib/b.ts
import {{ a }} from 'p1/a';
import * as broken from 'broken';
import {{ out }} from '../../../out';
",
            patterns.join(",\n")
        ),
        "
        lib/b.ts a -> src/a.ts:a
        lib/b.ts broken -> nothing
        lib/b.ts out -> nothing
        ",
    );
}

#[test]
fn the_order_of_files_does_not_matter() {
    for text in [PYTHON, WORKSPACE, SHOP] {
        let mut reversed = sources(text);
        reversed.reverse();
        assert_eq!(of_sources(reversed).dump(), world(text).dump());
    }
}

#[test]
fn ids_of_another_snapshot_find_nothing() {
    let world = world(SHOP);
    let stranger = DefId(9_999);
    assert!(world.graph.uses_of(stranger).is_empty());
    assert!(world.graph.tests_of(stranger).is_empty());
    let file = foveate_index::FileId(9_999);
    assert!(world.graph.imports(file).is_empty());
    assert!(
        world
            .graph
            .resolve_name(&world.files, file, "Pool")
            .is_empty()
    );
}
