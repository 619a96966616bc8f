//! Encodes and decodes the parts of a file's facts. Macros generate both directions from one list: of the fields of a
//! struct ([`stored`]), or of the numbers of an enum's members ([`codes`], [`members`]).

use foveate_model::{Lines, LocalId, Span};

use super::bytes::{Decoder, Encoder};

/// A part of a file's facts that can be stored.
pub(super) trait Stored: Sized {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas);

    /// Reads what [`Self::encode`] wrote.
    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self>;
}

/// The previous position in a list: each is stored as its difference from the one before it.
#[derive(Default)]
pub(super) struct Deltas {
    at: u32,
    line: u32,
}

/// Implements [`Stored`] for a struct, field by field. `as` names the form of a field that its type does not tell.
macro_rules! stored {
    ($type:ident { $($field:ident $(as $form:ident)?),+ }) => {
        impl Stored for $type {
            fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
                let Self { $($field),+ } = self;
                $(stored!(@encode $field $($form)?, out, deltas);)+
            }

            fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
                Some(Self {
                    $($field: stored!(@decode $($form)?, rest, deltas)),+
                })
            }
        }
    };
    (@encode $field:ident, $out:ident, $deltas:ident) => {
        $field.encode($out, $deltas)
    };
    (@encode $field:ident $form:ident, $out:ident, $deltas:ident) => {
        $form(*$field).encode($out, $deltas)
    };
    (@decode , $rest:ident, $deltas:ident) => {
        Stored::decode($rest, $deltas)?
    };
    (@decode $form:ident, $rest:ident, $deltas:ident) => {
        $form::decode($rest, $deltas)?.0
    };
}

/// Implements [`Stored`] for an enum, as one byte. The numbers are exhaustive, so that a new member must get one.
macro_rules! codes {
    ($type:ident { $($member:ident = $number:literal,)+ }) => {
        impl Coded for $type {
            fn code(self) -> u8 {
                match self {
                    $(Self::$member => $number,)+
                }
            }

            fn of(code: u8) -> Option<Self> {
                Some(match code {
                    $($number => Self::$member,)+
                    _ => return None,
                })
            }
        }
    };
}

/// Implements [`Stored`] for an enum whose members have values: the number of the member, then its values, in the order in
/// which they are listed. A flag that the number tells is listed with its value, behind a semicolon.
macro_rules! members {
    ($type:ident {
        $($number:literal = $member:ident { $($field:tt: $value:ident),* $(; $flag:ident = $set:literal)? },)+
    }) => {
        impl Stored for $type {
            fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
                match self {
                    $(Self::$member { $($field: $value,)* $($flag: $set)? } => {
                        out.byte($number);
                        $($value.encode(out, deltas);)*
                    })+
                }
            }

            fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
                Some(match rest.byte()? {
                    $($number => Self::$member {
                        $($field: Stored::decode(rest, deltas)?,)*
                        $($flag: $set)?
                    },)+
                    _ => return None,
                })
            }
        }
    };
}

pub(crate) use codes;
pub(super) use members;
pub(super) use stored;

/// An enum whose members have numbers.
pub(crate) trait Coded: Copy {
    fn code(self) -> u8;
    fn of(code: u8) -> Option<Self>;
}

impl<T: Coded> Stored for T {
    fn encode(&self, out: &mut Encoder, _: &mut Deltas) {
        out.byte(self.code());
    }

    fn decode(rest: &mut Decoder<'_>, _: &mut Deltas) -> Option<Self> {
        Self::of(rest.byte()?)
    }
}

/// A list has differences of its own.
impl<T: Stored> Stored for Vec<T> {
    fn encode(&self, out: &mut Encoder, _: &mut Deltas) {
        let mut deltas = Deltas::default();
        out.list(self, |out, each| each.encode(out, &mut deltas));
    }

    fn decode(rest: &mut Decoder<'_>, _: &mut Deltas) -> Option<Self> {
        let mut deltas = Deltas::default();
        rest.list(|rest| T::decode(rest, &mut deltas))
    }
}

impl<T: Stored> Stored for Option<T> {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        self.is_some().encode(out, deltas);
        if let Some(value) = self {
            value.encode(out, deltas);
        }
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        Some(match bool::decode(rest, deltas)? {
            true => Some(T::decode(rest, deltas)?),
            false => None,
        })
    }
}

impl Stored for bool {
    fn encode(&self, out: &mut Encoder, _: &mut Deltas) {
        out.byte(u8::from(*self));
    }

    fn decode(rest: &mut Decoder<'_>, _: &mut Deltas) -> Option<Self> {
        match rest.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Stored for u32 {
    fn encode(&self, out: &mut Encoder, _: &mut Deltas) {
        out.number(*self);
    }

    fn decode(rest: &mut Decoder<'_>, _: &mut Deltas) -> Option<Self> {
        rest.number32()
    }
}

impl Stored for Box<str> {
    fn encode(&self, out: &mut Encoder, _: &mut Deltas) {
        out.text(self);
    }

    fn decode(rest: &mut Decoder<'_>, _: &mut Deltas) -> Option<Self> {
        rest.text().map(Self::from)
    }
}

impl Stored for Span {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        out.difference(deltas.at, self.start);
        out.difference(self.start, self.end);
        deltas.at = self.start;
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        let start = rest.difference(deltas.at)?;
        deltas.at = start;
        let end = rest.difference(start)?;
        (start <= end).then_some(Self { start, end })
    }
}

/// The number of a line.
pub(super) struct Line(pub(super) u32);

impl Stored for Line {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        out.difference(deltas.line, self.0);
        deltas.line = self.0;
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        deltas.line = rest.difference(deltas.line)?;
        Some(Self(deltas.line))
    }
}

impl Stored for Lines {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        Line(self.start).encode(out, deltas);
        out.difference(self.start, self.end);
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        let Line(start) = Line::decode(rest, deltas)?;
        let end = rest.difference(start)?;
        // So many lines can be counted.
        let is_valid = start <= end && end < u32::MAX;
        is_valid.then_some(Self { start, end })
    }
}

impl Stored for LocalId {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        self.0.encode(out, deltas);
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        u32::decode(rest, deltas).map(Self)
    }
}

/// An id that may be missing, as one number.
pub(super) struct Id(pub(super) Option<LocalId>);

impl Stored for Id {
    fn encode(&self, out: &mut Encoder, _: &mut Deltas) {
        out.number(self.0.map_or(0, |id| u64::from(id.0) + 1));
    }

    fn decode(rest: &mut Decoder<'_>, _: &mut Deltas) -> Option<Self> {
        match rest.number()?.checked_sub(1) {
            None => Some(Self(None)),
            Some(id) => Some(Self(Some(LocalId(u32::try_from(id).ok()?)))),
        }
    }
}
