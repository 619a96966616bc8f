//! Derives the roles of files from their paths, for Java and languages whose builds have the same layout.

use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_names: &[
            "r.java", "buildconfig.java", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd",
        ],
        generated_endings: &["grpc.java", "outerclass.java"],
        generated_directories: &["generated-sources", "generated-src", "gen-java", "src-gen"],
        configuration_names: &[
            "pom.xml", "build.gradle", "settings.gradle", "gradle.properties", "build.xml",
        ],
        ..Ecosystem::NONE
    },
    is_test: |file| {
        let mut endings = ["Test", "Tests", "TestCase"].iter();
        let is_named = endings.any(|ending| file.path.stem().ends_with(ending));
        is_named && !is_in_shipped_sources(file)
            || is_integration_test(file)
            || is_in_test_sources(file)
    },
    is_test_package,
    is_test_support: |file| is_shipped(file, file.directories.len()),
    ..Roles::NONE
};

/// Whether a file is an integration test: `CartIT.java`
pub(in crate::languages) fn is_integration_test(file: &File<'_>) -> bool {
    let before = file.path.stem().strip_suffix("IT");
    before.is_some_and(|name| name.ends_with(|c: char| c.is_lowercase()))
}

/// Whether a file is in a source set for tests: `src/commonTest/kotlin/…`, `src/androidTest/java/…`,
/// `src/testFixtures/java/…`
pub(in crate::languages) fn is_in_test_sources(file: &File<'_>) -> bool {
    let mut pairs = file.directories.windows(2);
    pairs.any(|pair| match pair {
        [above, set] if above == "src" => {
            set.ends_with("test") || matches!(set.as_str(), "testfixtures" | "it" | "jmh")
        }
        _ => false,
    })
}

/// Whether a file is in a source set that is not for tests: `src/main/java/…`, `src/commonMain/kotlin/…`. A class there
/// may well be called `ConnectionSpec` or `LoadTest`.
pub(in crate::languages) fn is_in_shipped_sources(file: &File<'_>) -> bool {
    let mut above = file.directories.windows(3);
    let is_source_set = above.any(|above| match above {
        [src, _, language] => {
            src == "src" && matches!(language.as_str(), "java" | "kotlin" | "scala" | "groovy")
        }
        _ => false,
    });
    is_source_set && !is_in_test_sources(file)
}

/// Whether `src/main/java/org/acme/test/…` is a shipped package, with which other projects write their
/// tests.
pub(in crate::languages) fn is_test_package(file: &File<'_>, at: usize) -> bool {
    is_shipped(file, at)
}

/// Whether the directories before a position belong to shipped sources.
fn is_shipped(file: &File<'_>, end: usize) -> bool {
    let above = file.directories.get(..end).unwrap_or_default();
    let mut pairs = above.windows(2);
    pairs.any(|pair| matches!(pair, [src, set] if src == "src" && set.ends_with("main")))
}
