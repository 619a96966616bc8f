//! Encodes and decodes members of enums as bytes.

use foveate_model::{
    ChunkKind, DefinitionKind, ImportKind, MessageKind, ReferenceKind, RegionKind, Visibility,
};

/// Defines two functions that map an enum to bytes and back. The first is exhaustive, so that a new member
/// must get its number here.
macro_rules! codes {
    ($code:ident, $of:ident, $set:ident { $($member:ident = $number:literal,)* }) => {
        pub(super) fn $code(member: $set) -> u8 {
            match member {
                $($set::$member => $number,)*
            }
        }

        pub(super) fn $of(code: u8) -> Option<$set> {
            Some(match code {
                $($number => $set::$member,)*
                _ => return None,
            })
        }
    };
}

codes!(definition_code, definition_of, DefinitionKind {
    Function = 0,
    Method = 1,
    Class = 2,
    Interface = 3,
    TypeAlias = 4,
    Enum = 5,
    EnumMember = 6,
    Module = 7,
    Constant = 8,
    Variable = 9,
    Field = 10,
});

codes!(reference_code, reference_of, ReferenceKind {
    Call = 0,
    Attribute = 1,
    Type = 2,
    Base = 3,
    Decorator = 4,
    Raise = 5,
    Catch = 6,
    Name = 7,
});

codes!(import_code, import_of, ImportKind {
    Module = 0,
    From = 1,
    ReExport = 2,
    Dynamic = 3,
    Require = 4,
});

codes!(chunk_code, chunk_of, ChunkKind {
    Function = 0,
    Class = 1,
    Module = 2,
    Text = 3,
});

codes!(region_code, region_of, RegionKind {
    Comment = 0,
    Text = 1,
    Documentation = 2,
    Heading = 3,
});

codes!(message_code, message_of, MessageKind {
    Error = 0,
    Log = 1,
});

codes!(visibility_code, visibility_of, Visibility {
    Public = 0,
    Protected = 1,
    Private = 2,
});
