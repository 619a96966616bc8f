//! Parses single JSON-RPC messages of clients, and builds the error responses to unusable ones. The SDK
//! leaves some of these without an answer, so that their sender waits for ever, or treats them as calls of
//! unknown methods.

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId};
use serde::Deserialize;
use serde_json::{Value, json};

/// Supported methods. For others the SDK answers that they do not exist.
const METHODS: [&str; 8] = [
    "initialize", "ping", "resources/list", "resources/read", "resources/templates/list",
    "server/discover", "tools/call", "tools/list",
];

/// Why a message cannot be used.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Id of the request, if it can be parsed.
    id: Option<RequestId>,
    /// The error, with its code.
    pub error: ErrorData,
}

impl Refusal {
    /// For a message that is not JSON.
    pub fn unreadable(reason: impl std::fmt::Display) -> Self {
        let text = format!("the message cannot be read: {reason}");
        let error = ErrorData::parse_error(text, None);
        Self { id: None, error }
    }

    /// For JSON that is not a valid message.
    pub fn invalid(id: Option<RequestId>, reason: impl std::fmt::Display) -> Self {
        let text = format!("the message is not valid: {reason}");
        let error = ErrorData::invalid_request(text, None);
        Self { id, error }
    }

    fn wrong_params(id: Option<RequestId>, method: &str) -> Self {
        let text = format!("`params` of {method} are missing or invalid");
        let error = ErrorData::invalid_params(text, None);
        Self { id, error }
    }

    /// Returns the error response. It has an `id` even if that is null, as JSON-RPC requires.
    pub fn answer(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": self.error})
    }
}

/// Parses a message.
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| unparsable(bytes, &error))?;
    if value.is_array() {
        let reason = "batches are not supported: send one message at a time";
        return Err(Refusal::invalid(None, reason));
    }
    let id = value
        .get("id")
        .and_then(|id| RequestId::deserialize(id).ok());
    let method = value.get("method").and_then(Value::as_str);
    // A message without an id is a notification, which is not answered.
    let method = method.filter(|_| id.is_some());
    if let Some(method) = method
        && matches!(value.get("params"), Some(params) if !params.is_object() && !params.is_null())
    {
        return Err(Refusal::wrong_params(id, method));
    }
    let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(bytes) else {
        return Err(Refusal::invalid(id, "it is not a JSON-RPC 2.0 message"));
    };
    match (method, &message) {
        // A known method whose parameters the SDK could not parse becomes a custom request.
        (Some(method), ClientJsonRpcMessage::Request(read))
            if METHODS.contains(&method)
                && matches!(read.request, ClientRequest::CustomRequest(_)) =>
        {
            Err(Refusal::wrong_params(id, method))
        }
        _ => Ok(message),
    }
}

/// Refuses bytes that do not parse. The id can still be parsed if the JSON is well-formed but a string contains half a
/// surrogate pair, as programs that cut texts send it.
fn unparsable(bytes: &[u8], error: &serde_json::Error) -> Refusal {
    #[derive(Deserialize)]
    struct Head {
        id: RequestId,
    }
    match serde_json::from_slice(bytes) {
        Ok(Head { id }) => Refusal::invalid(Some(id), error),
        Err(_) => Refusal::unreadable(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_message_is_refused_with_code_and_id() {
        let surrogate = r#"{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "\ud83d"}}"#;
        for (message, code, id) in [
            ("", -32700, json!(null)),
            ("{", -32700, json!(null)),
            ("\u{1}", -32700, json!(null)),
            (r#"{"id": 1, "method": "ping""#, -32700, json!(null)),
            ("[1,", -32700, json!(null)),
            (surrogate, -32600, json!("a")),
            ("[]", -32600, json!(null)),
            (
                r#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#,
                -32600,
                json!(null),
            ),
            ("5", -32600, json!(null)),
            ("{}", -32600, json!(null)),
            (r#"{"id": 1}"#, -32600, json!(1)),
            (r#"{"id": 1, "method": "ping"}"#, -32600, json!(1)),
            (
                r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#,
                -32600,
                json!(1),
            ),
            (
                r#"{"jsonrpc": "2.0", "id": 1, "method": 5}"#,
                -32600,
                json!(1),
            ),
            (
                r#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#,
                -32600,
                json!(null),
            ),
        ] {
            let refused = read(message.as_bytes()).expect_err(message).answer();
            assert_eq!(refused["error"]["code"], code, "{message}: {refused}");
            assert_eq!(refused["id"], id, "{message}: {refused}");
            assert!(
                refused
                    .as_object()
                    .is_some_and(|answer| answer.contains_key("id"))
            );
        }
    }

    #[test]
    fn invalid_params_are_distinguished_from_unknown_methods() {
        let message = |method: &str, params: Value| {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            read(message.to_string().as_bytes())
        };
        for (method, params) in [
            ("tools/call", json!([])),
            ("tools/call", json!(["search", {}])),
            ("tools/call", json!(5)),
            ("tools/call", json!(null)),
            ("tools/call", json!({})),
            ("tools/call", json!({"name": 5})),
            ("tools/call", json!({"name": "search", "arguments": 5})),
            ("tools/call", json!({"name": "search", "arguments": []})),
            ("tools/list", json!("x")),
            ("resources/read", json!({"uri": 5})),
            ("initialize", json!({})),
            ("ping", json!([])),
            ("unknown", json!([])),
        ] {
            let refused = message(method, params.clone()).expect_err(method);
            assert_eq!(
                refused.answer()["error"]["code"],
                -32602,
                "{method} {params}"
            );
            assert_eq!(refused.answer()["id"], 1);
        }
        for (method, params) in [
            ("ping", json!({})),
            ("tools/list", json!(null)),
            ("tools/call", json!({"name": "search", "arguments": null})),
            ("tools/call", json!({"name": "unknown", "arguments": {}})),
            ("unknown", json!({})),
        ] {
            assert!(message(method, params.clone()).is_ok(), "{method} {params}");
        }
    }
}
