//! Gives words of British spelling their American form, so that "the colour is not normalised" finds
//! `normalize_color`, and the other way round. Words that are spelled alike in both keep their form.

/// Endings in which British texts write `s` where American ones write `z`. The `s` is the second letter.
const WITH_Z: [&str; 10] = [
    "ise", "ised", "iser", "isers", "ises", "ising", "isation", "isations", "isable", "isational",
];
/// Minimum letters before such an ending. Shorter words have an `s` in both: `raise`, `advised`.
const MIN_BEFORE: usize = 4;
/// Beginnings, up to such an ending, of words that have an `s` in both.
const WITH_S: [&str; 19] = [
    "advert", "anyw", "clockw", "compr", "comprom", "enterpr", "exerc", "expert", "franch",
    "improv", "likew", "merchand", "otherw", "prec", "prem", "prom", "superv", "surpr", "unsuperv",
];
/// Beginnings of words, British and American. What is left of an ending, as in `cataloge`, stemming removes.
const BEGINNINGS: [(&str, &str); 16] = [
    ("analyse", "analyze"),
    ("analysing", "analyzing"),
    ("behaviour", "behavior"),
    ("catalogu", "catalog"),
    ("centred", "centered"),
    ("centre", "center"),
    ("colour", "color"),
    ("dialogue", "dialog"),
    ("favour", "favor"),
    ("flavour", "flavor"),
    ("grey", "gray"),
    ("honour", "honor"),
    ("labour", "labor"),
    ("licence", "license"),
    ("neighbour", "neighbor"),
    ("rumour", "rumor"),
];

/// Replaces the British form of a lower-case word of ASCII letters.
pub(super) fn americanize(word: &mut String) {
    if let Some((british, american)) = beginning(word) {
        word.replace_range(..british.len(), american);
    }
    if let Some(at) = position_of_z(word) {
        word.replace_range(at..=at, "z");
    }
}

fn beginning(word: &str) -> Option<(&'static str, &'static str)> {
    let begins = |(british, _): &&(&str, &str)| word.starts_with(british);
    // "Analyses" is the plural of "analysis", too.
    let found = BEGINNINGS.iter().find(begins)?;
    (word != "analyses").then_some(*found)
}

/// Returns the position of the `s` of a word that American texts write with `z`.
fn position_of_z(word: &str) -> Option<usize> {
    let at = word.rfind("is")?;
    let (before, ending) = word.split_at_checked(at)?;
    let is_british =
        before.len() >= MIN_BEFORE && WITH_Z.contains(&ending) && !WITH_S.contains(&before);
    is_british.then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn british_words_get_their_american_form() {
        for (british, american) in [
            ("behaviours", "behaviors"),
            ("colouring", "coloring"),
            ("deserialise", "deserialize"),
            ("initialised", "initialized"),
            ("localisation", "localization"),
            ("normaliser", "normalizer"),
            ("analysed", "analyzed"),
            ("catalogued", "cataloged"),
            ("centred", "centered"),
        ] {
            let mut word = british.to_owned();
            americanize(&mut word);
            assert_eq!(word, american);
        }
        for same in [
            "raise", "raised", "precise", "analyses", "supervised", "promising", "this", "color",
            "isation", "iser", "",
        ] {
            let mut word = same.to_owned();
            americanize(&mut word);
            assert_eq!(word, same);
        }
    }
}
