//! Registers Kotlin.

mod lookup;
mod traces;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line, dotted_import};
use crate::languages::java::{
    is_in_shipped_sources, is_in_test_sources, is_integration_test, is_test_package,
};
use crate::languages::keyword_heads;
use crate::origin::form::OriginForm;
use crate::role::conventions::{Ecosystem, Roles, is_test_class};

pub(super) static KOTLIN: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["kt", "kts"]),
    parser: Some(|language, text, _, limits| {
        let shown = walker::mask_misread_words(text);
        walker::WALKER.facts_of(language, text, shown.as_bytes(), limits)
    }),
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &["build.gradle.kts", "settings.gradle.kts"],
            ..Ecosystem::NONE
        },
        is_test: |file| {
            is_test_class(file) && !is_in_shipped_sources(file)
                || is_integration_test(file)
                || is_in_test_sources(file)
        },
        is_test_package,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["kt", "kts", "kotlin"],
        lines: &[
            Line::when("fun ", |line| line.ends_with('{') || line.contains(") = ")),
            Line::starting("suspend fun "),
            Line::starting("override fun "),
            Line::starting("data class "),
            Line::starting("val "),
        ],
        pasted: &["fun main(", "suspend fun ", "override fun ", "data class "],
        imports: Some(Imports {
            brackets: |line| line.starts_with("import ").then_some(&['(', '{']),
            names: dotted_import,
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        runtime: |path| {
            let is_own = path.starts_with("kotlin/") && path.ends_with(".kt");
            is_own.then_some(path)
        },
        runtime_packages: &["kotlin."],
        ..OriginForm::NONE
    },
    hunks: Some(keyword_heads::heads(&["kt", "kts"])),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    family: "jvm",
    modules: Some(&super::java::modules::MODULES),
    lookup: lookup::LOOKUP,
    tests: super::java::lookup::TESTS,
    ..LanguageRules::new("kotlin", 7)
};

#[cfg(test)]
mod tests {
    use super::KOTLIN;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_recognized() {
        check(
            KOTLIN.hunks.unwrap(),
            &[
                ("fun main() {", Some("main")),
                (
                    "    private suspend fun load(id: Int): Cart {",
                    Some("load"),
                ),
                ("fun String.words(): List<String> =", Some("words")),
                ("inline fun <reified T> Cart.of(): T {", Some("of")),
                ("fun <T> List<T>.second(): T = this[1]", Some("second")),
                ("    override fun toString() = name", Some("toString")),
                ("    operator fun get(at: Int): Item", Some("get")),
                ("@Composable fun CartView(cart: Cart) {", Some("CartView")),
                (
                    "    @Test fun `sums an empty cart`() {",
                    Some("sums an empty cart"),
                ),
                ("data class Cart(val size: Int)", Some("Cart")),
                ("sealed interface Item", Some("Item")),
                ("fun interface Visitor {", Some("Visitor")),
                ("enum class Color(val rgb: Int) {", Some("Color")),
                ("    companion object {", None),
                ("object Shop : Base() {", Some("Shop")),
                ("val sum = fun(a: Int) {", None),
            ],
        );
    }
}
