//! Writes tables that the program reads in place, so that nothing is built from them when a process starts: finite
//! state transducers of the names, with what is known by each name.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use fst::Map;

const WEIGHTS: &str = "src/intent/wording/weights.txt";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={WEIGHTS}");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    vocabulary(&out)?;
    wording(&out)
}

/// The vocabulary of the tokenizer: the rank of a token by its bytes. `tokenizer.rs` has tests that it counts
/// as the library does that the vocabulary is from.
fn vocabulary(out: &Path) -> Result<(), Box<dyn Error>> {
    let encoding = tiktoken_rs::o200k_base()?;
    // Ordinary tokens are numbered without a gap; those that mark the ends of texts come after one.
    let tokens =
        (0..).map_while(|rank| Some((encoding.decode_bytes(&[rank]).ok()?, u64::from(rank))));
    let mut ranks = tokens.collect::<Vec<_>>();
    ranks.sort_unstable();
    write_map(&out.join("o200k_base.fst"), ranks)
}

/// The weights of the wording: the number of a feature's row by its name, and the rows, 16 bits a weight.
fn wording(out: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(WEIGHTS)?;
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for (line, row) in text.lines().zip(0..) {
        let (name, weights) = line.split_once('\t').ok_or("a name, a tab and weights")?;
        names.push((name, row));
        for weight in weights.split(' ') {
            rows.extend(weight.parse::<i16>()?.to_le_bytes());
        }
    }
    names.sort_unstable();
    fs::write(out.join("wording.rows"), rows)?;
    write_map(&out.join("wording.fst"), names)
}

fn write_map<K: AsRef<[u8]>>(path: &Path, sorted: Vec<(K, u64)>) -> Result<(), Box<dyn Error>> {
    fs::write(path, Map::from_iter(sorted)?.as_fst().as_bytes())?;
    Ok(())
}
