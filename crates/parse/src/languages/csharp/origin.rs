//! Where the library of .NET lies.

use crate::origin::form::OriginForm;

pub(super) const ORIGINS: OriginForm = OriginForm {
    // Frames without symbols have the path of their class.
    runtime: |path| {
        let is_own = path.starts_with("System/") && path.ends_with(".cs");
        is_own.then_some(path)
    },
    ..OriginForm::NONE
};
