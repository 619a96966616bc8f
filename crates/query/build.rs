//! Writes tables that the program reads in place, so that nothing is built when a process starts: finite state
//! transducers that map names to numbers, and the rows of weights.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use fst::Map;

/// The linear models: their names, and the files of their weights.
const MODELS: [(&str, &str); 2] = [
    ("wording", "src/intent/wording/weights.txt"),
    ("asked_kinds", "src/intent/asked_kinds/weights.txt"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    vocabulary(&out)?;
    for (name, weights) in MODELS {
        println!("cargo::rerun-if-changed={weights}");
        model(&out, name, weights)?;
    }
    Ok(())
}

/// Writes the vocabulary of the tokenizer: a map from the bytes of a token to its rank. Tests in `tokenizer.rs` compare
/// its counts with those of tiktoken, the source of the vocabulary.
fn vocabulary(out: &Path) -> Result<(), Box<dyn Error>> {
    let encoding = tiktoken_rs::o200k_base()?;
    // Ordinary tokens are numbered without a gap; special tokens, which mark the ends of texts, come after one.
    let tokens =
        (0..).map_while(|rank| Some((encoding.decode_bytes(&[rank]).ok()?, u64::from(rank))));
    let mut ranks = tokens.collect::<Vec<_>>();
    ranks.sort_unstable();
    write_map(&out.join("o200k_base.fst"), ranks)
}

/// Writes the weights of a model: a map from the name of a feature to its row number, and the rows, 16 bits
/// (little-endian) per weight.
fn model(out: &Path, model: &str, weights: &str) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(weights)?;
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for (line, row) in text.lines().zip(0..) {
        let (name, weights) = line.split_once('\t').ok_or("a name, a tab and weights")?;
        names.push((name, row));
        for weight in weights.split(' ') {
            rows.extend(weight.parse::<i16>()?.to_le_bytes());
        }
    }
    names.sort_unstable();
    fs::write(out.join(format!("{model}.rows")), rows)?;
    write_map(&out.join(format!("{model}.fst")), names)
}

fn write_map<K: AsRef<[u8]>>(path: &Path, sorted: Vec<(K, u64)>) -> Result<(), Box<dyn Error>> {
    fs::write(path, Map::from_iter(sorted)?.as_fst().as_bytes())?;
    Ok(())
}
