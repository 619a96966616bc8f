//! Defines questions and answers, the same for HTTP and the command line: [`request`] validates the question, [`answer`]
//! is the answer as JSON, [`lookup`] has direct lookups. The names of choices that several modules use are here.

/// Converts a name on the wire to its meaning in the engine, which has members of the same names.
macro_rules! same_members {
    ($name:ident => $meaning:ident { $($member:ident),+ }) => {
        impl From<$name> for $meaning {
            fn from(name: $name) -> Self {
                match name {
                    $($name::$member => Self::$member,)+
                }
            }
        }
    };
}
pub(crate) use same_members;

pub mod answer;
pub mod diff_range;
pub mod lookup;
pub mod request;
pub mod unknown_field;
pub mod whole_number;
pub mod wrong_value;

use clap::ValueEnum;
use foveate_query::{Breadth, Format, IntentKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Kind of help that is asked for. Decides how the budget is shared.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[value(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum IntentName {
    BugFix,
    TestWriting,
    Refactor,
    Implementation,
    UsageExploration,
    DefinitionLookup,
    Explanation,
}

same_members!(IntentName => IntentKind {
    BugFix, TestWriting, Refactor, Implementation, UsageExploration, DefinitionLookup, Explanation
});

/// Format of the context.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum FormatName {
    #[default]
    Xml,
    Markdown,
    Json,
}

same_members!(FormatName => Format { Xml, Markdown, Json });

/// How much of the budget is used: only for what is likely to be changed, for what is worth its tokens, or
/// for whatever fits.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    JsonSchema,
    ValueEnum,
)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum BreadthName {
    Precise,
    #[default]
    Balanced,
    Wide,
}

same_members!(BreadthName => Breadth { Precise, Balanced, Wide });

/// Length of a period: a day, or a week from Monday, in UTC.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ByName {
    Day,
    #[default]
    Week,
}
