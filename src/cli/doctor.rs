//! `foveate doctor`: its arguments, and how what it found is printed. What is looked at is decided by the floor
//! that knows all rooms.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use foveate_model::escape::escape;
use serde::Serialize;
use serde_json::json;

use super::print_json;

/// Look at everything that a server needs, and say what to do where something is missing.
///
/// It changes nothing, needs no server, and can be run beside one: as the same user, with the same settings.
/// The exit code is 1 where something has failed.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// The server's TOML file with settings.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The server's data directory [default: as for `foveate serve`].
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Ask no other machine: neither those of registered repositories nor forges.
    #[arg(long)]
    pub offline: bool,
    /// Time for each machine that is asked, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=300), value_name = "SECONDS")]
    pub timeout: u16,
}

impl DoctorArgs {
    /// Time for one machine.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.timeout.into())
    }
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Ok,
    /// A server works with it, and something works less well.
    Warning,
    /// A server does not work with it, or a part of it does not.
    Failure,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at; several findings may be about one thing.
    pub check: &'static str,
    /// How it is.
    pub status: Health,
    /// What was found.
    pub found: String,
    /// What to do; absent where all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            status: Health::Ok,
            found: found.into(),
            advice: None,
        }
    }

    /// Something works less well.
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

    /// Something does not work.
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

/// Prints what was found. The exit code says whether anything has failed.
///
/// # Errors
/// When standard output cannot be written to.
pub fn print(findings: &[Finding], is_json: bool) -> anyhow::Result<ExitCode> {
    let worst = findings.iter().map(|finding| finding.status).max();
    let worst = worst.unwrap_or(Health::Ok);
    let mut out = std::io::stdout().lock();
    if is_json {
        print_json(&mut out, &json!({"status": worst, "checks": findings}))?;
    } else {
        for finding in findings {
            let status = match finding.status {
                Health::Ok => "ok",
                Health::Warning => "warning",
                Health::Failure => "failure",
            };
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
