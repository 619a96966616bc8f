//! Counts tokens as the reader's model will (o200k_base).

/// Tokens of `text` in o200k_base. The first call builds the tables; see [`warm`].
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// Builds the tokenizer's tables, so that the first query need not wait for them.
pub fn warm() {
    bpe_openai::o200k_base();
}
