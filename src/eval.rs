//! Measures Foveate on cases with known answers: indexes each case's repository at its commit, asks
//! in process, and scores what the answer delivers. Ground truth meets an answer only in
//! [`score`], after it was given. It must not print and must not choose an exit code: `cli::eval`
//! does. Start at [`run::run`], then [`score`] for what each figure means.

pub mod aggregate;
pub mod calibration;
pub mod case;
pub mod checksum;
pub mod compare;
pub mod curve;
pub mod metric;
pub mod mine;
pub mod report;
pub mod run;
pub mod score;
pub mod sweep;
pub mod train;
