//! Parses single-file components of Vue and Svelte. Their scripts are JavaScript or TypeScript; the markup
//! uses what the scripts define and import.

mod markup;
mod tags;
#[cfg(test)]
mod tests;

use std::ops::Range;

use foveate_model::{FileFacts, Language, Span};

use self::markup::TagNames;
use super::{JAVASCRIPT, ROLES, TYPESCRIPT, default_names, hunks, rules, values, walker};
use crate::code::form::CodeForm;
use crate::languages::spec::{LanguageSpec, Names};
use crate::limits::Limits;
use crate::sections::format::Format;
use foveate_model::LanguageRules;

pub(in crate::languages) static VUE: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["vue"]),
    code: CodeForm {
        fences: &["vue"],
        ..CodeForm::NONE
    },
    ..component(&VUE_RULES)
};

pub(in crate::languages) static SVELTE: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["svelte"]),
    code: CodeForm {
        fences: &["svelte"],
        ..CodeForm::NONE
    },
    ..component(&SVELTE_RULES)
};

static VUE_RULES: LanguageRules = rules("vue", 25, default_names::of_component);
static SVELTE_RULES: LanguageRules = rules("svelte", 26, default_names::of_component);

const fn component(rules: &'static LanguageRules) -> LanguageSpec {
    LanguageSpec {
        parser: Some(|language, text, _, limits| facts(language, text, limits)),
        values: Some(values::VALUES),
        roles: ROLES,
        sections: |path| Some(Format::of_markup(path)),
        hunks: Some(hunks::HUNKS),
        ..LanguageSpec::new(Language::of(rules))
    }
}

/// Maximum number of scripts of one component that are parsed.
const MAX_SCRIPTS: usize = 8;

fn facts(language: Language, text: &str, limits: &Limits) -> Option<FileFacts> {
    let scripts = Scripts::find(text);
    let script = match scripts.is_typed {
        true => TYPESCRIPT.language,
        false => JAVASCRIPT.language,
    };
    let code = scripts.alone(text);
    let component = match scripts.ranges.is_empty() {
        true => first_tag(text),
        false => scripts.component,
    };
    let component = component.filter(|_| !code.contains("export default"));
    let mut facts = walker::facts_within(script, &code, (text, component), limits)?;
    facts.language = language;
    let names = match language == Language::of(&VUE_RULES) {
        true => TagNames::AnyCase,
        false => TagNames::Same,
    };
    markup::add_references(text, &scripts.ranges, names, &mut facts);
    Some(facts)
}

/// Returns the first tag of the markup, which stands for a component without a script; `None` if there are only styles and
/// comments.
fn first_tag(text: &str) -> Option<Span> {
    let mut from = 0;
    loop {
        let start = from + text.get(from..)?.find('<')?;
        let tag = text.get(start..)?;
        let inside = tag.get(1..)?;
        let end = inside.find(|c: char| !c.is_alphanumeric() && c != '-');
        let skipped = match inside.get(..end?)? {
            "" if inside.starts_with("!--") => tag.find("-->")?,
            "" => 0,
            "style" => tag.find("</style")?,
            _ => return Some(Span::new(start, start + tag.find('>')? + 1)),
        };
        from = start + skipped + 1;
    }
}

/// The scripts of a component.
#[derive(Debug, Default, PartialEq)]
struct Scripts {
    /// Contents of the script tags, in order.
    ranges: Vec<Range<usize>>,
    /// Whether any of them is TypeScript.
    is_typed: bool,
    /// The tag of the script that is the component: the first that is not for the module around all components of the
    /// file. Without a default export in the scripts, the component begins there.
    component: Option<Span>,
}

impl Scripts {
    fn find(text: &str) -> Self {
        let mut scripts = Self::default();
        let mut from = 0;
        while scripts.ranges.len() < MAX_SCRIPTS
            && let Some(at) = text.get(from..).and_then(|rest| rest.find("<script"))
        {
            let tag = from + at + "<script".len();
            let rest = text.get(tag..).unwrap_or("");
            let Some(end) = rest.find('>') else { break };
            let head = rest.get(..end).unwrap_or("");
            let start = tag + end + 1;
            let body = text.get(start..).unwrap_or("");
            let length = body.find("</script").unwrap_or(body.len());
            let is_tag = head.is_empty() || head.starts_with(char::is_whitespace) || head == "/";
            if is_tag && !head.ends_with('/') {
                let words = ["\"ts\"", "'ts'", "=ts", "\"tsx\"", "typescript"];
                scripts.is_typed |= words.iter().any(|word| head.contains(word));
                scripts.ranges.push(start..start + length);
                // Beside `<script setup>` another script is for the module.
                let is_for_module = head.contains("module");
                let is_better = scripts.component.is_none() || head.contains("setup");
                if !is_for_module && is_better {
                    scripts.component = Some(Span::new(from + at, start));
                }
            }
            from = start + length;
        }
        scripts
    }

    /// Returns the text with everything but scripts replaced by blanks, so that positions stay the same.
    fn alone(&self, text: &str) -> String {
        let mut alone = String::with_capacity(text.len());
        let mut from = 0;
        let blank = |part: &str, alone: &mut String| {
            alone.extend(part.bytes().map(|byte| match byte {
                b'\n' => '\n',
                _ => ' ',
            }));
        };
        for range in &self.ranges {
            blank(text.get(from..range.start).unwrap_or(""), &mut alone);
            alone.push_str(text.get(range.clone()).unwrap_or(""));
            from = range.end;
        }
        blank(text.get(from..).unwrap_or(""), &mut alone);
        alone
    }
}
