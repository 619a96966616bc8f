//! `foveate doctor`: its arguments, and printing its findings. The checks themselves are in the layer that knows all
//! components.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use foveate_model::escape::escape;
use serde::Serialize;
use serde_json::json;

use super::{print_json, stdout};

/// Check everything that a server needs, and say how to fix what is missing.
///
/// It changes nothing and needs no server. If one runs, use the same user and the same settings.
/// The exit code is 1 if a check fails.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// The server's TOML file with settings.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The server's data directory [default: as for `foveate serve`].
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The address and port that the server listens on [default: as for `foveate serve`].
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Contact no other machine: neither the hosts of registered repositories nor forges.
    #[arg(long)]
    pub offline: bool,
    /// Timeout for each machine that is contacted, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=300), value_name = "SECONDS")]
    pub timeout: u16,
}

impl DoctorArgs {
    /// Timeout for each machine that is contacted.
    pub fn time_limit(&self) -> Duration {
        Duration::from_secs(self.timeout.into())
    }
}

foveate_model::named_enum! {
    /// The result of a check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Health {
        /// The check passed.
        Ok = "ok",
        /// A server works, but something is impaired.
        Warning = "warning",
        /// A server, or a part of it, does not work.
        Failure = "failure",
    }
}

/// The finding of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the check; several findings may share it.
    pub check: &'static str,
    /// The result.
    pub status: Health,
    /// What was found.
    pub found: String,
    /// What to do; absent if the check passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// Creates the finding of a passed check.
    pub fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            status: Health::Ok,
            found: found.into(),
            advice: None,
        }
    }

    /// Creates a finding about something impaired.
    pub fn warning(
        check: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            status: Health::Warning,
            advice: Some(advice.into()),
            ..Self::ok(check, found)
        }
    }

    /// Creates a finding about something that does not work.
    pub fn failure(
        check: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            status: Health::Failure,
            ..Self::warning(check, found, advice)
        }
    }
}

/// Prints the findings. The exit code is a failure if any check failed.
///
/// # Errors
/// When standard output cannot be written to.
pub fn print(findings: &[Finding], is_json: bool) -> anyhow::Result<ExitCode> {
    let worst = findings.iter().map(|finding| finding.status).max();
    let worst = worst.unwrap_or(Health::Ok);
    let mut out = stdout();
    if is_json {
        print_json(&mut out, &json!({"status": worst, "checks": findings}))?;
    } else {
        for finding in findings {
            let status = finding.status.name();
            let Finding { check, found, .. } = finding;
            writeln!(out, "{status:8} {check:14} {}", escape(found))?;
            if let Some(advice) = &finding.advice {
                writeln!(out, "{:8} {:14} -> {}", "", "", escape(advice))?;
            }
        }
    }
    Ok(match worst {
        Health::Failure => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}
