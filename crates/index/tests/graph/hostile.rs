//! Tests hostile and odd repositories: resolution terminates, is bounded and does not depend on the order of
//! files.

use std::time::{Duration, Instant};

use super::*;
use super::{ecmascript::WORKSPACE, python::PYTHON, references::SHOP};

#[test]
fn cyclic_imports_and_bases_terminate() {
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
        {\"extends\": [\"./tsconfig.json\", \"./tsconfig.json\", \"./tsconfig.json\", \"./tsconfig.json\", \"./tsconfig.json\", \"./tsconfig.json\", \"./tsconfig.json\", \"./tsconfig.json\"], \"compilerOptions\": {\"paths\": {\"*\": [\"*\"]}}}
        ",
    );
    let class = world.named("a.py:C");
    assert_eq!(world.graph.bases(class), [world.named("a.py:B")]);
    assert_eq!(world.graph.bases(world.named("a.py:A")), []);
    assert_eq!(
        world
            .graph
            .resolve_dotted(&world.files, &world.symbols, "a.x"),
        []
    );
    assert_eq!(
        world
            .graph
            .resolve_dotted(&world.files, &world.symbols, "a.C.nothing"),
        []
    );
}

#[test]
fn cyclic_chains_terminate() {
    let long = "\n.x()".repeat(2_000);
    let text = format!(
        "
//- A.kt
class A {{
    val one = two.x().y()
    val two = one.y().x()
    val three = object : A(three.x().y()) {{ val four = x().y().four.x() }}
    fun x() = y().x().one
    fun y() = three.x().y()
    val long = one{long}
}}
fun A.z() = one.z().z()
val five = with(five) {{ six().x().y() }}
fun six() = with(six().x()) {{ x().y().z() }}
class Other {{ fun x() {{}} }}
//- E.cs
class A {{ A X; }}
class B : A {{ B X; }}
static class E {{
    static A A = A.Z().X.Z();
    static A B = A.Z().X;
    static B Z(this A a) {{ return a.Z().Z().X; }}
    static A Z(this B b) {{ return b.Z().Z().X; }}
}}
"
    );
    let world = world(&text);
    let other = world.named("A.kt:Other.x");
    assert!(world.graph.uses_of(other).is_empty());
}

#[test]
fn functions_that_return_chains_of_each_other_are_bounded() {
    let chain = |name: &str| vec![format!("{name}()"); 14].join(".");
    let mut text = format!(
        "
//- A.kt
class A {{
    fun one(): A = this
    fun two() = {}
    fun three() = {}
    fun four() = {}
    fun close() {{}}
}}
class Other {{ fun close() {{}} }}
",
        chain("one"),
        chain("two"),
        chain("three")
    );
    for number in 0..400 {
        text += &format!("fun use_{number}() {{ A().{}.close() }}\n", chain("four"));
    }
    let started = Instant::now();
    let world = world(&text);
    let uses = world.graph.uses_of(world.named("A.kt:A.close"));
    assert_eq!(uses.len(), 400);
    // Evaluating the chains of each function at each call takes minutes.
    assert!(started.elapsed() < Duration::from_secs(30));
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
    let (found, _) = world
        .graph
        .resolve_name(&world.files, &world.symbols, file, "known_119");
    assert_eq!(world.describe_all(found), "m119.py:known_119");
}

#[test]
fn many_star_imports_of_packages_and_unknown_names_are_bounded() {
    let mut text = String::from("//- cart.cs\nnamespace A { class Cart { } }\n//- user.cs\n");
    text += &"using A;\n".repeat(300);
    text += "class User { void Use() { new Cart();\n";
    for name in 0..1_500 {
        text += &format!("unknown{name}();\n");
    }
    text += "} }\n";
    let started = Instant::now();
    let world = world(&text);
    let file = |path: &str| world.files.find(path).unwrap();
    assert_eq!(world.graph.imports(file("user.cs")), [file("cart.cs")]);
    // Searching for each name once per import takes minutes.
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn webs_of_imports_under_one_name_are_bounded() {
    let mut text = String::from("//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\n");
    text += "use self::known as web7;\npub fn known() {}\n";
    for at in 0..60 {
        text += "use self::b::c as b;\n";
        for other in 0..8 {
            let from = (at * 7 + other) % 60;
            text += &format!("use crate::web{from} as web{at};\n");
        }
    }
    text += "fn all() {\nb();\n";
    for at in 0..60 {
        text += &format!("web{at}();\n");
    }
    text += "}\n";
    let world = world(&text);
    let file = world.files.find("src/lib.rs").unwrap();
    let (found, _) = world
        .graph
        .resolve_name(&world.files, &world.symbols, file, "web0");
    assert_eq!(world.describe_all(found), "src/lib.rs:known");
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
fn graph_does_not_depend_on_file_order() {
    for text in [PYTHON, WORKSPACE, SHOP] {
        let mut reversed = sources(text);
        reversed.reverse();
        assert_eq!(of_sources(reversed).dump(), world(text).dump());
    }
}

#[test]
fn ids_of_another_snapshot_find_nothing() {
    let world = world(SHOP);
    let foreign = DefId {
        file: foveate_index::FileId(9_999),
        local: foveate_model::LocalId(0),
    };
    assert!(world.graph.uses_of(foreign).is_empty());
    assert!(world.graph.tests_of(foreign).is_empty());
    let file = foveate_index::FileId(9_999);
    assert!(world.graph.imports(file).is_empty());
    let (found, module) = world
        .graph
        .resolve_name(&world.files, &world.symbols, file, "Pool");
    assert!(found.is_empty() && module.is_none());
}
