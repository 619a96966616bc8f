//! Writes the dictionary of the tokenizer, without the tables that counting does not need: the
//! searchers that encode by table, and the search of a token by its bytes. They are half of it, in the
//! program and in its memory. `tokenizer.rs` has a test that it counts as the whole one does.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use bpe::byte_pair_encoding::BytePairEncoding;
use serde::{Deserialize, Serialize};

/// The fields of [`BytePairEncoding`] as it is stored, in their order.
#[derive(Serialize, Deserialize)]
struct Dictionary {
    all_tokens: Vec<u8>,
    token_starts: Vec<u32>,
    token_by_hash: BTreeMap<u32, u32>,
    split_table: Vec<(u32, u32)>,
    pairs: BTreeMap<(u32, u32), u32>,
    #[serde(with = "serde_bytes")]
    longest_searcher: Vec<u8>,
    #[serde(with = "serde_bytes")]
    overlapping_searcher: Vec<u8>,
    #[serde(with = "serde_bytes")]
    overlapping_searcher_reversed: Vec<u8>,
    next_prefix_match: Vec<u32>,
    hash_factor: u64,
}

impl Dictionary {
    fn of(encoding: &BytePairEncoding) -> Result<Self, Box<dyn Error>> {
        Ok(rmp_serde::from_slice(&rmp_serde::to_vec(encoding)?)?)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let whole = Dictionary::of(&bpe_openai::o200k_base().bpe)?;
    // A searcher must be there, however small.
    let smallest = Dictionary::of(&BytePairEncoding::from_dictionary([b"a".to_vec()], None))?;
    let counting = Dictionary {
        token_by_hash: BTreeMap::new(),
        overlapping_searcher: smallest.overlapping_searcher,
        overlapping_searcher_reversed: smallest.overlapping_searcher_reversed,
        ..whole
    };
    let path = PathBuf::from(std::env::var("OUT_DIR")?).join("o200k_base.dict");
    std::fs::write(path, rmp_serde::to_vec(&counting)?)?;
    Ok(())
}
