//! The types, local variables, parameters and receivers in the facts of a file, as bytes and back.

use foveate_model::values::{
    DefinitionType, Held, Link, Local, Parameter, Receivers, TypeName, Value, Values,
};
use foveate_model::{LocalId, Span};

use super::bytes::{Decoder, Encoder};
use super::places::{Near, put_id, take_flag, take_id};

pub(super) fn put_values(out: &mut Encoder, values: &Values) {
    let near = &mut Near::default();
    out.list(&values.locals, |out, local| {
        put_id(out, local.function);
        near.put_span(out, local.name);
        put_value(out, near, local.value);
    });
    let near = &mut Near::default();
    out.list(&values.parameters, |out, parameter| {
        out.number(parameter.function.0);
        near.put_span(out, parameter.name);
        out.byte(u8::from(parameter.type_name.is_some()));
        if let Some(type_name) = parameter.type_name {
            put_type(out, near, type_name);
        }
    });
    let near = &mut Near::default();
    out.list(&values.types, |out, known| {
        out.number(known.definition.0);
        put_type(out, near, known.type_name);
    });
    let near = &mut Near::default();
    out.list(&values.held, |out, held| {
        out.number(held.definition.0);
        put_value(out, near, held.value);
    });
    let near = &mut Near::default();
    out.list(&values.receivers, |out, receivers| {
        out.number(receivers.reference);
        out.list(&receivers.links, |out, link| {
            near.put_span(out, link.name);
            out.byte(u8::from(link.is_called));
        });
    });
}

pub(super) fn take_values(rest: &mut Decoder<'_>) -> Option<Values> {
    let near = &mut Near::default();
    let locals = rest.list(|rest| {
        Some(Local {
            function: take_id(rest)?,
            name: near.take_span(rest)?,
            value: take_value(rest, near)?,
        })
    })?;
    let near = &mut Near::default();
    let parameters = rest.list(|rest| {
        Some(Parameter {
            function: LocalId(rest.number32()?),
            name: near.take_span(rest)?,
            type_name: match take_flag(rest)? {
                true => Some(take_type(rest, near)?),
                false => None,
            },
        })
    })?;
    let near = &mut Near::default();
    let types = rest.list(|rest| {
        Some(DefinitionType {
            definition: LocalId(rest.number32()?),
            type_name: take_type(rest, near)?,
        })
    })?;
    let near = &mut Near::default();
    let held = rest.list(|rest| {
        Some(Held {
            definition: LocalId(rest.number32()?),
            value: take_value(rest, near)?,
        })
    })?;
    let near = &mut Near::default();
    let receivers = rest.list(|rest| {
        Some(Receivers {
            reference: rest.number32()?,
            links: rest
                .list(|rest| {
                    Some(Link {
                        name: near.take_span(rest)?,
                        is_called: take_flag(rest)?,
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

fn put_value(out: &mut Encoder, near: &mut Near, value: Value) {
    let put_path = |out: &mut Encoder, near: &mut Near, code: u8, path: Span| {
        out.byte(code);
        near.put_span(out, path);
    };
    match value {
        Value::Unknown => out.byte(UNKNOWN),
        Value::Parameter => out.byte(PARAMETER),
        Value::Name(path) => put_path(out, near, NAME, path),
        Value::Call(path) => put_path(out, near, CALL, path),
        Value::Type(type_name) => {
            out.byte(TYPE);
            put_type(out, near, type_name);
        }
    }
}

fn take_value(rest: &mut Decoder<'_>, near: &mut Near) -> Option<Value> {
    Some(match rest.byte()? {
        UNKNOWN => Value::Unknown,
        PARAMETER => Value::Parameter,
        NAME => Value::Name(near.take_span(rest)?),
        CALL => Value::Call(near.take_span(rest)?),
        TYPE => Value::Type(take_type(rest, near)?),
        _ => return None,
    })
}

fn put_type(out: &mut Encoder, near: &mut Near, type_name: TypeName) {
    near.put_span(out, type_name.path);
    out.byte(u8::from(type_name.of_class));
}

fn take_type(rest: &mut Decoder<'_>, near: &mut Near) -> Option<TypeName> {
    Some(TypeName {
        path: near.take_span(rest)?,
        of_class: take_flag(rest)?,
    })
}
