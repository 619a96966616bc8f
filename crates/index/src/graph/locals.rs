//! Local variables of functions, read from the lines of their bodies: enough to see that a local
//! name hides a module's, and to guess the class of `x = Foo()`. The facts hold no locals, and the
//! lines tell cheaply what matters; a wrong line costs a guess, which is never `certain`.

use foveate_model::{FileFacts, LocalId, RegionKind};

use crate::graph::expressions::leading_name;
use crate::graph::family::Family;

/// What is known of a local variable's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// Its type begins here.
    Annotation(u32),
    /// Its value begins here.
    Value(u32),
    /// The class of the caught exception begins here.
    Caught(u32),
    /// Nothing.
    Unknown,
}

/// One assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Local {
    /// Position of the function plus one; zero outside any.
    function: u32,
    /// Hash of the name: two names of one function that share it would only cost a guess.
    name: u32,
    source: Source,
}

/// The local variables of one file's functions.
#[derive(Debug, Default)]
pub(super) struct Locals {
    locals: Vec<Local>,
}

impl Locals {
    /// Reads the lines of `text`. Names bound outside any definition are kept under `None`: in
    /// tests of ECMAScript they lie in nameless callbacks.
    pub(super) fn new(family: Family, text: &str, facts: &FileFacts) -> Self {
        let mut scan = Scan {
            facts,
            open: Vec::new(),
            next_definition: 0,
            next_region: 0,
            locals: Vec::new(),
        };
        let mut offset = 0;
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        for end in ends.chain([text.len()]) {
            let line = text.get(offset..end).unwrap_or("");
            let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
            let indent = blanks.count();
            let start = offset + indent;
            offset = end + 1;
            let code = line.get(indent..).unwrap_or("").trim_end();
            if code.len() < 3 || scan.is_text(start) {
                continue;
            }
            let function = scan.function_at(start);
            match family {
                Family::Python if function.is_some() => scan.python(function, code, start),
                Family::Ecmascript if function.is_some() || indent > 0 => {
                    scan.ecmascript(function, code, start);
                }
                _ => {}
            }
        }
        let mut locals = scan.locals;
        locals.sort_unstable();
        locals.dedup();
        Self { locals }
    }

    /// What is known of a name that a function assigns; `None` where it does not.
    pub(super) fn find(&self, function: Option<LocalId>, name: &str) -> Option<Source> {
        let key = (function.map_or(0, |id| id.0 + 1), hash(name));
        let start = self
            .locals
            .partition_point(|local| (local.function, local.name) < key);
        self.locals
            .get(start)
            .filter(|local| (local.function, local.name) == key)
            .map(|local| local.source)
    }
}

/// FNV-1a.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

struct Scan<'f> {
    facts: &'f FileFacts,
    /// Ends and positions of the definitions around the current line, outermost first.
    open: Vec<(u32, u32)>,
    next_definition: usize,
    next_region: usize,
    locals: Vec<Local>,
}

impl Scan<'_> {
    /// Whether a position lies inside a string or documentation.
    fn is_text(&mut self, at: usize) -> bool {
        let regions = &self.facts.regions;
        while regions
            .get(self.next_region)
            .is_some_and(|region| region.span.end as usize <= at)
        {
            self.next_region += 1;
        }
        regions.get(self.next_region).is_some_and(|region| {
            (region.span.start as usize) < at && region.kind != RegionKind::Comment
        })
    }

    /// The innermost function around a position. Positions must not decrease.
    fn function_at(&mut self, at: usize) -> Option<u32> {
        let definitions = &self.facts.definitions;
        while let Some(definition) = definitions.get(self.next_definition) {
            if definition.span.start as usize > at {
                break;
            }
            // A function's own first line binds nothing inside it.
            if definition.kind.is_function() || definition.kind.is_container() {
                self.open
                    .push((definition.span.end, self.next_definition as u32));
            }
            self.next_definition += 1;
        }
        self.open.retain(|(end, _)| *end as usize > at);
        let (_, innermost) = *self.open.last()?;
        let definition = definitions.get(innermost as usize)?;
        definition.kind.is_function().then_some(innermost)
    }

    fn push(&mut self, function: Option<u32>, name: &str, source: Source) {
        if !name.is_empty() {
            self.locals.push(Local {
                function: function.map_or(0, |id| id + 1),
                name: hash(name),
                source,
            });
        }
    }

    fn python(&mut self, function: Option<u32>, code: &str, start: usize) {
        let place = |rest: &str| (start + code.len() - rest.len()) as u32;
        let code_after = |keyword: &str| {
            let code = code.strip_prefix("async ").unwrap_or(code);
            code.strip_prefix(keyword)
        };
        if let Some(rest) = code_after("for ") {
            let names = rest.split(" in ").next().unwrap_or("");
            for name in names.split(',') {
                self.push(
                    function,
                    leading_name(name.trim_start_matches(['(', ' '])),
                    Source::Unknown,
                );
            }
        } else if let Some(rest) = code_after("with ") {
            for item in rest.split(", ") {
                if let Some((_, name)) = item.rsplit_once(" as ") {
                    let value = item.trim_start_matches('(');
                    let at = start + code.find(value).unwrap_or(code.len());
                    self.push(function, leading_name(name), Source::Value(at as u32));
                }
            }
        } else if let Some(rest) = code.strip_prefix("except ") {
            if let Some((class, name)) = rest.rsplit_once(" as ") {
                let source = if class.starts_with('(') {
                    Source::Unknown
                } else {
                    Source::Caught(place(rest))
                };
                self.push(function, leading_name(name), source);
            }
        } else {
            let name = leading_name(code);
            let rest = code.get(name.len()..).unwrap_or("").trim_start();
            if let Some(value) = rest.strip_prefix('=') {
                // `name=value,` on a line of its own is an argument.
                let argument =
                    code.as_bytes().get(name.len()) == Some(&b'=') && code.ends_with(',');
                if !value.starts_with('=') && !argument {
                    self.push(function, name, Source::Value(place(value)));
                }
            } else if let Some(annotation) = rest.strip_prefix(':') {
                // Without a value it may as well be `else:` or an item of a dictionary.
                if annotation.contains(" = ") && !code.ends_with(',') {
                    self.push(function, name, Source::Annotation(place(annotation)));
                }
            } else if rest.starts_with(',') && !name.is_empty() {
                let (targets, _) = code.split_once(" = ").unwrap_or(("", ""));
                for target in targets.split(',') {
                    let target = target.trim();
                    if leading_name(target) == target {
                        self.push(function, target, Source::Unknown);
                    }
                }
            }
        }
    }

    fn ecmascript(&mut self, function: Option<u32>, code: &str, start: usize) {
        let end = start + code.len();
        let place = |rest: &str| (end - rest.len()) as u32;
        let code = code
            .strip_prefix("for (")
            .or(code.strip_prefix("for await ("))
            .unwrap_or(code);
        let Some(rest) = ["const ", "let ", "var "]
            .iter()
            .find_map(|keyword| code.strip_prefix(keyword))
        else {
            // `client = new Client()` in a `beforeEach`.
            let name = leading_name(code);
            let rest = code.get(name.len()..).unwrap_or("").trim_start();
            if let Some(value) = rest.strip_prefix("= ")
                && value.starts_with("new ")
            {
                self.push(function, name, Source::Value(place(value)));
            }
            return;
        };
        let rest = rest.trim_start();
        if rest.starts_with(['{', '[']) {
            let names = rest.split(['}', ']']).next().unwrap_or("");
            for item in names.split(',') {
                let bound = item.rsplit(':').next().unwrap_or(item);
                let bound = bound.trim_start_matches(['{', '[', ' ', '.']);
                self.push(function, leading_name(bound), Source::Unknown);
            }
            return;
        }
        let name = leading_name(rest);
        let after = rest.get(name.len()..).unwrap_or("").trim_start();
        let after = after.trim_start_matches('!');
        if let Some(annotation) = after.strip_prefix(':') {
            self.push(function, name, Source::Annotation(place(annotation)));
        } else if let Some(value) = after.strip_prefix("= ") {
            self.push(function, name, Source::Value(place(value)));
        } else {
            self.push(function, name, Source::Unknown);
        }
    }
}
