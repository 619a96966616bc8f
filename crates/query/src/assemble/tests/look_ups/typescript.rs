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
