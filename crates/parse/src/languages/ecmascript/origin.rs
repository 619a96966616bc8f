//! Recognises paths of npm packages, of the runtime's own modules, and of bundled files.

use crate::origin::form::{Origin, OriginForm, PackageHome, PackageManager, below, installed};

pub(super) const ORIGINS: OriginForm = OriginForm {
    manager: Some(&NPM),
    package,
    runtime,
    is_copied: |path| script(path).is_some(),
    bundle,
    is_minified: |frame| frame.column >= MINIFIED_COLUMN && script(&frame.path).is_some(),
    is_script: |path| script(path).is_some(),
    component_extensions: &["vue", "svelte", "tsx", "jsx", "ts", "js"],
    ..OriginForm::NONE
};

static NPM: PackageManager = PackageManager {
    name: "npm",
    home: PackageHome::Modules,
    is_built: true,
};

/// Smallest column of a minified file: no line of a source is that long.
const MINIFIED_COLUMN: u32 = 1_000;

/// Modules of Node that old versions print without a directory.
const NODE_MODULES: &[&str] = &[
    "assert", "async_hooks", "buffer", "child_process", "cluster", "crypto", "dgram", "dns",
    "domain", "events", "fs", "http", "http2", "https", "module", "net", "path", "process",
    "querystring", "readline", "repl", "stream", "string_decoder", "timers", "tls", "tty", "url",
    "util", "v8", "vm", "worker_threads", "zlib",
];

/// Formats and modes that bundlers write between the dots of a file name.
const FORMATS: &[&str] = &[
    "amd", "browser", "bundle", "cjs", "common", "development", "es", "es5", "esm", "esm-browser",
    "esm-bundler", "global", "iife", "legacy", "min", "modern", "module", "prod", "production",
    "runtime", "system", "umd",
];

/// Names of built files that contain a whole application.
const APPLICATION_NAMES: &[&str] = &[
    "app", "bundle", "build", "chunk", "client", "common", "commons", "index", "main", "polyfills",
    "scripts", "vendor", "vendors",
];

/// Names of built files that suffice alone; the other names are also used for sources.
const BUNDLES: &[&str] = &["bundle", "chunk", "vendor", "vendors", "polyfills"];

fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "node_modules")?;
    if rest.starts_with('.') {
        // `.vite/deps/vue.js`: a file that a development server bundled.
        let origin = bundle(rest).unwrap_or_else(|| {
            let name = script(rest).unwrap_or_default();
            Origin::Bundle(name.rsplit('_').next().filter(|name| !name.is_empty()))
        });
        return Some((rest, origin));
    }
    let scope = if rest.starts_with('@') {
        rest.find('/')? + 1
    } else {
        0
    };
    let end = scope + rest.get(scope..)?.find('/')?;
    Some((rest, installed(&NPM, rest, end)?))
}

/// Returns the path of a module of the runtime without its prefix.
pub(super) fn runtime(path: &str) -> Option<&str> {
    if let Some(module) = path.strip_prefix("node:") {
        return Some(module);
    }
    let is_node = script(path).is_some_and(|module| {
        path.starts_with("internal/") || (!path.contains('/') && NODE_MODULES.contains(&module))
    });
    is_node.then_some(path)
}

fn bundle(path: &str) -> Option<Origin<'_>> {
    let stem = script(path)?;
    let (name, rest) = stem.split_once('.').unwrap_or((stem, ""));
    let has_format = rest.split('.').any(|part| FORMATS.contains(&part));
    let of_application = APPLICATION_NAMES.contains(&name) || has_hash(stem);
    if BUNDLES.contains(&name) || has_hash(stem) || (has_format && of_application) {
        return Some(Origin::Bundle(None));
    }
    has_format.then_some(Origin::Bundle(Some(name)))
}

/// Returns the name of a script that an engine runs, without its extension; `None` for other files.
fn script(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    matches!(extension, "js" | "mjs" | "cjs").then_some(stem)
}

/// Whether a part of a name after the first is a content hash: `index-4f3a`, `main.8e0d62ab`,
/// `chunk-4XKHB2AD`, `index-DiwrgTda`.
fn has_hash(stem: &str) -> bool {
    stem.split(['-', '.', '_', '~']).skip(1).any(|part| {
        let count = |is: fn(&char) -> bool| part.chars().filter(is).count();
        let digits = count(char::is_ascii_digit);
        let upper = count(char::is_ascii_uppercase);
        let is_mixed = digits > 0 && digits < part.len();
        let is_hex = part.len() >= 4 && part.bytes().all(|b| b.is_ascii_hexdigit());
        let is_base64 = part.len() == 8 && part.bytes().all(|b| b.is_ascii_alphanumeric());
        (is_hex && is_mixed) || (is_base64 && (is_mixed || (2..8).contains(&upper)))
    })
}
