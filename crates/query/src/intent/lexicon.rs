//! Defines classes of words: verbs for building, nouns for a piece of code, words about tests. Must not
//! know which intent a class indicates; [`super::rules`] decides that.
//!
//! A class is a list of base forms. Regular inflections are derived from them, irregular ones are listed in
//! [`IRREGULAR`].

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

/// A set of classes, one bit each, in the order of [`CLASSES`].
pub(super) type ClassSet = u64;

/// The form in which a word belongs to a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As listed: an imperative or an infinitive; the singular of a noun.
    Base,
    /// `fails`; the plural of a noun.
    WithS,
    /// `failed`, `written`.
    Past,
    /// `failing`.
    Gerund,
}

impl Form {
    pub(super) const ALL: [Self; 4] = [Self::Base, Self::WithS, Self::Past, Self::Gerund];
}

/// The classes that a word belongs to, per form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes([ClassSet; Form::ALL.len()]);

impl Classes {
    /// Returns the classes that the word belongs to in one form.
    pub(super) fn in_form(self, form: Form) -> ClassSet {
        // There is an entry for each form.
        self.0[form as usize]
    }

    fn insert(&mut self, form: Form, class: ClassSet) {
        self.0[form as usize] |= class;
    }
}

/// How the words of a class are inflected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Verb,
    Noun,
    /// Not inflected.
    Particle,
}

use Part::{Noun, Particle, Verb};

/// The classes: name, part of speech, base forms. A word may belong to several.
const CLASSES: &[(&str, Part, &str)] = &[
    // Verbs that ask for something new.
    (
        "build",
        Verb,
        "add implement support allow introduce enable create provide extend expose include build develop \
         let accept permit upgrade improve document deprecate integrate emit speed optimize optimise \
         update return offer adopt bump configure set apply have increase decrease raise lower reduce \
         pin unpin downgrade write run publish ship release deploy translate register setup wire hook \
         disable log store save validate require generate print send prefer mark link mention install \
         declare exclude skip display warn turn limit automate schedule annotate redirect sort show \
         upload download export import sync cache notify persist encrypt compress highlight group filter \
         autosave autocomplete embed attach render respond reject accelerate tune boost \
         enhance expand customize customise localize localise internationalize containerize package \
         bundle distribute host serve authenticate authorize retry batch stream paginate throttle \
         debounce preload prefetch index track measure record report monitor trace broadcast subscribe \
         prompt remember restore ask back trigger start parse detect recognize recognise infer derive \
         bootstrap scaffold prototype design draft make give bring put change switch complete finish \
         detail clarify state note cancel archive approve assign alert inform invite tag color colour \
         animate center align zoom resize toggle seed fetch poll queue preview reword rephrase explain describe regenerate vendor relax tighten",
    ),
    // Verbs that change the form of code but not its behaviour.
    (
        "restructure",
        Verb,
        "refactor restructure reorganize reorganise rewrite rename extract simplify deduplicate dedupe \
         dedup decouple consolidate modernize modernise tidy cleanup inline unify untangle rework \
         streamline flatten encapsulate isolate abstract reformat reorder standardize standardise \
         normalize normalise modularize modularise hoist clean split separate divide carve disentangle \
         factor substitute migrate relocate move merge combine collapse replace convert port transform \
         generalize generalise harmonize harmonise prune strip purge kill delete remove drop eliminate \
         rearrange regroup swap transition pull lift unnest disband dissolve declutter beautify polish \
         shorten typehint cut",
    ),
    // Verbs for repairs.
    (
        "repair",
        Verb,
        "fix debug repair resolve correct investigate diagnose handle prevent avoid ensure troubleshoot \
         solve patch mend address hotfix bugfix guard protect revert stop forbid tolerate sanitize \
         sanitise escape unbreak restore recover rectify quiet silence suppress respect honor honour \
         preserve close",
    ),
    (
        "explain",
        Verb,
        "explain describe summarize summarise clarify elaborate outline illustrate teach",
    ),
    (
        "look",
        Verb,
        "show give list find locate open display print search grep point tell see look enumerate \
         view read fetch identify bring jump go",
    ),
    // Verbs for a piece of code that depends on another.
    (
        "use",
        Verb,
        "use call invoke import reference refer depend rely consume instantiate touch subscribe access \
         pass hit inherit subclass need require exercise trigger send emit publish raise throw catch \
         swallow read write query listen mutate modify override extend construct include mount render \
         handle register",
    ),
    // Verbs of `use` that have this meaning in any sentence.
    (
        "depend",
        Verb,
        "use call invoke import reference refer depend rely consume instantiate touch subscribe subclass \
         inherit exercise hit mutate",
    ),
    (
        "alter",
        Verb,
        "change remove rename delete drop modify alter move touch update refactor break replace make add",
    ),
    ("break", Verb, "break affect impact fail change crash"),
    // Other verbs that orders start with.
    (
        "imperative",
        Verb,
        "use stop make choose pick pass wrap inject walk trace follow break keep do dont talk take \
         guide understand learn need want have author compose mount attach reproduce capture rely \
         reuse define know list convert invert backfill raise cut hoist",
    ),
    (
        "assert",
        Verb,
        "test assert verify check cover exercise validate prove mock stub parametrize parametrise \
         parameterize fuzz unittest doctest simulate reproduce",
    ),
    // Verbs for malfunctions.
    (
        "malfunction",
        Verb,
        "fail crash break hang leak corrupt deadlock panic segfault regress ignore skip drop lose \
         forget disappear vanish duplicate stall stick time mangle garble truncate overflow overlap \
         flicker swallow reject refuse disconnect misbehave degrade clobber wipe misreport \
         mishandle misinterpret misread miscalculate miscount choke abort starve thrash",
    ),
    // Other verbs of statements, so that statements are recognised.
    (
        "say",
        Verb,
        "appear arrive become begin behave belong cause claim collide come compare complain compute \
         consider consume contain continue convert deny differ do eat empty end exit expect expire fill \
         fire flash flip fit follow force get give go grow halt happen hide hold jump keep know last \
         lead leave like live loop make mean mention mix move occur omit overwrite own pick point \
         print produce promise pull push put receive remain remove render reset resolve return revert \
         rotate round say scroll see seem select send show shift shrink sit slow spin start stay stop \
         swap switch take talk tell terminate think throw time trigger turn understand use wait want \
         warn waste win work wrap write yield find log match treat try emit pass post load close open \
         accept allow display offer need lack miss stretch blink hammer delete create add charge apply \
         update overlap cover evaluate mutate discard escape encode decode cut count crop change bind \
         block raise report restart retry run save sort spam submit trim upload code hardcode exist freeze \
         accumulate activate assume attempt await bleed blur bounce bypass carry clear click collapse \
         confuse conflict connect decide decrease delay demand deliver detect drift echo enforce explode \
         fade finish flood focus fold grab guess handle hurt increase indicate insert insist interfere \
         invalidate jam kill lag land linger lock look mask merge nest obey outlive persist populate \
         pretend proceed propagate prevent query race reappear reload reopen reorder repeat require resize \
         resume retain ring roll scan shadow share shuffle signal spawn spill split stack steal strip \
         succeed suggest suffer survive tear tick toggle unlock unmount vary violate wake zoom ask",
    ),
    // Verbs that are nouns at least as often: only the neighbouring words tell.
    (
        "nounish",
        Verb,
        "build update upgrade import export install release test support search filter format sort order \
         move merge split change document cover log print run schedule list start limit link set \
         index hook return report request process view form page command action step job task script \
         button dialog workflow query record stream batch group package bundle host track measure \
         monitor trace prompt draft design type match mark map lock time end point fit round push pull \
         reset switch trigger wait post load work count charge block flash loop mix value call \
         reference access sample sign stop state tag target tick watch name object field claim cut \
         slot display check patch pin upload download sync back mention handle restart retry bind \
         string signal stack race lag scan share jam spawn focus zoom address factor port transition swap lift strip pass guard note detail mock stub \
         subclass use cause cache purge project spec fix",
    ),
    // Verbs that also name the thing that does them: "the add button", "delete requests".
    (
        "naming",
        Verb,
        "add create delete show extract remove rename publish deploy ship register send store save render \
         put setup close open abstract clean cleanup embed insert edit copy refresh archive",
    ),
    // Nouns for a piece of code.
    (
        "code",
        Noun,
        "class function method file module struct enum trait interface type constant variable component \
         package directory folder macro helper handler middleware endpoint route controller service \
         model schema table migration template view setting config configuration script workflow job \
         decorator hook regex query property attribute field namespace crate library factory \
         repository serializer validator parser mixin protocol record fixture makefile dockerfile \
         manifest definition declaration implementation signature source code logic constants setup \
         initializer constructor listener reducer store resolver mutation entity dto util place spot line",
    ),
    // Nouns for properties of code that its definition shows.
    (
        "part",
        Noun,
        "parameter argument arg field column attribute property key option value method member type \
         version path schema signature flag default exception error code port variable header name \
         status setting variant case state",
    ),
    ("place", Noun, "place spot part location line file section"),
    (
        "definition",
        Noun,
        "definition declaration implementation signature source body location code path value",
    ),
    (
        "reference",
        Noun,
        "usage use reference caller call consumer importer subclass occurrence dependent implementor implementer subtype subscriber",
    ),
    ("example", Noun, "example sample snippet demo"),
    (
        "concept",
        Noun,
        "overview explanation summary introduction intro tour walkthrough rundown primer gist \
         architecture internal anatomy lifecycle working mechanics mechanism purpose role rationale reason \
         reasoning motivation meaning relationship relation difference interplay interaction distinction \
         tradeoff semantics algorithm strategy flow idea thinking intention concept background \
         intuition theory design sequence principle philosophy layering story \
         responsibility advantage benefit downside consequence guarantee invariant \
         condition circumstance stage phase step transition",
    ),
    (
        "doc",
        Noun,
        "doc documentation readme docstring changelog guide manual tutorial comment wiki faq contributing javadoc rustdoc",
    ),
    (
        "test",
        Noun,
        "test testcase unittest spec doctest pytest testing coverage assertion fuzzing testsuite e2e mock rspec vitest jest cypress playwright junit",
    ),
    (
        "testkind",
        Particle,
        "unit integration regression snapshot smoke fuzz property contract acceptance functional load e2e doctest golden ui api end2end end to mutation table parametrized missing more additional automated automatic new some few simple first proper basic better good based driven jest vitest mocha cypress playwright pytest junit rspec interaction branch line a an the any all",
    ),
    // Nouns for structure inside the code, invisible to users.
    (
        "structure",
        Noun,
        "interface enum dataclass class layer object abstraction constant dto builder factory wrapper \
         facade adapter repository return injection type module namespace trait mixin helper function \
         base protocol pattern generic alias newtype struct service presenter hierarchy",
    ),
    // Nouns for features of a program.
    (
        "feature",
        Noun,
        "support integration option mode shortcut translation preview theme ability possibility feature \
         proposal enhancement improvement notification authentication authorization login signup \
         localization localisation pagination autocompletion completion caching compression encryption \
         throttling limiting loading logging monitoring syncing search filtering sorting backend \
         plugin extension switch toggle badge tooltip palette wizard dashboard widget banner menu \
         button icon preset backup undo redo sso telemetry tracing metric flag alternative \
         compatibility customization bulk dark custom configurable customizable optional automatic \
         adjustable selectable multiple lazy incremental offline native drag",
    ),
    (
        "fault",
        Noun,
        "bug regression error exception traceback stacktrace warning crash failure leak deadlock \
         segfault typo problem mistake vulnerability flaw glitch hiccup slowdown xss csrf race outage \
         defect mismatch corruption breakage discrepancy inconsistency incompatibility collision \
         starvation contention downtime misalignment bottleneck",
    ),
    (
        "faulty",
        Particle,
        "wrong wrongly incorrect incorrectly unexpected unexpectedly broken buggy flaky mistaken \
         inconsistent invalid malformed insecure vulnerable outdated misleading erroneous weird strange \
         odd oddly duplicated duplicate lost ignored missing infinite forever unable impossible \
         inaccurate bad mishandled undefined nan null negative double twice stale corrupt corrupted \
         quadratic accidental accidentally unclosed unhandled uncaught stuck dead blank empty garbled \
         unresponsive slow sluggish red unreachable unreadable invisible off again suddenly \
         randomly sometimes occasionally intermittently nothing nowhere never always \
         unusable unstable unsafe truncated clipped misaligned reversed orphaned dangling unescaped \
         unsanitized excessive erratic intermittent incomplete delayed inaccessible improper improperly",
    ),
    (
        "brand",
        Particle,
        "github gitlab graphql javascript typescript postgresql mysql nosql ios macos oauth \
        websocket websockets devops youtube paypal linkedin openapi openai numpy pypi npm ipv4 ipv6 latex \
        restful phpunit rspec junit pytest appveyor circleci dockerhub bigquery mongodb dynamodb rabbitmq \
        webassembly webrtc opentelemetry whatsapp powershell cmake vscode",
    ),
    ("keyword", Particle, "fn def func var val fun sub impl"),
    (
        "aux",
        Particle,
        "is are was were does do did has have had can could will would should must may might isnt arent doesnt dont didnt cant cannot wont wasnt hasnt havent shouldnt couldnt wouldnt",
    ),
    (
        "negation",
        Particle,
        "not no never nothing nobody none cannot cant dont doesnt didnt isnt arent wasnt werent wont hasnt havent couldnt wouldnt without neither nor nowhere",
    ),
    ("modal", Particle, "should must shall ought"),
    (
        "det",
        Particle,
        "a an the this these that those all every each any no my our your its their both one two three some",
    ),
    (
        "preposition",
        Particle,
        "in on at for from with without by of to under over into about during through after before across between against within as per when if than instead via upon inside outside until since while because although",
    ),
    (
        "relative",
        Particle,
        "that which who when if so how where why because since although while whether",
    ),
    (
        "adverb",
        Particle,
        "twice again too only even still already forever always never just correctly properly late early away back off out up down instead anymore randomly sometimes nothing",
    ),
    ("subject", Particle, "i im ive id we weve wed he she"),
    (
        "pronoun",
        Particle,
        "i im ive id ill we weve wed you they it me us them one people users someone somebody anyone anybody everyone nobody",
    ),
    ("object", Particle, "it them me us him everything something"),
    (
        "anyone",
        Particle,
        "anyone anybody anything someone somebody something nobody everyone everybody any",
    ),
    (
        "wh",
        Particle,
        "what whats where wheres which who whos how hows when why whose",
    ),
];

/// Irregular verbs: base form, past, participle.
const IRREGULAR: &str = "write wrote written, find found found, build built built, break broke broken, \
    lose lost lost, take took taken, give gave given, get got gotten, go went gone, see saw seen, \
    send sent sent, set set set, put put put, run ran run, read read read, make made made, \
    show showed shown, leave left left, keep kept kept, hold held held, tell told told, \
    think thought thought, catch caught caught, throw threw thrown, freeze froze frozen, \
    hide hid hidden, forget forgot forgotten, eat ate eaten, come came come, become became become, \
    begin began begun, know knew known, grow grew grown, say said said, lead led led, \
    mean meant meant, shrink shrank shrunk, spin spun spun, win won won, hang hung hung, \
    stick stuck stuck, split split split, let let let, cut cut cut, hit hit hit, teach taught taught, \
    understand understood understood, overwrite overwrote overwritten, rewrite rewrote rewritten, \
    have had had, do did done, bind bound bound, speed sped sped, reset reset reset, sit sat sat";

/// Classes and base verb of each form of each word.
static WORDS: LazyLock<HashMap<String, WordEntry, FixedState>> = LazyLock::new(|| {
    let irregular = irregular_verbs();
    let mut words: HashMap<String, WordEntry, FixedState> = HashMap::default();
    for (index, (_, part, bases)) in CLASSES.iter().enumerate() {
        for base in bases.split_whitespace() {
            for (form, word) in forms(base, *part, irregular.get(base)) {
                let known = words.entry(word).or_default();
                known.classes.insert(form, 1 << index);
                if *part == Verb {
                    known.verb = base;
                }
            }
        }
    }
    words
});

#[derive(Default)]
struct WordEntry {
    classes: Classes,
    /// The base form if the word is a verb; else empty.
    verb: &'static str,
}

/// Returns the classes of a lower-case word; an unknown word has those without its prefix: "reload" those of "load".
pub(super) fn classes(word: &str) -> Classes {
    let known = |word: &str| WORDS.get(word).map(|known| known.classes);
    let without_prefix = || {
        ["re", "auto"]
            .iter()
            .find_map(|prefix| known(word.strip_prefix(prefix)?))
    };
    known(word).or_else(without_prefix).unwrap_or_default()
}

/// Returns the base form of a word that is a verb.
pub(super) fn verb(word: &str) -> Option<&'static str> {
    let verb = WORDS.get(word)?.verb;
    (!verb.is_empty()).then_some(verb)
}

/// Returns a word without its inflection.
pub(super) fn stem(word: &str) -> &str {
    verb(word).unwrap_or_else(|| {
        word.strip_suffix('s')
            .filter(|stem| stem.len() > 3)
            .unwrap_or(word)
    })
}

/// Returns the bit of the class with a name, if there is one.
pub(super) fn class(name: &str) -> Option<ClassSet> {
    let index = CLASSES.iter().position(|(known, ..)| *known == name)?;
    Some(1 << index)
}

/// Returns the set of the classes with these names; in a constant, an unknown name does not compile.
pub(super) const fn set(names: &[&str]) -> ClassSet {
    let mut set = 0;
    let mut at = 0;
    while at < names.len() {
        let mut index = 0;
        while !is_same(CLASSES[index].0, names[at]) {
            index += 1;
        }
        set |= 1 << index;
        at += 1;
    }
    set
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Returns the names of classes.
pub(super) fn names(classes: ClassSet) -> impl Iterator<Item = &'static str> {
    indices(classes).map(|index| CLASSES[index].0)
}

/// Returns the indices of classes in [`CLASSES`].
fn indices(mut classes: ClassSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = classes.trailing_zeros();
        classes &= classes.checked_sub(1)?;
        Some(index as usize)
    })
}

/// Returns all forms of a word. `irregular` are the past and the participle of an irregular verb.
fn forms(base: &str, part: Part, irregular: Option<&[&str; 2]>) -> Vec<(Form, String)> {
    let mut forms = vec![(Form::Base, base.to_owned())];
    if part != Particle {
        forms.push((Form::WithS, with_s(base)));
    }
    if part == Verb {
        let stem = stem_before_vowel(base);
        match irregular {
            Some(pasts) => forms.extend(pasts.map(|past| (Form::Past, past.to_owned()))),
            None => forms.push((Form::Past, past(base, &stem))),
        }
        forms.push((Form::Gerund, format!("{stem}ing")));
    }
    forms
}

/// Returns the past and the participle of each irregular verb.
fn irregular_verbs() -> HashMap<&'static str, [&'static str; 2], FixedState> {
    let verb = |verb: &'static str| {
        let mut words = verb.split_whitespace();
        Some((words.next()?, [words.next()?, words.next()?]))
    };
    IRREGULAR.split(',').filter_map(verb).collect()
}

fn past(base: &str, stem: &str) -> String {
    match base.strip_suffix('y') {
        Some(start) if !ends_in_vowel(start) => format!("{start}ied"),
        _ => format!("{stem}ed"),
    }
}

fn with_s(base: &str) -> String {
    match base.strip_suffix('y') {
        Some(start) if !ends_in_vowel(start) => format!("{start}ies"),
        _ if base.ends_with(['s', 'x', 'z']) || base.ends_with("ch") || base.ends_with("sh") => {
            format!("{base}es")
        }
        _ if ["do", "go"].contains(&base) => format!("{base}es"),
        _ => format!("{base}s"),
    }
}

/// Returns the stem before `ed` and `ing`: `mov` for "move", `stopp` for "stop".
fn stem_before_vowel(base: &str) -> String {
    if let Some(stem) = base.strip_suffix('e').filter(|stem| !stem.ends_with('e')) {
        return stem.to_owned();
    }
    if let [.., before, vowel, last] = base.as_bytes()
        && is_short(base)
        && !is_vowel(*before)
        && is_vowel(*vowel)
        && !is_vowel(*last)
        && !matches!(last, b'w' | b'x' | b'y')
    {
        return format!("{base}{}", char::from(*last));
    }
    base.to_owned()
}

/// Whether a word has one syllable or a stressed last one: only such words double their last letter.
fn is_short(base: &str) -> bool {
    const STRESSED: &[&str] = &[
        "omit", "submit", "commit", "permit", "emit", "forget", "begin", "reset", "setup", "refer",
        "prefer", "log",
    ];
    let vowels = base.bytes().filter(|byte| is_vowel(*byte)).count();
    vowels == 1 || STRESSED.contains(&base)
}

fn ends_in_vowel(word: &str) -> bool {
    word.bytes().last().is_some_and(is_vowel)
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_listed_once_per_class() {
        for (class, _, bases) in CLASSES {
            let mut seen = foldhash::HashSet::default();
            for base in bases.split_whitespace() {
                assert!(seen.insert(base), "{class}: {base}");
            }
        }
    }

    #[test]
    fn regular_and_irregular_forms_are_derived() {
        for (base, wanted) in [
            ("move", "move moves moved moving"),
            ("stop", "stop stops stopped stopping"),
            ("copy", "copy copies copied copying"),
            ("display", "display displays displayed displaying"),
            ("fix", "fix fixes fixed fixing"),
            ("write", "write writes wrote written writing"),
            ("open", "open opens opened opening"),
        ] {
            let found: Vec<String> = forms(base, Verb, irregular_verbs().get(base))
                .into_iter()
                .map(|(_, word)| word)
                .collect();
            assert_eq!(found.join(" "), wanted);
        }
    }
}
