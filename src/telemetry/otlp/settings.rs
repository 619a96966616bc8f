//! Determines where spans and metrics are sent, from this program's settings and the standard `OTEL_*` variables. The
//! SDK itself reads the sampler, the limits and the resource attributes.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

/// Time limit for one request, unless a variable sets it.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two exports of metrics, unless a variable sets it.
const INTERVAL: Duration = Duration::from_secs(60);

/// Which signals are sent, and where to.
#[derive(Clone, Debug, Default)]
pub struct OtlpSettings {
    /// Spans, if they are sent.
    pub traces: Option<Signal>,
    /// Metrics, if they are sent.
    pub metrics: Option<Signal>,
    /// Time between two exports of metrics.
    pub interval: Duration,
    /// The name of this service; `None` if an `OTEL_*` variable sets it.
    pub service_name: Option<String>,
}

/// The destination of one kind of telemetry.
#[derive(Clone)]
pub struct Signal {
    /// `traces` or `metrics`.
    pub name: &'static str,
    /// The full address.
    pub url: Url,
    /// Headers of every request, such as one with a token.
    pub headers: HeaderMap,
    /// Time limit for one request.
    pub timeout: Duration,
}

/// Omits the headers, and of the address all but the host: both may hold credentials.
impl std::fmt::Debug for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signal")
            .field("name", &self.name)
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

impl OtlpSettings {
    /// Reads the settings: the address and name of the configuration if they are not empty, else those of the
    /// environment, which `variable` reads. `None` if nothing is to be sent.
    ///
    /// # Errors
    /// When a variable is invalid; the text names it.
    pub fn new(
        endpoint: &str,
        service_name: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let is_disabled = |value: String| value.eq_ignore_ascii_case("true");
        if variable("OTEL_SDK_DISABLED").is_some_and(is_disabled) {
            return Ok(None);
        }
        let signal = |name| signal(name, endpoint, &variable);
        let settings = Self {
            traces: signal("traces")?,
            metrics: signal("metrics")?,
            interval: milliseconds("OTEL_METRIC_EXPORT_INTERVAL", &variable)?.unwrap_or(INTERVAL),
            service_name: name_of_service(service_name, &variable),
        };
        let sends = settings.traces.is_some() || settings.metrics.is_some();
        Ok(sends.then_some(settings))
    }
}

fn name_of_service(configured: &str, variable: &impl Fn(&str) -> Option<String>) -> Option<String> {
    if !configured.is_empty() {
        return Some(configured.to_owned());
    }
    let attributes = variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let mut names = attributes
        .split(',')
        .filter_map(|pair| pair.split_once('='));
    let is_named = variable("OTEL_SERVICE_NAME").is_some()
        || names.any(|(name, _)| name.trim() == "service.name");
    (!is_named).then(|| "foveate".to_owned())
}

/// Returns the variables for a setting of a signal: that of this signal, which takes precedence, and that of all.
fn variables(signal: &str, setting: &str) -> [String; 2] {
    [
        format!("OTEL_EXPORTER_OTLP_{}_{setting}", signal.to_uppercase()),
        format!("OTEL_EXPORTER_OTLP_{setting}"),
    ]
}

/// Returns the key or variable that says where a signal is sent to, and the address; `None` if none does.
fn address(
    signal: &str,
    endpoint: &str,
    variable: &impl Fn(&str) -> Option<String>,
) -> Option<(String, String)> {
    let below = |base: &str| format!("{}/v1/{signal}", base.trim_end_matches('/'));
    if !endpoint.is_empty() {
        return Some(("telemetry.otlp.endpoint".to_owned(), below(endpoint)));
    }
    let [own, of_all] = variables(signal, "ENDPOINT");
    if let Some(address) = variable(&own) {
        return Some((own, address));
    }
    let base = variable(&of_all)?;
    Some((of_all, below(base.trim())))
}

/// Reads where and how a signal is sent; `None` if it is not.
fn signal(
    name: &'static str,
    endpoint: &str,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Option<Signal>, String> {
    let exporter = variable(&format!("OTEL_{}_EXPORTER", name.to_uppercase()));
    if exporter.is_some_and(|exporter| exporter.trim() == "none") {
        return Ok(None);
    }
    let Some((key, address)) = address(name, endpoint, variable) else {
        return Ok(None);
    };
    let url = Url::parse(address.trim()).ok();
    let url = url.filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
    let Some(url) = url else {
        return Err(format!(
            "{key} must be an address such as http://127.0.0.1:4318"
        ));
    };
    let either = |setting: &str| {
        let mut names = variables(name, setting).into_iter();
        names.find_map(|name| variable(&name).map(|value| (name, value)))
    };
    if let Some((key, protocol)) = either("PROTOCOL")
        && protocol.trim() != "http/protobuf"
    {
        return Err(format!(
            "{key} is {:?}: only http/protobuf is supported, which collectors accept at port 4318",
            protocol.trim()
        ));
    }
    let timeout = match either("TIMEOUT") {
        Some((key, _)) => milliseconds(&key, variable)?,
        None => None,
    };
    let headers = match either("HEADERS") {
        Some((key, text)) => headers(&text).ok_or_else(|| {
            // The value holds tokens, so it is not shown.
            format!("{key} must be a list of headers such as name=value,other=value")
        })?,
        None => HeaderMap::new(),
    };
    Ok(Some(Signal {
        name,
        url,
        headers,
        timeout: timeout.unwrap_or(TIMEOUT),
    }))
}

fn milliseconds(
    name: &str,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Option<Duration>, String> {
    let Some(value) = variable(name) else {
        return Ok(None);
    };
    match value.trim().parse() {
        Ok(number) if number > 0 => Ok(Some(Duration::from_millis(number))),
        _ => Err(format!(
            "{name} must be a whole number of milliseconds above 0, not {value:?}"
        )),
    }
}

/// Parses headers in the form `name=value,name=value`, with percent-encoded values.
fn headers(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.insert(name.trim().parse::<HeaderName>().ok()?, value);
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(endpoint: &str, variables: &[(&str, &str)]) -> Result<Option<OtlpSettings>, String> {
        OtlpSettings::new(endpoint, "", |name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn urls(settings: &OtlpSettings) -> [Option<String>; 2] {
        [&settings.traces, &settings.metrics]
            .map(|signal| signal.as_ref().map(|signal| signal.url.to_string()))
    }

    #[test]
    fn nothing_is_sent_without_an_address() {
        for variables in [
            &[][..],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[("OTEL_SERVICE_NAME", "x")],
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
                ("OTEL_SDK_DISABLED", "true"),
            ],
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
                ("OTEL_TRACES_EXPORTER", "none"),
                ("OTEL_METRICS_EXPORTER", "none"),
            ],
        ] {
            assert!(read("", variables).unwrap().is_none(), "{variables:?}");
        }
    }

    #[test]
    fn addresses_follow_the_specification() {
        let some = |url: &str| Some(url.to_owned());
        let general = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/base/");
        let settings = read("", &[general]).unwrap().unwrap();
        let below = [
            some("http://c:4318/base/v1/traces"),
            some("http://c:4318/base/v1/metrics"),
        ];
        assert_eq!(urls(&settings), below);
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t/as/it/is");
        let settings = read("", &[general, own]).unwrap().unwrap();
        assert_eq!(urls(&settings)[0], some("https://t/as/it/is"));
        let settings = read("", &[own]).unwrap().unwrap();
        assert_eq!(urls(&settings), [some("https://t/as/it/is"), None]);
        let settings = read("http://mine:1", &[general, own]).unwrap().unwrap();
        assert_eq!(urls(&settings)[0], some("http://mine:1/v1/traces"));
        let off = ("OTEL_METRICS_EXPORTER", "none");
        let settings = read("", &[general, off]).unwrap().unwrap();
        assert!(settings.metrics.is_none() && settings.traces.is_some());
    }

    #[test]
    fn headers_times_and_names_are_parsed() {
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret@c:4318"),
            (
                "OTEL_EXPORTER_OTLP_HEADERS",
                "authorization=Bearer%20secret, x-a=1",
            ),
            ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-a=2"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "1500"),
        ];
        let settings = read("", &variables).unwrap().unwrap();
        let (traces, metrics) = (settings.traces.unwrap(), settings.metrics.unwrap());
        assert_eq!(traces.headers["authorization"], "Bearer secret");
        assert_eq!(traces.headers["x-a"], "1");
        assert_eq!(metrics.headers["x-a"], "2");
        assert_eq!(metrics.headers.len(), 1);
        assert_eq!(traces.timeout, Duration::from_millis(250));
        assert_eq!(settings.interval, Duration::from_millis(1500));
        assert_eq!(settings.service_name.as_deref(), Some("foveate"));
        assert!(!format!("{traces:?}").contains("secret"));
        for named in [
            ("OTEL_SERVICE_NAME", "x"),
            ("OTEL_RESOURCE_ATTRIBUTES", "a=b, service.name=x"),
        ] {
            let settings = read("", &[variables[0], named]).unwrap().unwrap();
            assert_eq!(settings.service_name, None, "{named:?}");
        }
    }

    #[test]
    fn errors_name_the_variable_without_secrets() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");
        for (wrong, told) in [
            (
                ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "c:4317"),
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            ),
            (
                ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
                "only http/protobuf",
            ),
            (("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"), "milliseconds"),
            (("OTEL_METRIC_EXPORT_INTERVAL", "0"), "above 0"),
            (
                ("OTEL_EXPORTER_OTLP_HEADERS", "secret"),
                "OTEL_EXPORTER_OTLP_HEADERS",
            ),
        ] {
            let error = read("", &[endpoint, wrong]).unwrap_err();
            assert!(error.contains(told) && !error.contains("secret"), "{error}");
        }
        assert!(
            read("collector", &[])
                .unwrap_err()
                .contains("telemetry.otlp.endpoint")
        );
    }
}
