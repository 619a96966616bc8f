//! Registers languages without a walker, known by their file names and the look of their text.

use foveate_model::{Language, LanguageKind, LanguageRules};

use super::keyword_heads;
use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Line};
use crate::role::conventions::{
    Documentation, Ecosystem, Roles, is_infrastructure, is_released_library,
    is_script_configuration, is_test_class,
};
use crate::sections::format::Format;
use crate::traces::form::TraceForm;

const fn language(rules: &'static LanguageRules) -> LanguageSpec {
    LanguageSpec::new(Language::of(rules))
}

const fn fences(fences: &'static [&'static str]) -> CodeForm {
    CodeForm {
        fences,
        ..CodeForm::NONE
    }
}

const fn frames_in(extensions: &'static [&'static str]) -> TraceForm {
    TraceForm {
        extensions,
        ..TraceForm::NONE
    }
}

const fn prose(name: &'static str, code: u8) -> LanguageRules {
    LanguageRules {
        kind: LanguageKind::Prose,
        ..LanguageRules::new(name, code)
    }
}

const fn settings(name: &'static str, code: u8) -> LanguageRules {
    LanguageRules {
        kind: LanguageKind::Settings,
        ..LanguageRules::new(name, code)
    }
}

/// Tests by the names that most languages have for them.
const TESTS_BY_NAME: Roles = Roles {
    is_test: |file| {
        let stem = file.stem.as_str();
        is_test_class(file)
            || stem.starts_with("test_")
            || ["_test", "_spec", ".test", ".tests"].iter().any(|ending| stem.ends_with(ending))
            // Perl and Raku.
            || matches!(file.path.extension(), "t" | "rakutest")
    },
    ..Roles::NONE
};

const TESTS_ARE_CLASSES: Roles = Roles {
    is_test: is_test_class,
    ..Roles::NONE
};

pub(super) static SCALA: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("scala", 8);
    LanguageSpec {
        names: Names::extensions(&["scala", "sc", "sbt"]),
        roles: TESTS_ARE_CLASSES,
        code: fences(&["scala"]),
        traces: frames_in(&["scala"]),
        hunks: Some(keyword_heads::heads(&["scala"])),
        ..language(&RULES)
    }
};

pub(super) static SWIFT: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("swift", 9);
    LanguageSpec {
        names: Names {
            lock_files: &["Package.resolved"],
            ..Names::extensions(&["swift"])
        },
        roles: TESTS_ARE_CLASSES,
        code: fences(&["swift"]),
        traces: frames_in(&["swift"]),
        hunks: Some(keyword_heads::heads(&["swift"])),
        ..language(&RULES)
    }
};

/// Defines [`OTHER_CODE`] from lines with the number in stored data, the name, and the extensions of each language.
macro_rules! other_code {
    ($($code:literal $name:literal [$($extension:literal)+];)+) => {
        /// Programming languages of which only the names of files and of fences are known. Without a row, a file counts as
        /// input of programs.
        pub(super) static OTHER_CODE: &[LanguageSpec] = &[$({
            static RULES: LanguageRules = LanguageRules::new($name, $code);
            LanguageSpec {
                names: Names::extensions(&[$($extension),+]),
                roles: TESTS_BY_NAME,
                sections: Format::of_name,
                code: fences(&[$name, $($extension),+]),
                traces: frames_in(&[$($extension),+]),
                ..language(&RULES)
            }
        }),+];
    };
}

other_code! {
    30 "lua" ["lua" "luau"];
    31 "dart" ["dart"];
    32 "elixir" ["ex" "exs"];
    33 "erlang" ["erl" "hrl"];
    34 "haskell" ["hs" "lhs"];
    35 "perl" ["pl" "pm" "t" "xs"];
    36 "r" ["r"];
    37 "julia" ["jl"];
    38 "objective-c" ["m" "mm"];
    39 "groovy" ["groovy"];
    40 "clojure" ["clj" "cljs" "cljc"];
    41 "fsharp" ["fs" "fsi" "fsx"];
    42 "visual-basic" ["vb" "bas" "vbs" "frm"];
    43 "ocaml" ["ml" "mli"];
    44 "zig" ["zig"];
    45 "nim" ["nim"];
    46 "crystal" ["cr"];
    47 "solidity" ["sol"];
    48 "glsl" ["glsl" "vert" "frag" "geom" "comp" "hlsl" "wgsl" "metal" "shader" "cginc" "compute" "fx" "usf" "ush"];
    49 "fortran" ["f" "for" "f77" "f90" "f95" "f03" "f08" "fpp" "fypp"];
    50 "assembly" ["s" "asm" "nasm"];
    51 "pascal" ["pas"];
    52 "d" ["d"];
    53 "coffeescript" ["coffee"];
    54 "elm" ["elm"];
    55 "vim" ["vim"];
    56 "lisp" ["el" "lisp" "cl" "scm" "ss" "rkt" "hy"];
    57 "tcl" ["tcl"];
    58 "awk" ["awk"];
    59 "batch" ["bat" "cmd"];
    60 "qml" ["qml"];
    61 "gdscript" ["gd"];
    62 "haml" ["haml" "slim"];
    63 "pug" ["pug" "jade"];
    64 "verilog" ["v" "vh" "sv" "svh"];
    65 "vhdl" ["vhd" "vhdl"];
    66 "ada" ["adb" "ads"];
    67 "cobol" ["cbl" "cob" "cpy"];
    68 "haxe" ["hx"];
    69 "rescript" ["res" "resi" "re" "rei"];
    70 "purescript" ["purs"];
    71 "lean" ["lean"];
    72 "odin" ["odin"];
    73 "gleam" ["gleam"];
    74 "vala" ["vala"];
    75 "slint" ["slint"];
    76 "nushell" ["nu"];
    77 "jsonnet" ["jsonnet" "libsonnet"];
    78 "rego" ["rego"];
    79 "cue" ["cue"];
    80 "bicep" ["bicep"];
    81 "mojo" ["mojo"];
    82 "autohotkey" ["ahk"];
    83 "applescript" ["applescript"];
    84 "terraform" ["tf" "tofu" "hcl"];
    85 "nix" ["nix"];
    86 "puppet" ["pp"];
    87 "starlark" ["star"];
    88 "device-tree" ["dts" "dtsi" "overlay"];
    89 "linker-script" ["ld" "lds"];
    90 "idl" ["idl" "webidl"];
    91 "latex" ["sty" "cls" "dtx"];
    92 "raku" ["raku" "rakumod" "rakutest" "pm6"];
    93 "stata" ["do" "ado"];
    94 "sas" ["sas"];
    95 "stan" ["stan"];
    96 "openscad" ["scad"];
    97 "agda" ["agda" "lagda"];
    98 "idris" ["idr"];
    99 "isabelle" ["thy"];
    100 "dafny" ["dfy"];
    101 "tla" ["tla"];
    102 "sml" ["sml"];
    103 "fennel" ["fnl"];
    104 "janet" ["janet"];
    105 "moonscript" ["moon"];
    106 "actionscript" ["as"];
    107 "move" ["move"];
    108 "cairo" ["cairo"];
    109 "vyper" ["vy"];
    110 "webassembly" ["wat" "wast"];
    111 "nextflow" ["nf"];
    112 "wdl" ["wdl"];
    113 "snakemake" ["smk"];
    114 "bitbake" ["bb" "bbappend" "bbclass"];
    115 "ebuild" ["ebuild" "eclass"];
    116 "codeql" ["ql" "qll"];
    117 "dhall" ["dhall"];
    118 "ballerina" ["bal"];
    119 "abap" ["abap"];
    120 "apex" ["apex" "trigger"];
    121 "al" ["al"];
    122 "1c" ["bsl" "os"];
    123 "autoit" ["au3"];
    124 "nsis" ["nsi" "nsh"];
    125 "inno-setup" ["iss"];
    126 "sourcepawn" ["sp" "sma" "pwn"];
    127 "renpy" ["rpy"];
    128 "squirrel" ["nut"];
    129 "pony" ["pony"];
}

pub(super) static SHELL: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("shell", 15);
    LanguageSpec {
        names: Names {
            files: &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc"],
            programs: &["sh", "bash", "zsh", "ksh", "dash", "fish"],
            ..Names::extensions(&[
                "sh", "bash", "zsh", "zsh-theme", "fish", "ksh", "ps1", "psm1",
            ])
        },
        roles: TESTS_BY_NAME,
        sections: |path| Some(Format::of_name(path).unwrap_or(Format::Shell)),
        code: CodeForm {
            lines: &[Line::starting("$ "), Line::starting("#!/bin/")],
            pasted: &["$ "],
            ..fences(&["sh", "bash", "shell", "zsh", "console", "powershell", "cmd"])
        },
        ..language(&RULES)
    }
};

pub(super) static SQL: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("sql", 16);
    LanguageSpec {
        names: Names::extensions(&["sql", "hql", "pks", "pkb", "plsql"]),
        sections: |_| Some(Format::Sql),
        code: CodeForm {
            lines: &[
                Line::starting("SELECT "),
                Line::starting("CREATE TABLE "),
                Line::starting("INSERT INTO "),
            ],
            ..fences(&["sql", "postgresql", "mysql"])
        },
        ..language(&RULES)
    }
};

pub(super) static HTML: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("html", 17);
    LanguageSpec {
        names: Names::extensions(&[
            "html", "htm", "xhtml", "xml", "xsl", "xslt", "astro", "jinja", "jinja2", "j2", "hbs",
            "ejs", "mustache", "njk", "djhtml", "twig", "erb", "rhtml", "eex", "heex", "leex",
            "liquid", "handlebars", "latte", "epp", "templ", "gotmpl", "svx", "marko", "jsp",
            "jspx", "jspf", "ftl", "ftlh", "vm", "cshtml", "vbhtml", "razor", "aspx", "ascx",
            "gohtml", "xaml", "axaml", "fxml", "ui", "mjml",
        ]),
        sections: |path| Some(Format::of_markup(path)),
        code: CodeForm {
            pasted: &["</"],
            fence_of_file: |path| matches!(Format::of_markup(path), Format::Xml).then_some("xml"),
            ..fences(&["html", "xml"])
        },
        ..language(&RULES)
    }
};

pub(super) static CSS: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("css", 18);
    LanguageSpec {
        names: Names::extensions(&["css", "scss", "sass", "less", "styl", "pcss"]),
        roles: Roles {
            is_copy: is_released_library,
            ..Roles::NONE
        },
        sections: |_| Some(Format::Css),
        code: fences(&["css", "scss", "less"]),
        ..language(&RULES)
    }
};

pub(super) static MARKDOWN: LanguageSpec = {
    static RULES: LanguageRules = prose("markdown", 19);
    LanguageSpec {
        names: Names::extensions(&["md", "mdx", "markdown"]),
        roles: Roles {
            documentation: Documentation::All,
            ..Roles::NONE
        },
        sections: |_| Some(Format::Markdown),
        code: fences(&["md", "markdown"]),
        ..language(&RULES)
    }
};

pub(super) static RESTRUCTUREDTEXT: LanguageSpec = {
    static RULES: LanguageRules = prose("restructuredtext", 20);
    LanguageSpec {
        names: Names::extensions(&["rst", "rest"]),
        roles: Roles {
            documentation: Documentation::All,
            ..Roles::NONE
        },
        sections: |_| Some(Format::ReStructuredText),
        code: CodeForm {
            fence: Some(""),
            ..fences(&["rst"])
        },
        ..language(&RULES)
    }
};

pub(super) static JSON: LanguageSpec = {
    static RULES: LanguageRules = settings("json", 21);
    LanguageSpec {
        names: Names {
            files: &[
                ".eslintrc", ".babelrc", ".prettierrc", ".swcrc", ".jshintrc",
            ],
            ..Names::extensions(&["json", "json5", "jsonc", "webmanifest"])
        },
        roles: Roles {
            is_configuration: is_script_configuration,
            is_settings: |file| file.directories.is_empty(),
            is_data: true,
            ..Roles::NONE
        },
        sections: |_| Some(Format::Json),
        code: fences(&["json", "json5", "jsonc"]),
        ..language(&RULES)
    }
};

pub(super) static YAML: LanguageSpec = {
    static RULES: LanguageRules = settings("yaml", 22);
    LanguageSpec {
        names: Names {
            files: &[".clang-format", ".clang-tidy", ".yamllint"],
            ..Names::extensions(&["yml", "yaml"])
        },
        roles: Roles {
            ecosystem: Ecosystem {
                test_directories: &["molecule"],
                ..Ecosystem::NONE
            },
            is_infrastructure,
            is_settings: |_| true,
            ..Roles::NONE
        },
        sections: |_| Some(Format::Yaml),
        code: fences(&["yaml", "yml"]),
        ..language(&RULES)
    }
};

pub(super) static TOML: LanguageSpec = {
    static RULES: LanguageRules = settings("toml", 23);
    LanguageSpec {
        names: Names {
            files: &["Pipfile", "Cargo.lock", "poetry.lock", "uv.lock"],
            ..Names::extensions(&["toml"])
        },
        roles: Roles {
            is_settings: |_| true,
            ..Roles::NONE
        },
        sections: |_| Some(Format::Toml),
        code: fences(&["toml"]),
        ..language(&RULES)
    }
};

/// Extensions of settings of builds and tools that have no row.
const SETTINGS: [&str; 29] = [
    "cfg", "ini", "conf", "properties", "in", "cmake", "mk", "gradle", "m4", "am", "ac", "gyp",
    "bazel", "cabal", "project", "zon", "mak", "xproj", "spec", "neon", "dist", "dockerfile",
    "gemfile", "pro", "edn", "opam", "psd1", "appxmanifest", "rockspec",
];

pub(super) static TEXT: LanguageSpec = LanguageSpec {
    names: Names {
        files: &[
            "Makefile", "makefile", "GNUmakefile", "Dockerfile", "Justfile", "justfile",
            "Procfile", "CODEOWNERS", "LICENSE", "COPYING", "NOTICE", "AUTHORS", "README",
            "CHANGELOG", "CHANGES", "INSTALL", "NEWS", "CMakeLists.txt", ".gitignore",
            ".gitattributes", ".dockerignore", ".npmignore", ".editorconfig", ".mailmap",
            ".coveragerc", ".flake8", ".pylintrc",
        ],
        prefixes: &["Dockerfile."],
        ..Names::extensions(&[
            "txt", "text", "cfg", "ini", "conf", "properties", "in", "adoc", "asciidoc", "tex",
            "proto", "graphql", "gql", "cmake", "mk", "gradle", "diff", "patch",
        ])
    },
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &[
                "makefile", "gnumakefile", "dockerfile", "procfile", "justfile", "codeowners",
                "buck", "description", "namespace", "owners", "owners_aliases", "flake.nix",
                "shell.nix", "dune", "dune-project", "pylintrc", "rebar.config",
            ],
            ..Ecosystem::NONE
        },
        is_configuration: |file| {
            file.stem.starts_with("requirements")
                || file.stem.starts_with("constraints")
                || file.has_directory(&["requirements"])
        },
        is_settings: |file| {
            let extension = file.path.extension();
            SETTINGS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(extension))
        },
        is_test: |file| matches!(file.path.extension(), "feature" | "bats" | "robot"),
        documentation: Documentation::Notes,
        is_data: true,
        ..Roles::NONE
    },
    sections: |path| Some(Format::of_name(path).unwrap_or(Format::Prose)),
    code: CodeForm {
        fence: Some(""),
        pasted: &["diff --git"],
        ..fences(&["text", "txt", "log", "plain", "output"])
    },
    ..LanguageSpec::new(Language::TEXT)
};
