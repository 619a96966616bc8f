//! stub
use foveate_model::{FileFacts, Language};
pub(crate) fn facts(_: Language, _: &str, _: &crate::Limits) -> Option<FileFacts> {
    None
}
