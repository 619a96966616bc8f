//! Decides by its name alone whether a file is worth reading. [`crate::languages`] decides on its language.

use foveate_model::{RepoPath, SkipReason};

use crate::languages;

/// Returns the reason why a file of this name need not be read.
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

/// Lock files of package managers that belong to no language.
const LOCK_FILES: [&str; 10] = [
    "flake.lock", "mix.lock", "rebar.lock", "gradle.lockfile", "pubspec.lock", "Podfile.lock",
    "Package.resolved", "Cartfile.resolved", "renv.lock", "stack.yaml.lock",
];

/// Whether the file is a lock file of a package manager.
pub(crate) fn is_lock_file(name: &str) -> bool {
    LOCK_FILES.contains(&name) || languages::all().any(|spec| spec.names.lock_files.contains(&name))
}

fn is_binary(extension: &str) -> bool {
    [
        "png", "jpg", "jpeg", "gif", "bmp", "ico", "icns", "webp", "avif", "tif", "tiff", "psd",
        "eps", "pdf", "woff", "woff2", "ttf", "otf", "eot", "afm", "pfb", "mo", "gmo", "qm", "zip",
        "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "tar", "jar", "war", "whl", "egg", "nupkg",
        "vsix", "exe", "dll", "so", "dylib", "a", "o", "obj", "lib", "pyc", "pyd", "class", "wasm",
        "bin", "elf", "mp3", "mp4", "m4a", "m4v", "mov", "avi", "mkv", "webm", "ogg", "ogv", "wav",
        "flac", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "npy", "npz", "pkl",
        "pickle", "joblib", "h5", "hdf5", "nc", "fits", "parquet", "feather", "arrow", "mat",
        "sav", "rdb", "db", "sqlite", "sqlite3", "mmdb", "shp", "shx", "dbf", "pt", "onnx",
        "tflite", "keystore", "jks", "p12", "pfx", "der", "swf", "graffle", "sketch", "glb", "gpg",
        "blend",
    ]
    .contains(&extension)
}

fn is_data(extension: &str) -> bool {
    [
        "po", "pot", "xlf", "xliff", "csv", "tsv", "svg", "map", "snap", "geojson", "topojson",
        "kml", "gml", "log", "pem", "crt", "cer", "key", "csr", "pub", "asc", "sig", "dat", "data",
        "arff", "ndjson", "jsonl", "har", "wkt", "prj", "hdr", "vrt", "tfm", "vf", "drawio",
        "plist", "inv", "b64",
    ]
    .contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_data_files_are_skipped() {
        for (name, reason) in [
            ("a/logo.PNG", Some(SkipReason::Binary)),
            ("locale/de/django.mo", Some(SkipReason::Binary)),
            ("locale/de/django.po", Some(SkipReason::Data)),
            ("package-lock.json", Some(SkipReason::Data)),
            ("a/bundle.js.map", Some(SkipReason::Data)),
            ("package.json", None),
            ("a/b.py", None),
        ] {
            assert_eq!(
                skip_by_name(&RepoPath::new(name).unwrap()),
                reason,
                "{name}"
            );
        }
    }
}
