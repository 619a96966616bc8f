//! Recognizes files of gems and of the Ruby standard library by their paths.

use crate::origin::form::{
    Origin, OriginForm, PackageHome, PackageManager, before_version, below, installed,
};

pub(super) const ORIGINS: OriginForm = OriginForm {
    manager: Some(&GEM),
    package,
    runtime: |path| Some(below(path, "lib/ruby")?.split_once('/')?.1),
    ..OriginForm::NONE
};

static GEM: PackageManager = PackageManager {
    name: "gem",
    home: PackageHome::Named { ending: ".gemspec" },
    is_built: false,
};

/// Recognizes a file of a gem: `/usr/lib/ruby/gems/2.7.0/gems/rake-13.0.1/lib/rake.rb`.
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "gems")?;
    if path.contains("/bundler/gems/") {
        // A git checkout: `cart-0a1b2c3d4e5f/lib/cart.rb`.
        let (directory, _) = rest.split_once('/')?;
        return Some((rest, installed(&GEM, rest, directory.rfind('-')?)?));
    }
    Some((rest, installed(&GEM, rest, before_version(rest)?)?))
}
