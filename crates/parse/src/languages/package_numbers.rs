//! Numbers the packages of files, for languages whose files say which package they belong to.

use std::hash::Hash;

use foldhash::HashMap;
use foveate_model::resolution::FileTree;
use foveate_model::{FileId, SourceFile};

/// Number of files that belong to no package.
const NONE: u32 = u32::MAX;

/// The number of each file's package.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PackageNumbers(Vec<u32>);

impl PackageNumbers {
    /// Numbers the packages in the order of their first files.
    pub(super) fn new<'f, P: Eq + Hash>(
        files: &'f dyn FileTree,
        package: impl Fn(&'f SourceFile) -> Option<P>,
    ) -> Self {
        let mut numbers: HashMap<P, u32> = HashMap::default();
        let packages = files.files().iter().map(package);
        let of_file = packages.map(|package| {
            let next = u32::try_from(numbers.len()).unwrap_or(NONE);
            package.map_or(NONE, |package| *numbers.entry(package).or_insert(next))
        });
        Self(of_file.collect())
    }

    /// Returns the number of a file's package.
    pub(super) fn of(&self, file: FileId) -> Option<u32> {
        let number = self.0.get(file.0 as usize).copied();
        number.filter(|number| *number != NONE)
    }
}
