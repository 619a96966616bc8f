//! Code hosts (forges): what their webhooks tell, as events that do not depend on the host. A forge is one
//! folder. Start at [`event::Event`].

pub mod event;
pub mod github;
