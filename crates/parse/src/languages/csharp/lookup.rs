//! Defines the name lookup rules and test naming conventions of C#.

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};

pub(super) const LOOKUP: LookupRules = LookupRules {
    star_imports_are_transitive: false,
    imports_reach_members: true,
    paths_may_be_qualified: true,
    class_bodies_are_scopes: true,
    members_are_bare: true,
    receivers: &[("base", Receiver::Super), ("this", Receiver::Instance)],
    super_name: Some("base"),
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

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

/// Members of types of the class library, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "Add", "AddRange", "Aggregate", "All", "Any", "Append", "AppendLine", "AsReadOnly", "Average",
    "Cast", "Clear", "Clone", "Close", "CompareTo", "Concat", "Contains", "ContainsKey",
    "ContainsValue", "CopyTo", "Count", "DefaultIfEmpty", "Dequeue", "Dispose", "Distinct",
    "ElementAt", "EndsWith", "Enqueue", "Equals", "Except", "Exists", "Find", "FindAll",
    "FindIndex", "First", "FirstOrDefault", "Flush", "ForEach", "Format", "GetEnumerator",
    "GetHashCode", "GetType", "GetValueOrDefault", "GroupBy", "HasValue", "IndexOf", "Insert",
    "Intersect", "Invoke", "IsNullOrEmpty", "IsNullOrWhiteSpace", "Join", "Keys", "Last",
    "LastIndexOf", "LastOrDefault", "Length", "Max", "Min", "MoveNext", "OfType", "OrderBy",
    "OrderByDescending", "Peek", "Pop", "Push", "Read", "ReadLine", "ReadToEnd", "Remove",
    "RemoveAll", "RemoveAt", "Replace", "Result", "Reverse", "Select", "SelectMany",
    "SequenceEqual", "Single", "SingleOrDefault", "Skip", "Sort", "Split", "StartsWith",
    "Substring", "Sum", "Take", "TakeWhile", "ThenBy", "ToArray", "ToDictionary", "ToList",
    "ToLower", "ToString", "ToUpper", "Trim", "TrimEnd", "TrimStart", "TryAdd", "TryGetValue",
    "Union", "Value", "Values", "Wait", "Where", "Write", "WriteLine", "Zip",
];

pub(super) const TESTS: TestConventions = TestConventions {
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
};
