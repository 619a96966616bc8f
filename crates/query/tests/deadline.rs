//! Tests that an answer whose deadline has passed is still given, and says what it lacks.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use foveate_fixture::snapshot::{of_files, source_files};
use foveate_index::Snapshot;
use foveate_index::lexical::MIN_SEARCHED_TERMS;
use foveate_model::{Commit, History, ObjectId, RepoPath, Touched};
use foveate_query::{Answer, Breadth, Deadline, RankingConfig, Request, answer};

const SHOP: &str = "
    //- src/shop/cart.py
    from shop.price import total_price

    class Cart:
        def checkout(self, customer):
            '''Charges the customer for what is in the cart.'''
            return total_price(self.items, customer)

        def empty(self):
            self.items = []

    //- src/shop/price.py
    def total_price(items, customer):
        '''What all items cost, with the discount of the customer.'''
        return sum(item.price for item in items) * discount_of(customer)

    def discount_of(customer):
        return 0.9 if customer.is_regular else 1.0

    //- tests/test_cart.py
    from shop.cart import Cart

    def test_checkout():
        assert Cart().checkout(None) == 0

    //- docs/prices.md
    # Prices

    ## Discounts

    A regular customer pays less for what is in the cart.
";

const QUERY: &str = "Cart.checkout gives the wrong total\n\n`total_price` ignores the discount of a \
    regular customer, see `chekout_cart` and \"wrong total price\" in src/shop/price.py:3\n";

fn snapshot() -> Snapshot {
    let files = source_files(SHOP);
    let commit = Commit {
        id: ObjectId::from_sha1([1; 20]),
        message: "Give regular customers a discount on the total".to_owned(),
        is_bot: false,
        touched: vec![Touched {
            path: RepoPath::new("src/shop/price.py").unwrap(),
            functions: vec!["discount_of".into()],
        }],
    };
    let history = History {
        commits: vec![commit],
    };
    of_files(files, Some(history))
}

fn ask(snapshot: &Snapshot, query: &str, deadline: &Deadline) -> Answer {
    let request = Request {
        query: query.to_owned(),
        breadth: Breadth::Wide,
        ..Request::default()
    };
    let ranking = RankingConfig::default();
    answer(snapshot, &request, &ranking, deadline, &|| 0.0)
}

fn issue(answer: &Answer) -> &str {
    let mut issues = answer.issues.iter();
    let issue = issues.find(|issue| issue.code.name() == "deadline");
    issue.map_or("", |issue| &issue.detail)
}

#[test]
fn late_answer_has_code_and_lists_skipped_stages() {
    let late = ask(&snapshot(), QUERY, &Deadline::at(Instant::now()));
    assert_eq!(late.files.len(), 4);
    assert_eq!(late.places[0].path, "src/shop/price.py");
    assert!(late.pack.context.contains("def total_price"));
    assert!(late.pack.sections.iter().all(|s| s.name != "tests"));
    for lacking in [
        "similar names", "past commits", "tests, callers and imports",
    ] {
        assert!(issue(&late).contains(lacking), "{}", issue(&late));
    }
}

#[test]
fn deadline_in_the_future_changes_nothing() {
    let snapshot = snapshot();
    let free = ask(&snapshot, QUERY, &Deadline::none());
    let bounded = ask(
        &snapshot,
        QUERY,
        &Deadline::at(Instant::now() + Duration::from_secs(3600)),
    );
    assert_eq!(issue(&free), "");
    assert!(free.pack.sections.iter().any(|s| s.name == "tests"));
    assert_eq!(format!("{free:?}"), format!("{bounded:?}"));
}

#[test]
fn late_long_query_uses_first_names_and_heaviest_words() {
    let mut query = QUERY.to_owned();
    for number in 0..2 * MIN_SEARCHED_TERMS {
        write!(
            query,
            "\nodd{number}word `odd_name_{number}` `a{number}.py`"
        )
        .unwrap();
    }
    query.push_str("\n`discount_of`");
    let late = ask(&snapshot(), &query, &Deadline::at(Instant::now()));
    assert!(
        issue(&late).contains("less weighty words"),
        "{}",
        issue(&late)
    );
    assert!(issue(&late).contains("further names"), "{}", issue(&late));
    let named: Vec<&str> = late.symbols.iter().map(|s| s.name.as_str()).collect();
    assert!(
        named.contains(&"total_price") && !named.contains(&"discount_of"),
        "{named:?}"
    );
}

#[test]
fn late_answer_without_matches_is_empty() {
    for query in ["", "zzz", "`zzz`", "a\n\n```python\nimport x\n```"] {
        let late = ask(&snapshot(), query, &Deadline::at(Instant::now()));
        assert!(late.files.is_empty(), "{query}");
    }
}
