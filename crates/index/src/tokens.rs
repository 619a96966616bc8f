//! Tokens: identifiers whole and split, stemmed words.
