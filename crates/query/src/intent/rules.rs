//! The rules as a table: a pattern, where it must stand, what it speaks for, and how much.

use std::sync::LazyLock;

use super::IntentKind::{
    self, BugFix, DefinitionLookup, Implementation, Refactor, TestWriting, UsageExploration,
};
use super::PROSE_FACTOR;
use super::words::Pattern;

/// Where a pattern must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the start of the title: an order. Fillers such as "please" may stand before it.
    Order,
    /// Anywhere in a short query; in a longer one in the title, for less.
    Question,
    /// In the title or, for less, in the prose.
    Anywhere,
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    /// The stable name of the sign.
    pub name: &'static str,
    /// What it speaks for.
    pub kind: IntentKind,
    /// How much, 0 to 1.
    pub weight: f32,
    place: Place,
    patterns: &'static [&'static str],
}

impl Rule {
    /// Whether it is an order of the title.
    pub(super) fn is_order(&self) -> bool {
        self.place == Place::Order
    }
}

const fn rule(
    name: &'static str,
    kind: IntentKind,
    weight: f32,
    place: Place,
    patterns: &'static [&'static str],
) -> Rule {
    Rule {
        name,
        kind,
        weight,
        place,
        patterns,
    }
}

/// What the words of a query say. Weights are by judgement, checked against the labelled queries of
/// the tests.
const RULES: &[Rule] = &[
    // Orders: what the title wants done decides, whatever it is done to.
    rule(
        "test_order",
        TestWriting,
        0.95,
        Place::Order,
        &[
            "add|write|create|extend|improve|increase|implement|provide|generate|build|introduce|need|missing|more|make .. test|tests|testing|testcase|testcases|unittest|unittests|spec|specs|coverage",
            "cover .. with|by .. test*",
            "cover|unit .. test*",
            "test that|the|if|whether|for|all|how",
            "tests for|of",
        ],
    ),
    rule(
        "refactor_order",
        Refactor,
        0.9,
        Place::Order,
        &[
            "refactor*|restructur*|reorgani*|rewrite|rename|renaming|extract|simplif*|deduplicat*|decoupl*|consolidat*|moderni*|tidy|cleanup|inline|unify|untangle|rework|streamline",
            "clean .. up",
            "clean|tidy|break|split up",
            "split .. into",
            "split",
            "move .. to|into|out|from",
            "get rid of",
            "remove .. dead|duplicat*|unused|redundant|legacy|obsolete",
            "convert .. to|into",
            "replace .. with|by",
            "migrate .. to|from",
            "drop|remove|delete",
            "merge .. into",
            "turn .. into",
            "pull .. out",
        ],
    ),
    rule(
        "fix_order",
        BugFix,
        0.9,
        Place::Order,
        &[
            "fix*|debug|repair|resolve|correct|investigate|diagnose|handle|prevent|avoid|ensure|dont|stop",
            "why is|are|does|do|did|isnt|doesnt|dont|cant|am|has",
            "whats|what wrong|is wrong",
        ],
    ),
    rule(
        "build_order",
        Implementation,
        0.85,
        Place::Order,
        &[
            "add|implement*|support*|allow*|introduce|enabl*|create|provide|extend|expose|make|include|build|develop|let|accept|permit|upgrade|improve|use|document|deprecat*|integrate|port|emit|switch|speed|optimi*|change|update|consider|show|return|new|offer|adopt|bump|configure|set|apply|implementation|option|ability|proposal|feature",
        ],
    ),
    rule(
        "lookup_order",
        DefinitionLookup,
        0.9,
        Place::Order,
        &[
            "show me|us|the",
            "find|locate .. definition*|declaration*|implementation*",
            "find|locate|open|display|print the|a ?class|function|method|file|module",
            "where is|are|does|do|can .. defin*|declar*|implement*|live*|locat*|come|stored|handled|happen*|set",
            "definition|declaration|signature|source|implementation of",
            "what is|are|does",
            "what .. does .. do",
            "which|what file|files|class|classes|module|modules|function|functions|method|methods contains|contain|has|have|holds|defines|define|implements|implement|handles|is|does|parses|creates|owns|provides|deals",
            "explain|describe",
            "how does|do|is|are .. work*|implement*|handl*|happen*|decid*|comput*|determin*|calculat*",
            "go|jump to",
        ],
    ),
    // Questions about use, wherever they stand in a short text.
    rule(
        "usage_question",
        UsageExploration,
        0.92,
        Place::Question,
        &[
            "how is|are|was|were .. used|called|invoked|consumed",
            "where is|are|do|does|was .. used|called|invoked|instantiated|imported|referenced|consumed|use|call",
            "where .. gets|get used|called",
            "who|what|which ?code|functions|classes|modules|files calls|call|uses|use|imports|import|invokes|references|depends|instantiates|consumes",
            "caller|callers|usage|usages|uses|consumers|dependents of|for",
            "all|every|find|list|show .. usage|usages|uses|references|callers|calls|occurrences|call",
            "how do|can|should|to i|we|you|one|to use|call|invoke|instantiate",
            "how to use|call|invoke",
            "example|examples of .. using|calling|use|usage",
            "what depends on",
            "depends|depend on what",
            "impact of changing",
            "what .. breaks if",
            "where do|does we|i|it|they use|call",
        ],
    ),
    rule(
        "lookup_question",
        DefinitionLookup,
        0.8,
        Place::Question,
        &[
            "where is|are .. defin*|declar*|implement*|locat*",
            "definition|declaration of",
            "defined ?",
        ],
    ),
    // Signs of a bug.
    rule(
        "failure_word",
        BugFix,
        0.5,
        Place::Anywhere,
        &[
            "fail*|crash*|broke*|breaks|breaking|bug|bugs|buggy|regression|regressed|regresses|segfault*|deadlock*|panics|panicked|panicking|hangs|hung|freezes|froze|frozen|corrupt*|leak|leaks|leaking|leaked",
        ],
    ),
    rule(
        "error_word",
        BugFix,
        0.4,
        Place::Anywhere,
        &[
            "error|errors|errored|exception|exceptions|traceback|raises|raised|throws|threw|thrown|typeerror|valueerror|keyerror|attributeerror|indexerror|runtimeerror|assertionerror|importerror|nameerror|notimplementederror|zerodivisionerror|unicodedecodeerror|nullpointerexception|stacktrace|warning",
        ],
    ),
    rule(
        "not_working",
        BugFix,
        0.6,
        Place::Anywhere,
        &[
            "doesnt|dont|didnt|isnt|arent|not|cant|cannot|wont|never|no ?longer|really|properly|correctly work*",
            "does|do|did|is|are not .. work*|respect*|return*|update*|match*|show*|render*|handle*",
            "doesnt|dont|didnt|isnt|arent|wont",
            "no longer",
            "stopped|stops|stop working",
            "not .. properly|correctly|respected|applied|honored|honoured|called|updated|rendered|recognized|recognised",
            "out of|from .. sync",
        ],
    ),
    rule(
        "wrong_word",
        BugFix,
        0.5,
        Place::Anywhere,
        &[
            "wrong|wrongly|incorrect*|unexpected*|mistaken*|inconsisten*|invalid|malformed|misleading|erroneous*|weird|strange|odd|duplicated|lost|ignored|ignores|ignoring|missing|infinite|unable|impossible|inaccurate|bad|problem|problems|mishandl*|undefined|misses|loses",
        ],
    ),
    rule(
        "should_not",
        BugFix,
        0.4,
        Place::Anywhere,
        &[
            "should not|never|shouldnt|be|have|return|raise",
            "shouldnt",
            "instead of",
            "even though|when|if",
            "expected .. but|actual|got",
            "supposed to",
            "used to work",
            "cannot|cant|couldnt",
            "after upgrad*|updat*",
            "race condition",
            "stale|flicker*|flaky|unresponsive|garbled",
            "too slow|many|much",
            "memory usage",
        ],
    ),
    rule(
        "reproduction",
        BugFix,
        0.5,
        Place::Anywhere,
        &[
            "to|steps reproduce",
            "bug report",
            "i|we get|got|see .. error|exception|traceback|warning|following",
        ],
    ),
    // Signs of something new.
    rule(
        "wish",
        Implementation,
        0.6,
        Place::Anywhere,
        &[
            "would|might|could ?also be nice|great|good|useful|helpful|awesome|handy|cool|convenient|better|beneficial|interesting",
            "it|this|that would ?really ?be nice|great|useful|helpful|handy",
            "id|i|we would|like|love to|if|a|an|the .. see|have|able|support|add|option",
            "feature request|idea|proposal",
            "support for",
            "add|adding|adds|implement|implementing|introduce|introducing support|option|parameter|argument|flag|setting|method|ability|feature|function|hook|api|an|a|new",
            "ability|possibility|option|way to",
            "please add|support|allow|consider|implement",
            "is|are there any|a ?way|plans|plan",
            "i|we propose|suggest|want|wish|need",
            "would|id ?really like|love to",
            "should support|allow|accept|provide|have|offer|be ?able|configurable|possible",
            "make it possible|easier|configurable|optional",
            "not|isnt|arent supported|implemented|possible",
            "doesnt|does ?not support|allow|accept|provide",
            "lack|lacks|lacking",
            "proposal|enhancement|improvement|rfc",
            "allow|allows|allowing us|users|to|the|a|an|for|overrid*|custom*",
            "currently .. only|no|not|hard",
            "configurable|customizable|customisable",
        ],
    ),
    rule(
        "test_wish",
        TestWriting,
        0.7,
        Place::Question,
        &[
            "write|add|create .. test|tests|testcase|testcases",
            "needs|need|lacks|without .. tests|coverage",
            "unit|integration|regression|missing test|tests for",
            "test|tests coverage",
        ],
    ),
    rule(
        "refactor_wish",
        Refactor,
        0.5,
        Place::Anywhere,
        &[
            "refactor*|restructur*|cleanup|deduplicat*|decoupl*",
            "clean|cleaned|cleaning up",
            "rename|renamed|renaming",
            "technical debt",
            "code duplication|smell",
            "duplicated code",
            "should be moved|split|renamed|extracted",
            "more readable|maintainable",
            "too long|complex|big",
        ],
    ),
];

/// What the labels of a template say.
const LABELS: &[Rule] = &[
    rule(
        "bug_template",
        BugFix,
        0.75,
        Place::Anywhere,
        &[
            "bug|bugfix|fix|regression",
            "?describe the bug",
            "bug ?description|summary|report",
        ],
    ),
    rule(
        "reproduction_template",
        BugFix,
        0.6,
        Place::Anywhere,
        &[
            "reproduc*|repro|mcve|mvce",
            "actual|current .. behavior|behaviour|result|results|outcome|output",
            "what .. happened|happens",
            "observed|stacktrace|traceback|trace",
        ],
    ),
    rule(
        "expected_template",
        BugFix,
        0.3,
        Place::Anywhere,
        &["expected"],
    ),
    rule(
        "feature_template",
        Implementation,
        0.85,
        Place::Anywhere,
        &[
            "feat|feature|enhancement|enh|rfe|rfc|proposal|idea|improvement|request|motivation|wanted",
            "proposed|desired|suggested ?solution|implementation|change",
            "solution you d|want|would like",
            "describe .. solution",
            "alternatives ?considered",
            "use case|cases",
            "workflow you want",
        ],
    ),
    rule(
        "test_label",
        TestWriting,
        0.7,
        Place::Anywhere,
        &["test|tests"],
    ),
    rule(
        "refactor_label",
        Refactor,
        0.9,
        Place::Anywhere,
        &["refactor"],
    ),
    rule(
        "docs_label",
        Implementation,
        0.5,
        Place::Anywhere,
        &["docs|documentation|task|epic"],
    ),
    rule(
        "question_label",
        UsageExploration,
        0.4,
        Place::Anywhere,
        &["question"],
    ),
];

struct Compiled {
    rule: &'static Rule,
    patterns: Vec<Pattern>,
}

fn compile(rules: &'static [Rule]) -> Vec<Compiled> {
    rules
        .iter()
        .map(|rule| Compiled {
            rule,
            patterns: rule
                .patterns
                .iter()
                .map(|pattern| Pattern::new(pattern))
                .collect(),
        })
        .collect()
}

static WORDS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(RULES));
static LABEL_WORDS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(LABELS));

/// Gives each rule that fires for the title and prose, with its weight there.
pub(super) fn words(
    title: &[String],
    prose: &[String],
    is_short: bool,
    mut fired: impl FnMut(&'static Rule, f32),
) {
    let start = order_start(title);
    for compiled in WORDS.iter() {
        let any = |words: &[String]| compiled.patterns.iter().any(|pattern| pattern.is_in(words));
        let rule = compiled.rule;
        match rule.place {
            Place::Order => {
                if compiled
                    .patterns
                    .iter()
                    .any(|pattern| pattern.is_at(title, start))
                {
                    fired(rule, rule.weight);
                }
            }
            Place::Question => {
                if is_short && (any(title) || any(prose)) {
                    fired(rule, rule.weight);
                } else if any(title) {
                    // A long text is an issue, not a question, even where its title has the words.
                    fired(rule, rule.weight * PROSE_FACTOR);
                }
            }
            Place::Anywhere => {
                if any(title) {
                    fired(rule, rule.weight);
                } else if any(prose) {
                    fired(rule, rule.weight * PROSE_FACTOR);
                }
            }
        }
    }
}

/// Gives each rule that fires for a label.
pub(super) fn label(label: &str, mut fired: impl FnMut(&'static Rule)) {
    let words: Vec<String> = label.split(' ').map(str::to_owned).collect();
    for compiled in LABEL_WORDS.iter() {
        if compiled
            .patterns
            .iter()
            .any(|pattern| pattern.is_in(&words))
        {
            fired(compiled.rule);
        }
    }
}

/// Where the order starts: after "please", "can you", "we should", "I want to".
fn order_start(title: &[String]) -> usize {
    const FILLERS: &[&str] = &[
        "please", "can", "could", "would", "you", "we", "i", "should", "need", "want", "to",
        "lets", "id", "like", "help", "me", "just", "hey", "hi", "hello", "must", "try", "now",
        "also", "ill", "us", "go", "ahead", "and", "a", "an", "the", "some", "tell", "do", "know",
    ];
    title
        .iter()
        .take_while(|word| FILLERS.contains(&word.as_str()))
        .count()
}
