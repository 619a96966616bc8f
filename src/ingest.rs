//! From places to files: git repositories and working trees become the files of a revision. It
//! drives the engine (which alone publishes) and knows no HTTP. Start at [`git::GitRepo`].

pub mod git;
pub mod once;
pub mod tree;
pub mod watch;
