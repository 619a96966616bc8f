//! Derives the roles of C and C++ files from their paths.

use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) const C: Roles = Roles {
    ecosystem: Ecosystem {
        generated_names: &["aclocal.m4", "ltmain.sh", "config.guess", "config.sub"],
        generated_endings: &[
            ".pb.cc", ".pb.h", ".pb-c.c", ".pb-c.h", ".tab.c", ".tab.h", ".tab.cc", ".tab.cpp",
            ".yy.c", ".yy.cc", "_generated.h", "_amalgamated.h", "_amalgamated.c",
            "_amalgamated.hpp", "_amalgamated.cpp",
        ],
        // Directories with all headers of a library in one file.
        generated_directories: &[
            "single_include", "single-include", "single_header", "single-header", "singleheader",
            "amalgamation", "amalgamated", "_deps",
        ],
        test_directories: &["unittests", "unittest"],
        configuration_names: &[
            "cmakelists.txt", "meson.build", "meson_options.txt", "configure.ac", "makefile.am",
            "conanfile.txt", "conanfile.py", "vcpkg.json", "module.bazel",
        ],
        configuration_endings: &[".vcxproj", ".vcxproj.filters"],
        ..Ecosystem::NONE
    },
    ..CPP
};

pub(super) const CPP: Roles = Roles {
    is_copy,
    is_test,
    ..Roles::NONE
};

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
