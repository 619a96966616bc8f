//! `foveate doctor`: checks everything that a server with these settings needs, and says what to do. It takes no lock,
//! writes nothing, and shows no secret. The checks are in [`machine`], [`data`], [`access`], [`telemetry`] and
//! [`network`].

mod access;
mod data;
mod machine;
mod network;
mod telemetry;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use tokio::runtime::Handle;

use super::settings::parsers;
use crate::cli::doctor::{DoctorArgs, Finding, print};
use crate::cli::ranking;
use crate::config::{Config, Overrides};
use crate::disk;
use crate::telemetry::install_tls;

/// Runs the command.
///
/// # Errors
/// When the result cannot be printed.
pub fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    install_tls();
    let runtime =
        tokio::runtime::Runtime::new().context("cannot start the asynchronous runtime")?;
    let findings = runtime.block_on(examine(args));
    // A check that hangs on a file system is abandoned.
    runtime.shutdown_timeout(Duration::from_secs(1));
    print(&findings, args.json)
}

async fn examine(args: &DoctorArgs) -> Vec<Finding> {
    let mut findings = Vec::new();
    let overrides = Overrides {
        listen: args.listen.clone(),
        data_dir: args.data_dir.clone(),
    };
    let mistakes = Config::mistakes(args.config.as_deref(), &overrides);
    for mistake in &mistakes {
        let advice =
            "`foveate config check` lists the mistakes, config/default.toml explains the settings";
        findings.push(Finding::failure("settings", mistake.to_string(), advice));
    }
    findings.extend(machine::git());
    let Ok(config) = Config::load(args.config.as_deref(), &overrides) else {
        findings.push(machine::clock(SystemTime::now(), &[]));
        return findings;
    };
    findings.insert(0, Finding::ok("settings", "the settings are valid"));
    if let Err(error) = ranking(Some(&config.ranking.file)) {
        let advice = "correct the file, or leave ranking.file empty";
        findings.push(Finding::failure("settings", format!("{error:#}"), advice));
    }
    let holder = disk::holder(&config.storage.data_dir);
    // A relative path has parents only as an absolute one.
    let data_dir = std::path::absolute(&config.storage.data_dir)
        .unwrap_or_else(|_| config.storage.data_dir.clone());
    findings.extend(data::directory(&data_dir));
    findings.extend(data::space(&data_dir));
    let (found, inspection) = data::database(&config.storage, holder).await;
    findings.push(found);
    findings.push(access::listener(&config, holder).await);
    findings.extend(access::keys(&config, inspection.as_ref()));
    let inspection = inspection.unwrap_or_default();
    findings.extend(access::tls(&config));
    let rows = &inspection.repositories;
    findings.extend(data::sources(&config, rows));
    findings.push(machine::open_files(&config, rows.len()));
    findings.extend(machine::watches(&config, rows, holder).await);
    findings.push(machine::memory(&config, holder));
    findings.push(machine::parsing(&parsers(&config)));
    findings.extend(telemetry::otlp(&config.telemetry.otlp, &Handle::current()));
    findings.extend(telemetry::authorities());
    findings.extend(network::secrets(&config));
    let dates = if args.offline {
        Vec::new()
    } else {
        let (found, dates) = network::examine(args, &config, rows).await;
        findings.extend(found);
        dates
    };
    findings.push(machine::clock(SystemTime::now(), &dates));
    findings
}
