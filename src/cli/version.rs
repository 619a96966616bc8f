//! Composes the output of `foveate --version`: the origin of this build (`build.rs`) and the formats it writes.

use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::engine;
use crate::store;

static LONG: LazyLock<String> = LazyLock::new(|| {
    let mut formats = vec![format!("database {}", store::schema())];
    for stage in engine::stage_formats() {
        let mut text = format!("{} {}.{}", stage.name, stage.format, stage.version);
        if stage.oldest < stage.format {
            let _ = write!(text, " (reads {} and later)", stage.oldest);
        }
        formats.push(text);
    }
    format!(
        "{}\ncommit:   {}\nbuild:    {}, {}\ngrammars: {}\nformats:  {}",
        env!("CARGO_PKG_VERSION"),
        env!("FOVEATE_BUILD_COMMIT"),
        env!("FOVEATE_BUILD_PROFILE"),
        env!("FOVEATE_BUILD_TARGET"),
        env!("FOVEATE_BUILD_GRAMMARS"),
        formats.join(", ")
    )
});

/// Version, commit, profile and target of the build, grammars, and formats of stored data: each on a line.
pub(super) fn long() -> &'static str {
    &LONG
}
