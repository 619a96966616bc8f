//! Makes cases from the commits of a small repository, which is written by `git fast-import`.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use parking_lot::Mutex;

use super::*;
use crate::eval::case::Repositories;
use crate::eval::visit::{BuiltSnapshot, Visitor, Walk, visit_cases};
use crate::ingest::git::HistoryLimits;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Writes commits, each given by its author, its message and more lines of git's `fast-import` language. Returns
/// their ids in the same order.
fn write_repository(
    at: &Path,
    commits: &[(&str, &str, &str)],
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut stream = String::new();
    for (mark, (author, message, changes)) in commits.iter().enumerate() {
        let (mark, length) = (mark + 1, message.len());
        let time = format!("{} +0000", 1_700_000_000 + mark * 3600);
        stream.push_str(&format!(
            "commit refs/heads/main\nmark :{mark}\nauthor {author} {time}\n\
             committer Ada <ada@example.org> {time}\ndata {length}\n{message}\n{changes}\n"
        ));
    }
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(arguments).stdin(Stdio::piped());
        command
    };
    let path = at.to_string_lossy();
    let init = ["init", "--quiet", "--bare", "-b", "main", &path];
    assert!(git(&init).status()?.success());
    let marks = at.join("marks").to_string_lossy().into_owned();
    let marks_option = format!("--export-marks={marks}");
    let mut import = git(&["-C", &path, "fast-import", "--quiet", &marks_option]).spawn()?;
    import
        .stdin
        .take()
        .ok_or("no stdin")?
        .write_all(stream.as_bytes())?;
    assert!(import.wait()?.success());
    let mut ids = vec![String::new(); commits.len()];
    for line in std::fs::read_to_string(&marks)?.lines() {
        let (mark, id) = line.split_once(' ').ok_or("no mark")?;
        let mark: usize = mark.trim_start_matches(':').parse()?;
        ids[mark - 1] = id.to_owned();
    }
    Ok(ids)
}

const ADA: &str = "Ada <ada@example.org>";
const BOT: &str = "dependabot[bot] <1+dependabot[bot]@users.noreply.github.com>";

/// Returns the `fast-import` lines of a file whose content is unique to `version`.
fn file(path: &str, version: usize) -> String {
    let text = format!("def work():\n    return {version}\n");
    format!("M 100644 inline {path}\ndata {}\n{text}\n", text.len())
}

fn files(paths: &[&str], version: usize) -> String {
    paths.iter().map(|path| file(path, version)).collect()
}

const MANY: [&str; 6] = ["m/a.py", "m/b.py", "m/c.py", "m/d.py", "m/e.py", "m/f.py"];
const PRICE: &str = "Round the price up to whole cents

The cart shows it.

Fixes #12 and gh-13.
Signed-off-by: Ada <ada@example.org>
Co-authored-by: Grace <grace@example.org>
";

/// Writes the repository. Returns its commits' ids, from old to new.
fn shop(at: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let own = ["shop/price.py", "shop/cart.py", "tests/test_cart.py"];
    let root = files(&own, 0) + &files(&MANY, 0);
    let price = files(&["shop/price.py", "tests/test_cart.py"], 1);
    let sorted = "from :2\n".to_owned() + &files(&["shop/cart.py", "shop/new.py"], 5);
    let merge = "from :5\nmerge :6\n".to_owned() + &files(&["shop/cart.py"], 6);
    write_repository(
        at,
        &[
            (ADA, "Start the shop with carts", &root),
            (ADA, PRICE, &price),
            (BOT, "Bump the version of tea", &file("shop/price.py", 2)),
            (
                ADA,
                "Test what is added twice",
                &file("tests/test_cart.py", 3),
            ),
            (ADA, "Tidy up\n\nCloses #7", &file("shop/price.py", 4)),
            (ADA, "Keep the cart sorted by article", &sorted),
            (ADA, "Merge the branch with sorted carts", &merge),
            (ADA, "Reformat all of the modules", &files(&MANY, 7)),
            (ADA, PRICE, &file("shop/price.py", 8)),
            (ADA, "Say in the notes what is new", &file("README.md", 9)),
        ],
    )
}

fn newest(limit: usize) -> Choice {
    Choice {
        limit,
        min_words: 3,
    }
}

#[test]
fn suitable_commits_become_cases() -> Outcome {
    let directory = tempfile::tempdir()?;
    let ids = shop(directory.path())?;
    let git = GitRepo::open(directory.path(), &Arc::default())?;
    let cases = mine(&git, "shop", newest(200))?;
    let seen: Vec<(&str, &str, &str, Vec<String>)> = cases
        .iter()
        .map(|case| {
            let (id, commit) = (case.id.as_str(), case.commit.as_str());
            (id, commit, case.query.as_str(), case.gold_files.clone())
        })
        .collect();
    let price = "Round the price up to whole cents\n\nThe cart shows it.";
    let wanted = [
        // The changed test is no gold file; of two commits with the same message, only the oldest makes a case.
        (&*ids[1], &*ids[0], price, vec!["shop/price.py".to_owned()]),
        // The new file did not exist in the parent; the parent is that of the branch, not the previous commit.
        (
            &*ids[5],
            &*ids[1],
            "Keep the cart sorted by article",
            vec!["shop/cart.py".to_owned()],
        ),
    ];
    assert_eq!(seen, wanted);
    assert!(
        cases
            .iter()
            .all(|c| c.query_kind == "commit" && c.repo == "shop")
    );
    let newest_case = mine(&git, "shop", newest(1))?;
    assert_eq!(newest_case.len(), 1);
    assert_eq!(
        newest_case[0].id, ids[5],
        "what is said twice counts where it is oldest"
    );
    let long = Choice {
        min_words: 7,
        ..newest(200)
    };
    let long = mine(&git, "shop", long)?;
    assert_eq!(long.len(), 1);
    assert_eq!(long[0].query, price);
    Ok(())
}

#[test]
fn case_history_excludes_its_own_commit() -> Outcome {
    let directory = tempfile::tempdir()?;
    shop(directory.path())?;
    let cases = mine(
        &GitRepo::open(directory.path(), &Arc::default())?,
        "shop",
        newest(200),
    )?;
    let walk = Walk {
        repositories: Repositories::new(directory.path().to_string_lossy().into_owned()),
        jobs: 1,
        history: HistoryLimits::default(),
    };
    let seen = PastMessages(Mutex::new(Vec::new()));
    visit_cases(&cases, &walk, &seen);
    let seen = seen.0.into_inner();
    let first_lines: Vec<Vec<&str>> = seen
        .iter()
        .map(|messages| messages.iter().filter_map(|m| m.lines().next()).collect())
        .collect();
    let (start, price) = (
        "Start the shop with carts",
        "Round the price up to whole cents",
    );
    assert_eq!(first_lines, [vec![start], vec![price, start]]);
    Ok(())
}

/// Records the messages of the history that each case is answered from.
struct PastMessages(Mutex<Vec<Vec<String>>>);

impl Visitor for PastMessages {
    type Output = ();

    fn visit(&self, case: &Case, indexed: &BuiltSnapshot) {
        assert_eq!(indexed.snapshot.revision.commit, case.commit);
        let history = indexed.snapshot.history.iter();
        let commits = history.flat_map(|history| history.commits.iter());
        self.0
            .lock()
            .push(commits.map(|commit| commit.message.clone()).collect());
    }

    fn done(&self, case: &Case, output: &Result<(), String>) {
        assert_eq!(*output, Ok(()), "{}", case.id);
    }
}

#[test]
fn trailers_and_issue_references_are_removed() {
    let dropped = [
        "Signed-off-by: Ada <ada@example.org>",
        "Change-Id: I0123",
        "Fixes #12",
        "closes: #12, #13",
        "(#12)",
        "- See gh-7 and owner/name#8.",
        "https://github.com/owner/name/issues/5",
    ];
    for line in dropped {
        assert_eq!(question(line), "", "{line}");
    }
    let kept = [
        "Fix the price (#12)",
        "Content-Type: the header is lost",
        "Related issues",
        "Standby: wait for the other server",
        "See https://example.org/why",
    ];
    for line in kept {
        assert_eq!(question(line), line);
    }
}
