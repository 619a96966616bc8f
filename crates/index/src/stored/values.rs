//! Encodes and decodes the [`Values`] of a file: types, local variables, parameters and receivers.

use foveate_model::Span;
use foveate_model::values::{
    DefinitionType, HeldValue, Link, Local, Parameter, ReceiverChain, TypeForm, TypeName, Value,
    Values,
};

use super::bytes::{Decoder, Encoder};
use super::item::{Coded, Deltas, Id, Stored, codes, members, stored};

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

members!(Value {
    0 = Unknown {},
    1 = Type { 0: type_name },
    2 = Name { 0: path },
    3 = Call { 0: path },
    4 = Parameter {},
    5 = Element { 0: path },
    6 = CallElement { 0: path },
    7 = Member { of: owner, name: member },
    8 = MemberOfCall { of: owner, name: member },
    9 = MemberOfType { of: owner, name: member },
    // Format 6 has the whole path of the first call instead of its first name.
    10 = Chain { first: beginning, name: last; is_element = false },
    11 = Chain { first: beginning, name: last; is_element = true },
    12 = Tested { 0: type_name },
    13 = CallbackArgument { 0: name },
});
