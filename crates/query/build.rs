//! Writes the vocabulary of the tokenizer: from the bytes of a token to its rank, as a finite state
//! transducer, which is read in place. `tokenizer.rs` has tests that it counts as the library does
//! that the vocabulary is from.

use std::error::Error;
use std::path::PathBuf;

use fst::Map;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let encoding = tiktoken_rs::o200k_base()?;
    // Ordinary tokens are numbered without a gap; those that mark the ends of texts come after one.
    let tokens =
        (0..).map_while(|rank| Some((encoding.decode_bytes(&[rank]).ok()?, u64::from(rank))));
    let mut ranks = tokens.collect::<Vec<_>>();
    ranks.sort_unstable();
    let path = PathBuf::from(std::env::var("OUT_DIR")?).join("o200k_base.fst");
    std::fs::write(path, Map::from_iter(ranks)?.as_fst().as_bytes())?;
    Ok(())
}
