//! Who may do what: every entry point of the rooms above takes a [`Grant`] and asks it here. It knows no
//! HTTP. Start at [`Grant`].

mod grant;

pub use grant::{Denied, Grant, Repositories, Scope};
