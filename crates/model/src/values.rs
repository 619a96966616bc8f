//! What a file says of the values of its names: the facts from which the graph infers what stands
//! before a dot. What rests on them is likely, never certain.

use crate::{LocalId, Span};

/// What a file says of the values of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Local variables, by scope and name; the most telling binding of each.
    pub locals: Vec<Local>,
    /// Parameters, by function, in their order. Of two with one name the first counts.
    pub parameters: Vec<Parameter>,
    /// What functions and properties return and type aliases stand for, by definition.
    pub types: Vec<DefinitionType>,
    /// What variables, fields and aliases hold, by definition.
    pub held: Vec<Held>,
    /// What stands before the names of references where that is no plain path, by reference.
    pub receivers: Vec<Receivers>,
}

/// A type as written, without what wraps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// Its dotted name.
    pub path: Span,
    /// Whether the class itself is meant (`type[X]`, `typeof X`) and not one of its objects.
    pub of_class: bool,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Its type, as declared.
    Type(TypeName),
    /// The dotted name that it is set to.
    Name(Span),
    /// The dotted name that is called, or constructed, to make it.
    Call(Span),
    /// It is the parameter, of the same name, of the method that it is set in.
    Parameter,
    /// Nothing.
    Unknown,
}

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// The function that binds it; `None` for what nameless functions outside any definition bind.
    pub function: Option<LocalId>,
    /// Its name.
    pub name: Span,
    /// What it is first known to hold.
    pub value: Value,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The function.
    pub function: LocalId,
    /// Its name.
    pub name: Span,
    /// Its type, where one is declared.
    pub type_name: Option<TypeName>,
}

/// The type that a definition promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefinitionType {
    /// A function, a property or a type alias.
    pub definition: LocalId,
    /// What it returns or stands for.
    pub type_name: TypeName,
}

/// The value that a definition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// A variable, constant, field or type alias.
    pub definition: LocalId,
    /// What it holds; never [`Value::Unknown`].
    pub value: Value,
}

/// What stands before the name of one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receivers {
    /// Position in the file's references.
    pub reference: u32,
    /// The names before it, first to last: of `self.make().connect` those are `self` and `make()`.
    /// Empty where they are no plain chain.
    pub links: Box<[Link]>,
}

/// One link of a chain of names and calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: Span,
    /// Whether it is called.
    pub is_called: bool,
}

impl Values {
    /// The parameters of a function.
    pub fn parameters_of(&self, function: LocalId) -> &[Parameter] {
        of(&self.parameters, function, |parameter| parameter.function)
    }

    /// What a definition returns or stands for.
    pub fn type_of(&self, definition: LocalId) -> Option<TypeName> {
        let types = of(&self.types, definition, |known| known.definition);
        types.first().map(|known| known.type_name)
    }

    /// What a definition holds.
    pub fn held_by(&self, definition: LocalId) -> Option<Value> {
        let held = of(&self.held, definition, |held| held.definition);
        held.first().map(|held| held.value)
    }

    /// What stands before the name of a reference; `None` where its path says it.
    pub fn receivers_of(&self, reference: u32) -> Option<&[Link]> {
        let found = of(&self.receivers, reference, |receivers| receivers.reference);
        found.first().map(|receivers| &*receivers.links)
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        let links = self.receivers.iter().map(|r| size_of_val(&*r.links));
        size_of_val(&*self.locals)
            + size_of_val(&*self.parameters)
            + size_of_val(&*self.types)
            + size_of_val(&*self.held)
            + size_of_val(&*self.receivers)
            + links.sum::<usize>()
    }
}

/// Those of sorted facts with a key.
fn of<T, K: Ord + Copy>(facts: &[T], key: K, key_of: impl Fn(&T) -> K) -> &[T] {
    let start = facts.partition_point(|fact| key_of(fact) < key);
    let rest = facts.get(start..).unwrap_or_default();
    let end = rest.partition_point(|fact| key_of(fact) == key);
    rest.get(..end).unwrap_or_default()
}
