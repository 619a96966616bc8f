//! Who may see and do what. An [`Authenticator`] knows the API keys and turns a token into a [`Grant`];
//! every entry point of the rooms above takes a grant and asks it. It knows no HTTP. Start at [`Grant`].

pub mod audit;
mod authenticator;
mod grant;
mod key;
mod share;
mod token;
mod token_file;

pub use authenticator::{AccessError, AccessSettings, Authenticator, Unauthenticated};
pub use grant::{Denied, Grant, Repositories, Scope};
pub use key::{NameError, check_name};
pub use share::{InFlight, Limited, ShareLimits};
pub use token::{Token, TokenError, TokenHash, check_spelling};

/// How many keys a file of tokens has.
///
/// # Errors
/// Why a server would refuse it; no token is in the text.
pub fn check_token_file(path: &std::path::Path) -> Result<usize, String> {
    token_file::read(path).map(|keys| keys.len())
}
