//! Tests names of definitions that are not written at them, and names that mean a type and a value.

use foveate_index::DefId;

use super::*;

const SHOP: &str = "
    //- src/side-bar.vue
    <script setup>
    const size = 1
    </script>

    //- src/text.ts
    function _enum(values: string[]) { return values }
    export { _enum as choice }
    export interface ShopText { text: string }
    export const ShopText = make('text')

    //- src/create.ts
    export function buildShop() { return function createShop() {} }
    export const createShop = buildShop()

    //- src/index.ts
    import { choice } from './text'
    export { choice as option, ShopText as default } from './text'
    export { choice as selection }
";

fn named(query: &str) -> Vec<(String, f32)> {
    let snapshot = snapshot(SHOP, &[]);
    let found = find(&snapshot, query, &Focus::default());
    let definitions = found.definitions.iter();
    let written = definitions.filter(|d| d.from == EvidenceSource::InlineCode);
    let described = written.map(|d| {
        let name = described(&snapshot, &[d.definition]).concat();
        (name, d.strength)
    });
    described.collect()
}

#[test]
fn components_and_exports_are_found_by_their_other_names() {
    for (query, wanted) in [
        ("`SideBar` overlaps", "src/side-bar.vue:default"),
        ("`choice` is empty", "src/text.ts:_enum"),
        ("`option` is empty", "src/text.ts:_enum"),
        ("`selection` is empty", "src/text.ts:_enum"),
    ] {
        let names: Vec<String> = named(query).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [wanted], "{query}");
    }
}

#[test]
fn interface_and_constant_of_one_name_are_both_meant() {
    let found = named("`ShopText` is wrong");
    let alone = named("`choice` is wrong");
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["src/text.ts:ShopText"; 2]);
    // Neither makes the other uncertain.
    assert!(found.iter().all(|(_, strength)| *strength == alone[0].1));
}

#[test]
fn value_is_not_hidden_by_the_local_function_that_it_is_made_of() {
    let found = named("`createShop` is slow").into_iter();
    let names: Vec<String> = found.map(|(name, _)| name).collect();
    let wanted = [
        "src/create.ts:buildShop.createShop",
        "src/create.ts:createShop",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn constant_made_by_an_inner_function_of_its_name_is_meant_too() {
    const FACTORY: &str = "
        //- factory.js
        export function makeOpener() {
            return function openShop(shop) { return shop }
        }
        export const openShop = makeOpener()
        //- other.js
        export const openShop = 2
        ";
    let snapshot = snapshot(FACTORY, &[]);
    let found = find(&snapshot, "who uses openShop", &Focus::default());
    let symbols = found.symbols.iter().filter(|s| s.name == "openShop");
    assert_eq!(
        resolved_by(&snapshot, symbols),
        ["factory.js:makeOpener.openShop", "factory.js:openShop"]
    );
    // Both are one meaning of the name.
    assert!(
        found
            .definitions
            .iter()
            .all(|evidence| { evidence.meanings == 1 && evidence.strength == evidence.mention })
    );
}

#[test]
fn name_that_files_give_to_an_import_is_looked_up() {
    const SHOP: &str = "
        //- shop/utils.py
        class Missing:
            pass


        missing = Missing()

        //- shop/fields.py
        from shop.utils import missing as missing_


        class Field:
            def missing(self):
                return missing_

        //- shop/desk.py
        from .utils import Missing as Absent


        def find():
            return Absent()
        ";
    let snapshot = snapshot(SHOP, &[]);
    for (query, name, wanted) in [
        ("who uses missing_", "missing_", "shop/utils.py:missing"),
        ("who uses `missing_`?", "missing_", "shop/utils.py:missing"),
        (
            "where is missing_ defined?", "missing_", "shop/utils.py:missing",
        ),
        ("who uses Absent?", "Absent", "shop/utils.py:Missing"),
    ] {
        let found = find(&snapshot, query, &Focus::default());
        let named = found.symbols.iter().find(|symbol| symbol.name == name);
        assert_eq!(
            resolved_by(&snapshot, named.into_iter()),
            [wanted],
            "{query}"
        );
        assert!(found.has_only_names, "{query}");
    }
    // Only a question for a name is about one file's name of it.
    let found = find(&snapshot, "missing_ is returned twice", &Focus::default());
    assert!(!found.symbols.iter().any(|symbol| symbol.name == "missing_"));
}

#[test]
fn member_of_a_misspelt_type_is_meant_alone() {
    const SETTINGS: &str = "
        //- src/LevelConfiguration.cs
        class LevelConfiguration { public void Override(string source) { } }
        //- src/SinkSettings.cs
        class SinkSettings { public void Override(string source) { } }
        ";
    let snapshot = snapshot(SETTINGS, &[]);
    let query = "`LevelConfigration.Override()` is ignored";
    let found = find(&snapshot, query, &Focus::default());
    let of = |source: EvidenceSource| {
        let symbols = found.symbols.iter();
        resolved_by(&snapshot, symbols.filter(|symbol| symbol.from == source))
    };
    assert_eq!(
        of(EvidenceSource::Fuzzy),
        ["src/LevelConfiguration.cs:LevelConfiguration.Override"]
    );
    assert_eq!(of(EvidenceSource::InlineCode), [""; 0]);
    assert_eq!(found.unknown_names, ["LevelConfigration.Override"]);
}

#[test]
fn parts_of_a_type_in_one_namespace_are_one_meaning() {
    let meanings = |namespace: &str| {
        let mut code = String::new();
        for number in 0..6 {
            code.push_str(&format!(
                "//- src/Shelf.Part{number}.cs\nnamespace {};\npartial class Shelf {{ void Add{number}() {{ }} }}\n",
                namespace.replace('N', &number.to_string()),
            ));
        }
        let snapshot = snapshot(&code, &[]);
        let found = find(&snapshot, "who uses `Shelf`?", &Focus::default());
        let mut evidence = found.definitions.into_iter();
        let evidence = evidence.find(|of| of.from == EvidenceSource::InlineCode);
        evidence.map(|of| of.meanings)
    };
    assert_eq!(meanings("Shop.Stock"), Some(1));
    assert_eq!(meanings("Shop.PartN"), Some(6));
}

#[test]
fn type_with_parts_in_several_files_means_the_file_of_its_name() {
    const SHELF: &str = "
        //- src/Shelf.cs
        namespace Shop;
        partial class Shelf { void Open() { } }
        //- src/Shelf.Events.cs
        namespace Shop;
        partial class Shelf { void Notify() { } }
        //- src/Shelf.Limits.cs
        namespace Shop;
        partial class Shelf { void Check() { } }
        ";
    let snapshot = snapshot(SHELF, &[]);
    let found = find(&snapshot, "`Shelf` is slow", &Focus::default());
    let evidence = found.definitions.iter();
    let mut evidence = evidence.filter(|of| of.from == EvidenceSource::InlineCode);
    let described = |id: DefId| described(&snapshot, &[id]).concat();
    let sure = evidence.clone().filter(|of| of.strength >= of.mention);
    let sure: Vec<String> = sure.map(|of| described(of.definition)).collect();
    assert_eq!(sure, ["src/Shelf.cs:Shelf"]);
    assert!(evidence.any(|of| described(of.definition) == "src/Shelf.Events.cs:Shelf"));
}

#[test]
fn file_is_named_by_its_whole_name_whatever_its_extension() {
    let shop = "
        //- config/rules-base.neon
        parameters:
            level: 8
        //- shop/cart.py
        def total(cart):
            return cart.total
        ";
    let snapshot = snapshot(shop, &[]);
    let found = |query: &str| find(&snapshot, query, &Focus::default());
    let files = |query: &str| {
        let found = found(query).files.into_iter();
        let found = found.filter(|found| found.from == EvidenceSource::Path);
        let paths = found.map(|found| snapshot.files.path(found.file).to_owned());
        paths.collect::<Vec<String>>()
    };
    for query in [
        "rules-base.neon has an obsolete entry",
        "Which level is set in `rules-base.neon`?",
    ] {
        assert_eq!(files(query), ["config/rules-base.neon"], "{query}");
        assert_eq!(found(query).unknown_names, [""; 0], "{query}");
    }
    let lines = found("rules-base.neon:2 is wrong").lines;
    assert_eq!(lines.iter().map(|at| at.line).collect::<Vec<_>>(), [2]);
    for query in ["cart.total is wrong", "Where is `base.neon` read?"] {
        assert_eq!(files(query), [""; 0], "{query}");
    }
}

#[test]
fn hidden_file_is_named_without_an_extension() {
    let shop = "
        //- .rspec
        --order rand
        //- shop/.env.example
        PORT=1
        //- shop/cart.py
        def rspec(env):
            return env
        //- tests/.env
        PORT=2
        ";
    let snapshot = snapshot(shop, &[]);
    let files = |query: &str| {
        let found = find(&snapshot, query, &Focus::default()).files.into_iter();
        let found = found.filter(|found| found.from == EvidenceSource::Path);
        let paths = found.map(|found| snapshot.files.path(found.file).to_owned());
        paths.collect::<Vec<String>>()
    };
    assert_eq!(files("What does .rspec set?"), [".rspec"]);
    assert_eq!(
        files("Which port has `.env.example`?"),
        ["shop/.env.example"]
    );
    for query in [
        "What calls .then in the shop?",
        "Where is rspec set?",
        "Which tests load .env files?",
        "All .py files",
    ] {
        assert_eq!(files(query), [""; 0], "{query}");
    }
}
