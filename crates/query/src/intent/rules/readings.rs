//! Defines the rules that read one clause, by its shape. The first rule of a shape that fits counts, so
//! special rules stand before general ones. [`crate::intent::words`] describes the pattern language.

use super::{Rule, rules};
use crate::intent::IntentKind::{
    BugFix, DefinitionLookup, Explanation, Implementation, Refactor, TestWriting, UsageExploration,
};

/// Orders weigh more than questions: "why is x so? Please change it".
const ORDER: f32 = 0.95;
const QUESTION: f32 = 0.9;
/// Weight of statements and phrases whose words leave little doubt.
const CLEAR: f32 = 0.8;
/// Weight of statements and phrases whose words have other uses too.
const LIKELY: f32 = 0.6;
/// The name of the rule for questions that ask how something is done.
pub(in crate::intent) const HOW_TO: &str = "how_to";
/// The name of the rule for orders to repair something.
pub(super) const FIX_ORDER: &str = "fix_order";
/// Weight of the shape alone.
const SHAPE: f32 = 0.45;

/// Patterns match at the first word, or after fillers such as "tell me".
pub(super) const QUESTIONS: &[Rule] = rules![
    "test_question": TestWriting, ORDER {
        "how|what about .. <test:any>",
        "what|which <test:any> are|is missing|needed|lacking",
        "why is|are there no|not .. <test:any>",
        "can|could|would .. <pronoun> .. get|have|see|write|add __ <test:any>",
    }
    "refactor_question": Refactor, QUESTION {
        "can|could|should|would __ be <restructure:past>",
        "can|could|should .. .. become|share|live|move",
        "can|could|should we|you <restructure>",
        "can|could|should we|you get rid",
    }
    "template_question": Implementation, ORDER { "is your feature request" }
    "proposal_question": Implementation, QUESTION { "why not <build>|<look>" }
    // Questions about the reason for a design.
    "design_question": Explanation, QUESTION {
        "why do|did|are|dont|didnt ?not we|you|they|people",
        "how come we|you|there",
        "why .. .. .. and|but|or not",
        "how come .. .. .. and|but|or not",
        "why not <imperative>|have",
        "where do|does .. .. go|travel",
        "is|are there ?a|any ?particular|good|specific reason|rationale|difference",
        "what|whats is|are|was|were|the ?the .. reason|reasons|rationale|reasoning|thinking|motivation",
        "why .. .. before|rather|both|own|instead|anyway",
    }
    "complaint_question": BugFix, QUESTION {
        "why|how isnt|doesnt|dont|cant|am|wont|didnt|arent|cannot|hasnt|wasnt",
        "isnt|arent|doesnt|dont|shouldnt|wasnt|didnt|hasnt",
        "how can|could ?it be",
        "what could|might|may be|cause|explain",
        "is it|this just me",
        "how come .. .. <negation>|<faulty>|<fault:any>|<malfunction:any>|so|too|my|our|i",
        "why .. .. <negation>|<faulty>|<fault:any>|<malfunction:any>|so|too|my|our|i",
        "why .. .. takes|hidden|displayed|shown",
        "what|whats ?is|went|goes|could ?be wrong|broken|causing|failing",
        "is|are it|this|that ?normal|expected|intended|known|correct|ok|a ?known|bug|normal that|behavior|behaviour|bug|issue|problem",
        "is|does|has anyone|anybody ?else <say:any>|<look:any>|having|experienced",
    }
    "usage_question": UsageExploration, QUESTION {
        "how many|often .. <use:any>|<reference:any>|times|places",
        "in how|which many|places",
        "is that|it|this ?still safe|ok|okay|fine",
        "would|will|does anything|something|anyone|anybody|nothing .. <break:any>",
        "how is|are|was|were .. used|called|invoked|imported|consumed|referenced",
        "how is|are|do|does people|users|others|everyone|someone|callers",
        "where .. .. <depend:past>|raised|thrown|caught|emitted|passed|tested|covered",
        "where .. do|does|did|can|should .. <depend>|pass|raise|throw|catch|swallow|emit|log",
        "where else",
        "where .. gets|get|being <depend:past>",
        "what|which .. .. imported|called|referenced",
        "what|whats|which|who <break:any>",
        "what|which|who .. would|will|might|could|is|are|gets|get|do ?i|we ?be <break:any>",
        "is|are there __ place|places|caller|callers|code|anything|something|else",
        "what|which .. .. <break:any> if|when",
        "what|which .. .. have|has|need|needs|would|must|should|do ?i|we ?have|need ?to ?be <alter:any>|adapt|adapted|adjust|adjusted|fix|fixed",
        "what happens|would|will .. .. if|when i|we <alter:any>",
        "what happens|would|will happen ?to .. .. if|when i|we <alter:any>",
        "what happens|happen to .. <reference:any>|users",
        "what|whats|which .. <reference:any> of|does|do|are|exist",
        "what|whats|which .. call site|sites",
        "what|which __ <depend:s>|<depend:ing>|relies",
        "what|which *s of .. <depend>|rely",
        "what|which *s <depend>|rely",
        "what|which implementations|<reference:any>",
        "who|what|which ?<code:any> implements|implement|extends|extend|subclasses|inherits ?from ?the ?interface|class|trait NAME",
        "what|which classes|types|structs implement|implements|extend|extends|inherit|inherits|subclass",
        "what|whats .. impact|effect|effects|consequence|consequences|blast",
        "what|whats .. .. best|right|proper|correct|recommended|idiomatic|easiest|preferred|canonical|simplest way|approach|practice|pattern",
    }
    "name_question": DefinitionLookup, QUESTION {
        "who|what|which .. defines|implements|declares|owns",
        "how is|are .. .. defined|declared",
        "what does|do ?the ?<code> NAME",
        "what ?the ?<code> NAME does|do|is|means",
    }
    "about_question": Implementation, QUESTION { "how|what about" }
    "explain_question": Explanation, QUESTION {
        "what does|do|did .. .. do",
        "what <det> .. does|do|did",
        "how do|does|did|would|can|could .. <explain>|work|works",
        "what happens|happen|occurs",
        "what|whats ?is|are|the|a ?the .. <concept:any>",
        "what|whats ?is|are ?the trade|point",
        "who is|are|should|gets ?being responsible|supposed|notified",
        "what|whats role|part|purpose",
        "?in|under|on|at|by what|which .. <concept:any>",
        "?in|under|on|at|by what|which way|case|cases|means|order",
        "who decides|determines|controls|guarantees|ensures",
        "what problem|problems|factors",
        "what ?exactly|actually decides|determines|controls|triggers|governs|drives|guarantees|ensures|makes|keeps|prevents|stops|causes",
    }
    HOW_TO: UsageExploration, QUESTION {
        "can|could|may i|we|one|you <use>|<say>|<build>|<look>",
        "how should|shall|best",
        "how does|do|would one|somebody|someone|you",
        "how do|can|could|would|might|may i|we|you|one|users|people|someone|a",
        "how ?best|exactly to",
        "how i|we|you",
    }
    "part_question": DefinitionLookup, QUESTION {
        "what|which|whats ?is|are ?the .. <part:any> does|do|are|is|has|have|can|of|for|at",
        "what|which <code:any> contain|contains|has|have|holds|hold|defines|define|declares|represents|models",
        "what|which .. does|do|did .. <say>|<use>|<build>",
        "what does|do|did .. return|mean|accept|take|stand|expect|contain",
        "what .. means|mean",
    }
    "who_uses": UsageExploration, QUESTION {
        "who|whos|whose",
        "what|which ?else <code:any>|else <depend:s>|<depend>|<depend:ing>|reads|writes|triggers",
        "what|whats ?is|else <use:ing>",
        "which|what *s <build>|<restructure>|<say>|<use>|<look>|<assert>|<depend>",
    }
    "which_lookup": DefinitionLookup, QUESTION {
        "?in|on|under|from|at which|what .. <code:any>|<part:any>",
    }
    "how_question": Explanation, QUESTION {
        "how",
        "why",
        "when",
        "what|which .. is|are|gets|was .. <build:past>|<use:past>|<say:past>|<restructure:past>",
        "what|whats ?is|are __ doing|happening|on|about",
        "what <say:s>|<build:s>|<repair:s>",
    }
    "where_question": DefinitionLookup, QUESTION {
        "where",
        "wheres",
        "?in|on|from|at what",
        "?in|on|from|at which",
        "whats",
    }
    "still_used_question": UsageExploration, QUESTION {
        "is|are|was|does|do ?there .. .. still|anywhere|elsewhere|dead|unused",
        "is|are|was .. <depend:past>|needed|reachable|dead|unused",
        "does|do|is|are|has <anyone> .. <use:any>|<depend:any>",
        "does|do|are we|you .. <depend:any>",
        "is|are there .. <reference:any>|<example:any>",
        "any .. <reference:any>|<example:any>",
        "<reference:any>|<example:any> of|for|to",
        "can|could|may|should i|we ?safely|just <alter>",
        "is it safe|ok|okay|fine to",
        "is it possible to",
        "<example> .. ?",
    }
    "exists_question": DefinitionLookup, QUESTION {
        "is|are there ?already ?a|an|any .. <code:any>",
        "do|does we|you|it|the .. ?already have .. <code:any>",
    }
    "feature_question": Implementation, QUESTION {
        "is|are there",
        "is|are .. planned|possible|supported",
        "any .. plan|plans|chance|way|interest|support",
        "would|could|can|will|may|might|should",
        "do you plan|consider|intend",
        "what|how about|if",
    }
    "state_question": Explanation, CLEAR { "<aux>" }
];

/// Patterns match at the first word, or after fillers such as "please".
pub(super) const ORDERS: &[Rule] = rules![
    "for_tests_order": Implementation, ORDER {
        "add|implement|introduce|provide|create|make|set __ option|flag|setting|switch|parameter|job|workflow|step|command|action|plugin|script|runner .. for|to|that|which|so|running",
    }
    "test_order": TestWriting, ORDER {
        "test|doctest|unittest|fuzz|parametri*|mock|stub|cover|exercise|assert",
        "unit|property|snapshot|smoke|integration test",
        "add|write|create|extend|improve|increase|raise|expand|implement|provide|generate|build|introduce|make|put|have|want|see|set|need|bring|backfill|complete|get|do|start|fill|close|include|draft|give|achieve|finish|author|develop|prepare|supply|missing|more __ <test:any>",
        "add|write|create|extend|make|put|improve .. .. __ <test:any>|test_* $",
        "extend|add|write|put .. ?with|to|in .. case|cases|scenario|scenarios|<test:any>|test_*",
        "<assert> .. .. with|in|by|through .. <test:any>",
        "<assert> in|by|with .. <test:any>",
        "ensure|make ?sure .. .. is|are .. <test:any>",
        "make sure by .. <test:any>",
        "convert|turn|make .. .. to|into|of .. <test:any>",
        "use .. to .. test|fuzz",
        "go|look|read|start .. .. and|by write|writing|add|adding|create|creating __ <test:any>",
        "reproduce|capture|pin .. .. in|with|as .. <test:any>",
    }
    "template_order": BugFix, ORDER { "describe the bug|issue|problem" }
    "cause_order": BugFix, ORDER {
        "find|figure out what|why|how",
        "find|figure|look|check|see .. .. why|reason|cause|problem|bug|issue|wrong",
        "make .. .. green|work|pass|compile|quiet|again|build|succeed|stable|reliable|deterministic",
        "get .. .. green|working|passing|again",
    }
    "look_order": BugFix, LIKELY { "take|have a ?quick|closer|short look" }
    "documentation_order": Implementation, ORDER {
        "<explain>|mention|state|note .. .. in|to .. <doc:any>",
    }
    "explain_order": Explanation, QUESTION {
        "<explain>",
        "walk|talk|guide|lead|run|take|step|go ?me|us ?step through|over",
        "trace|follow .. through|path|flow|life|lifecycle|journey",
        "break .. .. for me|us",
        "understand|grasp|learn|wonder|know",
        "help .. understanding",
        "deep|quick dive",
        "eli5",
        "<look> ?me|us __ <concept:any> ?of|to|on|behind|from|$",
        "<look> ?me|us __ <concept:any> of|to|on|behind|from|for",
        "tell|teach me|us ?about|how|why",
    }
    "usage_order": UsageExploration, QUESTION {
        "<look> __ <reference:any>|implementations",
        "<look> .. <reference:any> of|to",
        "<look> ?me|us ?a ?list|for ?of all|every|each|everything|everyone|everywhere|everybody|anything|places",
        "<look>|need|want ?me __ <example:any>",
        "<look> .. .. <depend:s>|<depend:ing>|<depend:past>",
        "<look> ?me|us .. code|places|files|classes|functions that|which|where .. <depend:any>|reads|writes",
    }
    "lookup_order": DefinitionLookup, QUESTION {
        "show|give|get|tell|bring|point|take me|us",
        "find|locate|search|look|grep|jump|go|point|view|see",
        "need|want|get the|a <code> that|which|where",
        "show|open|display|print|get|list|read ?the|a .. NAME",
        "show|open|display|print|get|list|read the|a|an __ <code:any>|<definition:any>",
        "show|open|display|print|get|list|read <definition>",
        "open",
    }
    "drop_support_order": Implementation, ORDER { "drop|remove|end|discontinue __ support" }
    "structure_order": Refactor, ORDER {
        "add|write|put|complete|introduce|use|annotate __ types|typing|hint|hints|annotation|annotations",
        "introduce|create|use|add|define|prefer .. .. instead|rather|throughout|everywhere",
        "introduce|create|use|define|prefer .. .. in place of",
        "introduce|create|define|use __ <structure:any> .. between|around|for|to|in|$",
        "introduce __ <structure:any>",
        "use|adopt|prefer",
        "stop|avoid <use:ing>|<restructure:ing>|<build:ing>|relying",
        "get rid",
        "stop <look:ing>|relying",
        "break|split|tear|take|factor|pull .. .. into|up|out|apart",
        "break __ cyclic|circular|cycle|cycles|dependency",
        "put|bring|collect|gather|keep .. .. into|in|to one|single|own|common|shared|a|its|their",
        "hide .. behind",
        "wrap",
        "inject|pass|choose|pick",
        "turn|convert .. .. into|to",
        "switch .. .. to|from|over",
        "upgrade .. .. to|from ?the new .. api",
        "change|make|let|update|have|port all|every|both .. .. use",
        "let|make|have .. .. use|go|depend|share|implement",
        "reduce|cut|lower __ duplicat*|complexity|coupling|nesting|boilerplate|repetition|indirection|dependence|dependency",
        "make .. .. less|more|private|independent|pure|smaller|simpler|shorter|reusable|testable|immutable|static|generic|consistent|stateless|readable|internal|public|const|final|abstract|async|cleaner|clearer|modular|explicit|typed",
        "make .. .. a|an|the parameter|argument|method|function|class|property|instead",
        "make it so ?that .. dont|doesnt|not",
        "give .. .. own|name|names|<structure:any>",
        "change|replace NAME to|into|by|with NAME",
        "reduce .. .. to one|a",
    }
    "restructure_order": Refactor, ORDER { "<restructure>" }
    FIX_ORDER: BugFix, ORDER { "<repair>", "make sure" }
    "dont_order": BugFix, QUESTION { "dont", "do not" }
    // Any other order asks for something new.
    "build_order": Implementation, ORDER { ".." }
];

/// Patterns match anywhere in the clause.
pub(super) const STATEMENTS: &[Rule] = rules![
    "untested": TestWriting, ORDER {
        "<negation>|lack|lacks|lacking|zero|needs|need|want|wants|like|should|must|deserves|few|missing __ ?for ?with|by|in <test:any>",
        "should|must|could be .. <test:any> for|that|of|to",
        "would|could like|love|want .. <test:any>",
        "not|isnt|arent|never|nobody|hardly|poorly|barely .. tested|tests|covered|asserts|checks|verifies|exercised",
        "untested",
        "<test:any> .. .. would be",
        "<test:any> ?is|are missing|lacking",
        "have|add|write|need|get __ <test:any>",
        "coverage ?is|at",
        "at .. .. coverage",
        "<test:any> should|must|would|is|are ?be ?missing|welcome|nice|good|useful|check|cover|needed|wanted",
    }
    "lookup_statement": DefinitionLookup, CLEAR {
        "looking|searching for",
        "find|know|see|remember|figure ?out where",
        "need|want ?to ?see|find|know|open the|which <code>",
    }
    "explain_statement": Explanation, CLEAR {
        "understand|grasp|learn|get|know|see|follow ?exactly|why|how how|why|what|purpose|idea|meaning",
        "understand|grasp|get|see the .. <concept:any>",
        "curious|wondering|wonder|confused|unclear|unsure|interested ?about|in|by|to",
    }
    "smell": Refactor, CLEAR {
        "should|must|could|can|needs|need|to ?be <restructure:past>",
        "does|do|doing|knows|know|contains|contain|has|have|with ?far|way|much too much|many",
        "too much|many|long|complex|complicated|deeply logic|code|responsibilities|lines|nested|arguments|parameters",
        "mixes|mix|mixing|intermingle*|intertwin*|entangl*|tangl*",
        "lines long",
        "hard|difficult to read|follow|maintain|understand|extend|test",
        "copied|duplicated|repeated|pasted|copies|scattered|copy ?and|code|logic ?in|of|over|across|between|everywhere|code|logic",
        "shares|share .. code|logic",
        "technical debt",
        "would be cleaner|simpler|tidier|clearer|neater",
        "should|could|must be ?a|an part|named|called|private|public|internal|static|<structure>",
        "misnamed|misnomer",
        "naming",
        "circular|cyclic import|imports|dependency|dependencies between",
        "own module|file|class|package",
        "should|must ?not|only|all|always go|live|belong|reside|use|depend|know|import|inherit|extend|delegate|talk",
        "belong|belongs in|to|into",
        "same .. in|across .. places|files|modules|controllers|classes",
    }
    "should_not": BugFix, LIKELY {
        "should|must|shall not|never",
        "should have been",
        "shouldnt|mustnt",
        "supposed|ought to",
        "should .. .. but|however|actually|yet",
        "not|never|no|isnt|doesnt .. although|though|as expected",
    }
    "needs_repair": BugFix, CLEAR { "needs|need|must|should ?to ?be <repair:ing>|<repair:past>" }
    "wish": Implementation, CLEAR {
        "no|missing|lacks|lack|without .. <feature:any>",
        "should|must|shall|needs",
        "need|has|have to be",
        "would|could|itd|might|thatd ?also|really ?be ?really ?very nice|great|good|useful|helpful|awesome|handy|cool|convenient|better|beneficial|interesting|help|love|like|appreciate",
        "id|wed like|love",
        "i|we|users|people|customers|admins|one|everybody|everyone ?would ?also ?really|often|currently|already|keep want|need|wish|propose|suggest|miss|ask|asking|request|requested",
        "im missing",
        "no|any way|possibility|option|support|means|chance to|for|of",
        "as a|an __ i|we",
        "is|are|be ?also ?much needed|wanted|required|planned|desirable|welcome|useful",
        "does|do|doesnt|dont|isnt|arent|not ?not|yet support|supported|implemented|possible|offer|provide",
        "lack|lacks|lacking",
        "able to",
        "find it useful|helpful|handy",
    }
    "reported_state": BugFix, SHAPE { ".." }
];

/// Patterns match at the first word, or after fillers.
pub(super) const PHRASES: &[Rule] = rules![
    "failing_test_phrase": BugFix, CLEAR { "failing|flaky|broken __ <test:any>" }
    "test_phrase": TestWriting, CLEAR {
        "?<det> __ <test:any> for|of|that|to|around|between|against|in|on|with|please|suite|cases|case|NAME|$",
        "untested",
        "missing|more|better|no __ <test:any>",
        ".. .. no|without <test:any>",
        "test coverage",
        "<test:any>|<testkind> examples|cases for|of",
    }
    "usage_phrase": UsageExploration, CLEAR {
        "?<det> ?other|existing|remaining|current|code|direct|external ?call <reference:any> of|to|in|by|for",
        "?all|every|each <reference:any>",
        "all|every|each .. <place:any> where|that|in|of",
        "dependencies|dependency on",
        "call site|sites",
        "?all|every|other|the|existing implementations of",
        "everything|everyone|everywhere|anything|things|stuff|code|all|<code:s> .. that|which|where .. <use:any>|<depend:any>|we|they|it",
        "?minimal|working|simple|code|usage|a|an|short ?code|usage <example:any>",
        "impact|effect|effects|consequences of",
    }
    "explain_phrase": Explanation, CLEAR {
        "__ <concept:any> of|from|between|behind|in",
        "__ overview|architecture|explanation|walkthrough|internals|lifecycle|workflow $",
    }
    "user_story": Implementation, ORDER { "as a|an" }
    "lookup_phrase": DefinitionLookup, CLEAR {
        "<code>|<keyword> NAME",
        "?the <definition:any> of|for",
        "the|a __ <code:any> that|which|for|of|responsible|where|with|$",
    }
    "refactor_phrase": Refactor, CLEAR {
        "<restructure:ing>",
        "__ cleanup|refactoring|simplification|deduplication|restructuring|removal|rewrite|reorganization|reorganisation|unification|modernization|consolidation|renaming",
        "technical|tech debt",
        "code style|quality|smell|smells|hygiene",
        "unused|dead|redundant|obsolete|leftover __ code|import|imports|variable|variables|function|functions|parameter|parameters|dependency|dependencies|file|files",
        "duplicate|duplicated|repeated|copied __ code|logic",
        "magic|god",
        "__ type|typing hint|hints|annotations",
    }
    "improvement_phrase": Implementation, CLEAR {
        "automatic|optional|custom|configurable|better|faster|new|more|multiple|possibility|ability|option",
    }
    "name": DefinitionLookup, SHAPE { "NAME $" }
    "faulty_phrase": BugFix, LIKELY { ".. .. <negation>|<faulty>" }
    "code_phrase": DefinitionLookup, SHAPE { "__ <code:any> $" }
    "fault_phrase": BugFix, LIKELY {
        ".. .. <fault:any>",
        ".. <malfunction:any>",
        "<repair:s>|<repair:past>|<repair:ing>",
    }
    "feature_phrase": Implementation, CLEAR { "__ <feature:any>", "new" }
    "building_phrase": Implementation, SHAPE { "<build:ing>" }
];

/// Patterns of a question about existing tests; they match anywhere in it.
pub(super) const TESTS: &[&str] = &[
    "what|which|whats ?of ?the|existing|unit|integration test|tests|spec|specs",
    "test|tests|spec|specs of|for|covering|that|which|exercising|checking",
    "is|are|where|gets|get .. tested|covered",
    "is|are there ?a|an|any|already ?unit|integration test|tests|spec|specs",
];
