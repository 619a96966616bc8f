//! Reads stack traces of all JVM languages, and messages of Java's compiler and of test runners.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::{message, of_compiler};
use crate::traces::places::{Frame, frame, is_number, leading_number, location};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["java"],
    read: |text| {
        let text = unlogged(text);
        at(text)
            .or_else(|| maven(text))
            .or_else(|| surefire(text))
            .or_else(|| of_compiler(text, &["java"]))
            .or_else(|| is_symbol(text).then_some(Mark::Source))
            .or_else(|| is_filler(text).then_some(Mark::Filler))
    },
    is_header: |text| text == "FATAL EXCEPTION: main" || text.contains("<<< FAILURE!"),
    raised: short_failure,
    is_error: |text| STARTS.iter().any(|start| bare(text).starts_with(start)),
    marked: |text| Some(bare(text)).filter(|bare| *bare != text),
    error_prefixes: &[
        "[ERROR] ",
        "=> ",
        "Exception in thread \"main\" ",
        "Caused by: ",
        "Suppressed: ",
    ],
    ..TraceForm::NONE
};

const STARTS: [&str; 3] = ["Caused by: ", "Suppressed: ", "Exception in thread "];

/// Strips prefixes that tools write before each line, and JUnit before errors.
fn bare(text: &str) -> &str {
    text.strip_prefix("=> ").unwrap_or(unlogged(text))
}

/// Strips prefixes that Maven and Android's log write before each line.
fn unlogged(text: &str) -> &str {
    let text = text.strip_prefix("[ERROR]").map_or(text, str::trim_start);
    let logged = ["AndroidRuntime: ", "System.err: "];
    let rest = logged.iter().find_map(|tag| Some(text.split_once(tag)?.1));
    rest.map_or(text, str::trim)
}

/// Reads `at a.b.C.name(C.java:1)`, which loggers follow with text such as `~[app.jar:1.2]`.
fn at(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?.trim_start();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let rest = rest.trim_end_matches([' ', '{', ',']);
    let rest = match rest.rsplit_once(") ") {
        Some((frame, jar)) if jar.starts_with(['~', '[']) => &rest[..=frame.len()],
        _ => rest,
    };
    let (name, place) = rest.strip_suffix(')')?.rsplit_once('(')?;
    let name = name.trim_end();
    let first = name.split(' ').next().unwrap_or(name);
    let is_sentence = first.len() < name.len();
    if !first.contains('.') || is_sentence && !may_have_sentences(place) {
        return None;
    }
    let found = if is_source(place) {
        located(name, place)
    } else if is_sourceless(place) {
        sourceless(name)?
    } else {
        return None;
    };
    Some(Mark::Frame(found, Order::InnermostFirst))
}

/// Whether a place is what runtimes and shrinkers write without the name of a file; Android adds a number.
fn is_sourceless(place: &str) -> bool {
    let name = match place.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => place,
    };
    matches!(name, "Unknown Source" | "Native Method" | "SourceFile")
        || name.starts_with("r8-map-id-")
}

/// Whether a place is `C.java:12`, `C.kt:12`, `C.scala:12` or the like.
fn is_source(place: &str) -> bool {
    let (file, ..) = location(place).unwrap_or((place, 0, 0));
    [".java", ".kt", ".scala", ".groovy"]
        .iter()
        .any(|e| file.ends_with(e))
        && !file.contains('/')
}

/// Whether the names in a file may have spaces, as those of tests have in Kotlin, Scala and Groovy.
fn may_have_sentences(place: &str) -> bool {
    let (file, ..) = location(place).unwrap_or((place, 0, 0));
    is_source(place) && !file.ends_with(".java")
}

/// Splits the packages from the class with its method: `a.b.C$D.name` into `a/b/` and `C$D.name`.
fn split_package(name: &str) -> (String, &str) {
    // `java.base/java.lang.Integer.parseInt`, `app//a.B.c`
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    let mut rest = name;
    let mut packages = String::new();
    while let Some((part, after)) = rest.split_once('.') {
        if !part.starts_with(|c: char| c.is_lowercase() || c == '_') {
            break;
        }
        packages.push_str(part);
        packages.push('/');
        rest = after;
    }
    (packages, rest)
}

/// Returns the frame of `a.b.C$D.name` in `C.java:12`: `a/b/C.java`, 12, `D.name`.
fn located(name: &str, place: &str) -> Frame {
    let (file, line, column) = location(place).unwrap_or((place, 0, 0));
    let (packages, member) = split_package(name);
    let stem = file.split('.').next().unwrap_or(file);
    Frame {
        package: dotted(&packages),
        path: packages + file,
        line,
        column,
        function: function(member, stem),
        reported_as: None,
    }
}

/// Returns the frame of a class that was built without file names. The file of a public class has its name.
fn sourceless(name: &str) -> Option<Frame> {
    if name.contains("$$") {
        return None;
    }
    let (packages, member) = split_package(name);
    let class = member.split(['.', '$']).next()?;
    let is_class = class.starts_with(char::is_uppercase) && class.chars().count() > 1;
    (is_class && !packages.is_empty()).then(|| Frame {
        package: dotted(&packages),
        path: format!("{packages}{class}.java"),
        function: function(member, class),
        ..frame(("", 0, 0), "")
    })
}

/// Returns the package of a directory: `a.b` of `a/b/`.
fn dotted(directory: &str) -> String {
    directory.trim_end_matches('/').replace('/', ".")
}

/// Returns the function of `C$D.name` as sources name it: without the parts that compilers add for lambdas,
/// accessors and unnamed classes. `stem` is the file's.
fn function(member: &str, stem: &str) -> String {
    let (classes, method) = member.rsplit_once('.').unwrap_or(("", member));
    let is_named = |part: &&str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut owners: Vec<&str> = classes.split(['$', '.']).filter(is_named).collect();
    let method = match written_name(method) {
        // The body of a suspending lambda is a class inside its function.
        "invokeSuspend" | "invoke" if is_lambda_class(classes) => owners.pop().unwrap_or_default(),
        "<init>" => "",
        "<clinit>" => return String::new(),
        method => method,
    };
    // `CartKt` contains the functions outside of classes in `Cart.kt`, `Cart_jvmKt` those in `Cart.jvm.kt`. Where one
    // class stands for several files, each has a part: `ShopKt__CartKt`.
    let is_facade = |owner: &&str| {
        let part = owner.rsplit("__").next().unwrap_or(owner);
        let name = part.strip_suffix("Kt");
        let rest = name.and_then(|name| name.strip_prefix(stem));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    owners.retain(|owner| !is_facade(owner));
    let owner = owners.pop().unwrap_or_default();
    match (owner, method) {
        (owner, "") => owner.to_owned(),
        ("", method) => method.to_owned(),
        (owner, method) => format!("{owner}.{method}"),
    }
}

/// Whether a class is an unnamed one inside a function: `C$run$1`.
fn is_lambda_class(classes: &str) -> bool {
    let mut parts = classes.rsplit('$').peekable();
    let is_numbered = parts.peek().is_some_and(|last| leading_number(last) > 0);
    let name = parts.find(|part| leading_number(part) == 0);
    is_numbered && name.is_some_and(|name| name.starts_with(char::is_lowercase))
}

/// Returns `name` for `lambda$name$0`, `access$name`, `name$default`, `name$lambda$1`, `name-impl`.
fn written_name(method: &str) -> &str {
    let inner = ["lambda$", "access$"]
        .iter()
        .find_map(|start| method.strip_prefix(start))
        .unwrap_or(method);
    // Sentences may have hyphens of their own.
    let name = match inner.contains(' ') {
        true => inner.split('$').next(),
        false => inner.split(['$', '-']).next(),
    };
    let name = name.unwrap_or(inner);
    match name {
        "" => method,
        // The body of a lambda in a constructor, or in an initialiser.
        "new" if inner.len() < method.len() => "<init>",
        "static" if inner.len() < method.len() => "<clinit>",
        name => name,
    }
}

/// Reads Maven's `/a/B.java:[3,5] text`.
fn maven(text: &str) -> Option<Mark> {
    let (path, rest) = text.split_once(":[")?;
    let (place, text) = rest.split_once(']')?;
    let (line, column) = place.split_once(',').unwrap_or((place, ""));
    let (line, column) = (leading_number(line), leading_number(column));
    let is_source = [".java", ".kt", ".scala", ".groovy"];
    let is_message = is_source.iter().any(|ending| path.ends_with(ending)) && line > 0;
    let text = text.trim().trim_start_matches("error: ");
    is_message.then(|| message((path, line, column), "", text))
}

/// Whether a line below a message says what cannot be found, or where: `symbol: method sum(int)`, `location: class Cart`.
fn is_symbol(text: &str) -> bool {
    const KINDS: [&str; 8] = [
        "class", "constructor", "enum", "interface", "method", "package", "static", "variable",
    ];
    let rest = text
        .strip_prefix("symbol:")
        .or_else(|| text.strip_prefix("location:"));
    let kind = rest.and_then(|rest| rest.split_whitespace().next());
    kind.is_some_and(|kind| KINDS.contains(&kind))
}

/// Reads Surefire's `CartTest.sums:12 expected:<1> but was:<2>`, and with callers,
/// `CartTest.sums:12->add:4`.
fn surefire(text: &str) -> Option<Mark> {
    let (head, rest) = text.split_once(' ')?;
    let (name, line) = head
        .split_once("->")
        .unwrap_or((head, ""))
        .0
        .split_once(':')?;
    let (class, method) = name.split_once('.')?;
    let is_test = class.contains("Test") || class.ends_with("IT") || class.ends_with("Spec");
    let is_word = |text: &str| {
        text.chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    let is_message = is_test && is_number(line) && is_word(class) && is_word(method);
    let path = format!("{}.java", class.split('$').next().unwrap_or(class));
    let text = rest.trim_start_matches("» ");
    is_message.then(|| message((&path, leading_number(line), 0), name, text))
}

/// Reads Gradle's `java.lang.AssertionError at CartTest.java:12`.
fn short_failure(text: &str) -> Option<(&str, Mark)> {
    let (error, place) = unlogged(text).split_once(" at ")?;
    let is_class = !error.contains([' ', '(']) && error.contains('.');
    let place = location(place).filter(|(path, ..)| is_source(path))?;
    is_class.then(|| (error, message(place, "", error)))
}

/// Whether a line in a trace can be skipped: `[CIRCULAR REFERENCE: …]`, `--- locals ---`.
fn is_filler(text: &str) -> bool {
    text.starts_with("[CIRCULAR REFERENCE") || text.starts_with("--- locals ---")
}

#[cfg(test)]
mod tests;
