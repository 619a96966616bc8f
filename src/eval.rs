//! Measures Foveate on cases with known answers: indexes each case's repository at its commit, asks in process,
//! and scores the answer. Only [`score`] sees both the ground truth and the answer. This module must not print and
//! must not choose an exit code: `cli::eval` does. Start at [`run::run`]; [`score`] defines the figures.

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
pub mod train;
pub mod visit;
