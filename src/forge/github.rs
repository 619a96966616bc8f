//! GitHub, also as an enterprise server. [`event`] reads what its webhooks and its CI tell.

pub mod event;
