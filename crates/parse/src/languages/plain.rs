//! Registers languages without a walker, known by their file names and the look of their text.

use foveate_model::{Language, LanguageKind, LanguageRules};

use super::keyword_heads;
use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Line};
use crate::role::conventions::{
    Documentation, Ecosystem, Roles, is_released_library, is_script_configuration, is_test_class,
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

pub(super) static SHELL: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("shell", 15);
    LanguageSpec {
        names: Names {
            files: &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc"],
            programs: &["sh", "bash", "zsh", "ksh", "dash", "fish"],
            ..Names::extensions(&["sh", "bash", "zsh", "fish", "ksh", "ps1", "psm1"])
        },
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
        names: Names::extensions(&["sql"]),
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
            "ejs", "mustache", "njk", "djhtml",
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
            "proto", "graphql", "gql", "cmake", "mk", "gradle", "nix", "tf", "diff", "patch",
        ])
    },
    roles: Roles {
        ecosystem: Ecosystem {
            configuration_names: &[
                "makefile", "gnumakefile", "dockerfile", "procfile", "justfile", "codeowners",
            ],
            ..Ecosystem::NONE
        },
        is_configuration: |file| {
            file.stem.starts_with("requirements")
                || file.stem.starts_with("constraints")
                || file.has_directory(&["requirements"])
        },
        is_settings: |file| {
            [
                "cfg", "ini", "conf", "properties", "in", "cmake", "mk", "gradle", "nix", "tf",
            ]
            .contains(&file.path.extension())
        },
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
