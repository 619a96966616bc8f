//! Converts arguments that models often write in another form than the schema has. The schema does not mention these
//! forms, so that it stays short and models learn the right ones.

use std::path::Path;

use rmcp::model::JsonObject;
use serde_json::Value;

use super::tools::ToolName;

/// The arguments of all tools that name files.
const PATHS: [&str; 4] = ["focus", "name", "path", "seen"];

/// Returns the arguments in the form of the schema: a text in place of a list of texts becomes a list, digits become a
/// number, `diff` as the HTTP interface has it becomes a range, and `query` of `search`, which `context` has, becomes `q`.
pub(super) fn in_form_of_schema(tool: ToolName, mut arguments: JsonObject) -> JsonObject {
    if tool == ToolName::Search
        && !arguments.contains_key("q")
        && let Some(query) = arguments.remove("query")
    {
        arguments.insert("q".to_owned(), query);
    }
    let schema = tool.schema();
    for (name, value) in &mut arguments {
        let property = schema.get("properties").and_then(|named| named.get(name));
        let kind = property.and_then(|property| property.get("type")?.as_str());
        let converted = match &*value {
            Value::String(text) => kind.and_then(|kind| convert(text, kind)),
            Value::Object(ends) if name == "diff" => range(ends),
            _ => None,
        };
        if let Some(converted) = converted {
            *value = converted;
        }
    }
    arguments
}

/// Makes absolute paths below the directory `root` relative to it: agents name the files that they read by them.
pub(super) fn relative_to(root: &Path, arguments: &mut JsonObject) {
    let Some(root) = root.to_str() else {
        return;
    };
    for name in PATHS {
        let texts = match arguments.get_mut(name) {
            Some(Value::Array(list)) => list.as_mut_slice(),
            Some(text) => std::slice::from_mut(text),
            None => &mut [],
        };
        for text in texts {
            if let Value::String(path) = text {
                strip(root, path);
            }
        }
    }
}

fn strip(root: &str, path: &mut String) {
    let inside = path.strip_prefix(root);
    let inside = inside.and_then(|inside| inside.strip_prefix('/'));
    if let Some(inside) = inside {
        *path = inside.to_owned();
    }
}

/// Converts a text to a kind of value; `None` if it cannot or need not be converted.
fn convert(text: &str, kind: &str) -> Option<Value> {
    match kind {
        "array" => {
            // Some models send a list as JSON in a string.
            let list: Option<Vec<String>> = serde_json::from_str(text).ok();
            Some(list.unwrap_or_else(|| vec![text.to_owned()]).into())
        }
        "integer" => text.trim().parse::<u64>().ok().map(Value::from),
        _ => None,
    }
}

/// Returns `{"base": "main", "head": "fix"}` as `main..fix`; `None` for any other object.
fn range(ends: &JsonObject) -> Option<Value> {
    let end = |name: &str| ends.get(name).and_then(Value::as_str);
    match (end("base"), end("head"), ends.len()) {
        (Some(base), Some(head), 2) => Some(format!("{base}..{head}").into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_forms_are_converted_where_the_schema_is_clear() {
        for (tool, given, meant) in [
            (
                ToolName::Context,
                json!({"query": "5", "seen": "session", "budget_tokens": " 8000"}),
                json!({"query": "5", "seen": ["session"], "budget_tokens": 8000}),
            ),
            (
                ToolName::Context,
                json!({"focus": "[\"a.py\", \"b.py:f\"]", "seen": "[id].ts:1-4"}),
                json!({"focus": ["a.py", "b.py:f"], "seen": ["[id].ts:1-4"]}),
            ),
            (
                ToolName::Context,
                json!({"diff": {"base": "main", "head": "fix"}}),
                json!({"diff": "main..fix"}),
            ),
            (
                ToolName::Search,
                json!({"query": "x", "limit": "5", "path": "7"}),
                json!({"q": "x", "limit": 5, "path": "7"}),
            ),
        ] {
            let given = given.as_object().unwrap().clone();
            let converted = in_form_of_schema(tool, given);
            assert_eq!(Value::Object(converted), meant);
        }
        let mut arguments = json!({
            "path": "/srv/shop/a.py", "seen": ["/srv/shop/a.py:1-4", "/srv/shopping/a.py", "b.py"],
            "query": "/srv/shop/a.py fails",
        });
        let meant = json!({
            "path": "a.py", "seen": ["a.py:1-4", "/srv/shopping/a.py", "b.py"], "query": "/srv/shop/a.py fails",
        });
        relative_to(Path::new("/srv/shop"), arguments.as_object_mut().unwrap());
        assert_eq!(arguments, meant);
        // They are refused as they are.
        for (tool, given) in [
            (ToolName::Context, json!({"budget_tokens": "many"})),
            (ToolName::Context, json!({"seen": 5})),
            (ToolName::Context, json!({"diff": {"base": "main"}})),
            (ToolName::Definition, json!({"query": "x"})),
            (ToolName::Search, json!({"q": "x", "query": "y"})),
            (ToolName::Search, json!({"limit": "-5"})),
        ] {
            let arguments = given.as_object().unwrap().clone();
            let converted = in_form_of_schema(tool, arguments);
            assert_eq!(Value::Object(converted), given);
        }
    }
}
