//! Defines enums together with the stable names of their members.

/// Defines an enum whose members have stable names: for the wire, the database, metrics, logs. Beside the enum it defines
/// `ALL`, the members in order; `name`, the name of a member; and `named`, the member with a name.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$enum_attribute:meta])*
        $visibility:vis enum $enum:ident {
            $($(#[$attribute:meta])* $member:ident = $name:literal,)*
        }
    ) => {
        $(#[$enum_attribute])*
        $visibility enum $enum {
            $($(#[$attribute])* $member,)*
        }

        #[allow(dead_code, reason = "not every enum needs all of them")]
        impl $enum {
            /// All members, in order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$member),*];

            /// Returns its stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)*
                }
            }

            /// Returns the member with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|member| member.name() == name)
            }
        }
    };
}
