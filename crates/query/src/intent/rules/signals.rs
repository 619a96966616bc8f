//! Defines signals: words that indicate a kind anywhere in a text, and the meaning of template labels.
//! [`crate::intent::words`] describes the pattern language.

use super::{Rule, rules};
use crate::intent::IntentKind::{BugFix, Implementation, Refactor, TestWriting, UsageExploration};

/// Signals in the title or, at a lower weight, in the prose. Weights are by judgement, checked against the
/// labelled queries of the tests.
pub(super) const WORDS: &[Rule] = rules![
    // Signals of a bug.
    "failure_word": BugFix, 0.5 {
        "fail*|crash*|broke|broken|breaks|breaking|bug|bugs|buggy|regression|regressed|regresses|segfault*|deadlock*|panics|panicked|panicking|hangs|hung|freezes|froze|frozen|corrupt*|leak|leaks|leaking|leaked",
    }
    "error_word": BugFix, 0.4 { "<fault:any>|errored|raises|raised|throws|threw|thrown" }
    "not_working": BugFix, 0.6 {
        "doesnt|dont|didnt|isnt|arent|not|cant|cannot|wont|never|no ?longer|really|properly|correctly work*",
        "does|do|did|is|are not .. work*|respect*|return*|update*|match*|show*|render*|handle*",
        "doesnt|dont|didnt|isnt|arent|wont",
        "no longer",
        "stopped|stops|stop working",
        "not .. properly|correctly|respected|applied|honored|honoured|called|updated|rendered|recognized|recognised",
        "out of|from .. sync",
    }
    "wrong_word": BugFix, 0.5 {
        "wrong|wrongly|incorrect*|unexpected*|mistaken*|inconsisten*|invalid|malformed|insecure|vulnerab*|exploit*|injection|typo|typos|misspell*|outdated|rejected|misleading|erroneous*|weird|strange|odd|duplicated|lost|ignored|ignores|ignoring|missing|infinite|unable|impossible|inaccurate|bad|problem|problems|mishandl*|undefined|misses|loses",
    }
    "should_not": BugFix, 0.4 {
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
        "data race",
        "stale|flicker*|flaky|unresponsive|garbled",
        "too slow|many|much",
        "memory usage",
        "a|an|http|status|with|returns|gives|gets 400|401|403|404|422|500|502|503|504",
    }
    "reproduction": BugFix, 0.5 {
        "to|steps reproduce",
        "bug report",
        "i|we get|got|see .. error|exception|traceback|warning|following",
    }
    // Signals of a new feature.
    "wish": Implementation, 0.6 {
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
        "users|people|customers|i|we|one should ?be able",
        "as a|an .. i want",
        "would you accept|consider|merge|take",
    }
    "same_behaviour": Refactor, 0.9 {
        "without changing|altering|affecting .. behaviour|behavior|api|interface|output|functionality",
        "no functional|behaviour|behavior|behavioural|behavioral change|changes",
        "same|keep|keeping ?the behaviour|behavior",
    }
    "refactor_wish": Refactor, 0.5 {
        "refactor*|restructur*|cleanup|deduplicat*|decoupl*",
        "clean|cleaned|cleaning up",
        "rename|renamed|renaming",
        "technical debt",
        "code duplication|smell",
        "duplicated code",
        "should be moved|split|renamed|extracted",
        "more readable|maintainable",
        "too long|complex|big",
        "split|break|factor|pull it|them|this|that ?up|out|into|apart",
    }
];

/// Rules for the labels of a template or a commit.
pub(super) const LABELS: &[Rule] = rules![
    // The type of a commit decides, whatever its verb: "fix: add the missing check".
    "fix_label": BugFix, 0.97 { "fix|bugfix|hotfix $" }
    "feature_label": Implementation, 0.97 { "feat|perf $" }
    "bug_template": BugFix, 0.75 {
        "bug|regression",
        "?describe the bug",
        "bug ?description|summary|report",
    }
    "reproduction_template": BugFix, 0.6 {
        "reproduc*|repro|mcve|mvce",
        "actual|current .. behavior|behaviour|result|results|outcome|output",
        "actual $",
        "what .. happened|happens",
        "observed|stacktrace|traceback|trace",
    }
    "expected_template": BugFix, 0.3 { "expected" }
    "feature_template": Implementation, 0.85 {
        "feature|enhancement|enh|rfe|rfc|proposal|idea|improvement|request|motivation|wanted",
        "proposed|desired|suggested ?solution|implementation|change",
        "solution you d|want|would like",
        "describe .. solution",
        "alternatives ?considered",
        "use case|cases",
        "workflow you want",
    }
    "test_label": TestWriting, 0.97 { "test|tests" }
    "refactor_label": Refactor, 0.99 { "refactor" }
    "docs_label": Implementation, 0.5 { "docs|documentation|task|epic" }
    "question_label": UsageExploration, 0.4 { "question" }
];
