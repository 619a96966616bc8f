//! Finds what a file tells about the values of its names: annotations, initial values, parameters, and the
//! receivers before names. It reads the text that the walker's facts point to, which is cheap; where that
//! text is not simple, nothing is recorded. Each language has its own [`ValueForm`].

mod documented;
pub(crate) mod results;
mod scan;
mod text;

use foveate_model::values::{
    DefinitionType, HeldValue, Local, Parameter, ReceiverChain, TypeName, Value, Values,
};
use foveate_model::{Definition, DefinitionKind, FileFacts, LocalId};

use self::documented::Documentation;
pub(crate) use self::documented::DocumentedTypes;
use self::results::OutwardValue;
pub(crate) use self::scan::{Binding, Scan};
pub(crate) use self::text::leading_name;
use self::text::{
    annotation, clip, expression, member, parameters_in, receiver, span_of, trailing_name,
};

/// How a language writes types and binds local variables.
#[derive(Clone, Copy)]
pub(crate) struct ValueForm {
    /// Reads the bindings of a line of code, which has no blanks around it, and the value that it returns.
    pub(crate) bindings: fn(&mut Scan<'_>, &str),
    /// Whether indented lines outside of any definition bind names of unnamed functions.
    pub(crate) has_nameless_scopes: bool,
    /// The text between the parameters of a function and its return type.
    pub(crate) return_mark: &'static str,
    /// Words before the name of a parameter.
    pub(crate) parameter_modifiers: &'static [&'static str],
    /// Whether documentation may state types, as in `@param {Cart} cart`.
    pub(crate) has_documented_types: bool,
    /// Characters that open a destructuring parameter.
    pub(crate) patterns: &'static [char],
}

/// Returns the facts about values in a file.
pub(crate) fn of(text: &str, facts: &FileFacts, form: &ValueForm) -> Values {
    let (locals, mut results) = scan::locals_and_results(text, facts, form);
    let mut values = Values {
        locals,
        receivers: receivers(text, facts),
        ..Values::default()
    };
    let mut reader = Reader {
        text,
        facts,
        form,
        documentation: Documentation::default(),
    };
    for (position, definition) in (0..).zip(&facts.definitions) {
        reader.read(LocalId(position), definition, &mut values, &mut results);
    }
    let names = results::Names {
        text,
        definitions: &facts.definitions,
        receivers: facts.language.rules().lookup.receivers,
    };
    results::add(&mut values, results, names);
    values.shrink_to_fit();
    values
}

/// Reads the values of definitions.
struct Reader<'t> {
    text: &'t str,
    facts: &'t FileFacts,
    form: &'t ValueForm,
    /// That of the definition that is read.
    documentation: Documentation<'t>,
}

impl Reader<'_> {
    /// Adds what a definition tells about values.
    fn read(
        &mut self,
        id: LocalId,
        definition: &Definition,
        values: &mut Values,
        results: &mut Vec<OutwardValue>,
    ) {
        let text = self.text;
        if self.form.has_documented_types {
            self.documentation.move_to(text, self.facts, definition);
        }
        values.parameters.extend(self.parameters(id, definition));
        let type_name = self.type_name(definition);
        values
            .types
            .extend(type_name.map(|type_name| DefinitionType {
                definition: id,
                type_name,
            }));
        results.extend(arrow_result(text, definition).map(|value| OutwardValue {
            definition: id,
            function: id,
            value,
        }));
        let held = self.held(definition, &values.locals);
        values.held.extend(held.map(|value| HeldValue {
            definition: id,
            value,
        }));
    }

    /// Returns the parameters of a function, with the types that its code or its documentation states.
    fn parameters(
        &self,
        function: LocalId,
        definition: &Definition,
    ) -> impl Iterator<Item = Parameter> {
        let text = self.text;
        let list = definition.parameters.map(|list| list.of(text));
        let names = list
            .into_iter()
            .flat_map(|list| parameters_in(text, list, self.form));
        let documented = &self.documentation.function.parameters;
        names.map(move |(name, type_name)| Parameter {
            function,
            name,
            type_name: type_name.or_else(|| documented.get(name.of(text)).copied()),
        })
    }

    /// Returns the return type of a function, or the target of an alias.
    fn type_name(&self, definition: &Definition) -> Option<TypeName> {
        let text = self.text;
        match definition.kind {
            DefinitionKind::TypeAlias => annotation(text, definition.body?.of(text)),
            kind if kind.is_function() => {
                let documented = self.documentation.function.returned;
                return_type(text, definition, self.form).or(documented)
            }
            _ => None,
        }
    }

    /// Returns the value of a variable or field.
    fn held(&self, definition: &Definition, locals: &[Local]) -> Option<Value> {
        if definition.kind.is_function() || definition.kind.is_container() {
            return None;
        }
        let documented = self.documentation.variable;
        documented
            .map(Value::Type)
            .or_else(|| held_by(self.text, definition, self.form))
            .or_else(|| assigned_later(self.text, definition, locals))
    }
}

/// Returns the return type in the head of a function.
fn return_type(text: &str, definition: &Definition, form: &ValueForm) -> Option<TypeName> {
    let from = match definition.parameters {
        Some(parameters) => parameters.end,
        None => definition.name_span.end,
    };
    let head = text.get(from as usize..definition.signature.end as usize)?;
    let head = head.trim_start_matches([')', ' ']);
    annotation(text, head.strip_prefix(form.return_mark)?)
}

/// Returns the value of the expression that is the body of an arrow function: `() => new Foo()`.
fn arrow_result(text: &str, definition: &Definition) -> Option<Value> {
    let body = definition.body.filter(|_| definition.kind.is_function())?;
    let head = text.get(..body.start as usize)?.trim_end();
    match head.ends_with("=>") {
        true => expression(text, body.of(text)),
        false => None,
    }
}

/// Returns the value of a variable or field.
fn held_by(text: &str, definition: &Definition, form: &ValueForm) -> Option<Value> {
    let kind = definition.kind;
    if definition.modifiers.is_property {
        return None;
    }
    let before = text.get(definition.span.start as usize..definition.name_span.start as usize);
    if matches!(kind, DefinitionKind::Constant | DefinitionKind::Variable)
        && let Some(pattern) = before.and_then(|text| text.get(text.find(form.patterns)?..))
    {
        return member_by_pattern(text, definition, pattern);
    }
    let after = text.get(definition.name_span.end as usize..definition.span.end as usize);
    let after = clip(after.unwrap_or("")).trim_start_matches(['?', '!', ' ']);
    if let Some(rest) = after.strip_prefix(':') {
        return annotation(text, rest).map(Value::Type);
    }
    let value = match definition.body {
        Some(body) => body.of(text),
        None => match after.strip_prefix('=') {
            Some(value) => value,
            // Only a member that a method sets may get its value from a parameter.
            None if definition.parent.is_none() || kind == DefinitionKind::EnumMember => {
                return None;
            }
            None => return Some(Value::Parameter),
        },
    };
    expression(text, value)
}

/// Returns the value that a nameless function assigns to a variable of the file, as in `let client; beforeEach(() =>
/// { client = new Client(); })`.
fn assigned_later(text: &str, definition: &Definition, locals: &[Local]) -> Option<Value> {
    let is_variable = definition.kind == DefinitionKind::Variable && definition.parent.is_none();
    if !is_variable || definition.body.is_some() {
        return None;
    }
    // They are sorted by function, those of nameless functions first, and by name.
    let key = |local: &Local| (local.function, local.name.of(text));
    let wanted = (None, &*definition.name);
    let local = locals.get(locals.partition_point(|local| key(local) < wanted))?;
    (key(local) == wanted && local.value != Value::Unknown).then_some(local.value)
}

/// Returns the value of a variable directly in a pattern, given the pattern up to its name: `{ a, b: `. Only what is next to
/// the name is read: the pattern may have many.
fn member_by_pattern(text: &str, definition: &Definition, pattern: &str) -> Option<Value> {
    let before = pattern.strip_prefix('{')?.trim_end();
    if before.ends_with("...") {
        return None;
    }
    let name = match before.strip_suffix(':') {
        Some(keys) => span_of(text, trailing_name(keys.trim_end())),
        None => definition.name_span,
    };
    let value = expression(text, definition.body?.of(text))?;
    member(value, name).filter(|_| !name.is_empty())
}

/// Returns the receivers of references whose paths do not contain them.
fn receivers(text: &str, facts: &FileFacts) -> Vec<ReceiverChain> {
    let mut found = Vec::new();
    for (position, reference) in (0..).zip(&facts.references) {
        let is_called = reference.path.of(text).contains('(');
        if !reference.opaque_receiver && !is_called {
            continue;
        }
        let links = receiver(text, reference.name.start as usize);
        if is_called || !links.is_empty() {
            found.push(ReceiverChain {
                reference: position,
                links: links.into(),
            });
        }
    }
    found
}
