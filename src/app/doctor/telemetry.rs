//! Checks what the server reads from standard variables of the environment: where telemetry is sent, and which
//! certificate authorities are trusted.

use std::env;
use std::fs::File;

use tokio::runtime::Handle;

use crate::cli::doctor::Finding;
use crate::config::OtlpConfig;
use crate::telemetry::otlp::Otlp;

const CHECK: &str = "telemetry";
/// The supported values of `OTEL_TRACES_SAMPLER`.
const SAMPLERS: [&str; 6] = [
    "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
    "parentbased_traceidratio",
];

/// Checks the settings of sending spans and metrics; returns nothing if none are sent.
pub(super) fn otlp(config: &OtlpConfig, runtime: &Handle) -> Option<Finding> {
    // Starts a sender, to which nothing is given.
    match Otlp::from_environment(&config.endpoint, &config.service_name, runtime) {
        Ok(sender) => sender.map(|sender| {
            sender.finish();
            sampler()
        }),
        Err(error) => {
            let advice = "correct or unset it: the server refuses to start";
            Some(Finding::failure(CHECK, error, advice))
        }
    }
}

fn sampler() -> Finding {
    let Some(problem) = sampler_problem(|name| env::var(name).ok()) else {
        return Finding::ok(CHECK, "the settings for sending telemetry are valid");
    };
    Finding::warning(
        CHECK,
        problem,
        format!("use one of {}", SAMPLERS.join(", ")),
    )
}

/// Returns what is wrong with the variables of the sampler, for which the SDK takes its defaults.
fn sampler_problem(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let sampler = variable("OTEL_TRACES_SAMPLER")?;
    if !SAMPLERS.contains(&&*sampler) {
        return Some(format!(
            "OTEL_TRACES_SAMPLER {sampler:?} is not supported: spans are sent as the caller decides, otherwise all"
        ));
    }
    let ratio = variable("OTEL_TRACES_SAMPLER_ARG").and_then(|text| text.parse::<f64>().ok());
    let is_valid = ratio.is_some_and(|ratio| (0.0..=1.0).contains(&ratio));
    (sampler.ends_with("traceidratio") && !is_valid).then(|| {
        format!("OTEL_TRACES_SAMPLER {sampler} needs OTEL_TRACES_SAMPLER_ARG, a number from 0 to 1: all spans are sent")
    })
}

/// Checks whether the files with certificate authorities that a variable names can be read.
pub(super) fn authorities() -> Option<Finding> {
    let file = env::var_os("SSL_CERT_FILE")?;
    let error = File::open(&file).err()?;
    Some(Finding::failure(
        "network",
        format!("SSL_CERT_FILE {} cannot be read: {error}", file.display()),
        "name a PEM file with the certificate authorities to trust, or unset SSL_CERT_FILE to trust those of the system",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_are_checked_with_their_argument() {
        for (sampler, argument, problem) in [
            (None, None, None),
            (Some("always_off"), None, None),
            (Some("traceidratio"), Some("0.1"), None),
            (
                Some("parentbased_traceidratio"),
                None,
                Some("needs OTEL_TRACES_SAMPLER_ARG"),
            ),
            (
                Some("traceidratio"),
                Some("10%"),
                Some("needs OTEL_TRACES_SAMPLER_ARG"),
            ),
            (
                Some("traceidratio"),
                Some("10"),
                Some("needs OTEL_TRACES_SAMPLER_ARG"),
            ),
            (
                Some("jaeger_remote"),
                None,
                Some("\"jaeger_remote\" is not supported"),
            ),
        ] {
            let found = sampler_problem(|name| match name {
                "OTEL_TRACES_SAMPLER" => sampler.map(str::to_owned),
                _ => argument.map(str::to_owned),
            });
            let is_expected = match problem {
                None => found.is_none(),
                Some(problem) => found.as_ref().is_some_and(|found| found.contains(problem)),
            };
            assert!(is_expected, "{sampler:?} {argument:?}: {found:?}");
        }
    }
}
