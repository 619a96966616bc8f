//! Registers C#.

mod modules;
mod traces;
mod walker;

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::hunks::heads::{HunkHeads, last_word, without_annotations, words};
use crate::languages::java::heads;
use crate::languages::typed_heads;
use crate::origin::form::OriginForm;
use crate::role::conventions::{Ecosystem, File, Roles, is_test_class};

pub(super) static CSHARP: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["packages.lock.json"],
        ..Names::extensions(&["cs"])
    },
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            generated_endings: &[".g.cs", ".g.i.cs", ".designer.cs", ".feature.cs"],
            configuration_names: &[
                "nuget.config", "global.json", "packages.config", "app.config", "web.config",
            ],
            configuration_endings: &[
                ".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".props", ".targets", ".nuspec",
                ".ruleset",
            ],
            well_known: include_str!("csharp/well_known.txt"),
            ..Ecosystem::NONE
        },
        is_test: |file| is_test_class(file) || is_in_test_project(file),
        is_example: is_in_example_project,
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["cs", "csharp", "c#", "razor"],
        lines: &[
            Line::when("using ", |line| {
                using_name(line.trim_end_matches(';')).is_some() && line.ends_with(';')
            }),
            Line::when("namespace ", |line| {
                !line.contains(['\\', ':']) && !line.ends_with('{')
            }),
            Line::starting("public async Task"),
            Line::starting("internal class "),
            Line::starting("public sealed class "),
            Line::starting("public partial class "),
            Line::starting("var builder = WebApplication"),
        ],
        pasted: &["public async Task"],
        imports: Some(Imports {
            brackets: |line| using_name(line.trim_end_matches(';')).map(|_| [].as_slice()),
            names: |statement| Some(vec![using_name(statement)?.to_owned()]),
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        // Frames without debug symbols have a path made of their namespace and class.
        runtime: |path| {
            let is_own = path.starts_with("System/") && path.ends_with(".cs");
            is_own.then_some(path)
        },
        runtime_packages: &["System."],
        ..OriginForm::NONE
    },
    hunks: Some(HunkHeads {
        named: head_name,
        is_definition: begins_definition,
        ..heads("csharp", &["cs"])
    }),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        star_imports_are_transitive: false,
        imports_reach_members: true,
        paths_may_be_qualified: true,
        unbound_types_are_external: true,
        class_bodies_are_scopes: true,
        members_are_bare: true,
        has_extensions: true,
        receivers: &[("base", Receiver::Super), ("this", Receiver::Instance)],
        super_name: Some("base"),
        globals: GLOBALS,
        builtin_members: BUILTIN_MEMBERS,
        element_getters: ELEMENT_GETTERS,
        element_views: ELEMENT_VIEWS,
        elements_are_implicit: true,
        ..LookupRules::DEFAULT
    },
    tests: TestConventions {
        package_stems: &[],
        file_endings: &[".tests", ".test", "_tests", "_test"],
        file_beginnings: &[],
        file_class_endings: &[
            "Tests", "Test", "Specs", "Spec", "Should", "Facts", "Fixture",
        ],
        general_stems: &["tests"],
        directories: &["test", "tests", "unittests", "integrationtests"],
        source_directories: &["src", "source"],
        function_beginnings: &[],
        function_decorators: &[
            "Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod",
            "Property", "SkippableFact", "SkippableTheory", "ConditionalFact", "ConditionalTheory",
            "StaFact", "WpfFact", "UIFact", "Benchmark", "FactAttribute", "TestAttribute",
            "TestMethodAttribute",
        ],
        class_beginnings: &["Test"],
        class_endings: &[
            "TestCase", "Tests", "Test", "Specs", "Spec", "Facts", "Fixture", "Should",
        ],
    },
    ..LanguageRules::new("csharp", 14)
};

/// Whether a directory is named like a project of tests or benchmarks: `Shop.Tests/`, `Shop.Tests.Web/`, `ShopTests/`,
/// `Shop.Benchmarks/`.
fn is_in_test_project(file: &File<'_>) -> bool {
    const ENDINGS: [&str; 4] = ["Tests", "UnitTest", "IntegrationTest", "Benchmarks"];
    is_in_project(file, &ENDINGS, &["Test", "Specs", "Benchmark"])
}

/// Whether a directory is named like a project of examples: `Shop.Samples/`, `ShopSamples/`, `Shop.Demo/`. A directory
/// `Samples/` may well hold what the code is about.
fn is_in_example_project(file: &File<'_>) -> bool {
    const AFTER_DOT: [&str; 7] = [
        "Sample", "Samples", "Example", "Examples", "Demo", "Demos", "Snippets",
    ];
    let is_joined = |directory: &str| {
        let name = directory.strip_suffix("Samples");
        name.is_some_and(|name| name.ends_with(|c: char| c.is_alphanumeric()))
    };
    let mut directories = file.path.directory().split('/');
    is_in_project(file, &[], &AFTER_DOT) || directories.any(is_joined)
}

/// Whether a directory's name, split at dots, has a part with one of these endings, or one of these names after a dot.
fn is_in_project(file: &File<'_>, endings: &[&str], after_dot: &[&str]) -> bool {
    let has_ending = |part: &str| endings.iter().any(|ending| part.ends_with(ending));
    let mut directories = file.path.directory().split('/');
    directories.any(|directory| {
        let mut parts = directory.split('.');
        parts.next().is_some_and(has_ending)
            || parts.any(|part| has_ending(part) || after_dot.contains(&part))
    })
}

/// Returns the name in `using A.B`, `using static A.B.C`, `using D = A.B.C` and `global using A.B`. A
/// `using` block and a `using` variable, which is disposed at the end of its block, begin with the same
/// word and give `None`.
fn using_name(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("global ").unwrap_or(statement);
    let rest = rest.strip_prefix("using ")?;
    let rest = rest.strip_prefix("static ").unwrap_or(rest);
    let name = rest.split_once(" = ").map_or(rest, |(_, name)| name).trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    (name.starts_with(char::is_uppercase) && name.chars().all(is_name)).then_some(name)
}

/// Types of the class library whose names repositories do not use for their own types, sorted.
const GLOBALS: &[&str] = &[
    "Action", "Activator", "AggregateException", "ArgumentException", "ArgumentNullException",
    "ArgumentOutOfRangeException", "Array", "ArrayList", "Assembly", "Attribute", "Boolean",
    "Buffer", "Byte", "CancellationToken", "CancellationTokenSource", "Char",
    "ConcurrentDictionary", "Console", "Convert", "CultureInfo", "DateTime", "DateTimeOffset",
    "Decimal", "Delegate", "Dictionary", "Directory", "DirectoryInfo", "Double", "Encoding",
    "Enum", "Enumerable", "Environment", "EventArgs", "EventHandler", "Exception", "Expression",
    "File", "FileInfo", "FileStream", "FormatException", "Func", "GC", "Guid", "HashSet",
    "HttpClient", "IAsyncEnumerable", "ICollection", "IComparable", "IDictionary", "IDisposable",
    "IEnumerable", "IEnumerator", "IEquatable", "IList", "IOException", "IQueryable",
    "IReadOnlyCollection", "IReadOnlyDictionary", "IReadOnlyList", "IServiceProvider",
    "IndexOutOfRangeException", "Int16", "Int32", "Int64", "IntPtr", "Interlocked",
    "InvalidCastException", "InvalidOperationException", "KeyNotFoundException", "KeyValuePair",
    "Lazy", "List", "Math", "MemberInfo", "MemoryStream", "MethodInfo", "Monitor",
    "NotImplementedException", "NotSupportedException", "NullReferenceException", "Nullable",
    "Object", "ObjectDisposedException", "Obsolete", "OperationCanceledException",
    "OutOfMemoryException", "Path", "Predicate", "PropertyInfo", "Queue", "Random", "Regex",
    "Serializable", "Single", "SortedDictionary", "Span", "Stack", "StackOverflowException",
    "Stopwatch", "Stream", "StreamReader", "StreamWriter", "String", "StringBuilder",
    "StringComparer", "StringComparison", "StringReader", "StringWriter", "Task",
    "TaskCompletionSource", "TextReader", "TextWriter", "Thread", "TimeSpan", "TimeoutException",
    "Tuple", "Type", "UInt16", "UInt32", "UInt64", "Uri", "ValueTask", "Version", "nameof",
];

/// Methods of collections that return an element or a value, sorted.
const ELEMENT_GETTERS: &[&str] = &[
    "AddOrUpdate", "Dequeue", "ElementAt", "GetOrAdd", "GetValueOrDefault", "Peek", "Pop",
];

/// Members of collections, and of the pairs in maps, that are or return others with the same elements, sorted.
const ELEMENT_VIEWS: &[&str] = &["Reverse", "Skip", "Take", "Value", "Values"];

/// Members of types of the class library, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "Add", "AddRange", "Aggregate", "All", "Any", "Append", "AppendLine", "AsReadOnly", "Average",
    "Cast", "Clear", "Clone", "Close", "CompareTo", "Concat", "Contains", "ContainsKey",
    "ContainsValue", "CopyTo", "Count", "DefaultIfEmpty", "Dequeue", "Dispose", "Distinct",
    "ElementAt", "EndsWith", "Enqueue", "Equals", "Except", "Exists", "Find", "FindAll",
    "FindIndex", "First", "FirstOrDefault", "Flush", "ForEach", "Format", "GetEnumerator",
    "GetHashCode", "GetType", "GetValueOrDefault", "GroupBy", "HasValue", "IndexOf", "Insert",
    "Intersect", "Invoke", "IsNullOrEmpty", "IsNullOrWhiteSpace", "Join", "Key", "Keys", "Last",
    "LastIndexOf", "LastOrDefault", "Length", "Max", "Min", "MoveNext", "OfType", "OrderBy",
    "OrderByDescending", "Peek", "Pop", "Push", "Read", "ReadLine", "ReadToEnd", "Remove",
    "RemoveAll", "RemoveAt", "Replace", "Result", "Reverse", "Select", "SelectMany",
    "SequenceEqual", "Single", "SingleOrDefault", "Skip", "Sort", "Split", "StartsWith",
    "Substring", "Sum", "Take", "TakeWhile", "ThenBy", "ToArray", "ToDictionary", "ToList",
    "ToLower", "ToString", "ToUpper", "Trim", "TrimEnd", "TrimStart", "TryAdd", "TryGetValue",
    "Union", "Value", "Values", "Wait", "Where", "Write", "WriteLine", "Zip",
];

const MODIFIERS: [&str; 16] = [
    "public", "private", "protected", "internal", "static", "override", "virtual", "abstract",
    "sealed", "async", "readonly", "required", "new", "partial", "unsafe", "extern",
];

fn head_name(line: &str) -> Option<&str> {
    let line = without_annotations(line);
    property(line).or_else(|| typed_heads::named(before_body(line)))
}

fn begins_definition(line: &str) -> bool {
    let line = without_annotations(line);
    if property(line).is_some() {
        return true;
    }
    let head = before_body(line);
    // A record without a body ends in `;`, as statements do.
    let is_record = words(head).any(|(word, _)| word == "record");
    let head = match is_record {
        true => head.trim_end_matches(';'),
        false => head,
    };
    typed_heads::is_definition(head)
}

/// Returns the head without an expression body (`=> …`) and without a constructor's call of another one
/// (`: base(…)`).
fn before_body(line: &str) -> &str {
    let head = line.split(" =>").next().unwrap_or(line).trim_end();
    match head.split_once(") : ") {
        Some((constructor, _)) => head.get(..=constructor.len()).unwrap_or(head),
        None => head,
    }
}

/// Returns the name of a property: `public int Size { get; }`, `public int Size => 3;`.
fn property(line: &str) -> Option<&str> {
    let (head, _) = line.split_once(" =>").or_else(|| line.split_once(" { "))?;
    let (first, _) = words(head).next()?;
    let is_member = MODIFIERS.contains(&first) && !head.contains(['(', '=']);
    let is_type = words(head).any(|(word, _)| {
        matches!(
            word,
            "class" | "struct" | "record" | "interface" | "enum" | "namespace"
        )
    });
    (is_member && !is_type).then(|| last_word(head))?
}

#[cfg(test)]
mod tests {
    use super::{BUILTIN_MEMBERS, CSHARP, ELEMENT_GETTERS, ELEMENT_VIEWS};
    use crate::hunks::heads::check;

    #[test]
    fn names_are_sorted() {
        assert!(BUILTIN_MEMBERS.is_sorted());
        assert!(ELEMENT_GETTERS.is_sorted() && ELEMENT_VIEWS.is_sorted());
    }

    #[test]
    fn definition_heads_are_read() {
        check(
            CSHARP.hunks.unwrap(),
            &[
                ("    public async Task<int> Sum(int n)", Some("Sum")),
                ("    public int Sum(int n) => n + 1;", Some("Sum")),
                ("    public int Size => items.Count;", Some("Size")),
                ("    public string? Name { get; set; }", Some("Name")),
                ("    public static List<T> Of<T>(T first)", Some("Of")),
                ("    public Cart(int size) : base(size)", Some("Cart")),
                ("    [Fact] public void Sums()", Some("Sums")),
                ("    [Theory, InlineData(1)]", None),
                ("public record Line(int Price, int Count);", Some("Line")),
                (
                    "public sealed partial class Cart<T> : Base<T>",
                    Some("Cart"),
                ),
                ("internal readonly struct Price", Some("Price")),
                ("public interface IItem", Some("IItem")),
                ("    int IItem.Price(int n)", None),
                ("    string? Find(string name)", Some("Find")),
                ("    public static int Total(this Cart cart)", Some("Total")),
                ("        var sum = Add(1)", None),
                ("        return Add(1);", None),
                ("        foreach (var item in items)", None),
            ],
        );
    }
}
