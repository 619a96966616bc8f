//! Finds the projects of C# (directories with a `.csproj`), and the namespaces that their settings import into all
//! their files: `<Using Include="A.B" />`, in the project itself or in the nearest `Directory.Build.props`.

use foldhash::HashMap;
use foveate_model::resolution::FileTree;
use foveate_model::{FileId, RepoPath, SourceFile};

use crate::languages::package_numbers::PackageNumbers;
use crate::paths::ancestors;

/// Maximum number of namespaces that the settings of one project import.
const MAX_USINGS: usize = 128;

/// Whether the file at a path decides where projects are or what they import.
pub(super) fn is_settings(path: &RepoPath) -> bool {
    is_project(path) || is_shared(path)
}

fn is_project(path: &RepoPath) -> bool {
    path.extension() == "csproj"
}

/// Whether a file holds settings of all projects below its directory.
fn is_shared(path: &RepoPath) -> bool {
    path.file_name() == "Directory.Build.props"
}

/// The projects of a repository.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Projects {
    /// The number of the project of each source file.
    of_file: PackageNumbers,
    /// By project, the files of the namespaces that its settings import.
    imports: HashMap<u32, Box<[FileId]>>,
}

impl Projects {
    /// Finds the projects of source files. `named` returns the file of a namespace, the nearest to a file.
    pub(super) fn new<'f>(
        files: &'f dyn FileTree,
        is_source: impl Fn(&SourceFile) -> bool,
        named: impl Fn(FileId, &str) -> Option<FileId>,
    ) -> Self {
        let settings = Settings::new(files);
        if settings.projects.is_empty() {
            return Self::default();
        }
        let of_file = PackageNumbers::new(files, |file: &'f SourceFile| {
            let project = settings.project_around(file.path.directory());
            project.filter(|_| is_source(file))
        });
        let mut imports: HashMap<u32, Box<[FileId]>> = HashMap::default();
        for id in files.ids() {
            let Some(project) = of_file.of(id) else {
                continue;
            };
            imports.entry(project).or_insert_with(|| {
                let around = settings.project_around(files.file(id).path.directory());
                let usings = settings
                    .files_of(around.unwrap_or(""))
                    .flat_map(|settings| {
                        usings(files.text(settings)).map(move |name| (settings, name))
                    });
                let found = usings.filter_map(|(settings, name)| named(settings, name));
                found.take(MAX_USINGS).collect()
            });
        }
        Self { of_file, imports }
    }

    /// Returns the number of the project that a source file belongs to.
    pub(super) fn of(&self, file: FileId) -> Option<u32> {
        self.of_file.of(file)
    }

    /// Returns the files of the namespaces that the settings of a project import.
    pub(super) fn imports(&self, project: u32) -> &[FileId] {
        self.imports.get(&project).map_or(&[], |imports| imports)
    }
}

/// The files with settings, by their directories.
struct Settings<'f> {
    projects: HashMap<&'f str, Vec<FileId>>,
    shared: HashMap<&'f str, FileId>,
}

impl<'f> Settings<'f> {
    fn new(files: &'f dyn FileTree) -> Self {
        let mut found = Self {
            projects: HashMap::default(),
            shared: HashMap::default(),
        };
        for id in files.ids() {
            let path = &files.file(id).path;
            if is_project(path) {
                let projects = found.projects.entry(path.directory()).or_default();
                projects.push(id);
            } else if is_shared(path) {
                found.shared.insert(path.directory(), id);
            }
        }
        found
    }

    /// Returns the nearest directory with a project.
    fn project_around<'d>(&self, directory: &'d str) -> Option<&'d str> {
        ancestors(directory).find(|around| self.projects.contains_key(*around))
    }

    /// Returns the files with the settings of a project.
    fn files_of(&self, project: &str) -> impl Iterator<Item = FileId> {
        let own = self.projects.get(project).into_iter().flatten();
        let shared = ancestors(project).find_map(|around| self.shared.get(around));
        own.chain(shared).copied()
    }
}

/// Returns the namespaces in `<Using Include="A.B;C" />`. Types, and namespaces under another name, are left out.
fn usings(text: &str) -> impl Iterator<Item = &str> {
    let outside_comments = text.split("<!--").enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once("-->").map_or("", |(_, after)| after),
    });
    let elements = outside_comments.flat_map(|part| part.split("<Using").skip(1));
    let elements = elements.filter(|element| element.starts_with(char::is_whitespace));
    let lists = elements.filter_map(|element| {
        let head = element.split('>').next()?;
        let is_type = attribute(head, "Static").is_some_and(|of| of.eq_ignore_ascii_case("true"));
        let is_renamed = attribute(head, "Alias").is_some();
        attribute(head, "Include").filter(|_| !is_type && !is_renamed)
    });
    let names = lists.flat_map(|names| names.split(';')).map(str::trim);
    names.filter(|name| !name.is_empty())
}

/// Returns the value of an attribute in the head of an element.
fn attribute<'t>(head: &'t str, name: &str) -> Option<&'t str> {
    let mut parts = head.split(['"', '\'']);
    while let (Some(before), Some(value)) = (parts.next(), parts.next()) {
        let written = before.trim().strip_suffix('=').map(str::trim_end);
        if written == Some(name) {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::usings;

    #[test]
    fn namespaces_are_read_from_settings() {
        for (text, expected) in [
            ("<Using Include=\"A.B\" />", "A.B"),
            (
                "<Using\n  Include = 'A;  B.C ;' Static=\"false\"/>",
                "A B.C",
            ),
            ("<Using Include=\"A.B\" Static=\"True\" />", ""),
            ("<Using Include=\"A.B\" Alias=\"C\" />", ""),
            ("<Using Remove=\"A\" /><Using Include=\"B\"></Using>", "B"),
            (
                "<!-- <Using Include=\"A\" /> --><Using Include=\"B\" />",
                "B",
            ),
            ("<UsingTask Include=\"A\" /><Using Include=\"", ""),
            ("<!-- <Using Include=\"A\" />", ""),
        ] {
            let found: Vec<&str> = usings(text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
