//! Converts the families of an exposition to OTLP metrics with the same names, labels and values, as cumulative sums
//! since the start of the process.

use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, Sum,
    number_data_point,
};

use crate::telemetry::metrics::Kind;
use crate::telemetry::metrics::families::{Family, Series};

/// Converts families, whose counters started at `start`.
pub fn convert(families: &[Family<'_>], start: SystemTime) -> Vec<Metric> {
    let times = Times {
        start: nanoseconds(start),
        now: nanoseconds(SystemTime::now()),
    };
    families
        .iter()
        .map(|family| metric(family, times))
        .collect()
}

#[derive(Clone, Copy)]
struct Times {
    start: u64,
    now: u64,
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn metric(family: &Family<'_>, times: Times) -> Metric {
    let cumulative = AggregationTemporality::Cumulative as i32;
    let numbers = || {
        let numbers = family.series.iter().map(|series| number(series, times));
        numbers.collect()
    };
    let data = match family.kind {
        Kind::Counter => Data::Sum(Sum {
            data_points: numbers(),
            aggregation_temporality: cumulative,
            is_monotonic: true,
        }),
        Kind::Gauge => Data::Gauge(Gauge {
            data_points: numbers(),
        }),
        Kind::Histogram => Data::Histogram(Histogram {
            data_points: family
                .series
                .iter()
                .map(|series| histogram(series, times))
                .collect(),
            aggregation_temporality: cumulative,
        }),
    };
    let bare = family.name.trim_end_matches("_total");
    let unit = match bare.rsplit('_').next() {
        Some("seconds") => "s",
        Some("bytes") => "By",
        _ => "",
    };
    Metric {
        name: family.name.to_owned(),
        description: family.help.to_owned(),
        unit: unit.to_owned(),
        data: Some(data),
        ..Metric::default()
    }
}

fn attributes(series: &Series) -> Vec<KeyValue> {
    let attribute = |(key, value): &(String, String)| KeyValue {
        key: key.clone(),
        value: Some(AnyValue {
            value: Some(any_value::Value::StringValue(value.clone())),
        }),
        ..KeyValue::default()
    };
    series.labels.iter().map(attribute).collect()
}

fn number(series: &Series, times: Times) -> NumberDataPoint {
    NumberDataPoint {
        attributes: attributes(series),
        start_time_unix_nano: times.start,
        time_unix_nano: times.now,
        value: Some(number_data_point::Value::AsDouble(series.value)),
        ..NumberDataPoint::default()
    }
}

/// Converts a histogram. Buckets of Prometheus are cumulative, those of OTLP are not.
fn histogram(series: &Series, times: Times) -> HistogramDataPoint {
    let mut below = 0;
    let mut bucket_counts = Vec::with_capacity(series.buckets.len());
    for (_, up_to) in &series.buckets {
        bucket_counts.push(up_to.saturating_sub(below));
        below = *up_to;
    }
    let bounds = series.buckets.iter().map(|(bound, _)| *bound);
    HistogramDataPoint {
        attributes: attributes(series),
        start_time_unix_nano: times.start,
        time_unix_nano: times.now,
        count: below,
        sum: Some(series.value),
        bucket_counts,
        explicit_bounds: bounds.filter(|bound| bound.is_finite()).collect(),
        ..HistogramDataPoint::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::metrics::families;

    const TEXT: &str = "\
# HELP foveate_x_total What happened.
# TYPE foveate_x_total counter
foveate_x_total{code=\"a\"} 3

# HELP foveate_x_seconds How long.
# TYPE foveate_x_seconds histogram
foveate_x_seconds_bucket{route=\"/a\",le=\"0.5\"} 2
foveate_x_seconds_bucket{route=\"/a\",le=\"1\"} 2
foveate_x_seconds_bucket{route=\"/a\",le=\"+Inf\"} 5
foveate_x_seconds_sum{route=\"/a\"} 12.5
foveate_x_seconds_count{route=\"/a\"} 5
";

    #[test]
    fn counters_become_sums_and_buckets_are_split() {
        let metrics = convert(&families::parse(TEXT), UNIX_EPOCH);
        let [counter, histogram] = &*metrics else {
            panic!("{metrics:?}");
        };
        let Some(Data::Sum(sum)) = &counter.data else {
            panic!("{counter:?}");
        };
        assert!(sum.is_monotonic && counter.description == "What happened.");
        assert_eq!(
            sum.data_points[0].value,
            Some(number_data_point::Value::AsDouble(3.0))
        );
        assert_eq!(sum.data_points[0].attributes[0].key, "code");
        let Some(Data::Histogram(data)) = &histogram.data else {
            panic!("{histogram:?}");
        };
        let point = &data.data_points[0];
        assert_eq!(histogram.unit, "s");
        assert_eq!(point.bucket_counts, [2, 0, 3]);
        assert_eq!(point.explicit_bounds, [0.5, 1.0]);
        assert_eq!((point.count, point.sum), (5, Some(12.5)));
        assert_eq!(point.attributes.len(), 1, "not the bound");
    }
}
