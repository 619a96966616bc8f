//! Signs in as a GitHub App: creates a JSON web token, signed with the app's private key, which GitHub
//! exchanges for an installation token. Sends nothing.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::forge::secret::{Secret, SecretSource};

/// Lifetime of a JSON web token; GitHub accepts ten minutes at most.
const JWT_LIFETIME: Duration = Duration::from_secs(540);
/// Tolerated difference between the clocks.
const CLOCK_SKEW: Duration = Duration::from_secs(60);
/// Time before its expiry from which a token is no longer used.
const RENEWAL_MARGIN: Duration = Duration::from_secs(300);
/// Lifetime of an installation token whose expiry is missing or malformed in the response.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(1800);

/// A GitHub App.
#[derive(Debug)]
pub struct App {
    /// Id of the app.
    pub id: u64,
    /// Where its private key is stored.
    pub key: SecretSource,
}

/// The private key cannot be used. The message contains nothing of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum AppError {
    #[error(transparent)]
    Secret(#[from] super::super::secret::SecretError),
    #[error("forge.github.private_key is not an RSA key in PEM of 2048 bits or more")]
    Key,
}

impl App {
    /// Creates the JSON web token that the app authenticates itself with.
    ///
    /// # Errors
    /// When its key cannot be used.
    pub fn sign_in(&self, now: SystemTime) -> Result<Secret, AppError> {
        let pem = self.key.read()?;
        let der = PrivateKeyDer::from_pem_slice(pem.reveal().as_bytes());
        let key = match der.map_err(|_| AppError::Key)? {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            _ => return Err(AppError::Key),
        };
        let key = key.map_err(|_| AppError::Key)?;
        let seconds = |time: SystemTime| OffsetDateTime::from(time).unix_timestamp();
        let claims = json!({
            "iat": seconds(now - CLOCK_SKEW),
            "exp": seconds(now + JWT_LIFETIME),
            "iss": self.id.to_string(),
        });
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!(
            "{}.{}",
            part(json!({"alg": "RS256", "typ": "JWT"})),
            part(claims)
        );
        let mut signature = vec![0; key.public().modulus_len()];
        let random = SystemRandom::new();
        key.sign(
            &RSA_PKCS1_SHA256,
            &random,
            signed.as_bytes(),
            &mut signature,
        )
        .map_err(|_| AppError::Key)?;
        let signature = URL_SAFE_NO_PAD.encode(signature);
        Ok(Secret::new(format!("{signed}.{signature}")))
    }
}

/// Returns for how long a token may be used that expires at `expires_at`.
pub fn usable(expires_at: &str, now: SystemTime) -> Duration {
    let Ok(end) = OffsetDateTime::parse(expires_at, &Rfc3339) else {
        return DEFAULT_LIFETIME;
    };
    let left = SystemTime::from(end).duration_since(now);
    left.unwrap_or_default().saturating_sub(RENEWAL_MARGIN)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

    use super::*;

    /// Keys for these tests only: as GitHub issues them (PKCS #1), and as PKCS #8.
    const KEYS: [&str; 2] = ["app_key.pem", "app_key_pkcs8.pem"];

    fn app(name: &str) -> App {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/github");
        let key = SecretSource::new(&format!("file:{directory}/{name}")).unwrap();
        App { id: 7, key }
    }

    #[test]
    fn an_app_signs_in_with_its_key() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        for name in KEYS {
            let token = app(name).sign_in(now).unwrap();
            let (signed, signature) = token.reveal().rsplit_once('.').unwrap();
            let der = std::fs::read(app(name).key_file()).unwrap();
            let der = PrivateKeyDer::from_pem_slice(&der).unwrap();
            let pair = match &der {
                PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
                der => RsaKeyPair::from_pkcs8(der.secret_der()),
            };
            let public = pair.unwrap();
            let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public.public());
            let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
            public.verify(signed.as_bytes(), &signature).unwrap();
            let (head, claims) = signed.split_once('.').unwrap();
            let read = |part: &str| -> Value {
                serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
            };
            assert_eq!(read(head)["alg"], "RS256");
            let wanted = json!({"iat": 999_940, "exp": 1_000_540, "iss": "7"});
            assert_eq!(read(claims), wanted);
        }
    }

    impl App {
        fn key_file(&self) -> String {
            format!("{:?}", self.key)
                .split('"')
                .nth(1)
                .and_then(|place| place.strip_prefix("file:"))
                .unwrap()
                .to_owned()
        }
    }

    #[test]
    fn invalid_key_is_refused_without_leaking_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for text in [
            "secret words",
            "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n",
        ] {
            std::fs::write(file.path(), text).unwrap();
            let key = SecretSource::new(&format!("file:{}", file.path().display())).unwrap();
            let error = App { id: 7, key }.sign_in(SystemTime::now()).unwrap_err();
            assert_eq!(error, AppError::Key);
            assert!(!error.to_string().contains("secret words"));
        }
    }

    #[test]
    fn a_token_is_renewed_before_it_expires() {
        let now = UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        let hour = OffsetDateTime::from(now + Duration::from_secs(3600));
        let (date, time) = (hour.date(), hour.time());
        let end = format!(
            "{date}T{:02}:{:02}:{:02}Z",
            time.hour(),
            time.minute(),
            time.second()
        );
        assert_eq!(usable(&end, now), Duration::from_secs(3300));
        assert_eq!(usable("2001-01-01T00:00:00Z", now), Duration::ZERO);
        assert_eq!(usable("soon", now), DEFAULT_LIFETIME);
    }
}
