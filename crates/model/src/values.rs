//! Defines the facts about types and values of names, from which the graph infers the type of a receiver.
//! Everything inferred from them is likely, never certain.

use crate::{LocalId, Span};

/// Types and values of a file's names, as far as the file states them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Local variables, by scope and name: the most informative binding of each, and after it the types that it is
    /// tested for.
    pub locals: Vec<Local>,
    /// Parameters, by function, in their order. Of two with the same name the first counts.
    pub parameters: Vec<Parameter>,
    /// Return types of functions and properties and targets of type aliases, by definition.
    pub types: Vec<DefinitionType>,
    /// Values of variables, fields and aliases, and those that functions return, by definition. The latter use no
    /// name that only the function knows.
    pub held: Vec<HeldValue>,
    /// Receivers of references, by reference: of those that are not plain paths, and of the lambdas and nameless classes
    /// around the others.
    pub receivers: Vec<ReceiverChain>,
}

/// A type as written, without wrapper types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// Its dotted name.
    pub path: Span,
    /// What a value of the whole type is.
    pub form: TypeForm,
}

/// What a value of a type is, compared with the class that the type names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeForm {
    /// An instance of the class: `X`, `Optional[X]`.
    Instance,
    /// The class itself: `type[X]`, `typeof X`.
    Class,
    /// A collection of instances: `list[X]`, `X[]`.
    Elements,
    /// A function in whose body an instance is the receiver of bare names: `X.() -> Unit`.
    Function,
    /// A function that is called with an instance: `Action<X>`, `(X) -> Unit`.
    Callback,
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A declared type.
    Type(TypeName),
    /// The dotted name that is assigned to it.
    Name(Span),
    /// The dotted name that is called, or constructed, to make it.
    Call(Span),
    /// The dotted name of the collection that it is an element of.
    Element(Span),
    /// The dotted name that is called to make that collection.
    CallElement(Span),
    /// A member of what a dotted name means: `const { client } = this.pool`.
    Member {
        /// The dotted name.
        of: Span,
        /// The name of the member.
        name: Span,
    },
    /// A member of the result of a call: `const { client } = useClient()`.
    MemberOfCall {
        /// The dotted name that is called.
        of: Span,
        /// The name of the member.
        name: Span,
    },
    /// What an expression means whose last name follows a call: `client := pool.Take().Open()`. The names and calls
    /// before that name are the receiver chain of its reference, whose kind says whether it is called, too.
    Chain {
        /// The first name: `pool`.
        first: Span,
        /// The last name: `Open`.
        name: Span,
        /// Whether the value is an element of what the expression means.
        is_element: bool,
    },
    /// A member of a value of a type: `function open({ client }: Pool)`.
    MemberOfType {
        /// The dotted name of the type.
        of: Span,
        /// The name of the member.
        name: Span,
    },
    /// The argument that a function passes to its callback: `pool` in `open(pool => …)`. The name is that of the reference
    /// to the function: `open`.
    CallbackArgument(Span),
    /// The parameter of the same name of the method that assigns it.
    Parameter,
    /// A type that the enclosing function tests the variable for: `a instanceof A`. The variable may have other values.
    Tested(TypeName),
    /// Not known.
    Unknown,
}

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// The function that binds it; `None` for variables of nameless functions outside any definition.
    pub function: Option<LocalId>,
    /// Its name.
    pub name: Span,
    /// Its first known value, or a type that it is tested for.
    pub value: Value,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The function.
    pub function: LocalId,
    /// Its name.
    pub name: Span,
    /// Its declared type.
    pub type_name: Option<TypeName>,
}

/// The declared type of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefinitionType {
    /// A function, a property or a type alias.
    pub definition: LocalId,
    /// The return type, or the target of the alias.
    pub type_name: TypeName,
}

/// The value that a definition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldValue {
    /// A variable, constant, field or type alias, or a function that returns the value.
    pub definition: LocalId,
    /// Its value; never [`Value::Unknown`].
    pub value: Value,
}

/// The receiver of one reference, or those of the lambdas around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverChain {
    /// Position in the file's references.
    pub reference: u32,
    /// If the path of the reference lacks its receiver or has a call, the chain before the name, first to last: `self`
    /// and `make()` in `self.make().connect`. It is empty if the receiver is no plain chain.
    ///
    /// Otherwise the lambdas around the reference in which bare names may be members of a receiver, the outermost first.
    /// The name of such a link may have dots. The receiver is
    /// - the value of the name: `with(a) { b() }`;
    /// - the result of the name, if it is called: `a().apply { b() }`, and in the body of a nameless class an object of
    ///   the base: `new A() { void c() { b(); } }`;
    /// - the receiver in the type of the function's last parameter, if the name is indexed: `build { b() }`.
    pub links: Box<[Link]>,
}

/// One link of a chain of names and calls, or a lambda around a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: Span,
    /// Whether it is called.
    pub is_called: bool,
    /// Whether an element is taken of it or of its result: `a[0]`, `a()[0]`. Of a lambda, see [`ReceiverChain::links`].
    pub is_indexed: bool,
}

impl Values {
    /// Returns the parameters of a function.
    pub fn parameters_of(&self, function: LocalId) -> &[Parameter] {
        with_key(&self.parameters, function, |parameter| parameter.function)
    }

    /// Returns the return type of a definition, or the target of an alias.
    pub fn type_of(&self, definition: LocalId) -> Option<TypeName> {
        let types = with_key(&self.types, definition, |known| known.definition);
        types.first().map(|known| known.type_name)
    }

    /// Returns the value of a definition.
    pub fn held_by(&self, definition: LocalId) -> Option<Value> {
        let held = with_key(&self.held, definition, |held| held.definition);
        held.first().map(|held| held.value)
    }

    /// Returns the receiver chain of a reference, or the lambdas around it. `None` if its path contains the receiver, and
    /// no lambda is around it.
    pub fn receivers_of(&self, reference: u32) -> Option<&[Link]> {
        let found = with_key(&self.receivers, reference, |receivers| receivers.reference);
        found.first().map(|receivers| &*receivers.links)
    }

    /// Releases unused capacity: facts live as long as an index.
    pub fn shrink_to_fit(&mut self) {
        self.locals.shrink_to_fit();
        self.parameters.shrink_to_fit();
        self.types.shrink_to_fit();
        self.held.shrink_to_fit();
        self.receivers.shrink_to_fit();
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

/// Returns the facts with a key; `facts` are sorted by it.
fn with_key<T, K: Ord + Copy>(facts: &[T], key: K, key_of: impl Fn(&T) -> K) -> &[T] {
    let start = facts.partition_point(|fact| key_of(fact) < key);
    let rest = facts.get(start..).unwrap_or_default();
    let end = rest.partition_point(|fact| key_of(fact) == key);
    rest.get(..end).unwrap_or_default()
}
