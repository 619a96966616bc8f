//! Defines the tools: their names, descriptions and parameters. Every client sends all of this to its model
//! with every request, so it must be short; a test counts its tokens.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::wire::lookup::{RawDefinitions, RawOutline, RawReferences, RawSearch};
use crate::wire::whole_number::WholeNumber;
use crate::wire::{BreadthName, IntentName};

/// The arguments of a tool.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Call<T> {
    /// The arguments that this tool alone takes.
    #[schemars(flatten)]
    pub what: T,
    /// Repository; needed if there are several
    pub repo: Option<String>,
}

impl<T: DeserializeOwned> Call<T> {
    /// Parses the arguments. `repo` is taken out first, because serde's `flatten` would not accept 8000.0 as
    /// a whole number.
    pub(super) fn read(mut arguments: JsonObject) -> Result<Self, ArgumentError> {
        let repo = arguments.remove("repo").unwrap_or_default();
        let repo = serde_json::from_value(repo).map_err(|error| ArgumentError {
            name: Some("repo".to_owned()),
            reason: error.to_string(),
        })?;
        let arguments = Value::Object(arguments);
        let what = T::deserialize(&arguments).map_err(|error| {
            let reason = error.to_string();
            let name = argument_at_fault::<T>(&arguments, &reason);
            ArgumentError { name, reason }
        })?;
        Ok(Self { what, repo })
    }
}

/// Why the arguments of a call cannot be used.
#[derive(Debug)]
pub(super) struct ArgumentError {
    /// The argument at fault, if one alone is.
    pub(super) name: Option<String>,
    /// The message of serde, which does not name it.
    pub(super) reason: String,
}

/// Returns the name of the argument that alone is refused for the same reason.
fn argument_at_fault<T: DeserializeOwned>(arguments: &Value, reason: &str) -> Option<String> {
    for (name, value) in arguments.as_object()? {
        let alone = JsonObject::from_iter([(name.clone(), value.clone())]);
        match T::deserialize(&Value::Object(alone)) {
            Err(error) if error.to_string() == reason => return Some(name.clone()),
            _ => {}
        }
    }
    None
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ContextCall {
    /// Issue text, question, error message or stack trace, as complete as you have it; needed unless there is a `diff`
    pub query: Option<String>,
    /// A change to ask about, as BASE..HEAD: what HEAD changed since it left BASE; `main..`: what the checked-out commit did
    pub diff: Option<String>,
    /// Known to matter: path, name or path:name
    pub focus: Option<Vec<String>>,
    /// Default: detected from the query
    pub intent: Option<IntentName>,
    /// Show only what is likely to be changed, what is worth its tokens, or whatever fits; default: balanced
    pub breadth: Option<BreadthName>,
    /// Tokens of the answer, 200 to 128000; default 8000
    pub budget_tokens: Option<WholeNumber>,
    /// Do not show again: places in `shown`, path, path:name or path:10-40
    pub seen: Option<Vec<String>>,
    /// Commit, branch or tag; default: the files as they are now
    pub r#ref: Option<String>,
}

foveate_model::named_enum! {
    /// The tools, in the order in which they are listed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(missing_docs)]
    pub enum ToolName {
        Context = "context",
        Definition = "definition",
        References = "references",
        Outline = "outline",
        Search = "search",
    }
}

impl ToolName {
    const fn description(self) -> &'static str {
        match self {
            Self::Context => {
                "Call first. Finds the code to read for an issue, question or stack trace: the most \
                 relevant functions in full, callers, tests and what they use as signatures"
            }
            Self::Definition => "Where a name is defined: path, lines, signature",
            Self::References => {
                "Uses of a definition (calls, types, reads), and how certain each is"
            }
            Self::Outline => "Definitions in a file with signatures and lines; headings of prose",
            Self::Search => "Search the text of files, names of definitions, or paths",
        }
    }

    /// Returns the JSON schema of its parameters.
    pub(super) fn schema(self) -> JsonObject {
        match self {
            Self::Context => schema::<Call<ContextCall>>(),
            Self::Definition => schema::<Call<RawDefinitions>>(),
            Self::References => schema::<Call<RawReferences>>(),
            Self::Outline => schema::<Call<RawOutline>>(),
            Self::Search => schema::<Call<RawSearch>>(),
        }
    }

    /// Returns the names of its parameters.
    pub fn parameters(self) -> Vec<String> {
        let schema = self.schema();
        let properties = schema.get("properties").and_then(|named| named.as_object());
        properties.map_or_else(Vec::new, |named| named.keys().cloned().collect())
    }

    /// Returns the definition that clients without a session receive.
    pub fn tool(self) -> Tool {
        let annotations = ToolAnnotations::new().read_only(true);
        Tool::new(self.name(), self.description(), Arc::new(self.schema()))
            .with_annotations(annotations)
    }

    /// Returns the definition that the client of a session receives.
    pub fn tool_in_session(self) -> Tool {
        let mut tool = self.tool();
        let schema = Arc::make_mut(&mut tool.input_schema);
        let properties = schema.get_mut("properties");
        let seen = properties.and_then(|named| named.get_mut("seen")?.get_mut("description"));
        if let Some(Value::String(description)) = seen {
            description.push_str("; `session`: all that this session showed");
        }
        tool
    }
}

/// Returns the JSON schema of a tool's parameters, without keywords that models do not need.
fn schema<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let plain = RecursiveTransform(|schema: &mut schemars::Schema| {
        for surplus in ["title", "format", "minimum", "default"] {
            if schema.get(surplus).is_some_and(|value| !value.is_object()) {
                schema.remove(surplus);
            }
        }
        // An optional parameter's type includes null; omitting it is enough.
        if let Some(values) = schema
            .get_mut("enum")
            .and_then(|values| values.as_array_mut())
        {
            values.retain(|value| !value.is_null());
        }
        if let Some(kinds) = schema
            .get_mut("type")
            .and_then(|kinds| kinds.as_array_mut())
        {
            kinds.retain(|kind| kind != "null");
            if let [kind] = &kinds[..] {
                let kind = kind.clone();
                schema.insert("type".to_owned(), kind);
            }
        }
    });
    let schema = settings.with_transform(plain).into_generator();
    let mut object = schema.into_root_schema_for::<T>().to_value();
    let Some(object) = object.as_object_mut() else {
        return JsonObject::new();
    };
    object.remove("description");
    std::mem::take(object)
}
