//! Names default exports that have no name in their file, as the code that imports them usually does: after the file.

use foveate_model::RepoPath;

/// Returns the name of a script's default export: `useCart` for `useCart.ts`, `Cart` for `Cart/index.tsx`. Files in lower
/// case, such as settings and translations, are left out: code gives their contents other names.
pub(super) fn of_script(path: &RepoPath) -> Option<String> {
    let name = file_or_directory(path);
    let has_capital = name.contains(char::is_uppercase);
    (has_capital && is_identifier(name)).then(|| name.to_owned())
}

/// Returns the name of a component: `SideBar` for `SideBar.vue`, `side-bar.vue` and `side-bar/index.svelte`.
pub(super) fn of_component(path: &RepoPath) -> Option<String> {
    let mut name = String::new();
    for word in file_or_directory(path).split('-') {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.push_str(letters.as_str());
    }
    is_identifier(&name).then_some(name)
}

/// Returns the stem of a file, or the name of the directory that an index file stands for.
fn file_or_directory(path: &RepoPath) -> &str {
    match path.stem() {
        "index" => path.directory().rsplit('/').next().unwrap_or(""),
        stem => stem,
    }
}

fn is_identifier(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_exports_are_named_after_their_files() {
        let name = |of: fn(&RepoPath) -> Option<String>, path: &str| {
            of(&RepoPath::new(path).unwrap()).unwrap_or_default()
        };
        for (path, script, component) in [
            ("src/SideBar.x", "SideBar", "SideBar"),
            ("src/side-bar.x", "", "SideBar"),
            ("src/sideBar/index.x", "sideBar", "SideBar"),
            ("src/about.x", "", "About"),
            ("index.x", "", ""),
            ("pages/[userId].x", "", ""),
            ("pages/+Page.x", "", ""),
            ("Site.config.x", "", ""),
            ("4Oh.x", "", ""),
        ] {
            assert_eq!(name(of_script, path), script, "{path}");
            assert_eq!(name(of_component, path), component, "{path}");
        }
    }
}
