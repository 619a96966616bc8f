//! Encodes and decodes the [`Values`] of a file: types, local variables, parameters and receivers.

use foveate_model::Span;
use foveate_model::values::{
    DefinitionType, HeldValue, Link, Local, Parameter, ReceiverChain, TypeForm, TypeName, Value,
    Values,
};

use super::bytes::{Decoder, Encoder};
use super::item::{Coded, Deltas, Id, Stored, codes, stored};

stored!(Values {
    locals,
    parameters,
    types,
    held,
    receivers
});
stored!(Local { function as Id, name, value });
stored!(Parameter {
    function,
    name,
    type_name
});
stored!(DefinitionType {
    definition,
    type_name
});
stored!(HeldValue { definition, value });
stored!(TypeName { path, form });

codes!(TypeForm {
    Instance = 0,
    Class = 1,
    Elements = 2,
    Function = 3,
    Callback = 4,
});

impl Stored for ReceiverChain {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        self.reference.encode(out, deltas);
        out.list(&self.links, |out, link| {
            link.name.encode(out, deltas);
            out.byte(u8::from(link.is_called) | u8::from(link.is_indexed) << 1);
        });
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        let reference = rest.number32()?;
        let links = rest.list(|rest| {
            let name = Span::decode(rest, deltas)?;
            let flags = rest.byte().filter(|flags| *flags < 4)?;
            Some(Link {
                name,
                is_called: flags & 1 != 0,
                is_indexed: flags & 2 != 0,
            })
        })?;
        let links = links.into();
        Some(Self { reference, links })
    }
}

const UNKNOWN: u8 = 0;
const TYPE: u8 = 1;
const NAME: u8 = 2;
const CALL: u8 = 3;
const PARAMETER: u8 = 4;
const ELEMENT: u8 = 5;
const CALL_ELEMENT: u8 = 6;
const MEMBER: u8 = 7;
const MEMBER_OF_CALL: u8 = 8;
const MEMBER_OF_TYPE: u8 = 9;
const CHAIN: u8 = 10;
const ELEMENT_OF_CHAIN: u8 = 11;
const TESTED: u8 = 12;
const CALLBACK_ARGUMENT: u8 = 13;

impl Stored for Value {
    fn encode(&self, out: &mut Encoder, deltas: &mut Deltas) {
        let (code, path) = match self {
            Self::Unknown => return out.byte(UNKNOWN),
            Self::Parameter => return out.byte(PARAMETER),
            Self::Type(type_name) => {
                out.byte(TYPE);
                return type_name.encode(out, deltas);
            }
            Self::Tested(type_name) => {
                out.byte(TESTED);
                return type_name.encode(out, deltas);
            }
            Self::Member { of, name } => {
                out.byte(MEMBER);
                of.encode(out, deltas);
                return name.encode(out, deltas);
            }
            Self::MemberOfCall { of, name } => {
                out.byte(MEMBER_OF_CALL);
                of.encode(out, deltas);
                return name.encode(out, deltas);
            }
            Self::Chain {
                first,
                name,
                is_element,
            } => {
                out.byte(match is_element {
                    true => ELEMENT_OF_CHAIN,
                    false => CHAIN,
                });
                first.encode(out, deltas);
                return name.encode(out, deltas);
            }
            Self::MemberOfType { of, name } => {
                out.byte(MEMBER_OF_TYPE);
                of.encode(out, deltas);
                return name.encode(out, deltas);
            }
            Self::Name(path) => (NAME, path),
            Self::Call(path) => (CALL, path),
            Self::Element(path) => (ELEMENT, path),
            Self::CallElement(path) => (CALL_ELEMENT, path),
            Self::CallbackArgument(name) => (CALLBACK_ARGUMENT, name),
        };
        out.byte(code);
        path.encode(out, deltas);
    }

    fn decode(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Self> {
        let code = rest.byte()?;
        Some(match code {
            UNKNOWN => Self::Unknown,
            PARAMETER => Self::Parameter,
            NAME => Self::Name(Span::decode(rest, deltas)?),
            CALL => Self::Call(Span::decode(rest, deltas)?),
            ELEMENT => Self::Element(Span::decode(rest, deltas)?),
            CALL_ELEMENT => Self::CallElement(Span::decode(rest, deltas)?),
            TYPE => Self::Type(TypeName::decode(rest, deltas)?),
            CALLBACK_ARGUMENT => Self::CallbackArgument(Span::decode(rest, deltas)?),
            TESTED => Self::Tested(TypeName::decode(rest, deltas)?),
            MEMBER => Self::Member {
                of: Span::decode(rest, deltas)?,
                name: Span::decode(rest, deltas)?,
            },
            MEMBER_OF_CALL => Self::MemberOfCall {
                of: Span::decode(rest, deltas)?,
                name: Span::decode(rest, deltas)?,
            },
            // Format 6 has the whole path of the first call instead of its first name.
            CHAIN | ELEMENT_OF_CHAIN => Self::Chain {
                first: Span::decode(rest, deltas)?,
                name: Span::decode(rest, deltas)?,
                is_element: code == ELEMENT_OF_CHAIN,
            },
            MEMBER_OF_TYPE => Self::MemberOfType {
                of: Span::decode(rest, deltas)?,
                name: Span::decode(rest, deltas)?,
            },
            _ => return None,
        })
    }
}
