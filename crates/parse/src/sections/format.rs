//! Lists the formats whose sections are found without a grammar, and determines that of a file by its name.

/// The format that determines how the structure of a file is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    ReStructuredText,
    Yaml,
    Toml,
    Ini,
    Json,
    Dockerfile,
    Makefile,
    Cmake,
    Shell,
    Sql,
    Html,
    Xml,
    Css,
    Blocks,
    Prose,
}

impl Format {
    /// Returns the format of a file that is recognised by its name alone, in any language: `Dockerfile`,
    /// `a.ini`.
    pub(crate) fn of_name(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        Self::by_name(name, &extension(name))
    }

    /// Returns the format of a file in a markup language.
    pub(crate) fn of_markup(path: &str) -> Self {
        match &*extension(path) {
            "xml" | "xsl" | "xslt" | "xaml" | "axaml" | "fxml" | "ui" => Self::Xml,
            _ => Self::Html,
        }
    }

    fn by_name(name: &str, extension: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let is_docker = |word: &str| lower == word || lower.starts_with(&format!("{word}."));
        if is_docker("dockerfile") || is_docker("containerfile") || extension == "dockerfile" {
            return Some(Self::Dockerfile);
        }
        Some(match &*lower {
            "makefile" | "gnumakefile" | "justfile" => Self::Makefile,
            "cmakelists.txt" => Self::Cmake,
            _ => match extension {
                "mk" => Self::Makefile,
                "cmake" => Self::Cmake,
                "ini" | "cfg" | "conf" | "properties" | "editorconfig" | "coveragerc"
                | "flake8" | "pylintrc" => Self::Ini,
                "proto" | "graphql" | "gql" | "tf" | "tofu" | "hcl" | "gradle" => Self::Blocks,
                _ => return None,
            },
        })
    }
}

/// Returns the extension of a path, in lower case.
fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.to_ascii_lowercase()
}
