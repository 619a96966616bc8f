//! Defines a toy language for tests: it proves that a language consists of this folder and its lines in
//! `languages.rs`. It uses every hook, and a hand-written parser instead of a grammar.
//!
//! ```text
//! # Adds things up.
//! use shop.item: Item
//! class Cart(Base):
//!   has first: Item
//!   fun add(item: Item) -> Cart
//!     let other = Cart()
//!     other.add(item)
//!   end
//! end
//! ```

mod modules;
mod parser;

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::hunks::heads::{HunkHeads, Pattern, after_keyword};
use crate::role::conventions::{Ecosystem, Roles};
use crate::sections::format::Format;
use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::places::{frame, location};
use crate::values::{Binding, ValueForm, leading_name};

pub(super) static TOY: LanguageSpec = LanguageSpec {
    names: Names {
        programs: &["toy"],
        lock_files: &["toys.lock"],
        ..Names::extensions(&["toy"])
    },
    parser: Some(|language, text, _, _| Some(parser::facts(language, text))),
    values: Some(ValueForm {
        bindings: |scan, code| {
            let Some(rest) = code.strip_prefix("let ") else {
                return;
            };
            let name = leading_name(rest);
            let after = rest.get(name.len()..).unwrap_or("");
            let binding = match (after.strip_prefix(": "), after.strip_prefix(" = ")) {
                (Some(declared), _) => Binding::Annotation(declared),
                (_, Some(value)) => Binding::Value(value),
                _ => Binding::Unknown,
            };
            scan.bind(name, binding);
        },
        has_nameless_scopes: false,
        return_mark: "->",
        parameter_modifiers: &[],
        has_documented_types: false,
        patterns: &[],
    }),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_endings: &["_made.toy"],
            configuration_names: &["toys.txt"],
            ..Ecosystem::NONE
        },
        is_test: |file| file.stem.ends_with("_check"),
        ..Roles::NONE
    },
    sections: |_| Some(Format::Prose),
    code: CodeForm {
        fences: &["toy"],
        lines: &[Line::starting("fun ")],
        pasted: &["fun "],
        imports: Some(Imports {
            brackets: |line| line.starts_with("use ").then_some(&[]),
            names: |statement| {
                let rest = statement.strip_prefix("use ")?;
                let (module, list) = rest.split_once(": ").unwrap_or((rest, ""));
                let names = list.split(", ").filter(|name| !name.is_empty());
                Some(names.map(|name| format!("{module}.{name}")).collect())
            },
        }),
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["toy"],
        read: |text| {
            let (function, place) = text.strip_prefix("in ")?.split_once(" of ")?;
            let place = location(place).filter(|(path, ..)| path.ends_with(".toy"))?;
            Some(Mark::Frame(frame(place, function), Order::InnermostFirst))
        },
        is_header: |text| text == "Toys broke:",
        is_error: |text| text.starts_with("broken: "),
        error_prefixes: &["broken: "],
        signal: "toy_trace",
        ..TraceForm::NONE
    },
    hunks: Some(HunkHeads {
        pattern: Pattern::Own("foveate-toy", r"^([[:space:]]*(fun|class)[[:space:]].*)$"),
        extensions: &["toy"],
        shows_indentation: true,
        named: |line| after_keyword(line, &[], &["fun", "class"]),
        is_definition: |_| true,
    }),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        receivers: &[("me", Receiver::Instance)],
        super_name: Some("above"),
        self_types: &["Me"],
        globals: &["world"],
        builtin_members: &["print"],
        ..LookupRules::DEFAULT
    },
    tests: TestConventions {
        file_endings: &["_check"],
        function_beginnings: &["check"],
        class_beginnings: &[],
        class_endings: &["Checks"],
        ..TestConventions::COMMON
    },
    ..LanguageRules::new("toy", 200)
};
