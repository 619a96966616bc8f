//! Recognizes the first lines of C# definitions in diff hunks.

use crate::hunks::heads::{HunkHeads, last_word, without_annotations, words};
use crate::languages::java::hunks::heads;
use crate::languages::typed_heads;

pub(super) const HUNKS: HunkHeads = HunkHeads {
    named,
    is_definition,
    ..heads("csharp", &["cs"])
};

const MODIFIERS: [&str; 16] = [
    "public", "private", "protected", "internal", "static", "override", "virtual", "abstract",
    "sealed", "async", "readonly", "required", "new", "partial", "unsafe", "extern",
];

fn named(line: &str) -> Option<&str> {
    let line = without_annotations(line);
    property(line).or_else(|| typed_heads::named(before_body(line)))
}

fn is_definition(line: &str) -> bool {
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
    use super::HUNKS;
    use crate::hunks::heads::check;

    #[test]
    fn type_and_member_heads_are_recognized() {
        check(
            HUNKS,
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
