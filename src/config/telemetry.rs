//! Defines and checks the settings of the OpenTelemetry export. Credentials for a collector come from the standard
//! environment variables.

use serde::Deserialize;
use url::Url;

use super::check::is_plain;

/// The `[telemetry]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetryConfig {
    pub otlp: OtlpConfig,
}

/// The `[telemetry.otlp]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtlpConfig {
    pub endpoint: String,
    pub service_name: String,
}

impl TelemetryConfig {
    /// Checks the settings. The error text does not repeat the address, since it may hold a login.
    ///
    /// # Errors
    /// When the address is invalid or holds a login.
    pub fn check(&self) -> Result<(), String> {
        let endpoint = &self.otlp.endpoint;
        if endpoint.is_empty() || Url::parse(endpoint).is_ok_and(|url| is_plain(&url)) {
            return Ok(());
        }
        Err(
            "telemetry.otlp.endpoint must be an address such as http://127.0.0.1:4318, without a login; \
             put credentials into OTEL_EXPORTER_OTLP_HEADERS"
                .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_in_address_is_refused_without_repeating_it() {
        let check = |endpoint: &str| {
            let otlp = OtlpConfig {
                endpoint: endpoint.to_owned(),
                service_name: String::new(),
            };
            TelemetryConfig { otlp }.check()
        };
        for good in [
            "",
            "http://127.0.0.1:4318",
            "https://collector.example.org/base",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "collector:4318", "here", "https://me:hidden@host", "ftp://host",
        ] {
            let error = check(bad).unwrap_err();
            assert!(error.starts_with("telemetry.otlp.endpoint") && !error.contains("hidden"));
        }
    }
}
