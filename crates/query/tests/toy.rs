//! Tests that a language is only a folder and its lines in one table: the toy language (`crates/parse/tests/toy`),
//! which no other code mentions, has every feature that a language can have.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use foveate_fixture::snapshot::of_text;
use foveate_index::{Confidence, DefId, Snapshot};
use foveate_model::{Language, Role};
use foveate_parse::{Limits, code, hunks, languages, traces};
use foveate_query::resolve::{EvidenceSource, resolve};
use foveate_query::text::QueryText;
use foveate_query::{Deadline, RankingConfig, Request};

const SHOP: &str = "
    //- shop/item.toy
    class Item
      fun price(of: Item) -> Item
      end
    end
    //- shop/cart.toy
    # Holds items.
    use item: Item
    class Base
      fun empty_out(me_too: Base)
      end
    end
    class Cart(Base)
      has first: Item
      fun add(item: Item) -> Cart
        item.price()
        me.empty_out()
        me.first.price()
      end
    end
    fun refill(cart: Cart)
      let other = Cart()
      let declared: Item
      other.add()
      declared.price()
      Cart().add().empty_out()
      world.print()
    end
    //- shop/cart_check.toy
    use shop.cart: Cart, refill
    fun check_refill()
      refill()
    end
    //- shop/other.toy
    fun add()
    end
    //- other.py
    def refill():
        pass
";

fn snapshot() -> Snapshot {
    of_text(SHOP)
}

fn toy() -> Language {
    languages::by_name("toy").unwrap()
}

fn describe(snapshot: &Snapshot, id: DefId) -> String {
    let path = snapshot.files.path(id.file);
    format!("{path}:{}", snapshot.files.definition(id).qualified_name)
}

fn named(snapshot: &Snapshot, path: &str, name: &str) -> DefId {
    let file = snapshot.files.find(path).unwrap();
    let all = snapshot.symbols.qualified(name).iter();
    all.copied().find(|id| id.file == file).unwrap()
}

/// Returns the definitions that a definition's body refers to.
fn used(snapshot: &Snapshot, path: &str, name: &str) -> Vec<(String, Confidence)> {
    let used = snapshot.graph.used_by(named(snapshot, path, name)).iter();
    used.map(|(id, confidence)| (describe(snapshot, *id), *confidence))
        .collect()
}

#[test]
fn toy_definitions_and_roles_are_found() {
    let snapshot = snapshot();
    let cart = named(&snapshot, "shop/cart.toy", "Cart");
    let definition = snapshot.files.definition(cart);
    assert_eq!((definition.lines.start, definition.lines.end), (7, 14));
    assert_eq!(&*definition.bases[0], "Base");
    assert_eq!(
        describe(&snapshot, snapshot.graph.bases(cart)[0]),
        "shop/cart.toy:Base"
    );
    for (path, role) in [
        ("shop/cart.toy", Role::Source),
        ("shop/cart_check.toy", Role::Test),
        ("a_made.toy", Role::Generated),
        ("toys.lock", Role::Generated),
        ("sub/toys.txt", Role::Configuration),
    ] {
        let path = foveate_model::RepoPath::new(path).unwrap();
        let language = foveate_parse::language_by_name(&path).unwrap_or(Language::TEXT);
        assert_eq!(foveate_parse::role(&path, language, false), role, "{path}");
    }
    let (language, _) = foveate_parse::read(None, b"#!/usr/bin/env toy2\n", &Limits::default());
    assert_eq!(language, toy());
}

#[test]
fn toy_references_resolve_across_files() {
    let snapshot = snapshot();
    let imported = snapshot
        .graph
        .imports(snapshot.files.find("shop/cart.toy").unwrap());
    let imported: Vec<&str> = imported.iter().map(|id| snapshot.files.path(*id)).collect();
    assert_eq!(imported, ["shop/item.toy"]);
    let likely = |name: &str| (name.to_owned(), Confidence::Likely);
    let certain = |name: &str| (name.to_owned(), Confidence::Certain);
    assert_eq!(
        used(&snapshot, "shop/cart.toy", "Cart.add"),
        [
            certain("shop/cart.toy:Base.empty_out"),
            certain("shop/cart.toy:Cart.first"),
            likely("shop/item.toy:Item.price"),
        ]
    );
    assert_eq!(
        used(&snapshot, "shop/cart.toy", "refill"),
        [
            likely("shop/cart.toy:Base.empty_out"),
            certain("shop/cart.toy:Cart"),
            likely("shop/cart.toy:Cart.add"),
            likely("shop/item.toy:Item.price"),
        ]
    );
}

#[test]
fn toy_tests_are_linked() {
    let snapshot = snapshot();
    let tests = snapshot
        .graph
        .tests_of(named(&snapshot, "shop/cart.toy", "refill"));
    let tests: Vec<String> = tests
        .iter()
        .map(|(id, _)| describe(&snapshot, *id))
        .collect();
    assert_eq!(tests, ["shop/cart_check.toy:check_refill"]);
    let files = snapshot
        .graph
        .test_files_of(snapshot.files.find("shop/cart.toy").unwrap());
    assert_eq!(snapshot.files.path(files[0].0), "shop/cart_check.toy");
}

#[test]
fn toy_issue_text_is_parsed_and_resolved() {
    let query = "Cart breaks\n\n```toy\nuse shop.cart: Cart\n```\n\nToys broke:\nin Cart.add of \
                 /home/a/shop/cart.toy:11\nbroken: no item\n";
    let text = QueryText::parse(query);
    assert_eq!(text.imports, ["shop.cart.Cart"]);
    assert_eq!(text.frames[0].line, 11);
    let languages: Vec<Option<Language>> = text.segments.iter().map(|s| s.language).collect();
    assert_eq!(languages.iter().filter(|l| **l == Some(toy())).count(), 2);
    assert_eq!(code::guessed(&["fun a()"]), Some(toy()));
    assert_eq!(traces::signal(Some(toy())), "toy_trace");
    assert_eq!(traces::error_text("broken: no item"), "no item");

    let snapshot = snapshot();
    let config = RankingConfig::default();
    let request = Request::default();
    let deadline = Deadline::none();
    let found = resolve(&snapshot, &text, &request, &config.resolve, &deadline);
    let frame = found
        .symbols
        .iter()
        .find(|symbol| symbol.from == EvidenceSource::Traceback);
    let definitions = frame.unwrap().definitions.iter();
    let resolved: Vec<String> = definitions.map(|id| describe(&snapshot, *id)).collect();
    assert_eq!(resolved, ["shop/cart.toy:Cart.add"]);
}

#[test]
fn toy_files_are_recognised_in_prose() {
    let text = QueryText::parse("The sum in cart.toy is wrong, that in cart.tuy, too.");
    let paths: Vec<&str> = text.paths.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["cart.toy"]);
}

#[test]
fn toy_hunk_headers_name_functions() {
    let heads = hunks::of_path("shop/cart.toy").unwrap();
    assert_eq!(heads.defines("  fun add(item: Item)"), Some("add"));
    assert_eq!(heads.named("class Cart(Base)"), Some("Cart"));
    assert!(hunks::attributes().contains("*.toy diff=foveate-toy\n"));
    assert!(
        hunks::settings()
            .iter()
            .any(|s| s.starts_with("diff.foveate-toy.xfuncname="))
    );
}
