//! Finds the components that tags of Vue mean: `<my-button>` is the imported `MyButton`, or what the script registers
//! under that name (`components: { 'my-button': Button }`).

use std::ops::Range;

use foldhash::{HashMap, HashSet};
use foveate_model::{Import, ImportedName, Span};

/// Maximum number of objects of registered components that are read in one script.
const MAX_OBJECTS: usize = 8;

/// Positions of an import in a file and of a name in it.
type Place = (usize, usize);

/// Binds the names of tags to the imports that they mean, and returns the tags that mean one.
pub(super) fn bind(
    text: &str,
    scripts: &[Range<usize>],
    tags: Vec<Span>,
    imports: &mut [Import],
) -> Vec<Span> {
    if tags.is_empty() {
        return tags;
    }
    let places = places(text, scripts, imports);
    let mut bound = HashSet::default();
    let mut found = tags;
    found.retain(|tag| {
        let tag = tag.of(text);
        let Some((import, name)) = places.get(&in_kebab_case(tag)) else {
            return false;
        };
        if bound.insert(tag)
            && let Some(import) = imports.get_mut(*import)
            && let Some(imported) = import.names.get(*name).map(|known| known.name.clone())
        {
            import.names.push(ImportedName {
                name: imported,
                local: tag.into(),
            });
        }
        true
    });
    found
}

/// Returns where the components are imported that tags may mean, by their names in kebab case. Of several with one name
/// the first counts, and one that is registered under it before all others.
fn places(text: &str, scripts: &[Range<usize>], imports: &[Import]) -> HashMap<String, Place> {
    let mut by_local: HashMap<&str, Place> = HashMap::default();
    let mut places: HashMap<String, Place> = HashMap::default();
    let imports = imports.iter().enumerate();
    for (at, import) in imports.filter(|(_, import)| import.enclosing.is_none()) {
        for (name, imported) in import.names.iter().enumerate() {
            if !imported.local.is_empty() {
                let place = (at, name);
                by_local.entry(&imported.local).or_insert(place);
                places
                    .entry(in_kebab_case(&imported.local))
                    .or_insert(place);
            }
        }
    }
    for (name, local) in registered(text, scripts) {
        if let Some(place) = by_local.get(local) {
            places.insert(in_kebab_case(name), *place);
        }
    }
    places
}

/// Returns the names under which scripts register components, each with the name that the script has for it.
fn registered<'t>(
    text: &'t str,
    scripts: &'t [Range<usize>],
) -> impl Iterator<Item = (&'t str, &'t str)> {
    let scripts = scripts
        .iter()
        .filter_map(move |script| text.get(script.clone()));
    let objects = scripts.flat_map(|script| {
        let words = script.match_indices("components");
        let starts = words.filter_map(move |(at, word)| {
            let after = script.get(at + word.len()..)?.trim_start();
            after.strip_prefix(':')?.trim_start().strip_prefix('{')
        });
        let starts = starts.take(MAX_OBJECTS);
        starts.filter_map(|object| object.get(..object.find('}')?))
    });
    objects
        .flat_map(|object| object.split(','))
        .map(|component| {
            let (name, local) = component.split_once(':').unwrap_or((component, component));
            (name.trim().trim_matches(['"', '\'']), local.trim())
        })
}

/// Converts `MyButton` and `myButton` to `my-button`.
fn in_kebab_case(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !kebab.is_empty() && !kebab.ends_with('-') {
            kebab.push('-');
        }
        kebab.extend(letter.to_lowercase());
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_converted_to_kebab_case() {
        for (name, expected) in [
            ("MyButton", "my-button"),
            ("myButton", "my-button"),
            ("my-button", "my-button"),
            ("My-Button", "my-button"),
            ("Row", "row"),
            ("", ""),
        ] {
            assert_eq!(in_kebab_case(name), expected, "{name}");
        }
    }
}
