//! What a pack gives after it was cut, damaged, shrunk, or written by someone else.

use std::fs;

use super::*;

fn entry(key: &str, value: &str) -> (Box<[u8]>, Vec<u8>) {
    (key.as_bytes().into(), value.as_bytes().to_vec())
}

fn get(pack: &Pack, key: &str) -> Option<String> {
    let bytes = pack.get(key.as_bytes())?;
    Some(String::from_utf8(bytes).expect("only texts are written"))
}

/// A file with the blocks a, b = 1 2 and then b, c = 3 4.
fn example() -> io::Result<(tempfile::TempDir, PathBuf)> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("new/facts.pack");
    let pack = Pack::open(path.clone(), 1);
    assert!(!path.exists(), "nothing is written that need not be");
    pack.append([entry("a", "1"), entry("b", "2")].into_iter())?;
    pack.append([entry("b", "3"), entry("c", "4")].into_iter())?;
    let got = ["a", "b", "c", "d"].map(|key| get(&pack, key));
    let texts = got.each_ref().map(Option::as_deref);
    assert_eq!(texts, [Some("1"), Some("3"), Some("4"), None]);
    Ok((directory, path))
}

#[test]
fn entries_survive_and_another_shape_begins_anew() -> io::Result<()> {
    let (_keep, path) = example()?;
    let pack = Pack::open(path.clone(), 1);
    assert_eq!(get(&pack, "b").as_deref(), Some("3"));
    assert_eq!(pack.bytes(), fs::metadata(&path)?.len());
    let other = Pack::open(path.clone(), 2);
    assert_eq!(get(&other, "b"), None);
    assert!(Pack::open(path.clone(), 1).contains(b"b"), "not yet");
    other.append([entry("x", "5")].into_iter())?;
    assert!(!Pack::open(path.clone(), 1).contains(b"b"));
    assert!(Pack::open(path, 2).contains(b"x"));
    Ok(())
}

#[test]
fn cut_anywhere_it_gives_what_was_whole_and_grows_again() -> io::Result<()> {
    let (_keep, path) = example()?;
    let good = fs::read(&path)?;
    for length in 0..good.len() {
        fs::write(&path, &good[..length])?;
        let pack = Pack::open(path.clone(), 1);
        assert!([None, Some("2".into()), Some("3".into())].contains(&get(&pack, "b")));
        pack.append([entry("d", "6")].into_iter())?;
        let pack = Pack::open(path.clone(), 1);
        assert_eq!(get(&pack, "d").as_deref(), Some("6"), "cut at {length}");
    }
    Ok(())
}

#[test]
fn a_flipped_bit_anywhere_never_gives_a_wrong_value() -> io::Result<()> {
    let (_keep, path) = example()?;
    let good = fs::read(&path)?;
    let mut lost = 0;
    for position in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[position / 8] ^= 1 << (position % 8);
        fs::write(&path, &bad)?;
        let pack = Pack::open(path.clone(), 1);
        for (key, values) in [("a", &["1"][..]), ("b", &["2", "3"]), ("c", &["4"])] {
            match get(&pack, key) {
                Some(value) => assert!(values.contains(&&*value), "bit {position}: {value}"),
                None => lost += 1,
            }
        }
    }
    assert!(lost > good.len(), "damage is noticed");
    Ok(())
}

#[test]
fn shrinking_drops_what_nobody_wants() -> io::Result<()> {
    let (_keep, path) = example()?;
    let pack = Pack::open(path.clone(), 1);
    assert_eq!(
        pack.shrink(Slack::Third, |_| true)?,
        0,
        "little would be freed"
    );
    let before = pack.bytes();
    let freed = pack.shrink(Slack::None, |key| key == b"c")?;
    assert_eq!(fs::metadata(&path)?.len(), before - freed);
    assert!(freed > 0 && !pack.contains(b"a"));
    for (slack, most) in [(Slack::Third, 33), (Slack::ThreeQuarters, 75)] {
        assert!(!slack.is_exceeded(1200, 1200 - 12 * most));
        assert!(slack.is_exceeded(1200, 1200 - 12 * (most + 2)));
    }
    pack.append([entry("d", "6")].into_iter())?;
    let pack = Pack::open(path, 1);
    assert_eq!(get(&pack, "c").as_deref(), Some("4"));
    assert_eq!(get(&pack, "d").as_deref(), Some("6"));
    Ok(())
}

#[test]
fn what_cannot_be_written_leaves_what_was_there() -> io::Result<()> {
    let (_keep, path) = example()?;
    let pack = Pack::open(path.clone(), 1);
    // Its place is taken by a directory: nothing can be put there.
    fs::create_dir(path.with_extension("unfinished"))?;
    assert!(pack.shrink(Slack::None, |key| key == b"c").is_err());
    assert_eq!(get(&pack, "a").as_deref(), Some("1"));
    Ok(())
}
