//! Reads the bearer token of a request.

use axum::extract::Request;
use axum::http::header::AUTHORIZATION;

/// Returns the bearer token of a request.
pub(super) fn token(request: &Request) -> Option<&str> {
    let mut headers = request.headers().get_all(AUTHORIZATION).iter();
    // With two headers, a proxy may have checked the other one.
    let (Some(header), None) = (headers.next(), headers.next()) else {
        return None;
    };
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn token_is_read_from_bearer_header() {
        for (headers, wanted) in [
            (&[("authorization", "Bearer abc")][..], Some("abc")),
            (&[("authorization", "bearer  abc ")], Some("abc")),
            (&[("authorization", "Basic abc")], None),
            (&[("authorization", "Bearer ")], None),
            (&[("authorization", "Bearer")], None),
            (&[("authorization", "abc")], None),
            (&[], None),
            (
                &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
                None,
            ),
        ] {
            let request = headers
                .iter()
                .fold(Request::get("/metrics"), |request, (name, value)| {
                    request.header(*name, *value)
                });
            let request = request.body(Body::empty()).unwrap();
            assert_eq!(token(&request), wanted, "{headers:?}");
        }
    }
}
