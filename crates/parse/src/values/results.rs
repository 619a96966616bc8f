//! Finds the values that code outside of a function gets from inside of it: what the function returns, and what
//! it assigns to fields that other code declares. The names of a function's own variables mean nothing
//! elsewhere, so they are replaced here by what the function knows about them.

use foveate_model::resolution::Receiver;
use foveate_model::values::{HeldValue, Value, Values};
use foveate_model::{Definition, LocalId, Span};

use super::text::leading_name;

/// Maximum number of variables that are assigned to each other and followed.
const MAX_STEPS: usize = 4;
/// Maximum number of enclosing functions whose variables are searched.
const MAX_NESTING: usize = 16;
/// Maximum number of parameters of a function that are searched, for each value that it returns.
const MAX_PARAMETERS: usize = 256;

/// A value that a function returns or assigns to a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutwardValue {
    /// The function itself if it returns the value, otherwise the field.
    pub(crate) definition: LocalId,
    /// The function.
    pub(crate) function: LocalId,
    pub(crate) value: Value,
}

impl OutwardValue {
    fn is_returned(self) -> bool {
        self.definition == self.function
    }
}

/// What the names in the functions of a file mean.
#[derive(Clone, Copy)]
pub(crate) struct Names<'f> {
    pub(crate) text: &'f str,
    pub(crate) definitions: &'f [Definition],
    /// Names of the current object and its class. They mean the same for callers of the function.
    pub(crate) receivers: &'static [(&'static str, Receiver)],
}

/// Adds the results of functions, and the values of fields, to the values that definitions hold. What they
/// are known to hold already comes first.
pub(crate) fn add(values: &mut Values, mut results: Vec<OutwardValue>, names: Names<'_>) {
    if results.is_empty() {
        return;
    }
    // The order of the text is kept for each definition.
    results.sort_by_key(|result| result.definition);
    let by_definition = results.chunk_by(|a, b| a.definition == b.definition);
    let found: Vec<HeldValue> = by_definition
        .filter_map(|results| {
            let definition = results.first()?.definition;
            let value = names.value_of(results, values)?;
            Some(HeldValue { definition, value })
        })
        .collect();
    values.held.extend(found);
    values.held.sort_by_key(|held| held.definition);
}

impl<'f> Names<'f> {
    /// Returns the one value of all `return` statements of a function, or the first known value of a field.
    /// That nothing is returned is no value: `return None` makes a result optional.
    fn value_of(self, results: &[OutwardValue], values: &Values) -> Option<Value> {
        let stated = results
            .iter()
            .filter(|result| !self.is_nothing(result.value));
        let mut known = stated.map(|result| self.outside(result.function, result.value, values));
        if !results.first()?.is_returned() {
            return known.find(|value| *value != Value::Unknown);
        }
        let first = known.next().filter(|first| *first != Value::Unknown)?;
        known
            .all(|value| are_alike(first, value, self.text))
            .then_some(first)
    }

    fn is_nothing(self, value: Value) -> bool {
        match value {
            Value::Name(path) => {
                matches!(self.of(path), "None" | "null" | "nil" | "undefined")
            }
            _ => false,
        }
    }

    /// Returns a value without names that only a function knows; [`Value::Unknown`] if it needs one.
    fn outside(self, function: LocalId, mut value: Value, values: &Values) -> Value {
        for _ in 0..MAX_STEPS {
            let path = match value {
                Value::Name(path)
                | Value::Call(path)
                | Value::Element(path)
                | Value::CallElement(path)
                | Value::Member { of: path, .. }
                | Value::MemberOfCall { of: path, .. }
                | Value::Chain { first: path, .. } => path,
                Value::Type(_)
                | Value::MemberOfType { .. }
                | Value::Parameter
                | Value::Tested(_)
                | Value::Unknown => return value,
                Value::CallbackArgument(_) => return Value::Unknown,
            };
            let written = self.of(path);
            let head = leading_name(written);
            if self.receivers.iter().any(|(name, _)| *name == head) {
                return value;
            }
            let Some(bound) = self.bound(function, head, values) else {
                return value;
            };
            // What a variable's members and calls yield cannot be written without the variable.
            let is_whole = matches!(value, Value::Name(_)) && head.len() == written.len();
            value = if is_whole { bound } else { Value::Unknown };
        }
        Value::Unknown
    }

    /// Returns what a function, or one around it, binds a name to; `None` if none of them binds it.
    fn bound(self, function: LocalId, name: &str, values: &Values) -> Option<Value> {
        let mut scope = Some(function);
        for _ in 0..MAX_NESTING {
            let id = scope?;
            let definition = self.definitions.get(id.0 as usize)?;
            let found = self.bound_in(id, name, values);
            if found.is_some() {
                return found;
            }
            scope = definition.parent;
        }
        None
    }

    fn bound_in(self, function: LocalId, name: &str, values: &Values) -> Option<Value> {
        let key = (Some(function), name);
        let locals = &values.locals;
        let at = locals.partition_point(|local| (local.function, self.of(local.name)) < key);
        let local = locals
            .get(at)
            .filter(|local| (local.function, self.of(local.name)) == key)
            .map(|local| local.value)
            .filter(|value| !matches!(value, Value::Tested(_)));
        if let Some(value) = local.filter(|value| *value != Value::Unknown) {
            return Some(value);
        }
        // A parameter that is assigned again may still be annotated.
        let mut parameters = values.parameters_of(function).iter().take(MAX_PARAMETERS);
        let parameter = parameters.find(|parameter| self.of(parameter.name) == name);
        match parameter {
            Some(parameter) => Some(parameter.type_name.map_or(Value::Unknown, Value::Type)),
            None => local,
        }
    }

    fn of(self, span: Span) -> &'f str {
        span.of(self.text)
    }
}

/// Whether two values are written alike. Those of members and of chains are compared by their places alone.
pub(crate) fn are_alike(a: Value, b: Value, text: &str) -> bool {
    let (a, b) = match (a, b) {
        (Value::Type(a), Value::Type(b)) if a.form == b.form => (a.path, b.path),
        (Value::Name(a), Value::Name(b))
        | (Value::Call(a), Value::Call(b))
        | (Value::Element(a), Value::Element(b))
        | (Value::CallElement(a), Value::CallElement(b))
        | (Value::CallbackArgument(a), Value::CallbackArgument(b)) => (a, b),
        _ => return a == b,
    };
    a == b || a.of(text) == b.of(text)
}
