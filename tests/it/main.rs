//! The service from outside: in process, on a real port, over real directories and repositories.
//! One binary, so that it links once. Start at [`app::TestApp`].

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod access;
mod app;
mod audit;
mod backup;
mod boundary;
mod bursts;
mod cache;
mod ci;
mod cli;
mod connections;
mod contract;
mod cors;
mod database;
mod deadlines;
mod derived;
mod diff;
mod doctor;
mod documents;
mod feedback;
mod floors;
mod forge_access;
mod fuzz;
mod git;
mod hub;
mod index_store;
mod journey;
mod killed;
mod languages;
mod learned;
mod limits;
mod log;
mod lookups;
mod max_size;
mod mcp;
mod memory;
mod merges;
mod metrics;
mod monitoring;
mod negotiation;
mod openapi;
mod other_forges;
#[cfg(feature = "otlp")]
mod otlp;
mod page;
mod parsers;
mod postgres;
mod private;
mod process;
mod rebuilt;
mod refusals;
mod remote;
mod restart;
mod same;
mod shell;
mod stop;
mod stub_forge;
mod tls;
mod unsafe_text;
mod upgrade;
mod watch;
mod webhook_jobs;
mod webhooks;
mod working_tree;
