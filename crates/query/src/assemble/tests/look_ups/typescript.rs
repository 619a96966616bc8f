//! Tests short questions about code in TypeScript: functions inside functions, objects of an interface's type.

use super::*;

#[test]
fn dependencies_of_a_function_are_also_those_of_the_functions_inside() {
    let snapshot = fixture(
        "
        //- src/fetch.ts
        import { joinPaths, waitUntil } from './paths';

        export function useFetch(url: string) {
          const execute = async () => {
            return joinPaths(url);
          };
          return { execute, stop() { return waitUntil(1); } };
        }

        export function useOther(url: string) {
          return splitPaths(url);
        }

        function splitPaths(url: string) {
          return url;
        }

        //- src/paths.ts
        export function joinPaths(path: string) { return path; }
        export function waitUntil(time: number) { return time; }
        ",
    );
    let pack = asked(&snapshot, "what does useFetch depend on?", 4000);
    let shown = reasons(&pack, "definitions");
    for wanted in ["joinPaths: used by useFetch", "waitUntil: used by useFetch"] {
        assert!(shown.contains(&wanted.to_owned()), "{shown:?}");
    }
    assert!(!pack.context.contains("splitPaths"), "{}", pack.context);
}

#[test]
fn fields_are_the_last_dependencies() {
    let fields: String = (0..60)
        .map(|n| format!("  field_number_{n}: number;\n"))
        .collect();
    let uses: String = (0..60)
        .map(|n| format!("  sum += settings.field_number_{n};\n"))
        .collect();
    let snapshot = snapshot([
        (
            "src/settings.ts".to_owned(),
            format!("export interface Settings {{\n{fields}}}\n"),
        ),
        (
            "src/total.ts".to_owned(),
            format!(
                "import {{ Settings }} from './settings';\n\nexport function total(settings: Settings) {{\n  let sum = 0;\n{uses}  return roundUp(sum);\n}}\n\nfunction roundUp(value: number) {{\n  return value;\n}}\n"
            ),
        ),
    ]);
    let pack = asked(&snapshot, "what does total depend on?", 1500);
    let shown = reasons(&pack, "definitions");
    let wanted = "roundUp: used by total".to_owned();
    assert!(shown.contains(&wanted), "{shown:?}\n{}", pack.context);
}

#[test]
fn objects_of_an_interface_and_functions_that_return_one_implement_it() {
    // Too long to be shown whole.
    let rest = "  log(1);\n".repeat(60);
    let user = format!("export function buy(shop: Shop) {{\n{rest}}}\n");
    let shop = "export interface Shop { open(): void }\n";
    let owners = "
import { Shop } from './shop';

export const corner: Shop = {
  open() {},
};

export function makeShop(name: string): Shop {
  log(name);
  return {
    open() {},
  };
}

export class Kiosk implements Shop {
  open() {}
}
";
    let snapshot = snapshot([
        ("src/shop.ts".to_owned(), shop.to_owned()),
        ("src/owners.ts".to_owned(), owners.to_owned()),
        (
            "src/buy.ts".to_owned(),
            format!("import {{ Shop }} from './shop';\n{user}"),
        ),
    ]);
    let pack = asked(&snapshot, "which classes implement Shop?", 4000);
    let mut found = reasons(&pack, "callers");
    found.sort();
    let wanted = [
        "Kiosk: uses Shop", "corner: uses Shop", "makeShop: uses Shop",
    ];
    assert_eq!(found, wanted, "{}", pack.context);
    let heads = [
        "export const corner: Shop",
        "export function makeShop(name: string): Shop",
    ];
    for head in heads {
        assert!(pack.context.contains(head), "{}", pack.context);
    }
}
