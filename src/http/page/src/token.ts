// Stores the API token of this tab in `sessionStorage`, which ends with the tab and is not readable from
// other origins. The token is never part of a URL.

const KEY = "foveate.token";

export function token(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    // Storage may be disabled; the token then lasts as long as the page.
    return held;
  }
}

let held = "";

export function keepToken(value: string): void {
  held = value;
  try {
    if (value === "") sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
  } catch {
    // As above.
  }
}
