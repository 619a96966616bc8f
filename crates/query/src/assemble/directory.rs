//! Finds the files of a directory.

use foveate_index::{FileId, Files};
use foveate_model::SourceFile;

/// Maximum files and directories of a directory that are looked at.
const MAX_ENTRIES: usize = 5000;

/// Returns the other files of a file's directory, in path order.
pub(super) fn siblings(files: &Files, file: FileId) -> impl Iterator<Item = FileId> {
    let of_directory = files_in(files, files.file(file).path.directory());
    of_directory.filter(move |other| *other != file)
}

/// Returns the files of a directory, without those of the directories in it, in path order.
pub(super) fn files_in(files: &Files, directory: &str) -> impl Iterator<Item = FileId> {
    let all = files.as_slice();
    let prefix = match directory {
        "" => String::new(),
        _ => format!("{directory}/"),
    };
    // Files are in path order, so that those of a directory and below it are contiguous.
    let mut next = all.partition_point(|file| file.path.as_str() < prefix.as_str());
    let entries = std::iter::from_fn(move || {
        let at = next;
        let rest = all.get(at..)?;
        let path = rest.first()?.path.as_str();
        let name = path.strip_prefix(prefix.as_str())?;
        let (entry, count) = match name.find('/') {
            None => (Some(FileId(at as u32)), 1),
            // Below the root are all files, so that those of a directory in it are skipped at once.
            Some(end) => {
                let inner = &path[..=prefix.len() + end];
                let is_inside = |other: &SourceFile| other.path.as_str().starts_with(inner);
                (None, rest.partition_point(is_inside))
            }
        };
        next += count;
        Some(entry)
    });
    entries.take(MAX_ENTRIES).flatten()
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;

    #[test]
    fn siblings_are_the_files_of_the_same_directory() {
        let snapshot = of_text(
            "
            //- a.py
            //- shop-b/c.py
            //- shop.py
            //- shop/a/b/c.py
            //- shop/a/d.py
            //- shop/b.py
            //- shop/c.py
            //- shop/c/a.py
            //- shop/d.py
            //- z/a.py
            ",
        );
        let files = &snapshot.files;
        let of = |path: &str| {
            let file = files.find(path).expect("a file");
            let found = siblings(files, file).map(|id| files.path(id));
            found.collect::<Vec<_>>()
        };
        assert_eq!(of("a.py"), ["shop.py"]);
        assert_eq!(of("shop/c.py"), ["shop/b.py", "shop/d.py"]);
        assert_eq!(of("shop/a/b/c.py"), [""; 0]);
    }
}
