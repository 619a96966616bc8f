//! Recognises paths of system headers and of the C library's sources.

use crate::origin::form::{OriginForm, below};

pub(super) const C: OriginForm = OriginForm {
    runtime,
    is_copied: is_code,
    ..OriginForm::NONE
};

pub(super) const CPP: OriginForm = OriginForm {
    is_copied: |path| {
        let endings = [".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"];
        endings.iter().any(|ending| path.ends_with(ending))
    },
    ..OriginForm::NONE
};

fn is_code(path: &str) -> bool {
    path.ends_with(".c") || path.ends_with(".h")
}

/// Returns the path within a system's headers or the C library: `/usr/include/c++/13/bits/stl_vector.h`,
/// `./sysdeps/x86/start.c`, `/build/glibc-2.31/malloc/malloc.c`, the headers of Microsoft's compiler.
fn runtime(path: &str) -> Option<&str> {
    let installed = path.strip_prefix("/usr/include/");
    let installed = installed.or_else(|| path.strip_prefix("/usr/local/include/"));
    let compiler = || below(path, "include/c++").and_then(|rest| Some(rest.split_once('/')?.1));
    let library = || {
        let (_, rest) = path.split_once("/glibc")?;
        Some(rest.split_once('/')?.1)
    };
    let system = ["sysdeps/", "../sysdeps/", "../csu/", "../nptl/"];
    let relative = || {
        system
            .iter()
            .any(|root| path.starts_with(root))
            .then_some(path)
    };
    compiler()
        .or(installed)
        .or_else(|| below(path, "compiler-rt/lib"))
        .or_else(library)
        .or_else(relative)
        .or_else(|| {
            let (_, rest) = path.split_once("/VC/Tools/MSVC/")?;
            Some(rest.split_once("/include/")?.1)
        })
}
