//! Recognises code in the text of an issue: the language of a block, lines pasted without a fence, and the
//! names in import statements. All that it knows of a language comes from its [`form::CodeForm`].

pub(crate) mod form;

use foveate_model::Language;

use self::form::Imports;
use crate::languages;

/// Number of lines of a block that are examined.
const MAX_LINES: usize = 200;
/// Longest import statement, in lines.
const MAX_STATEMENT_LINES: usize = 100;

/// Returns the language that a fence's info string names: `python`, `{.py}`, `ts title="a.ts"`.
pub fn named(info: &str) -> Option<Language> {
    let word = info
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#')))
        .find(|word| !word.is_empty())?
        .to_ascii_lowercase();
    languages::all()
        .find(|spec| spec.code.fences.contains(&word.as_str()))
        .map(|spec| spec.language)
}

/// Returns the word for the code of a file in a fence; empty for plain text.
pub fn fence(language: Language, path: &str) -> &'static str {
    let form = &languages::spec(language).code;
    let of_file = (form.fence_of_file)(path).or(form.fence);
    of_file.unwrap_or(language.name())
}

/// Returns what begins a comment of one line.
pub fn line_comment(language: Language) -> &'static str {
    languages::spec(language).code.line_comment
}

/// Returns the language that most lines match; `None` if no line is characteristic of a language.
pub fn guessed(lines: &[&str]) -> Option<Language> {
    let mut votes: Vec<(Language, usize)> = Vec::new();
    for line in lines.iter().take(MAX_LINES) {
        let Some(language) = of_line(line.trim()) else {
            continue;
        };
        match votes.iter_mut().find(|vote| vote.0 == language) {
            Some(vote) => vote.1 += 1,
            None => votes.push((language, 1)),
        }
    }
    // Ties go to the language that comes first in the table.
    let count = |language| votes.iter().find(|vote| vote.0 == language);
    let best = languages::all()
        .rev()
        .filter_map(|spec| count(spec.language))
        .max_by_key(|vote| vote.1)?;
    Some(best.0)
}

/// Returns the language that a line is characteristic of. Of several matches, the one with the longest
/// beginning wins.
fn of_line(line: &str) -> Option<Language> {
    let (language, _) = languages::all()
        .rev()
        .flat_map(|spec| spec.code.lines.iter().map(|known| (spec.language, known)))
        .filter(|(_, known)| line.starts_with(known.start) && (known.fits)(line))
        .max_by_key(|(_, known)| known.start.len())?;
    Some(language)
}

/// Whether a line, without the blanks around it, begins as only code does.
pub fn begins_like_code(line: &str) -> bool {
    let starts = languages::all().flat_map(|spec| spec.code.pasted);
    starts.into_iter().any(|start| line.starts_with(start))
}

/// Whether a line opens an indented block: `if x:`, `else:`.
pub fn opens_block(line: &str) -> bool {
    let words = languages::all().flat_map(|spec| spec.code.block_words);
    line.ends_with(':') && words.into_iter().any(|word| line.starts_with(word))
}

/// Returns the names that the lines import, in order: absolute dotted names, and `specifier.name`.
pub fn imports(lines: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        next += 1;
        let line = strip_prompt(line).trim();
        let Some(brackets) = forms().find_map(|imports| (imports.brackets)(line)) else {
            continue;
        };
        let mut statement = line.to_owned();
        if let Some(open) = brackets.iter().find(|open| line.contains(**open)) {
            let close = if *open == '(' { ')' } else { '}' };
            let following = lines.iter().skip(next).take(MAX_STATEMENT_LINES);
            let end = following.clone().position(|line| line.contains(close));
            if let (false, Some(end)) = (statement.contains(close), end) {
                for line in following.take(end + 1) {
                    statement.push(' ');
                    statement.push_str(strip_prompt(line).trim());
                }
                next += end + 1;
            }
        }
        let statement = statement.trim_end_matches(';');
        let imported = forms().find_map(|imports| (imports.names)(statement));
        names.extend(
            imported
                .into_iter()
                .flatten()
                .filter(|name| is_import(name)),
        );
    }
    names
}

/// Longest name of an import, in bytes.
const MAX_NAME: usize = 300;

/// Whether an import can have this name.
fn is_import(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$'))
        && name.len() <= MAX_NAME
        && !name.contains(char::is_whitespace)
}

fn forms() -> impl Iterator<Item = Imports> {
    languages::all().filter_map(|spec| spec.code.imports)
}

/// Strips the prompt of an interactive session.
pub fn strip_prompt(line: &str) -> &str {
    let line = line.trim_start();
    let mut forms = languages::all().map(|spec| &spec.code);
    forms
        .find_map(|form| (form.after_prompt)(line))
        .unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(language: Option<Language>) -> &'static str {
        language.map_or("", Language::name)
    }

    #[test]
    fn fence_info_strings_name_languages() {
        for (info, language) in [
            ("python", "python"),
            ("{.py}", "python"),
            ("ts title=\"a.ts\"", "typescript"),
            ("C++", "cpp"),
            ("mermaid", ""),
            ("", ""),
        ] {
            assert_eq!(name(named(info)), language, "{info}");
        }
    }

    #[test]
    fn fence_of_markup_depends_on_the_file() {
        let markup = named("html").unwrap();
        for (path, word) in [
            ("pom.xml", "xml"),
            ("res/Layout.XML", "xml"),
            ("style/page.xslt", "xml"),
            ("index.html", "html"),
            ("page.j2", "html"),
        ] {
            assert_eq!(fence(markup, path), word, "{path}");
        }
        let text = named("text").unwrap();
        assert_eq!(fence(text, "notes.txt"), "");
    }

    #[test]
    fn language_of_code_is_guessed() {
        for (code, language) in [
            ("x\ndef f(x):\n    return 1", "python"),
            ("const a = 1;\nlet b", "javascript"),
            ("let mut a = 1;", "rust"),
            ("use acme::Cart;", "rust"),
            ("package shop\n\nimport \"fmt\"", "go"),
            ("package org.acme;\nimport org.acme.Cart;", "java"),
            ("fun main() {\n    val a = 1\n}", "kotlin"),
            ("require 'shop'\nputs 1", "ruby"),
            ("def sum(a)\n  a\nend", "ruby"),
            ("$cart = new Cart();\n$cart->sum();", "php"),
            ("use Acme\\Cart;", "php"),
            ("#include <stdio.h>\nint main(void) {", "c"),
            ("#include <vector>\nstd::vector<int> a;", "cpp"),
            ("using Acme.Shop;\nnamespace A;", "csharp"),
            ("a b c", ""),
        ] {
            let lines: Vec<&str> = code.lines().collect();
            assert_eq!(name(guessed(&lines)), language, "{code}");
        }
    }

    #[test]
    fn imported_names_are_read() {
        for (text, wanted) in [
            ("from a.b import C, d as e", vec!["a.b.C", "a.b.d"]),
            (
                ">>> from a import (B,\n...     c)\n>>> x",
                vec!["a.B", "a.c"],
            ),
            ("from a import *", vec!["a"]),
            ("from . import x", vec![]),
            ("import a.b as c, d", vec!["a.b", "d"]),
            ("import X from 'lib'", vec!["lib"]),
            (
                "import {\n  a,\n  type B as C\n} from \"@s/lib\";",
                vec!["@s/lib.a", "@s/lib.B"],
            ),
            ("import * as m from 'm'", vec!["m"]),
            ("import './side'", vec![]),
            (
                "const { a, b: c } = require('lib/x')",
                vec!["lib/x.a", "lib/x.b"],
            ),
            ("const lib = require('lib');", vec!["lib"]),
            ("import org.acme.Client;", vec!["org.acme.Client"]),
            (
                "import static org.acme.Client.of;",
                vec!["org.acme.Client.of"],
            ),
            ("import kotlinx.coroutines.*", vec!["kotlinx.coroutines"]),
            ("import org.acme.Cart as Basket", vec!["org.acme.Cart"]),
            ("import \"acme.io/shop\"", vec!["acme.io/shop"]),
            ("import s \"acme.io/shop\"", vec!["acme.io/shop"]),
            (
                "import (\n\t\"fmt\"\n\n\ts \"acme.io/shop\"\n)",
                vec!["fmt", "acme.io/shop"],
            ),
            ("use acme::shop::Cart;", vec!["acme::shop.Cart"]),
            (
                "use acme::{shop::{self, Cart}, Line as L};",
                vec!["acme::shop", "acme::shop.Cart", "acme.Line"],
            ),
            (
                "pub use acme::shop::{\n    Cart,\n    Line,\n};",
                vec!["acme::shop.Cart", "acme::shop.Line"],
            ),
            ("use acme::prelude::*;", vec!["acme::prelude"]),
            ("use std::fmt;", vec![]),
            ("use Acme\\Shop\\Cart;", vec!["Acme\\Shop\\Cart"]),
            ("use Acme\\Shop\\Cart as Basket;", vec!["Acme\\Shop\\Cart"]),
            (
                "use Acme\\Shop\\{Cart, Line as L};",
                vec!["Acme\\Shop\\Cart", "Acme\\Shop\\Line"],
            ),
            ("use function Acme\\sum;", vec!["Acme\\sum"]),
            ("using Acme.Shop;", vec!["Acme.Shop"]),
            ("using static Acme.Shop.Cart;", vec!["Acme.Shop.Cart"]),
            ("using C = Acme.Shop.Cart;", vec!["Acme.Shop.Cart"]),
            ("using var cart = new Cart();", vec![]),
            ("using (var a = b) {", vec![]),
            ("#include \"shop/cart.h\"", vec!["shop/cart.h"]),
            ("# include <shop/cart.hpp>", vec!["shop/cart.hpp"]),
            ("require 'shop/cart'", vec!["shop/cart"]),
            ("require \"shop\" # all", vec!["shop"]),
            ("autoload :Cart, 'shop/cart'", vec!["shop/cart"]),
            ("require_relative 'cart'", vec![]),
            ("irb(main):001:0> require 'shop'", vec!["shop"]),
            ("use the cart::sum of it", vec![]),
            ("from here on it fails", vec![]),
            ("import (", vec![]),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(imports(&lines), wanted, "{text}");
        }
    }
}
