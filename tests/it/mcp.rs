//! Tests the Model Context Protocol over both transports: answers, token cost of the tools, waiting, refusals.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use foveate::mcp::tools::ToolName;
use foveate_query::tokenizer;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{SHOP, TestApp, commit, save, tree, until};

/// Limit for the tool descriptions, which a model reads with every request.
const MAX_TOKENS_OF_TOOLS: usize = 1500;

#[test]
fn tool_descriptions_stay_within_the_token_limit() {
    let tools = ToolName::ALL.map(ToolName::tool_in_session);
    let listed = serde_json::to_string(&tools).unwrap();
    let tokens = tokenizer::count(&listed);
    assert!(tokens <= MAX_TOKENS_OF_TOOLS, "{tokens} tokens: {listed}");
    // Short but not empty: each tool has a description and describes its arguments.
    for tool in tools {
        assert!(tool.description.is_some_and(|text| text.len() > 20));
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!(schema["type"], "object", "{schema}");
        assert_eq!(schema["additionalProperties"], false, "{schema}");
        assert!(
            schema["properties"]["repo"]["description"].is_string(),
            "{schema}"
        );
        assert!(!schema.to_string().contains("null"), "{schema}");
    }
}

/// A session with a process `foveate mcp`.
pub struct Session {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Messages received that were not the awaited answer.
    notified: Vec<Value>,
}

impl Session {
    pub fn start(root: &Path, cache: &Path) -> Self {
        let mut session = Self::start_uninitialized(root, cache);
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = session.ask("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "foveate");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    pub fn start_uninitialized(root: &Path, cache: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_foveate"))
            .arg("mcp")
            .arg(root)
            .env("FOVEATE_CACHE_DIR", cache)
            .env_remove("FOVEATE_NO_CACHE")
            .env("FOVEATE__ANSWER__DEADLINE_MS", "60000")
            .env("FOVEATE__ANSWER__BUILD_DEADLINE_MS", "60000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            next: 0,
            notified: Vec::new(),
        }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the session is open");
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// Sends the last message, without a line end, and closes the input.
    pub fn send_last(&mut self, line: &str) {
        let mut input = self.input.take().expect("the session is open");
        write!(input, "{line}").unwrap();
    }

    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).unwrap();
        assert!(read > 0, "the process ended");
        serde_json::from_str(&line).expect("only messages of the protocol")
    }

    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.notified.push(message);
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }

    /// Asks until past commits are loaded; after that the answer stays the same.
    fn context_with_history(&mut self, query: &str) -> Value {
        loop {
            let found = self.call("context", json!({"query": query}));
            if !found["structuredContent"]["issues"]
                .to_string()
                .contains("history_loading")
            {
                return found;
            }
        }
    }

    pub fn end(mut self) {
        drop(self.input.take());
        assert!(self.process.wait().unwrap().success());
    }
}

pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

/// The text of a refusal, which the result must be.
pub fn refusal(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    text(result)
}

#[test]
fn stdio_session_answers_about_a_directory() {
    let (_keep, root) = tree(SHOP);
    let head = commit(&root, "open");
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    let tools = session.ask("tools/list", json!({}));
    let names = tools["result"]["tools"].as_array().expect("tools").iter();
    let names: Vec<_> = names
        .map(|tool| tool["name"].as_str().unwrap_or(""))
        .collect();
    assert_eq!(
        names,
        ["context", "definition", "references", "outline", "search"]
    );
    assert!(tools.to_string().contains("`session`"), "{tools}");

    let query = "Cart.checkout gives the wrong total_price";
    let found = session.context_with_history(query);
    let answer = &found["structuredContent"];
    assert!(text(&found).contains("def checkout(self)"), "{found}");
    assert_eq!(answer["commit"], *head);
    assert!(
        answer["context"]
            .as_str()
            .is_some_and(|c| text(&found).starts_with(c.trim_end()))
    );
    let shown = answer["shown"].as_array().expect("places");
    assert!(!shown.is_empty(), "{found}");

    // A call with `seen: ["session"]` omits the places that the session has shown.
    let again = session.call("context", json!({"query": query}));
    assert_eq!(text(&again), text(&found), "asked alike, answered alike");
    let fresh = session.call("context", json!({"query": query, "seen": ["session"]}));
    let fresh_shown = fresh["structuredContent"]["shown"]
        .as_array()
        .expect("places");
    assert!(
        fresh_shown.iter().all(|place| !shown.contains(place)),
        "{fresh}"
    );
    let explicit = session.call("context", json!({"query": query, "seen": shown}));
    assert_eq!(text(&explicit), text(&fresh), "the same places by name");
    let list = session.call("context", json!({"query": query, "seen": [shown[0]]}));
    let one = session.call("context", json!({"query": query, "seen": shown[0]}));
    assert_eq!(text(&one), text(&list), "one text instead of a list");

    let found = session.call("definition", json!({"name": "checkout"}));
    assert!(
        text(&found).starts_with("shop/cart.py:13-14 method Cart.checkout"),
        "{found}"
    );
    let found = session.call("references", json!({"name": "total_price"}));
    assert!(
        text(&found).contains("shop/cart.py:14 certain call in Cart.checkout: return total_price"),
        "{found}"
    );
    for path in ["shop/price.py".into(), root.join("shop/price.py")] {
        let found = session.call("outline", json!({"path": path}));
        assert!(
            text(&found).contains("1-3 function def total_price(items):"),
            "{found}"
        );
    }
    let found = session.call(
        "search",
        json!({"q": "SUM OF", "ignore_case": true, "limit": 1}),
    );
    assert!(
        text(&found).contains("shop/price.py:2 (function total_price):"),
        "{found}"
    );
    let alike = session.call(
        "search",
        json!({"query": "SUM OF", "ignore_case": true, "limit": "1"}),
    );
    assert_eq!(text(&alike), text(&found));
    let found = session.call("definition", json!({"name": "shop/cart.py:Cart.checkout"}));
    assert!(
        text(&found).starts_with("shop/cart.py:13-14 method Cart.checkout"),
        "{found}"
    );

    let templates = session.ask("resources/templates/list", json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "foveate://{repo}/{commit}/{path}");
    let repo = answer["repo"].as_str().expect("a name");
    for reference in [&*head, "current", "HEAD"] {
        let uri = format!("foveate://{repo}/{reference}/shop/price.py");
        let read = session.ask("resources/read", json!({"uri": uri}));
        let read = read["result"]["contents"][0]["text"].as_str();
        let price = std::fs::read_to_string(root.join("shop/price.py")).unwrap();
        assert_eq!(read, Some(&*price), "{reference}");
    }
    session.end();
}

#[test]
fn changed_places_count_as_not_seen() {
    let (_keep, root) = tree(SHOP);
    let first = commit(&root, "open");
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    let query = "Cart.checkout gives the wrong total_price";
    let found = session.context_with_history(query);
    assert!(text(&found).contains("return total_price(self.items)"));
    let seen = json!({"query": query, "seen": ["session"]});
    let again = session.call("context", seen.clone());
    assert!(!text(&again).contains("def checkout"), "{again}");

    // One line changes; the number of lines stays the same.
    let file = root.join("shop/cart.py");
    let code = std::fs::read_to_string(&file).unwrap();
    let edited = code.replace("total_price(self.items)", "total_price(self.paid)");
    save(&file, &edited);
    let search = json!({"q": "self.paid"});
    while text(&session.call("search", search.clone())) == "nothing was found" {}
    let fresh = session.call("context", seen.clone());
    assert!(
        text(&fresh).contains("return total_price(self.paid)"),
        "{fresh}"
    );
    let again = session.call("context", seen);
    assert!(!text(&again).contains("def checkout"), "{again}");

    // A shown place counts as seen at every commit with the same text, and at no other.
    let ended = edited.replace("total_price(self.paid)", "total_price(self.kept)");
    save(&file, &ended);
    let second = commit(&root, "later");
    save(&file, &edited);
    let mut at = |reference: &str| {
        let seen = json!({"query": query, "seen": ["session"], "ref": reference});
        text(&session.call("context", seen)).to_owned()
    };
    assert!(!at(&first).contains("def checkout"));
    assert!(at(&second).contains("return total_price(self.kept)"));
    session.end();
}

/// Commits the shop, and then a change of `Cart.add_item`; returns both commits.
fn commit_a_change(root: &Path) -> [String; 2] {
    let first = commit(root, "open");
    let file = root.join("shop/cart.py");
    let code = std::fs::read_to_string(&file).unwrap();
    save(&file, &code.replace("append(item)", "insert(0, item)"));
    [first, commit(root, "put new items first")]
}

#[test]
fn agent_asks_about_a_change_without_a_query() {
    let (_keep, root) = tree(SHOP);
    let [first, second] = commit_a_change(&root);
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    for diff in [format!("{first}.."), format!("{first}...{second}")] {
        let found = session.call("context", json!({"diff": diff}));
        let shown = text(&found);
        assert!(shown.contains("self.items.insert(0, item)"), "{found}");
        assert!(!shown.contains("empty_diff"), "{found}");
        assert_eq!(found["structuredContent"]["commit"], *second);
    }
    let empty = session.call(
        "context",
        json!({"diff": "HEAD..HEAD", "query": "add_item"}),
    );
    assert!(text(&empty).contains("note: empty_diff: "), "{empty}");
    let unknown = session.call("context", json!({"diff": "gone.."}));
    assert!(refusal(&unknown).contains("correct `diff`"), "{unknown}");
    session.end();
}

#[test]
fn agent_chooses_focus_intent_and_breadth() {
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    let query = "`Cart.checkout` and total_price differ";
    let focus = [
        "Cart.checkout", "shop/cart.py:add_item", "README.md", "shop/gone.py", "Gone",
    ];
    let found = session.call(
        "context",
        json!({"query": query, "focus": focus, "intent": "TEST_WRITING"}),
    );
    let shown = text(&found);
    for part in ["TEST_WRITING", "def checkout", "def add_item", "README.md"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let unknown = "(files: shop/gone.py; symbols: Gone)";
    assert!(shown.contains(unknown), "{shown}");
    let mut tokens = |breadth: &str| {
        let found = session.call("context", json!({"query": query, "breadth": breadth}));
        found["structuredContent"]["tokens"].as_u64().unwrap()
    };
    let (wide, precise) = (tokens("wide"), tokens("precise"));
    assert!(wide > precise, "{wide} {precise}");
    session.end();
}

#[test]
fn file_saved_between_calls_is_found() {
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    let found = session.call("definition", json!({"name": "brand_new"}));
    assert_eq!(found["structuredContent"]["found"], "none");
    save(&root.join("shop/new.py"), "def brand_new():\n    pass\n");
    // The file event takes an unknown time to arrive.
    for _ in 0..2000 {
        let found = session.call("definition", json!({"name": "brand_new"}));
        if found["structuredContent"]["found"] == "exact" {
            assert_eq!(
                found["structuredContent"]["definitions"][0]["path"],
                "shop/new.py"
            );
            return session.end();
        }
    }
    panic!("not found");
}

#[test]
fn session_shares_the_command_line_cache() {
    let (_keep, root) = tree(SHOP);
    commit(&root, "open");
    let cache = tempfile::tempdir().unwrap();
    let context = || {
        let output = Command::new(env!("CARGO_BIN_EXE_foveate"))
            .args(["context", root.to_str().unwrap(), "Cart.checkout"])
            .env("FOVEATE_CACHE_DIR", cache.path())
            .env_remove("FOVEATE_NO_CACHE")
            .output()
            .unwrap();
        assert!(output.status.success());
        (output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let entries = || {
        let entries = std::fs::read_dir(cache.path()).unwrap();
        let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        entries.sort();
        entries
    };
    let (before, _) = context();
    let made = entries();
    // Two agents at once: one writes, the other reads.
    let (mut first, mut second) = (
        Session::start(&root, cache.path()),
        Session::start(&root, cache.path()),
    );
    for session in [&mut first, &mut second] {
        let found = session.call("definition", json!({"name": "Cart"}));
        assert_eq!(found["structuredContent"]["found"], "exact");
    }
    first.end();
    second.end();
    assert_eq!(entries(), made, "one entry for both commands");
    let (after, notes) = context();
    assert_eq!(before, after);
    assert!(!notes.contains("cache:"), "{notes}");
}

#[test]
fn refusals_say_what_to_do() {
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    let found = session.call("search", json!({"q": "x"}));
    let repo = found["structuredContent"]["revision"]["repo"].as_str();
    let only = format!("the only one is {}: leave `repo` out", repo.unwrap());
    for (name, note) in [
        ("chekout", "similar names:"),
        ("CheckOut", "the same name in other upper and lower case:"),
        (
            "Basket.checkout",
            "definitions with the same last part of the name:",
        ),
    ] {
        let found = session.call("definition", json!({"name": name}));
        let told = text(&found);
        assert!(
            told.contains(&format!("no exact match; {note}\nshop/cart.py")),
            "{told}"
        );
    }
    for (tool, arguments, advice) in [
        ("context", json!({}), "`query` is missing"),
        (
            "context",
            json!({"diff": "main"}),
            "`diff`: expected two commits",
        ),
        ("context", json!({"diff": "main..a b"}), "`diff`: "),
        (
            "context",
            json!({"diff": "main..", "ref": "main"}),
            "`ref` differs from the head of the diff",
        ),
        (
            "context",
            json!({"query": "x", "intent": "FIX"}),
            "`intent`: it cannot be `FIX`; did you mean `BUG_FIX`?",
        ),
        (
            "context",
            json!({"query": "x", "breadth": "wide", "focus": 5}),
            "invalid arguments: `focus`: expected a list, not 5",
        ),
        ("context", json!({"query": " "}), "`query` is empty"),
        (
            "context",
            json!({"query": "x", "budget": 1}),
            "there is no `budget` (did you mean `budget_tokens`?); `context` takes breadth, ",
        ),
        (
            "context",
            json!({"query": "x", "budget_tokens": 1}),
            "must be 200 to 128000",
        ),
        ("context", json!({"query": "x", "seen": ["../x"]}), "`seen`"),
        ("context", json!({"query": "x", "repo": "y"}), &*only),
        (
            "context",
            json!({"query": "x", "ref": "main"}),
            "leave `ref` out",
        ),
        ("context", json!({"diff": "main.."}), "leave `diff` out"),
        (
            "definition",
            json!({"name": "x", "limit": 0}),
            "`limit` must be 1 to 100",
        ),
        (
            "references",
            json!({"path": "shop/cart.py"}),
            "`line` is missing",
        ),
        (
            "outline",
            json!({"path": "cart.py"}),
            "did you mean shop/cart.py?",
        ),
        (
            "outline",
            json!({"path": "/etc/passwd"}),
            "`path` cannot be used",
        ),
        (
            "search",
            json!({"q": "x", "paths": "shop"}),
            "invalid arguments: there is no `paths` (did you mean `path`?); \
             `search` takes cursor, ignore_case, kind, limit, path, q, ref, repo",
        ),
        (
            "search",
            json!({"q": "(", "kind": "regex"}),
            "regular expression cannot be used",
        ),
        (
            "search",
            json!({"q": "x", "kind": "y"}),
            "invalid arguments: `kind`: it cannot be `y`; expected one of `text`, `regex`, `names`, `paths`",
        ),
    ] {
        let result = session.call(tool, arguments.clone());
        let refusal = refusal(&result);
        assert!(refusal.contains(advice), "{tool} {arguments}: {refusal}");
    }
    let unknown = session.ask("tools/call", json!({"name": "rm", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    for uri in [
        "file:///etc/passwd",
        "foveate://x/current/..%2F..%2Fetc%2Fpasswd",
    ] {
        let refused = session.ask("resources/read", json!({"uri": uri}));
        assert!(refused["error"]["message"].is_string(), "{refused}");
    }
    session.end();
}

#[test]
fn early_disconnect_succeeds_and_bad_directory_fails() {
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    // A client that disconnects at once is not a failure.
    Session::start_uninitialized(&root, cache.path()).end();
    let output = Command::new(env!("CARGO_BIN_EXE_foveate"))
        .args(["mcp", "/nowhere/at/all"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("/nowhere/at/all is not a directory"),
        "{said}"
    );
}

/// Sends one message over HTTP.
pub fn post(app: &TestApp, message: &Value) -> reqwest::RequestBuilder {
    let request = app.client().post(format!("{}/mcp", app.url));
    let request = request.header("accept", "application/json, text/event-stream");
    request
        .header("mcp-protocol-version", "2025-06-18")
        .json(message)
}

pub fn tool_call(tool: &str, arguments: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}},
    })
}

pub async fn call(app: &TestApp, tool: &str, arguments: Value) -> Value {
    let response = app.send(post(app, &tool_call(tool, &arguments))).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text);
    response.json()["result"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn http_transport_answers_without_sessions() {
    let (_keep, root) = tree(SHOP);
    let head = commit(&root, "open");
    let app = TestApp::start().await;
    app.add_tree("acme/shop", &root, false).await;
    let found = call(
        &app,
        "context",
        json!({"query": "Cart.checkout total_price"}),
    )
    .await;
    assert!(text(&found).contains("def checkout(self)"), "{found}");
    let shown = found["structuredContent"]["shown"].clone();
    let arguments = json!({"query": "Cart.checkout total_price", "seen": shown});
    let fresh = call(&app, "context", arguments).await;
    let repeated = &fresh["structuredContent"]["shown"];
    let repeated = repeated.as_array().expect("places").iter();
    let shown = shown.as_array().expect("places").clone();
    assert_eq!(repeated.filter(|place| shown.contains(place)).count(), 0);
    let [first, second] = commit_a_change(&root);
    let arguments = json!({"diff": format!("{first}..{second}")});
    let changed = call(&app, "context", arguments).await;
    assert!(
        text(&changed).contains("self.items.insert(0, item)"),
        "{changed}"
    );
    assert_eq!(changed["structuredContent"]["commit"], *second);
    let arguments = json!({"query": "x", "seen": ["session"]});
    let refused = call(&app, "context", arguments).await;
    assert!(refusal(&refused).contains("send the places in `shown`"));
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {}});
    let listed = app.send(post(&app, &list)).await.text;
    assert!(listed.contains("places in `shown`") && !listed.contains("`session`"));

    let read = json!({
        "jsonrpc": "2.0", "id": 2, "method": "resources/read",
        "params": {"uri": format!("foveate://acme%2Fshop/{head}/shop/price.py")},
    });
    let read = app.send(post(&app, &read)).await.json();
    let read = &read["result"]["contents"][0]["text"];
    assert!(
        read.as_str()
            .is_some_and(|text| text.starts_with("def total_price"))
    );

    // With a second repository the call must name one.
    let (_other, other) = tree(SHOP);
    app.add_tree("other", &other, false).await;
    let refused = call(&app, "search", json!({"q": "x"})).await;
    assert!(
        refusal(&refused).contains("name one of acme/shop, other"),
        "{refused}"
    );
    let refused = call(&app, "search", json!({"q": "x", "repo": "nope"})).await;
    assert!(
        refusal(&refused).contains("\"nope\"; name one of acme/shop, other"),
        "{refused}"
    );
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_repository_is_unknown_to_an_agent() {
    let app = TestApp::start().await;
    let (_seen, seen) = tree(SHOP);
    let (_hidden, hidden) = tree(SHOP);
    app.add_tree("seen", &seen, false).await;
    app.add_tree("hidden", &hidden, false).await;
    let token = crate::access::create(app.data(), &["--repo", "seen"]);
    crate::access::wait_until_token_is_valid(&app, &token).await;
    let call = async |token: &str, tool: &str, arguments: Value| {
        let request = post(&app, &tool_call(tool, &arguments)).bearer_auth(token);
        app.send(request).await
    };
    let stranger = call("unknown", "search", json!({"q": "x"})).await;
    assert_eq!(stranger.status, StatusCode::UNAUTHORIZED);
    let found = call(&token, "search", json!({"q": "total_price"}))
        .await
        .json();
    assert_eq!(
        found["result"]["structuredContent"]["revision"]["repo"],
        "seen"
    );
    let hidden = call(&token, "search", json!({"q": "x", "repo": "hidden"})).await;
    let nothing = call(&token, "search", json!({"q": "x", "repo": "absent"})).await;
    let (hidden, nothing) = (
        hidden.json()["result"].clone(),
        nothing.json()["result"].clone(),
    );
    assert_eq!(
        refusal(&hidden).replace("hidden", "absent"),
        refusal(&nothing)
    );
    let uri = "foveate://hidden/current/shop/price.py";
    let read =
        json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": uri}});
    let read = app.send(post(&app, &read).bearer_auth(&token)).await.json();
    assert!(read["error"]["message"].is_string(), "{read}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn call_waits_for_the_first_index_and_reports_progress() {
    let app = TestApp::start().await;
    let (_keep, root) = tree(SHOP);
    // Nothing is indexed while the test holds all permits.
    let runs = &app.engine.index_runs;
    let count = runs.available_permits() as u32;
    let held = std::sync::Arc::clone(runs)
        .acquire_many_owned(count)
        .await
        .unwrap();
    let body = json!({"name": "shop", "source": {"path": root}});
    assert_eq!(app.post("/repos", body).await.status, StatusCode::CREATED);
    let request = post(&app, &tool_call("search", &json!({"q": "total_price"})));
    let mut response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut events = String::new();
    let mut held = Some(held);
    while let Some(chunk) = response.chunk().await.unwrap() {
        events.push_str(&String::from_utf8_lossy(&chunk));
        if events.contains("notifications/progress") {
            held.take();
        }
    }
    assert!(events.contains("\"progressToken\":\"p\""), "{events}");
    assert!(events.contains("shop/price.py"), "{events}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnect_cancels_the_call() {
    let app = TestApp::start_with(|config| config.answer.concurrency = 1).await;
    let (_keep, root) = tree(SHOP);
    app.add_tree("shop", &root, false).await;
    let permits = &app.engine.permits.queue;
    let turn = permits
        .acquire("another", std::time::Duration::ZERO)
        .await
        .unwrap();
    let request = post(&app, &tool_call("search", &json!({"q": "total_price"})));
    let calling = tokio::spawn(request.send());
    until("the call to wait", async || {
        (permits.waiting() == 1).then_some(())
    })
    .await;
    calling.abort();
    until("the call to end", async || {
        (permits.waiting() == 0).then_some(())
    })
    .await;
    drop(turn);
    app.end().await;
}

#[test]
fn cancelled_call_leaves_the_session_usable() {
    let (_keep, root) = tree(SHOP);
    let cache = tempfile::tempdir().unwrap();
    let mut session = Session::start(&root, cache.path());
    session.call("definition", json!({"name": "Cart"}));
    let id = session.request(
        "tools/call",
        json!({"name": "context", "arguments": {"query": "Cart"}}),
    );
    let params = json!({"requestId": id, "reason": "changed my mind"});
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    let found = session.call("definition", json!({"name": "Cart"}));
    assert_eq!(found["structuredContent"]["found"], "exact");
    session.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_origins_hosts_and_large_bodies_are_refused() {
    let app = TestApp::start_with(|config| config.server.body_limit_bytes = 4096).await;
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let page = post(&app, &hello).header("origin", "https://evil.example.org");
    assert_eq!(app.send(page).await.status, StatusCode::FORBIDDEN);
    let host = post(&app, &hello).header("host", "evil.example.org");
    let refused = app.send(host).await;
    assert_eq!(
        (refused.status.as_u16(), &*refused.code()),
        (403, "host_not_allowed")
    );
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(8192), "params": {}});
    assert_eq!(
        app.send(post(&app, &large)).await.status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
    let listed = app.send(post(&app, &hello)).await;
    assert_eq!(
        listed.json()["result"]["tools"].as_array().map(Vec::len),
        Some(5)
    );
    app.end().await;
}
