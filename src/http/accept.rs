//! Chooses the media type of an answer: of those on offer, the one that the client's `accept` header prefers
//! (RFC 9110, section 12.5.1). No layer of tower-http and no extractor of axum reads `accept`.

use std::cmp::Reverse;

use axum::http::{HeaderMap, header};
use mediatype::{MediaType, MediaTypeList, Name, ReadParams, names};

/// Returns the preferred one of `offers`; the first one if there is no `accept` header. Ties are won by the
/// more specific range, then by the one named earlier. `None` if no offer is acceptable.
pub fn best<'o>(headers: &HeaderMap, offers: &[&'o str]) -> Option<&'o str> {
    let values = headers.get_all(header::ACCEPT).iter();
    let text: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
    let text = text.join(",");
    if text.trim().is_empty() {
        return offers.first().copied();
    }
    let ranges: Vec<Range<'_>> = MediaTypeList::new(&text)
        .filter_map(|range| Range::read(range.ok()?))
        .collect();
    offers
        .iter()
        .enumerate()
        .filter_map(|(position, offer)| {
            let offered = MediaType::parse(offer).ok()?;
            let (at, range) = most_specific(&ranges, &offered)?;
            let preference = (
                range.thousandths,
                range.specificity(),
                Reverse((at, position)),
            );
            (range.thousandths > 0).then_some((preference, *offer))
        })
        .max_by_key(|(preference, _)| *preference)
        .map(|(_, offer)| offer)
}

/// Returns the most specific range that matches a media type, and its position in the header.
fn most_specific<'r, 'a>(
    ranges: &'r [Range<'a>],
    offered: &MediaType<'_>,
) -> Option<(usize, &'r Range<'a>)> {
    let matching = ranges.iter().enumerate();
    let matching = matching.filter(|(_, range)| range.matches(offered));
    matching.max_by_key(|(at, range)| (range.specificity(), Reverse(*at)))
}

/// One media range of the header, which may be `*/*` or `text/*`.
struct Range<'a> {
    kind: Name<'a>,
    subtype: Name<'a>,
    /// The weight `q` times 1000; 0 means not acceptable.
    thousandths: u16,
}

const ANY: &str = "*";

impl<'a> Range<'a> {
    /// Parses a media range; `None` if its weight is not a number from 0 to 1. Other parameters, such as a
    /// character set, are ignored.
    fn read(range: MediaType<'a>) -> Option<Self> {
        let weight = match range.get_param(names::Q) {
            None => 1.0,
            Some(weight) => weight.as_str().parse::<f32>().ok()?,
        };
        (0.0..=1.0).contains(&weight).then(|| Self {
            kind: range.ty,
            subtype: range.subty,
            thousandths: (weight * 1000.0).round() as u16,
        })
    }

    fn matches(&self, offered: &MediaType<'_>) -> bool {
        (self.kind == ANY || self.kind == offered.ty)
            && (self.subtype == ANY || self.subtype == offered.subty)
    }

    fn specificity(&self) -> u8 {
        u8::from(self.kind != ANY) + u8::from(self.subtype != ANY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_media_type_is_chosen() {
        const JSON: Option<&str> = Some("application/json");
        const MARKDOWN: Option<&str> = Some("text/markdown");
        const XML: Option<&str> = Some("application/xml");
        const PLAIN: Option<&str> = Some("text/plain");
        let offers = [
            "application/json", "text/markdown", "application/xml", "text/plain",
        ];
        for (accept, chosen) in [
            ("", JSON),
            ("*/*", JSON),
            ("application/json", JSON),
            ("application/*", JSON),
            ("Text/Markdown", MARKDOWN),
            ("text/markdown;charset=utf-8", MARKDOWN),
            (
                "text/markdown; variant=GFM; q=0.5, text/plain;q=0.4",
                MARKDOWN,
            ),
            ("text/*", MARKDOWN),
            ("application/xml", XML),
            // Typical headers of clients that accept anything.
            ("application/json, text/plain, */*", JSON),
            ("text/plain, */*", PLAIN),
            ("text/markdown, */*;q=0.1", MARKDOWN),
            ("text/plain, application/json", PLAIN),
            ("text/plain;q=0.5, application/json;q=0.6", JSON),
            ("text/html, image/gif, *; q=.2, */*; q=.2", JSON),
            ("text/html, application/xml;q=0.9, */*;q=0.8", XML),
            // The more specific range decides, even if it rejects.
            ("*/*, application/json;q=0", MARKDOWN),
            ("text/*, text/markdown;q=0.2", PLAIN),
            ("application/json;q=0", None),
            ("text/html", None),
            ("text/html, image/*", None),
            ("text/markdown;q=0", None),
            ("text/markdown;q=7", None),
            ("nonsense", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().expect(accept));
            assert_eq!(best(&headers, &offers), chosen, "{accept}");
        }
        assert_eq!(best(&HeaderMap::new(), &offers), JSON);
        let mut two = HeaderMap::new();
        two.append(header::ACCEPT, "text/html".parse().expect("a value"));
        two.append(header::ACCEPT, "text/plain".parse().expect("a value"));
        assert_eq!(best(&two, &offers), PLAIN);
    }
}
