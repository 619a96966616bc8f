//! Ruby, without a parser: its names, traces and heads of definitions.

use foveate_model::{Language, LanguageRules};

use super::keyword_heads;
use super::{LanguageSpec, Names};
use crate::code::CodeForm;
use crate::origin::{
    Origin, OriginForm, PackageHome, PackageManager, before_version, below, installed,
};
use crate::role::{Ecosystem, Roles};
use crate::traces::{Mark, Order, TraceForm, frame, leading_location};

pub(super) static RUBY: LanguageSpec = LanguageSpec {
    names: Names {
        files: &[
            "Rakefile",
            "Gemfile",
            "Podfile",
            "Vagrantfile",
            "Fastfile",
            "Brewfile",
        ],
        programs: &["ruby"],
        lock_files: &["Gemfile.lock"],
        ..Names::extensions(&["rb", "rake", "gemspec"])
    },
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &["vagrantfile", "gemfile", "rakefile"],
            ..Ecosystem::NONE
        },
        is_test: |file| file.stem.ends_with("_spec") || file.stem.ends_with("_test"),
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["rb", "ruby"],
        ..CodeForm::NONE
    },
    traces: TraceForm {
        extensions: &["rb"],
        read: located,
        ..TraceForm::NONE
    },
    hunks: Some(keyword_heads::heads(&["rb"])),
    origins: OriginForm {
        manager: Some(&GEM),
        package,
        runtime: |path| Some(below(path, "lib/ruby")?.split_once('/')?.1),
        ..OriginForm::NONE
    },
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("ruby", 10);

static GEM: PackageManager = PackageManager {
    name: "gem",
    home: PackageHome::Named { ending: ".gemspec" },
    is_built: false,
};

/// `/usr/lib/ruby/gems/2.7.0/gems/rake-13.0.1/lib/rake.rb`
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "gems")?;
    Some((rest, installed(&GEM, rest, before_version(rest)?)?))
}

/// `a/b.rb:12:in 'name'`.
fn located(text: &str) -> Option<Mark> {
    let text = text.strip_prefix("from ").unwrap_or(text);
    let (place, rest) = leading_location(text, ".rb")?;
    let name = rest
        .strip_prefix("in ")?
        .trim_matches(['`', '\'', '"', ' ']);
    let name = name.split_once(['\'', '"']).map_or(name, |(name, _)| name);
    // `block in name` stands in `name`.
    let name = name.rsplit_once(" in ").map_or(name, |(_, name)| name);
    let name = name.replace(['#', ':'], ".").replace("..", ".");
    Some(Mark::Frame(frame(place, &name), Order::InnermostFirst))
}
