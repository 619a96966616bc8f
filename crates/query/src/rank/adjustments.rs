//! Adjusts the weighted sums of signals by what files are for: scales them by the role of the file, and raises those of
//! files whose kind, description or heading a short query asks for. Queries are about source code unless they say that
//! they are about something else.

use foldhash::HashMap;
use foveate_index::{ChunkId, FileId, Files};
use foveate_model::{FileKind, Role};
use foveate_parse::origin::{self, Origin};

use super::project_names::ProjectNames;
use super::purposes;
use super::ranked::Signal;
use super::subject::Subject;
use super::weights::{RoleConfig, RoleFactors};
use crate::intent::{self, AskedKinds, IntentKind};
use crate::resolve::{NamedLine, NamedSection};
use crate::text::{QueryText, SegmentKind, asked_releases};

/// Signals of at most this amount are rounding errors and not listed.
const ROUNDING: f32 = 1e-5;
/// Factor of the weight that a heading which the query names adds to the score of its stretch; its file gets the weight
/// once. The number of a release is no word of the index, so that other sections of the file may have all of the words.
const HEADING_FACTOR: f32 = 2.0;
/// The signal of what the query describes or names by a heading.
const DESCRIBED: &str = "described";

/// The factors and additions for one query.
#[derive(Clone, Debug)]
pub(super) struct Adjustments {
    /// Factors that take into account which roles the query asks for.
    factors: RoleFactors,
    /// Factors of a query that asks for no role.
    default_factors: RoleFactors,
    /// The minimum factor of a role that the query asks for.
    asked_factor: f32,
    /// The factor of a file that the query asks for.
    named_factor: f32,
    /// The files that the query asks for: those that a short query names by their paths, and those at the places of a query
    /// that says little else.
    named: Vec<(FileId, Role)>,
    is_short: bool,
    subject: Subject,
    /// The kinds of files that a short query asks for in words.
    kinds: Option<AskedKinds>,
    /// Whether changelogs may be raised. They repeat the words of all documentation.
    asks_changelogs: bool,
    /// The weight of a kind's lift, and the largest lift.
    kind_weight: f32,
    max_lift: f32,
    /// The well-known files that a short query describes: see [`purposes::described`].
    described: HashMap<FileId, f32>,
    described_weight: f32,
    /// The stretches with headings that the query names.
    headings: Vec<ChunkId>,
    /// The stretches with lines that the query names.
    lines: Vec<ChunkId>,
}

impl Adjustments {
    pub(super) fn of(
        text: &QueryText,
        intent: IntentKind,
        config: &RoleConfig,
        project: &ProjectNames,
    ) -> Self {
        let requested = RequestedRoles::new(text, config, project);
        Self {
            factors: requested.factors(intent),
            default_factors: config.factors,
            asked_factor: config.asked,
            named_factor: config.ordered,
            named: Vec::new(),
            is_short: requested.is_short,
            subject: requested.subject,
            kinds: requested.kinds,
            asks_changelogs: requested.asks_changelogs,
            kind_weight: config.kind_weight,
            max_lift: config.max_lift,
            described: HashMap::default(),
            described_weight: config.described_weight,
            headings: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Sets the files that the query names by their paths. A short query that names a file asks for that file and
    /// for no other of its role.
    pub(super) fn with_named(mut self, named: impl Iterator<Item = (FileId, Role)>) -> Self {
        if self.is_short {
            self.named = named.collect();
        }
        self
    }

    /// Adds the files that a query leads to by frames, messages or lines, if it says little else: it asks for them. A test
    /// fails at its own lines, whatever the cause is.
    pub(super) fn with_files_at_places(mut self, files: &Files, at_places: Vec<FileId>) -> Self {
        let at_places = at_places.into_iter();
        let files = at_places.map(|file| (file, files.file(file).role));
        let is_asked = |role: Role| !matches!(role, Role::Test | Role::Generated);
        self.named.extend(files.filter(|(_, role)| is_asked(*role)));
        self
    }

    /// Sets the files that a short query without code describes: see [`purposes::described`].
    /// `is_asked` tells whether the query has a term, by its hash.
    pub(super) fn with_described(
        mut self,
        files: &Files,
        project: &ProjectNames,
        is_asked: impl Fn(u64) -> bool,
    ) -> Self {
        if self.kinds.is_some() {
            self.described = purposes::described(files, project, is_asked);
        }
        self
    }

    /// Sets the sections that the query names by their headings: it describes their files fully.
    pub(super) fn with_sections(mut self, sections: &[NamedSection]) -> Self {
        self.headings = sections.iter().map(|section| section.chunk).collect();
        let files = sections.iter().map(|section| (section.file, 1.0));
        self.described.extend(files);
        self
    }

    /// Sets the lines that the query names outside functions.
    pub(super) fn with_lines(mut self, lines: &[NamedLine]) -> Self {
        self.lines = lines.iter().map(|line| line.chunk).collect();
        self
    }

    /// Returns the signal of a stretch with a heading or a line that the query names.
    pub(super) fn heading(&self, id: ChunkId) -> Option<Signal> {
        let factor = match self.headings.contains(&id) {
            true => HEADING_FACTOR,
            false if self.lines.contains(&id) => 1.0,
            false => return None,
        };
        Some(Signal {
            name: DESCRIBED,
            value: factor * self.described_weight,
        })
    }

    /// Returns the files that a short query describes by what they decide, each with its strength.
    pub(super) fn described(&self) -> &HashMap<FileId, f32> {
        &self.described
    }

    /// Whether documentation counts as much as it does in a query that asks for it.
    pub(super) fn asks_documentation(&self) -> bool {
        self.factors.documentation >= self.asked_factor
    }

    /// Returns the score of a file, or of a place in it, from the weighted sum of its signals.
    pub(super) fn score(&self, files: &Files, file: FileId, role: Role, sum: f32) -> f32 {
        let added: f32 = self.of_purpose(files, file, role).iter().sum();
        sum * self.factor(files, file, role) + added
    }

    /// Returns the signals of a file, or of a place in it, largest first, completed so that they sum to its score: with
    /// `kind` and `described`, which the purpose of the file adds, and `role`, the effect of the factor of its role. A
    /// place may be described itself.
    pub(super) fn explain(
        &self,
        files: &Files,
        file: FileId,
        role: Role,
        score: f32,
        mut signals: Vec<Signal>,
    ) -> Vec<Signal> {
        let sum: f32 = signals.iter().map(|signal| signal.value).sum();
        let [kind, described] = self.of_purpose(files, file, role);
        let role = score - sum - kind - described;
        for (name, value) in [("kind", kind), (DESCRIBED, described), ("role", role)] {
            match signals.iter_mut().find(|signal| signal.name == name) {
                Some(signal) => signal.value += value,
                None => signals.push(Signal { name, value }),
            }
        }
        signals.retain(|signal| signal.value.abs() > ROUNDING);
        signals.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.name.cmp(b.name)));
        signals
    }

    /// Returns the amounts that the purpose of a file adds to a score: for its kind, and for being described by the
    /// query.
    fn of_purpose(&self, files: &Files, file: FileId, role: Role) -> [f32; 2] {
        let Some(asked) = &self.kinds else {
            return [0.0; 2];
        };
        let kind = match role {
            Role::Test => None,
            _ => files.file(file).purpose.kind,
        };
        let is_changelog = kind == Some(FileKind::Changelog);
        let mut lift = kind.map_or(0.0, |kind| asked.lift(kind));
        let mut described = self.described.get(&file).copied().unwrap_or(0.0);
        if is_changelog && self.subject == Subject::Release {
            lift = self.max_lift;
        } else if is_changelog && !self.asks_changelogs {
            lift = lift.min(0.0);
        } else if kind.is_some_and(|kind| !self.subject.may_be_in(kind)) {
            (lift, described) = (lift.min(0.0), 0.0);
        }
        [
            self.kind_weight * lift.clamp(-self.max_lift, self.max_lift),
            self.described_weight * described,
        ]
    }

    /// Returns the factor on the scores of a file and of the places in it.
    pub(super) fn factor(&self, files: &Files, file: FileId, role: Role) -> f32 {
        if self.named.iter().any(|(named, _)| *named == file) {
            return self.named_factor;
        }
        let is_held_back = role == Role::Documentation
            && !self.asks_changelogs
            && files.file(file).purpose.kind == Some(FileKind::Changelog);
        let is_meant = !is_held_back && self.named.iter().all(|(_, of)| *of != role);
        of_role(
            if is_meant {
                &self.factors
            } else {
                &self.default_factors
            },
            role,
        )
    }
}

/// The roles and kinds of files that a query asks for.
struct RequestedRoles<'a> {
    text: &'a QueryText,
    config: &'a RoleConfig,
    project: &'a ProjectNames,
    title_words: Vec<&'a str>,
    is_short: bool,
    /// Whether it has a frame or a message about code that is not installed from elsewhere: it reports a failure and orders
    /// nothing.
    has_frame: bool,
    subject: Subject,
    /// The kinds of files that a short query asks for in words.
    kinds: Option<AskedKinds>,
    /// Whether it asks for notes on releases.
    asks_changelogs: bool,
}

impl<'a> RequestedRoles<'a> {
    fn new(text: &'a QueryText, config: &'a RoleConfig, project: &'a ProjectNames) -> Self {
        let is_short = is_short(text, config);
        let title_words = title_words(text);
        let subject = Subject::of(text, &title_words, config);
        Self {
            text,
            config,
            project,
            is_short,
            has_frame: (text.frames.iter()).any(|frame| origin::of_frame(frame) == Origin::Project),
            subject,
            kinds: may_ask_for_kinds(text, config)
                .then(|| AskedKinds::of(text, |word| project.contain(word))),
            asks_changelogs: subject == Subject::Release
                || is_short && asks_changelogs(text, config)
                || names_changelog(&title_words, config),
            title_words,
        }
    }

    /// Returns the factors of all roles.
    fn factors(&self, intent: IntentKind) -> RoleFactors {
        let usual = self.config.factors;
        RoleFactors {
            documentation: self.documentation(usual.documentation),
            configuration: self.configuration(usual.configuration),
            data: (self.by_words(&self.config.data_words, &[])).max(usual.data),
            test: match intent {
                IntentKind::TestWriting => usual.test.max(self.config.asked),
                _ => usual.test,
            },
            ..usual
        }
    }

    fn documentation(&self, usual: f32) -> f32 {
        let config = self.config;
        match self.subject {
            Subject::Release => return config.ordered,
            Subject::DocComments => return usual,
            Subject::Other => {}
        }
        let by_words = match self.is_short && intent::asks_how_to(self.text) {
            // Documentation answers a how-to question.
            true => config.ordered,
            false => self.by_words(&config.documentation_words, &config.documentation_orders),
        };
        let is_meant = |kind: FileKind| match kind {
            FileKind::Changelog => self.asks_changelogs,
            _ => kind.is_documentation(),
        };
        self.by_kind(is_meant, usual).max(by_words)
    }

    fn configuration(&self, usual: f32) -> f32 {
        let config = self.config;
        if self.subject == Subject::Release {
            return usual;
        }
        let by_words = self.by_words(&config.configuration_words, &config.configuration_orders);
        let is_settings = |kind: FileKind| kind != FileKind::Source && !kind.is_documentation();
        self.by_kind(is_settings, usual).max(by_words)
    }

    /// Returns the minimum factor of a role that the title asks for with one of these words; 0 for other roles. Issues
    /// mention many words in passing; in a short question or order, each word is meant.
    fn by_words(&self, words: &[String], orders: &[String]) -> f32 {
        match self.is_short {
            true if self.has_in_title(words) => self.config.ordered,
            true if !self.has_frame && self.has_in_title(orders) => self.config.ordered,
            false if self.has_in_title(words) => self.config.asked,
            _ => 0.0,
        }
    }

    fn has_in_title(&self, words: &[String]) -> bool {
        let is_in_title = |known: &String| {
            let mut title = self.title_words.iter();
            title.any(|word| known.eq_ignore_ascii_case(word))
        };
        let mut asking = words.iter().filter(|word| !self.project.contain(word));
        asking.any(is_in_title)
    }

    /// Returns the factor of a role by the probability that the query asks for its kinds of files.
    fn by_kind(&self, is_meant: impl Fn(FileKind) -> bool, usual: f32) -> f32 {
        let kinds = self.kinds.as_ref();
        let probability = kinds.map_or(0.0, |kinds| kinds.probability(is_meant));
        self.config.factor_of_asked(usual, probability)
    }
}

fn is_short(text: &QueryText, config: &RoleConfig) -> bool {
    let segments = text.segments.iter();
    let words = segments.map(|segment| segment.text.split_whitespace().count());
    words.sum::<usize>() <= config.max_short_query_words
}

/// Whether a query is short and has no code: its words may ask for kinds of files.
pub(super) fn may_ask_for_kinds(text: &QueryText, config: &RoleConfig) -> bool {
    is_short(text, config) && !has_code(text)
}

/// Returns the words of the title and of the first label, which is the tag before the title.
pub(super) fn title_words(text: &QueryText) -> Vec<&str> {
    let segments = text.segments.iter();
    let title = segments.filter(|segment| segment.kind == SegmentKind::Title);
    let title = title.map(|segment| segment.text.as_str());
    title
        .chain(text.labels.first().map(String::as_str))
        .flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '.'))
        .collect()
}

/// Whether a query asks for notes on releases, by name or by the number of a release. They are written in the words of the
/// changes that they are about, so that these words alone ask for the changed code.
fn asks_changelogs(text: &QueryText, config: &RoleConfig) -> bool {
    let segments = text.segments.iter();
    let mut words = segments.flat_map(|segment| segment.text.split(|c: char| !c.is_alphanumeric()));
    let is_named = |word: &str| {
        let mut known = config.changelog_words.iter();
        known.any(|known| known.eq_ignore_ascii_case(word))
    };
    words.any(is_named) || !asked_releases(text).is_empty()
}

/// Whether a title asks for documentation by a word for notes on releases, which an issue of any length may do.
fn names_changelog(title_words: &[&str], config: &RoleConfig) -> bool {
    let known = config.documentation_words.iter();
    let mut known = known.filter(|known| config.changelog_words.contains(known));
    known.any(|known| {
        let mut words = title_words.iter();
        words.any(|word| known.eq_ignore_ascii_case(word))
    })
}

/// Whether a query contains code or a failure: then it is about that, whatever its words are.
fn has_code(text: &QueryText) -> bool {
    let mut segments = text.segments.iter();
    segments.any(|segment| match segment.kind {
        SegmentKind::CodeBlock | SegmentKind::Traceback | SegmentKind::ErrorMessage => true,
        SegmentKind::Title | SegmentKind::Prose | SegmentKind::InlineCode | SegmentKind::Quoted => {
            false
        }
    })
}

fn of_role(factors: &RoleFactors, role: Role) -> f32 {
    match role {
        Role::Source => factors.source,
        Role::Test => factors.test,
        Role::Documentation => factors.documentation,
        Role::Configuration => factors.configuration,
        Role::Generated => factors.generated,
        Role::Data => factors.data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankingConfig;

    fn check(query: &str, intent: IntentKind, raised: Option<Role>) {
        let config = &RankingConfig::default().rank.role;
        let snapshot = foveate_fixture::snapshot::of_text("//- docs/guide.md\n# Guide\n");
        let adjustments = Adjustments::of(
            &QueryText::parse(query),
            intent,
            config,
            &ProjectNames::default(),
        );
        for role in [
            Role::Documentation,
            Role::Configuration,
            Role::Test,
            Role::Data,
        ] {
            let is_raised = adjustments.factor(&snapshot.files, FileId(0), role) >= config.asked;
            assert_eq!(is_raised, raised == Some(role), "{query}: {role:?}");
        }
    }

    #[test]
    fn role_factor_is_raised_if_asked_for() {
        let bug = IntentKind::BugFix;
        check(
            "Wrong fact in the documentation of tasks",
            bug,
            Some(Role::Documentation),
        );
        check(
            "Docs: use code blocks\n\nIn the guide.",
            bug,
            Some(Role::Documentation),
        );
        check("Locale of Brazil is wrong", bug, Some(Role::Data));
        check("Migration 12 fails without carts", bug, Some(Role::Data));
        check("Add a linter to CI", bug, Some(Role::Configuration));
        check(
            "Cover the parser",
            IntentKind::TestWriting,
            Some(Role::Test),
        );
        let usage = IntentKind::UsageExploration;
        let documentation = Some(Role::Documentation);
        check("How do I upload a file?", usage, documentation);
        check("Can I use it without a server?", usage, documentation);
        check("Who calls `upload`?", usage, None);
        check("Mention it in the guide", bug, Some(Role::Documentation));
        check("Raise the minimum version", bug, Some(Role::Configuration));
        let long = format!("Raise the minimum version\n\n{}", "It crashes. ".repeat(40));
        check(&long, bug, None);
        check("Crash on save\n\nThe docs say otherwise.", bug, None);
    }

    #[test]
    fn short_query_raises_the_kind_of_file_that_it_asks_for() {
        let config = &RankingConfig::default().rank.role;
        let snapshot = foveate_fixture::snapshot::of_text(
            "
            //- .github/workflows/nightly.yml
            on: push
            //- config/app.yml
            a: 1
            //- src/job.py
            a = 1
            ",
        );
        let files = &snapshot.files;
        let order = |query: &str| {
            let adjustments = Adjustments::of(
                &QueryText::parse(query),
                IntentKind::BugFix,
                config,
                &ProjectNames::default(),
            );
            [
                "config/app.yml",
                ".github/workflows/nightly.yml",
                "src/job.py",
            ]
            .map(|path| {
                let file = files.find(path).expect("a file");
                adjustments.score(files, file, files.file(file).role, 0.0)
            })
        };
        let [setting, workflow, source] = order("The nightly job ran into its timeout again");
        assert!(workflow > setting && setting > source);
        let report = "The nightly job ran into its timeout again\n\n```\njob.run()\n```";
        assert_eq!(order(report), [0.0; 3]);
    }

    #[test]
    fn changelog_is_raised_only_by_a_query_that_asks_for_it() {
        let config = &RankingConfig::default().rank.role;
        let snapshot = foveate_fixture::snapshot::of_text(
            "
            //- CHANGELOG.md
            # 1.0
            //- docs/guide.md
            # Uploads
            ",
        );
        let files = &snapshot.files;
        let scores = |query: &str, intent| {
            let adjustments = Adjustments::of(
                &QueryText::parse(query),
                intent,
                config,
                &ProjectNames::default(),
            );
            ["CHANGELOG.md", "docs/guide.md"].map(|path| {
                let file = files.find(path).expect("a file");
                adjustments.score(files, file, Role::Documentation, 1.0)
            })
        };
        let usage = IntentKind::UsageExploration;
        let [changelog, guide] = scores("How do I upload a large file?", usage);
        assert!(changelog <= config.factors.documentation && guide > changelog);
        let wording = "Fixed the wording of the numbers";
        let [changelog, _] = scores(wording, IntentKind::BugFix);
        assert!(changelog <= config.factors.documentation);
        let named = format!("{wording} in the changelog");
        let [changelog, _] = scores(&named, IntentKind::BugFix);
        assert!(changelog > config.ordered);
        let long = format!("{named}\n\n{}", "It has them as words. ".repeat(20));
        let [changelog, _] = scores(&long, IntentKind::BugFix);
        assert!(changelog >= config.asked);
        let [changelog, _] = scores("How do I find what changed in uploads?", usage);
        assert!(changelog >= config.ordered);
    }

    #[test]
    fn question_for_the_release_of_a_change_raises_no_manifest() {
        let config = &RankingConfig::default().rank.role;
        let snapshot = foveate_fixture::snapshot::of_text(
            "
            //- CHANGELOG.md
            # 1.0
            //- Cargo.toml
            [package]
            version = '1.0.0'
            ",
        );
        let files = &snapshot.files;
        let scores = |query: &str| {
            let text = QueryText::parse(query);
            let adjustments = Adjustments::of(
                &text,
                IntentKind::DefinitionLookup,
                config,
                &ProjectNames::default(),
            );
            let adjustments = adjustments.with_described(files, &ProjectNames::default(), |_| true);
            ["CHANGELOG.md", "Cargo.toml"].map(|path| {
                let file = files.find(path).expect("a file");
                adjustments.score(files, file, files.file(file).role, 1.0)
            })
        };
        let [changelog, manifest] = scores("Which version dropped Python 2?");
        assert!(changelog > config.ordered && manifest <= config.factors.configuration);
        let [_, manifest] = scores("Which version of Python is the minimum?");
        assert!(manifest > config.factors.configuration);
    }

    #[test]
    fn comments_in_code_raise_no_documents() {
        let config = &RankingConfig::default().rank.role;
        let snapshot = foveate_fixture::snapshot::of_text("//- docs/guide.md\n# Uploads\n");
        let score = |query: &str| {
            let text = QueryText::parse(query);
            let adjustments =
                Adjustments::of(&text, IntentKind::BugFix, config, &ProjectNames::default());
            adjustments.score(&snapshot.files, FileId(0), Role::Documentation, 1.0)
        };
        assert!(score("Fix the doc of uploads") > config.factors.documentation);
        assert!(score("Fix the doc block of uploads") <= config.factors.documentation);
    }

    #[test]
    fn short_query_raises_only_the_file_it_names() {
        let config = &RankingConfig::default().rank.role;
        let of = |query: &str| {
            let text = QueryText::parse(query);
            let named = [(FileId(7), Role::Configuration)].into_iter();
            Adjustments::of(
                &text,
                IntentKind::Implementation,
                config,
                &ProjectNames::default(),
            )
            .with_named(named)
        };
        let snapshot = foveate_fixture::snapshot::of_text("");
        let files = &snapshot.files;
        let adjustments = of("Bump the version in setup.cfg");
        let factor = |file| adjustments.factor(files, FileId(file), Role::Configuration);
        assert_eq!(
            (factor(7), factor(8)),
            (config.ordered, config.factors.configuration)
        );
        let long = of(&"It crashes. ".repeat(40));
        let factor = long.factor(files, FileId(7), Role::Configuration);
        assert_eq!(factor, config.factors.configuration);
    }
}
