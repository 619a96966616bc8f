//! Checks that reading a file with its earlier version gives the same facts as reading the whole text,
//! whatever was added, moved, cut or broken since.

#![allow(clippy::unwrap_used)]

use foveate_model::Language;
use foveate_parse::{Limits, read, read_after};
use proptest::prelude::*;

fn language(name: &str) -> Language {
    foveate_parse::languages::by_name(name).unwrap()
}

/// Pieces of Python files. Their imports, definitions and nesting affect each other's facts.
const PIECES: [&str; 28] = [
    "import os\nfrom db import connect, close as shut\n",
    "from __future__ import annotations\nimport db.client\n",
    "if TYPE_CHECKING:\n    from db import Pool\n",
    "if True:\n",
    "def outer():\n    class Inner:\n",
    "class Outer:\n    class Inner:\n",
    "        def deep(self, question):\n            return [connect(question, [{'pool': [self.pool]}])]\n",
    "RETRIES = {\n    'first': connect,\n    'last': shut,\n}\n",
    "pool = connect(RETRIES)\n",
    "# above\n",
    "    # indented\n",
    "@app.route('/items')\n",
    "x = (\n",
    ")\n",
    "\"\"\"\n",
    "class Client(Base):\n    '''Speaks to the server.'''\n    timeout = 3\n",
    "@dataclass\nclass Client:\n    size: int = 0\n\n    class Meta:\n        ordering = ['size']\n",
    "def send(pool, item):\n    '''Sends one item.'''\n    log.info('sending %s', item)\n    return pool.client(item).connect()\n",
    "async def receive(size: int = RETRIES):\n    os = await connect(size)\n    if not os:\n        raise Timeout(f'no answer from {os.name}')\n    return os\n",
    "@retry(times=3)\n@log\ndef ask(question):\n    from db import Pool\n    with Pool() as pool:\n        return pool.ask(question)\n",
    "    def __init__(self, pool, size):\n        self.pool = pool\n        self.size, self.timeout = size, connect\n        super().__init__(pool)\n",
    "    def setUp(self: Client):\n        self.pool = Pool()\n        self.timeout: 'db.Pool' = connect\n        log.info('ready')\n",
    "    @classmethod\n    def setUpClass(cls, pool: \"Pool\" = None):\n        cls . pool = \\\n            pool.connect()\n        self.size = 1\n",
    "    def close(self):\n        # It may be closed.\n        def again():\n            return shut(self.pool)\n        return again() or connect\n",
    "    @property\n    def name(self):\n        \"\"\"The name of pool.\"\"\"\n        return self.pool.name or db.client.name\n",
    "    def wait(self, seconds=RETRIES):\n        while self.open:\n            sleep(seconds)  # pool\n        return pool  # noqa\n",
    "def text():\n    return \"\"\"\ndef send(pool, item):\n    pass\n\"\"\" + connect.__name__ + os.linesep\n",
    "    def last(self, items):\n        try:\n            return items[-1]\n        except IndexError as db:\n            log.warning('nothing in %r', db)\n        # What follows may be mine.\n",
];

/// Returns a function that is one chunk, unless it has more than 78 lines, or comments above it.
fn long_function(lines: usize) -> String {
    let line = |line: usize| match line % 7 {
        0 => format!("    if step({line}):\n        connect()\n"),
        3 => format!("    step(\n\n        {line})\n"),
        _ => format!("    step({line}, connect)\n"),
    };
    let body: String = (0..lines).map(line).collect();
    let body: Vec<&str> = body.lines().take(lines).collect();
    format!("def long():\n{}\n", body.join("\n"))
}

/// Texts that may be inserted somewhere.
const MORE: [&str; 13] = [
    "# above\n# it\n# more\n", " + 1", "\n        more()", "\n    # mine\n", "\n\t# mine\n",
    "\n\u{c}    # mine\n", "\n \u{a0} # mine\n", "  # noqa", ")", "\"\"\"", ", ", "connect",
    "\\\n",
];

fn facts(bytes: &[u8], earlier: Option<&[u8]>, max_depth: u32) -> String {
    let limits = Limits {
        max_depth,
        ..Limits::default()
    };
    let python = Some(language("python"));
    let earlier = earlier.map(|earlier| read(python, earlier, &limits).1.unwrap());
    let (_, content) = read_after(python, bytes, earlier.as_ref(), &limits);
    format!("{:#?}", content.unwrap().facts)
}

fn text(pieces: &[(usize, bool)]) -> String {
    let piece = |(number, is_apart): &(usize, bool)| {
        let blank = if *is_apart { "\n\n" } else { "" };
        let piece = match PIECES.get(*number) {
            Some(piece) => (*piece).to_owned(),
            None => long_function(78 + 60 * (number - PIECES.len())),
        };
        format!("{piece}{blank}")
    };
    pieces.iter().map(piece).collect()
}

fn pieces(most: usize) -> impl Strategy<Value = Vec<(usize, bool)>> {
    prop::collection::vec((0..PIECES.len() + 3, any::<bool>()), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn facts_with_earlier_text_equal_a_full_parse(
        shared in pieces(8),
        before in pieces(4),
        after in pieces(4),
        at in 0..8usize,
        removed in 0..3usize,
        more in prop::option::of((0..MORE.len(), 0..1000usize)),
        max_depth in prop_oneof![6..24u32, Just(1000)],
        line_ends in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let at = at.min(shared.len());
        let earlier = [&shared[..at], &before, &shared[at..]].concat();
        let kept = &shared[(at + removed).min(shared.len())..];
        let later = [&shared[..at], &after, kept].concat();
        let earlier = text(&earlier).replace('\n', line_ends);
        let mut later = text(&later);
        if let Some((more, mille)) = more {
            // At line ends, where most insertions leave the text valid.
            let ends: Vec<usize> = later.match_indices('\n').map(|(at, _)| at).collect();
            let end = ends.get(mille * ends.len() / 1000);
            later.insert_str(end.map_or(0, |end| end + usize::from(more == 0)), MORE[more]);
        }
        let later = later.replace('\n', line_ends);
        let derived = facts(later.as_bytes(), Some(earlier.as_bytes()), max_depth);
        let whole = facts(later.as_bytes(), None, max_depth);
        let differing = derived.lines().zip(whole.lines()).find(|(derived, whole)| derived != whole);
        prop_assert!(
            derived == whole,
            "{differing:?} at depth {max_depth} in\n{earlier}\n=== became\n{later}"
        );
    }
}

/// Checks that each depth limit and each enclosing scope has the same effect as without an earlier text.
#[test]
fn enclosing_scope_and_depth_decide_as_in_a_full_parse() {
    let imports = "from db import connect\n";
    let method = "        def send(self, items):\n            return [connect([[{'all': (items, self.pool)}]])]\n";
    let heads = [
        "class Outer:\n    class Inner:\n",
        "@final\nclass Outer:\n    class Inner:\n",
        "def outer(connect):\n    class Inner:\n",
        "if True:\n    class Inner:\n",
        "class Outer(Enum):\n    if True:\n",
    ];
    for earlier in heads.map(|head| format!("{imports}{head}{method}")) {
        for later in heads.map(|head| format!("{imports}\n{head}{method}")) {
            for max_depth in 1..40 {
                assert_eq!(
                    facts(later.as_bytes(), Some(earlier.as_bytes()), max_depth),
                    facts(later.as_bytes(), None, max_depth),
                    "{max_depth}\n{earlier}\n=== became\n{later}"
                );
            }
        }
    }
}

#[test]
fn long_functions_are_split_as_in_a_full_parse() {
    for lines in 60..200 {
        let function = long_function(lines);
        let earlier = format!("import os\n\n\n{function}");
        for above in ["", "# more\n", &"# more\n".repeat(9), "\n\n", "x = 1\n"] {
            let later = earlier.replace("def long", &format!("{above}def long"));
            assert_eq!(
                facts(later.as_bytes(), Some(earlier.as_bytes()), 1000),
                facts(later.as_bytes(), None, 1000),
                "{lines} {above}"
            );
        }
    }
}
