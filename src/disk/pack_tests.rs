//! Tests that packs survive truncation, damage, shrinking and writes by others.

use std::fs;

use super::*;
use crate::disk::content_store::{get_only, put_only};

fn entry(key: &str, value: &str) -> Entry {
    (key.as_bytes().into(), value.as_bytes().to_vec())
}

fn put<const N: usize>(pack: &Pack, entries: [Entry; N]) -> io::Result<()> {
    pack.put_all(&mut entries.into_iter())
}

fn bytes(path: &Path) -> u64 {
    fs::metadata(path).expect("the file").len()
}

fn get(pack: &Pack, key: &str) -> Option<String> {
    let bytes = pack.get(key.as_bytes())?;
    Some(String::from_utf8(bytes).expect("only texts are written"))
}

/// A file with two blocks: a = 1, b = 2, and then b = 3, c = 4.
fn example() -> io::Result<(tempfile::TempDir, PathBuf)> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("new/facts.pack");
    let pack = Pack::open(path.clone(), 1);
    assert!(!path.exists(), "nothing is written that need not be");
    put(&pack, [entry("a", "1"), entry("b", "2")])?;
    put(&pack, [entry("b", "3"), entry("c", "4")])?;
    let got = ["a", "b", "c", "d"].map(|key| get(&pack, key));
    let texts = got.each_ref().map(Option::as_deref);
    assert_eq!(texts, [Some("1"), Some("3"), Some("4"), None]);
    Ok((directory, path))
}

#[test]
fn entries_survive_and_other_version_replaces_file() -> io::Result<()> {
    let (_keep, path) = example()?;
    let pack = Pack::open(path.clone(), 1);
    assert_eq!(get(&pack, "b").as_deref(), Some("3"));
    let other = Pack::open(path.clone(), 2);
    assert_eq!(get(&other, "b"), None);
    assert!(Pack::open(path.clone(), 1).contains(b"b"), "not yet");
    put(&other, [entry("x", "5")])?;
    assert!(!Pack::open(path.clone(), 1).contains(b"b"));
    assert!(Pack::open(path, 2).contains(b"x"));
    Ok(())
}

#[test]
fn truncated_pack_keeps_whole_blocks_and_accepts_writes() -> io::Result<()> {
    let (_keep, path) = example()?;
    let good = fs::read(&path)?;
    for length in 0..good.len() {
        fs::write(&path, &good[..length])?;
        let pack = Pack::open(path.clone(), 1);
        assert!([None, Some("2".into()), Some("3".into())].contains(&get(&pack, "b")));
        put(&pack, [entry("d", "6")])?;
        let pack = Pack::open(path.clone(), 1);
        assert_eq!(get(&pack, "d").as_deref(), Some("6"), "cut at {length}");
    }
    Ok(())
}

#[test]
fn flipped_bit_never_gives_wrong_value() -> io::Result<()> {
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
fn unwanted_entries_are_deleted_above_max_waste() -> io::Result<()> {
    let (_keep, path) = example()?;
    let pack = Pack::open(path.clone(), 1);
    assert_eq!(
        pack.retain(MaxWaste::Third, &|_| true)?,
        0,
        "little would be freed"
    );
    let before = bytes(&path);
    let freed = pack.retain(MaxWaste::None, &|key| key == b"c")?;
    assert_eq!(bytes(&path), before - freed);
    assert!(freed > 0 && !pack.contains(b"a"));
    for (max_waste, percent) in [(MaxWaste::Third, 33), (MaxWaste::ThreeQuarters, 75)] {
        assert!(!max_waste.is_exceeded(1200, 1200 - 12 * percent));
        assert!(max_waste.is_exceeded(1200, 1200 - 12 * (percent + 2)));
    }
    put(&pack, [entry("d", "6")])?;
    let pack = Pack::open(path, 1);
    assert_eq!(get(&pack, "c").as_deref(), Some("4"));
    assert_eq!(get(&pack, "d").as_deref(), Some("6"));
    Ok(())
}

#[test]
fn failed_rewrite_keeps_old_entries() -> io::Result<()> {
    let (_keep, path) = example()?;
    let pack = Pack::open(path.clone(), 1);
    // A directory has the name of the new file, so that it cannot be written.
    fs::create_dir(path.with_extension("unfinished"))?;
    assert!(pack.retain(MaxWaste::None, &|key| key == b"c").is_err());
    assert_eq!(get(&pack, "a").as_deref(), Some("1"));
    Ok(())
}

#[test]
fn replacing_only_value_keeps_file_small() -> io::Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("tree.pack");
    let pack = Pack::open(path.clone(), 1);
    for number in 0..100 {
        put_only(&pack, format!("{number:0100}").into_bytes())?;
    }
    assert!(bytes(&path) < 2000, "{}", bytes(&path));
    let reader = Pack::open_read_only(path.clone(), 1);
    let last = format!("{:0100}", 99).into_bytes();
    assert_eq!(get_only(&reader), Some(last.clone()));
    put_only(&reader, Vec::new())?;
    assert_eq!(
        get_only(&Pack::open(path, 1)),
        Some(last),
        "it may not write"
    );
    Ok(())
}
