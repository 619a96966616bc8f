//! Lists the formats of files without a grammar.

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
