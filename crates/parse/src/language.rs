//! What a path's name says about its content: the language, and whether to read it at all.

use foveate_model::{Language, RepoPath, SkipReason};

/// The language by file name or extension.
pub(crate) fn by_name(path: &RepoPath) -> Option<Language> {
    by_file_name(path.file_name()).or_else(|| by_extension(&path.extension().to_ascii_lowercase()))
}

fn by_file_name(name: &str) -> Option<Language> {
    Some(match name {
        "SConstruct" | "SConscript" | "wscript" | "BUILD" | "WORKSPACE" | "Tiltfile" => {
            Language::Python
        }
        "Rakefile" | "Gemfile" | "Podfile" | "Vagrantfile" | "Fastfile" | "Brewfile" => {
            Language::Ruby
        }
        "Jakefile" => Language::JavaScript,
        "Makefile" | "makefile" | "GNUmakefile" | "Dockerfile" | "Justfile" | "justfile"
        | "Procfile" | "CODEOWNERS" | "LICENSE" | "COPYING" | "NOTICE" | "AUTHORS" | "README"
        | "CHANGELOG" | "CHANGES" | "INSTALL" | "NEWS" | "CMakeLists.txt" => Language::Text,
        "Pipfile" | "Cargo.lock" | "poetry.lock" | "uv.lock" => Language::Toml,
        ".bashrc" | ".bash_profile" | ".profile" | ".zshrc" | ".envrc" => Language::Shell,
        ".eslintrc" | ".babelrc" | ".prettierrc" | ".swcrc" | ".jshintrc" => Language::Json,
        ".clang-format" | ".clang-tidy" | ".yamllint" => Language::Yaml,
        ".gitignore" | ".gitattributes" | ".dockerignore" | ".npmignore" | ".editorconfig"
        | ".mailmap" | ".coveragerc" | ".flake8" | ".pylintrc" => Language::Text,
        _ if name.starts_with("Dockerfile.") => Language::Text,
        _ => return None,
    })
}

fn by_extension(extension: &str) -> Option<Language> {
    Some(match extension {
        // Cython is near enough to Python for its definitions to be found.
        "py" | "pyi" | "pyw" | "pyx" | "pxd" | "pxi" | "bzl" => Language::Python,
        "js" | "jsx" | "mjs" | "cjs" | "es6" => Language::JavaScript,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "go" => Language::Go,
        "rs" => Language::Rust,
        "java" => Language::Java,
        "kt" | "kts" => Language::Kotlin,
        "scala" | "sc" | "sbt" => Language::Scala,
        "swift" => Language::Swift,
        "rb" | "rake" | "gemspec" => Language::Ruby,
        "php" | "phtml" => Language::Php,
        "c" | "h" => Language::C,
        "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "ipp" | "cu" | "cuh" => Language::Cpp,
        "cs" => Language::CSharp,
        "sh" | "bash" | "zsh" | "fish" | "ksh" | "ps1" | "psm1" => Language::Shell,
        "sql" => Language::Sql,
        "html" | "htm" | "xhtml" | "xml" | "xsl" | "xslt" | "vue" | "svelte" | "astro"
        | "jinja" | "jinja2" | "j2" | "hbs" | "ejs" | "mustache" | "njk" | "djhtml" => {
            Language::Html
        }
        "css" | "scss" | "sass" | "less" | "styl" | "pcss" => Language::Css,
        "md" | "mdx" | "markdown" => Language::Markdown,
        "rst" | "rest" => Language::ReStructuredText,
        "json" | "json5" | "jsonc" | "webmanifest" => Language::Json,
        "yml" | "yaml" => Language::Yaml,
        "toml" => Language::Toml,
        "txt" | "text" | "cfg" | "ini" | "conf" | "properties" | "in" | "adoc" | "asciidoc"
        | "tex" | "proto" | "graphql" | "gql" | "cmake" | "mk" | "gradle" | "nix" | "tf"
        | "diff" | "patch" => Language::Text,
        _ => return None,
    })
}

/// The language that a `#!` line says.
pub(crate) fn by_shebang(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match program {
        "python" | "pypy" => Language::Python,
        "node" | "nodejs" | "bun" => Language::JavaScript,
        "deno" | "ts-node" | "tsx" => Language::TypeScript,
        "sh" | "bash" | "zsh" | "ksh" | "dash" | "fish" => Language::Shell,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        _ => return None,
    })
}

/// Why a file of this name need not be read.
pub(crate) fn skip_by_name(path: &RepoPath) -> Option<SkipReason> {
    let name = path.file_name();
    if is_lock_file(name) || name.ends_with(".min.js.map") {
        return Some(SkipReason::Data);
    }
    let extension = path.extension().to_ascii_lowercase();
    if is_binary(&extension) {
        Some(SkipReason::Binary)
    } else if is_data(&extension) {
        Some(SkipReason::Data)
    } else {
        None
    }
}

/// Whether a package manager writes the file.
pub(crate) fn is_lock_file(name: &str) -> bool {
    matches!(
        name,
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lockb"
            | "bun.lock"
            | "Cargo.lock"
            | "poetry.lock"
            | "uv.lock"
            | "pdm.lock"
            | "Pipfile.lock"
            | "Gemfile.lock"
            | "composer.lock"
            | "go.sum"
            | "flake.lock"
            | "mix.lock"
            | "deno.lock"
            | "packages.lock.json"
            | "Package.resolved"
    )
}

fn is_binary(extension: &str) -> bool {
    matches!(
        extension,
        "png"
            | "jpg"
            | "jpeg"
            | "gif"
            | "bmp"
            | "ico"
            | "icns"
            | "webp"
            | "avif"
            | "tif"
            | "tiff"
            | "psd"
            | "eps"
            | "pdf"
            | "woff"
            | "woff2"
            | "ttf"
            | "otf"
            | "eot"
            | "afm"
            | "pfb"
            | "mo"
            | "gmo"
            | "qm"
            | "zip"
            | "gz"
            | "tgz"
            | "bz2"
            | "xz"
            | "zst"
            | "7z"
            | "rar"
            | "tar"
            | "jar"
            | "war"
            | "whl"
            | "egg"
            | "nupkg"
            | "vsix"
            | "exe"
            | "dll"
            | "so"
            | "dylib"
            | "a"
            | "o"
            | "obj"
            | "lib"
            | "pyc"
            | "pyd"
            | "class"
            | "wasm"
            | "bin"
            | "elf"
            | "mp3"
            | "mp4"
            | "m4a"
            | "m4v"
            | "mov"
            | "avi"
            | "mkv"
            | "webm"
            | "ogg"
            | "ogv"
            | "wav"
            | "flac"
            | "doc"
            | "docx"
            | "xls"
            | "xlsx"
            | "ppt"
            | "pptx"
            | "odt"
            | "ods"
            | "npy"
            | "npz"
            | "pkl"
            | "pickle"
            | "joblib"
            | "h5"
            | "hdf5"
            | "nc"
            | "fits"
            | "parquet"
            | "feather"
            | "arrow"
            | "mat"
            | "sav"
            | "rdb"
            | "db"
            | "sqlite"
            | "sqlite3"
            | "mmdb"
            | "shp"
            | "shx"
            | "dbf"
            | "pt"
            | "onnx"
            | "tflite"
            | "keystore"
            | "jks"
            | "p12"
            | "pfx"
            | "der"
            | "swf"
            | "graffle"
            | "sketch"
            | "glb"
            | "gpg"
            | "blend"
    )
}

fn is_data(extension: &str) -> bool {
    matches!(
        extension,
        "po" | "pot"
            | "xlf"
            | "xliff"
            | "csv"
            | "tsv"
            | "svg"
            | "map"
            | "snap"
            | "geojson"
            | "topojson"
            | "kml"
            | "gml"
            | "ipynb"
            | "log"
            | "pem"
            | "crt"
            | "cer"
            | "key"
            | "csr"
            | "pub"
            | "asc"
            | "sig"
            | "dat"
            | "data"
            | "arff"
            | "ndjson"
            | "jsonl"
            | "har"
            | "wkt"
            | "prj"
            | "hdr"
            | "vrt"
            | "tfm"
            | "vf"
            | "drawio"
            | "plist"
            | "inv"
            | "b64"
            | "har.gz"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path).unwrap()
    }

    #[test]
    fn names_tell_languages() {
        for (name, language) in [
            ("a/b.py", Some(Language::Python)),
            ("a/b.d.ts", Some(Language::TypeScript)),
            ("a/b.TSX", Some(Language::Tsx)),
            ("a/b.cjs", Some(Language::JavaScript)),
            ("Makefile", Some(Language::Text)),
            ("Gemfile", Some(Language::Ruby)),
            ("docs/a.rst", Some(Language::ReStructuredText)),
            (".eslintrc", Some(Language::Json)),
            ("bin/tool", None),
            ("a.unknown", None),
        ] {
            assert_eq!(by_name(&path(name)), language, "{name}");
        }
    }

    #[test]
    fn shebangs_tell_languages() {
        for (line, language) in [
            ("#!/usr/bin/env python3\n", Some(Language::Python)),
            ("#!/usr/bin/python2.7 -u\n", Some(Language::Python)),
            (
                "#!/usr/bin/env -S FOO=1 node --flag\n",
                Some(Language::JavaScript),
            ),
            ("#! /bin/sh\n", Some(Language::Shell)),
            ("#!/usr/bin/env\n", None),
            ("# plain\n", None),
        ] {
            assert_eq!(by_shebang(line), language, "{line}");
        }
    }

    #[test]
    fn formats_for_machines_are_not_read() {
        for (name, reason) in [
            ("a/logo.PNG", Some(SkipReason::Binary)),
            ("locale/de/django.mo", Some(SkipReason::Binary)),
            ("locale/de/django.po", Some(SkipReason::Data)),
            ("package-lock.json", Some(SkipReason::Data)),
            ("a/bundle.js.map", Some(SkipReason::Data)),
            ("package.json", None),
            ("a/b.py", None),
        ] {
            assert_eq!(skip_by_name(&path(name)), reason, "{name}");
        }
    }
}
