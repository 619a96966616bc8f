//! Registers C and C++, which share headers, debuggers and conventions.

mod headers;
mod hunks;
mod lookup;
mod masks;
mod modules;
mod traces;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::origin::form::{OriginForm, below};
use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) static C: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["c", "h"]),
    by_content: |text| headers::is_cpp(text).then_some(Language::of(&CPP_RULES)),
    parser: Some(|language, text, _, limits| walker::facts(&walker::C, language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_names: &["aclocal.m4", "ltmain.sh", "config.guess", "config.sub"],
            generated_endings: &[
                ".pb.cc", ".pb.h", ".pb-c.c", ".pb-c.h", ".tab.c", ".tab.h", ".tab.cc", ".tab.cpp",
                ".yy.c", ".yy.cc", "_generated.h", "_amalgamated.h", "_amalgamated.c",
                "_amalgamated.hpp", "_amalgamated.cpp",
            ],
            // Directories with all headers of a library in one file.
            generated_directories: &[
                "single_include", "single-include", "single_header", "single-header",
                "singleheader", "amalgamation", "amalgamated", "_deps",
            ],
            test_directories: &["unittests", "unittest"],
            configuration_names: &[
                "cmakelists.txt", "meson.build", "meson_options.txt", "configure.ac",
                "makefile.am", "conanfile.txt", "conanfile.py", "vcpkg.json", "module.bazel",
            ],
            configuration_endings: &[".vcxproj", ".vcxproj.filters"],
            ..Ecosystem::NONE
        },
        is_copy,
        is_test,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["c", "h"],
        lines: &[
            Line::starting("#include "),
            Line::starting("#define "),
            Line::starting("#ifdef "),
            Line::starting("int main("),
            Line::starting("typedef struct "),
        ],
        pasted: &["#include", "#define "],
        imports: Some(Imports {
            brackets: |line| included(line).map(|_| [].as_slice()),
            names: |statement| Some(vec![included(statement)?.to_owned()]),
        }),
        ..CodeForm::NONE
    },
    traces: traces::C,
    origins: OriginForm {
        runtime,
        is_copied: is_code,
        ..OriginForm::NONE
    },
    hunks: Some(hunks::heads(&["c", "h"])),
    ..LanguageSpec::new(Language::of(&C_RULES))
};

pub(super) static CPP: LanguageSpec = LanguageSpec {
    names: Names::extensions(&[
        "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "ipp", "cu", "cuh",
    ]),
    parser: Some(|language, text, _, limits| walker::facts(&walker::CPP, language, text, limits)),
    roles: Roles {
        is_copy,
        is_test,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["cpp", "c++", "cc", "cxx", "hpp", "h++"],
        lines: &[
            Line::starting("using namespace "),
            Line::starting("template <"),
            Line::starting("template<"),
            Line::starting("std::"),
            Line::starting("constexpr "),
            // Headers of the C++ standard library have no extension.
            Line::when("#include <", |line| {
                line.ends_with('>') && !line.ends_with(".h>")
            }),
        ],
        pasted: &["template <", "template<"],
        ..CodeForm::NONE
    },
    traces: traces::CPP,
    origins: OriginForm {
        is_copied: |path| {
            let endings = [".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"];
            endings.iter().any(|ending| path.ends_with(ending))
        },
        ..OriginForm::NONE
    },
    hunks: Some(hunks::heads(&["cc", "cpp", "cxx", "hh", "hpp", "hxx"])),
    ..LanguageSpec::new(Language::of(&CPP_RULES))
};

static C_RULES: LanguageRules = LanguageRules {
    family: FAMILY,
    modules: Some(&modules::MODULES),
    lookup: lookup::C,
    tests: lookup::TESTS,
    ..LanguageRules::new("c", 12)
};

static CPP_RULES: LanguageRules = LanguageRules {
    family: FAMILY,
    modules: Some(&modules::MODULES),
    lookup: lookup::CPP,
    tests: lookup::TESTS,
    ..LanguageRules::new("cpp", 13)
};

const FAMILY: &str = "c";

/// Whether a file is third-party source that is built along, or output of an interface generator.
fn is_copy(file: &File<'_>) -> bool {
    let is_pod = file.path.directory().split('/').any(|d| d == "Pods");
    let starts = ["moc_", "qrc_", "ui_"];
    is_pod
        || file.has_directory(&["external", "deps", "submodules"])
        || starts.iter().any(|start| file.stem.starts_with(start))
}

/// Whether a file is a test: `cart_test.cc`, `cart-test.cc`, `test_cart.c`, `cart_unittest.cc`,
/// `CartTest.cpp`
fn is_test(file: &File<'_>) -> bool {
    if file.has_directory(&["include"]) {
        return false;
    }
    let stem = file.stem.as_str();
    let endings = [
        "_test", "-test", "_tests", "-tests", "_unittest", "_unittests", ".test",
    ];
    endings.iter().any(|ending| stem.ends_with(ending))
        || stem.starts_with("test_")
        || stem.starts_with("test-")
        || ["Test", "Tests"]
            .iter()
            .any(|ending| file.path.stem().ends_with(ending))
}

/// Returns the path of `#include "a/b.h"` and `#include <a/b.h>`.
fn included(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let close = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    let (path, _) = rest.get(1..)?.split_once(close)?;
    Some(path.trim_start_matches("./").trim_start_matches("../"))
}

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
