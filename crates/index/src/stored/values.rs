//! Encodes and decodes the [`Values`] of a file: types, local variables, parameters and receivers.

use foveate_model::values::{
    DefinitionType, HeldValue, Link, Local, Parameter, Receivers, TypeForm, TypeName, Value, Values,
};
use foveate_model::{LocalId, Span};

use super::bytes::{Decoder, Encoder};
use super::places::{Deltas, put_id, put_places, take_flag, take_id, take_places};

pub(super) fn put_values(out: &mut Encoder, values: &Values) {
    put_places(out, &values.locals, |out, deltas, local| {
        put_id(out, local.function);
        deltas.put_span(out, local.name);
        put_value(out, deltas, local.value);
    });
    put_places(out, &values.parameters, |out, deltas, parameter| {
        out.number(parameter.function.0);
        deltas.put_span(out, parameter.name);
        out.byte(u8::from(parameter.type_name.is_some()));
        if let Some(type_name) = parameter.type_name {
            put_type(out, deltas, type_name);
        }
    });
    put_places(out, &values.types, |out, deltas, known| {
        out.number(known.definition.0);
        put_type(out, deltas, known.type_name);
    });
    put_places(out, &values.held, |out, deltas, held| {
        out.number(held.definition.0);
        put_value(out, deltas, held.value);
    });
    put_places(out, &values.receivers, |out, deltas, receivers| {
        out.number(receivers.reference);
        out.list(&receivers.links, |out, link| {
            deltas.put_span(out, link.name);
            out.byte(u8::from(link.is_called) | u8::from(link.is_indexed) << 1);
        });
    });
}

pub(super) fn take_values(rest: &mut Decoder<'_>) -> Option<Values> {
    let locals = take_places(rest, |rest, deltas| {
        Some(Local {
            function: take_id(rest)?,
            name: deltas.take_span(rest)?,
            value: take_value(rest, deltas)?,
        })
    })?;
    let parameters = take_places(rest, |rest, deltas| {
        Some(Parameter {
            function: LocalId(rest.number32()?),
            name: deltas.take_span(rest)?,
            type_name: match take_flag(rest)? {
                true => Some(take_type(rest, deltas)?),
                false => None,
            },
        })
    })?;
    let types = take_places(rest, |rest, deltas| {
        Some(DefinitionType {
            definition: LocalId(rest.number32()?),
            type_name: take_type(rest, deltas)?,
        })
    })?;
    let held = take_places(rest, |rest, deltas| {
        Some(HeldValue {
            definition: LocalId(rest.number32()?),
            value: take_value(rest, deltas)?,
        })
    })?;
    let receivers = take_places(rest, |rest, deltas| {
        Some(Receivers {
            reference: rest.number32()?,
            links: rest
                .list(|rest| {
                    let name = deltas.take_span(rest)?;
                    let flags = rest.byte().filter(|flags| *flags < 4)?;
                    Some(Link {
                        name,
                        is_called: flags & 1 != 0,
                        is_indexed: flags & 2 != 0,
                    })
                })?
                .into(),
        })
    })?;
    Some(Values {
        locals,
        parameters,
        types,
        held,
        receivers,
    })
}

const UNKNOWN: u8 = 0;
const TYPE: u8 = 1;
const NAME: u8 = 2;
const CALL: u8 = 3;
const PARAMETER: u8 = 4;
const ELEMENT: u8 = 5;
const CALL_ELEMENT: u8 = 6;

fn put_value(out: &mut Encoder, deltas: &mut Deltas, value: Value) {
    let put_path = |out: &mut Encoder, deltas: &mut Deltas, code: u8, path: Span| {
        out.byte(code);
        deltas.put_span(out, path);
    };
    match value {
        Value::Unknown => out.byte(UNKNOWN),
        Value::Parameter => out.byte(PARAMETER),
        Value::Name(path) => put_path(out, deltas, NAME, path),
        Value::Call(path) => put_path(out, deltas, CALL, path),
        Value::Element(path) => put_path(out, deltas, ELEMENT, path),
        Value::CallElement(path) => put_path(out, deltas, CALL_ELEMENT, path),
        Value::Type(type_name) => {
            out.byte(TYPE);
            put_type(out, deltas, type_name);
        }
    }
}

fn take_value(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<Value> {
    Some(match rest.byte()? {
        UNKNOWN => Value::Unknown,
        PARAMETER => Value::Parameter,
        NAME => Value::Name(deltas.take_span(rest)?),
        CALL => Value::Call(deltas.take_span(rest)?),
        ELEMENT => Value::Element(deltas.take_span(rest)?),
        CALL_ELEMENT => Value::CallElement(deltas.take_span(rest)?),
        TYPE => Value::Type(take_type(rest, deltas)?),
        _ => return None,
    })
}

fn put_type(out: &mut Encoder, deltas: &mut Deltas, type_name: TypeName) {
    deltas.put_span(out, type_name.path);
    out.byte(match type_name.form {
        TypeForm::Instance => 0,
        TypeForm::Class => 1,
        TypeForm::Elements => 2,
    });
}

fn take_type(rest: &mut Decoder<'_>, deltas: &mut Deltas) -> Option<TypeName> {
    Some(TypeName {
        path: deltas.take_span(rest)?,
        form: match rest.byte()? {
            0 => TypeForm::Instance,
            1 => TypeForm::Class,
            2 => TypeForm::Elements,
            _ => return None,
        },
    })
}
