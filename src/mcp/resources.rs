//! Parses resource URIs of files: `foveate://{repo}/{commit}/{path}`.

use percent_encoding::percent_decode_str;
use rmcp::model::ResourceTemplate;

use super::failure::Failure;

/// The scheme of the URIs.
const SCHEME: &str = "foveate://";
/// In place of a commit: the files as they are now.
const CURRENT: &str = "current";

/// Returns the only resource template.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{repo}}/{{commit}}/{{path}}"), "file")
        .with_title("File at a commit")
        .with_description(
            "Text of an indexed file. `commit` is a commit, branch or tag, or `current` for the \
             files as they are now; a slash in `repo` or `commit` is %2F",
        )
}

/// The parts of a URI.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileUri {
    pub repo: String,
    pub reference: Option<String>,
    pub path: String,
}

impl FileUri {
    pub(super) fn parse(uri: &str) -> Result<Self, Failure> {
        let refuse = || {
            let text = "the URI must be foveate://{repo}/{commit}/{path}, percent-encoded";
            Failure(text.to_owned())
        };
        let rest = uri.strip_prefix(SCHEME).ok_or_else(refuse)?;
        let mut parts = rest.splitn(3, '/').map(|part| {
            let decoded = percent_decode_str(part).decode_utf8();
            decoded.ok().filter(|part| !part.is_empty())
        });
        let mut part = || parts.next().flatten().ok_or_else(refuse);
        let (repo, commit, path) = (part()?, part()?, part()?);
        Ok(Self {
            repo: repo.into_owned(),
            reference: (commit != CURRENT).then(|| commit.into_owned()),
            path: path.into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uri_is_parsed_into_repo_commit_and_path() {
        let parsed = FileUri::parse("foveate://acme%2Fshop/feature%2Fx/src/a%20b.py");
        let Ok(parsed) = parsed else { panic!("a file") };
        assert_eq!(parsed.repo, "acme/shop");
        assert_eq!(parsed.reference.as_deref(), Some("feature/x"));
        assert_eq!(parsed.path, "src/a b.py");
        let now = FileUri::parse("foveate://shop/current/a.py");
        assert!(now.is_ok_and(|uri| uri.reference.is_none()));
        for bad in [
            "", "file:///etc/passwd", "foveate://", "foveate://shop", "foveate://shop/HEAD",
            "foveate://shop/HEAD/", "foveate:///HEAD/a.py", "foveate://shop/HEAD/%ff",
        ] {
            assert!(FileUri::parse(bad).is_err(), "{bad}");
        }
    }
}
