//! Decides who may see and do what. An [`Authenticator`] holds the API keys and turns a token into a [`Grant`]; every
//! entry point of higher layers takes a grant and checks it. It must not use HTTP. Start at [`Grant`].

pub mod audit;
mod authenticator;
mod grant;
mod key;
mod rate_limit;
mod token;
mod token_file;

pub use authenticator::{AccessError, AccessSettings, Authenticator, Unauthenticated};
pub use grant::{AccessDenied, Grant, Repositories, Scope};
pub use key::{NameError, check_name};
pub use rate_limit::{InFlight, RateLimited, ShareLimits};
pub use token::{TokenError, TokenHash, check_spelling, random_token};

/// Checks a token file. Returns the number of its keys.
///
/// # Errors
/// The reason why a server would refuse the file; the text holds no token.
pub fn check_token_file(path: &std::path::Path) -> Result<usize, String> {
    token_file::read(path).map(|keys| keys.len())
}
