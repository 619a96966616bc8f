//! Counts tokens as the reader's model will (o200k_base).

/// Tokens of `text` in o200k_base.
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}
