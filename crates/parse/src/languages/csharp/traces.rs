//! Reads stack traces of .NET, Mono and Unity, and messages of the C# compiler and of test runners.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::{of_build, text as message_text};
use crate::traces::places::{
    Frame, frame, has_extension, last_two, leading_number, location, without_brackets,
};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["cs"],
    read: |text| {
        at_frame(text)
            .or_else(|| unity(text))
            .or_else(|| of_build(text, EXTENSIONS))
            .or_else(|| test_runner(text))
    },
    is_joint: |text| text.starts_with("--- End of "),
    is_error: |text| {
        let mut starts = STARTS.iter().filter(|start| **start != ARROW);
        starts.any(|start| text.starts_with(start))
    },
    // Notebooks print the same arrow before a line of source.
    marked: |text| text.strip_prefix(ARROW),
    error_prefixes: &STARTS,
    ..TraceForm::NONE
};

const EXTENSIONS: &[&str] = &["cs", "razor", "cshtml", "vb", "fs"];

const ARROW: &str = "---> ";

const STARTS: [&str; 4] = [
    "Unhandled exception. ", "Unhandled Exception: ", ARROW, "(Inner Exception #",
];

/// Reads `at Shop.Cart.Sum(Int32 n) in /a/Cart.cs:line 12`, Mono's
/// `at Shop.Cart.Sum (System.Int32 n) [0x0001a] in /a/Cart.cs:12`, and `at Shop.Cart.Sum(Int32 n)`,
/// which has no place.
fn at_frame(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?;
    let rest = rest.strip_prefix("(wrapper ").map_or(rest, |rest| {
        rest.split_once(") ").map_or(rest, |(_, rest)| rest)
    });
    let (method, place) = rest.rsplit_once(" in ").unwrap_or((rest, ""));
    let method = method.split(" [0x").next().unwrap_or(method).trim_end();
    let (head, arguments) = method.strip_suffix(')')?.split_once('(')?;
    // `Pool`1[T].Take[S]`: Mono also prints the type arguments of classes.
    let head = without_brackets(head.trim_end(), '[', ']');
    if head.contains(' ') && !head.contains('<') || !head.contains('.') {
        return None;
    }
    let name = Method::read(&head);
    let (path, line) = place.rsplit_once(':').unwrap_or((place, ""));
    let line = line.trim_start_matches(|c: char| !c.is_ascii_digit());
    let found = match has_extension(path, EXTENSIONS) {
        true => frame((path, leading_number(line), 0), ""),
        // Without debug symbols the file is guessed from the class, which is right in most cases.
        false if name.is_plain && has_types(arguments) => Frame {
            path: name.path(),
            ..frame(("", 0, 0), "")
        },
        false => return None,
    };
    let found = Frame {
        package: name.namespace.join("."),
        function: name.function(),
        ..found
    };
    Some(Mark::Frame(found, Order::InnermostFirst))
}

/// Whether all arguments are a type with a name: `Int32 n, String name`.
fn has_types(arguments: &str) -> bool {
    let is_known = |c: char| c.is_alphanumeric() || " ,.`[]&*_+".contains(c);
    let mut each = arguments.split(", ");
    arguments.is_empty() || arguments.chars().all(is_known) && each.all(|one| one.contains(' '))
}

/// A method name as the runtime prints it, split into its parts.
struct Method<'t> {
    namespace: Vec<&'t str>,
    /// The class, after the classes that enclose it.
    class: Vec<&'t str>,
    name: &'t str,
    /// Whether its names are capitalized as in no other language, so that it is a frame of .NET even
    /// without a place.
    is_plain: bool,
}

impl<'t> Method<'t> {
    /// Splits a name: `Shop.Cart+Line.<Sum>d__3.MoveNext` is `Sum` of `Line`.
    fn read(head: &'t str) -> Self {
        let (owner, method) = match head.find("..") {
            Some(at) => (
                head.get(..at).unwrap_or(""),
                head.get(at + 1..).unwrap_or(""),
            ),
            None => head.rsplit_once('.').unwrap_or(("", head)),
        };
        let generated = generated_name_start(head);
        let written = generated.and_then(|at| source_name(head.get(at..)?));
        let owner = match generated {
            Some(at) => head.get(..at).unwrap_or(owner).trim_end_matches(SEPARATORS),
            None => without_interface(owner),
        };
        let mut parts: Vec<&str> = owner.split(['.', '+']).collect();
        let nested = owner
            .split_once('+')
            .map(|(outer, _)| outer.split('.').count());
        let class_at = nested.unwrap_or(parts.len()).saturating_sub(1);
        let class = parts.split_off(class_at.min(parts.len()));
        let is_capital = |part: &str| part.starts_with(char::is_uppercase);
        let name = written.unwrap_or(method);
        let mut names = parts.iter().chain(&class);
        let is_method = is_capital(name) || name.starts_with('.') || name.contains("et_");
        let is_plain = !parts.is_empty() && is_method && names.all(|part| is_capital(part));
        Self {
            namespace: parts,
            class,
            name,
            is_plain,
        }
    }

    /// Returns the likely path of the source file: `Shop/Cart.cs`.
    fn path(&self) -> String {
        let class = self.class.first().copied().unwrap_or_default();
        let class = class.split('`').next().unwrap_or(class);
        let mut path = self.namespace.join("/");
        path.push('/');
        path + class + ".cs"
    }

    fn function(&self) -> String {
        let class = self.class.last().copied().unwrap_or_default();
        let class = class.split('`').next().unwrap_or(class);
        let name = self.name.split('`').next().unwrap_or(self.name);
        let accessors = ["get_", "set_", "add_", "remove_", "init_"];
        let accessed = accessors.iter().find_map(|start| name.strip_prefix(start));
        match accessed.unwrap_or(name) {
            ".ctor" => class.to_owned(),
            ".cctor" => String::new(),
            "<Main>$" | "Main$" => "Main".to_owned(),
            name => last_two([class, name]),
        }
    }
}

/// Characters between namespaces, classes, nested classes and methods.
const SEPARATORS: [char; 3] = ['.', '+', '/'];

/// Returns where the first compiler-generated name begins: such names of classes and methods have the source's name
/// between `<` and `>`. Other brackets hold the type arguments of an interface: `Cart.IStore<Item>.Get`.
fn generated_name_start(head: &str) -> Option<usize> {
    let mut brackets = head.match_indices('<').map(|(at, _)| at);
    brackets.find(|at| {
        let before = head.get(..*at).unwrap_or_default();
        before.is_empty() || before.ends_with(SEPARATORS)
    })
}

/// Returns the class of an explicit interface implementation, without the interface: `Shop.Cart` of
/// `Shop.Cart.Shop.IStore<Item>`. The interface has its namespace, which mostly begins like that of the class.
fn without_interface(owner: &str) -> &str {
    let owner = owner.split('<').next().unwrap_or(owner);
    let mut letters = owner.rsplit('.').next().unwrap_or(owner).chars();
    let is_interface =
        letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase);
    if !is_interface {
        return owner;
    }
    let root = owner.split('.').next().unwrap_or(owner);
    let begins_namespace = |at: &usize| {
        let rest = owner.get(at + 1..).unwrap_or_default();
        let first = rest.split('.').next().unwrap_or(rest);
        first == root || first == "System"
    };
    // A class has at least a namespace before it.
    let mut dots = owner.match_indices('.').map(|(at, _)| at).skip(1);
    let namespace = dots.find(begins_namespace);
    // Nested classes and those with type arguments are marked: `Cart+Line`, `Pool`1`.
    let after_mark = || {
        let mark = owner.rfind(['+', '`'])?;
        Some(mark + owner.get(mark..)?.find('.')?)
    };
    let end = namespace.or_else(after_mark);
    end.and_then(|end| owner.get(..end)).unwrap_or(owner)
}

/// Returns the source's name in a compiler-generated one: `<Sum>d__3.MoveNext`, `<>c.<Sum>b__3_0`,
/// `<>c__DisplayClass3_0.<Sum>b__0`. In `<Sum>g__Add|3_0` it is `Add`, a function inside `Sum`; in
/// `<Shop-IStore<Item>-Get>d__3` it is `Get`, which implements an interface.
fn source_name(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        // Closures in an async function have two brackets: `<<Sum>b__0>d`.
        let inner = rest.get(at + 1..)?.trim_start_matches('<');
        let end = closing(inner)?;
        let (name, after) = (inner.get(..end)?, inner.get(end + 1..)?);
        // The statements outside of classes are in `<Main>$`, their functions in `<<Main>$>g__Add|0_0`.
        let after = after.strip_prefix("$>").unwrap_or(after);
        if let Some(local) = after.strip_prefix("g__") {
            return local.split('|').next();
        }
        if !name.is_empty() {
            return name.rsplit('-').next();
        }
        rest = after;
    }
    None
}

/// Returns the position of the bracket that closes the one before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if depth == 0 => return Some(at),
            '>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Reads Unity's `Shop.Cart:Sum(Int32) (at Assets/Cart.cs:12)`.
fn unity(text: &str) -> Option<Mark> {
    let (method, place) = text.strip_suffix(')')?.split_once(" (at ")?;
    let place = location(place).filter(|place| has_extension(place.0, EXTENSIONS))?;
    let name = method.split(['(', ' ']).next()?.replace(':', ".");
    let name = without_brackets(&name, '[', ']');
    let mut found = frame(place, "");
    found.function = last_two(name.split('.'));
    Some(Mark::Frame(found, Order::InnermostFirst))
}

/// Reads the output of test runners: `Error Message:` with the text below,
/// `Failed Shop.CartTests.Sums [3 ms]`, `Shop.CartTests.Sums [FAIL]`.
fn test_runner(text: &str) -> Option<Mark> {
    match text {
        "Error Message:" => return Some(message_text("")),
        "Stack Trace:" => return Some(Mark::Filler),
        _ => {}
    }
    let name = match text.strip_prefix("Failed ") {
        Some(rest) => rest.split_once(" [")?.0,
        None => text.strip_suffix(" [FAIL]")?.rsplit(' ').next()?,
    };
    let name = name.split('(').next()?;
    let is_test = name.contains('.') && !name.contains(' ');
    is_test.then(|| Mark::Function(last_two(name.split('.'))))
}

#[cfg(test)]
mod tests;
