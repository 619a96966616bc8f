//! Finds the setting or field that a wrong name may mean, among the known ones.

use rapidfuzz::distance::osa;

/// Length from which a name is compared with others by its parts and letters, in bytes.
const MIN_LEN: usize = 3;

/// Returns the known name that may be meant: one that contains the name, that the name begins with, or that differs by
/// one edit.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let is_long = name.len() >= MIN_LEN;
    let is_near = |known: &&str| {
        let is_part = is_long && known.contains(name);
        is_part || name.starts_with(*known) || is_long && is_one_edit(name, known)
    };
    let near = known.iter().copied().filter(is_near);
    near.min_by_key(|known| known.len().abs_diff(name.len()))
}

/// Whether two names differ at most by their case and one edit: a letter that is missing, added or wrong, or two
/// neighbours that are swapped.
fn is_one_edit(left: &str, right: &str) -> bool {
    let (left, right) = (left.to_ascii_lowercase(), right.to_ascii_lowercase());
    let is_near_in_length = left.len().abs_diff(right.len()) <= 1;
    is_near_in_length && osa::distance(left.bytes(), right.bytes()) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_leads_to_the_meant_name() {
        for name in [
            "listen", "Listen", "lsten", "lissten", "liston", "lisetn", "listen_on", "list",
        ] {
            assert_eq!(nearest(name, &["tls", "listen"]), Some("listen"), "{name}");
        }
        for name in ["lstn", "nelist", "li", "", "port"] {
            assert_eq!(nearest(name, &["tls", "listen"]), None, "{name}");
        }
    }
}
