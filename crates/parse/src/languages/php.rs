//! PHP, without a parser: its names, traces and heads of definitions.

use foveate_model::{Language, LanguageRules};

use super::keyword_heads;
use super::{LanguageSpec, Names};
use crate::code::{CodeForm, Line};
use crate::origin::{Origin, OriginForm, PackageHome, PackageManager, below, installed};
use crate::role::conventions::is_test_class;
use crate::role::{Ecosystem, Roles};
use crate::traces::{Mark, Order, TraceForm, frame, leading_number};

pub(super) static PHP: LanguageSpec = LanguageSpec {
    names: Names {
        programs: &["php"],
        lock_files: &["composer.lock"],
        ..Names::extensions(&["php", "phtml"])
    },
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &["composer.json"],
            ..Ecosystem::NONE
        },
        is_test: is_test_class,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["php"],
        lines: &[Line::starting("<?php")],
        pasted: &["<?php"],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["php"],
        read: numbered,
        ..TraceForm::NONE
    },
    hunks: Some(keyword_heads::heads(&["php"])),
    origins: OriginForm {
        manager: Some(&COMPOSER),
        package,
        ..OriginForm::NONE
    },
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("php", 11);

static COMPOSER: PackageManager = PackageManager {
    name: "composer",
    home: PackageHome::Manifest {
        file: "composer.json",
        key: "\"name\"",
    },
    is_built: false,
};

fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "vendor").filter(|_| path.ends_with(".php"))?;
    let (end, _) = rest.match_indices('/').nth(1)?;
    Some((rest, installed(&COMPOSER, rest, end)?))
}

/// `#0 /a.php(12): A->b()`.
fn numbered(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix('#')?;
    if leading_number(rest) == 0 && !rest.starts_with('0') {
        return None;
    }
    let rest = rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let (path, rest) = rest.split_once(".php(")?;
    let function = rest
        .split_once("): ")
        .map_or("", |(_, name)| name)
        .replace("->", ".")
        .replace("::", ".");
    let path = format!("{path}.php");
    Some(Mark::Frame(
        frame((&path, leading_number(rest), 0), &function),
        Order::InnermostFirst,
    ))
}
