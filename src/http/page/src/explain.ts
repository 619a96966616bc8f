// Explains the codes of an answer to people: signals, intents, reasons.

import table from "./signals.json";

export type Family = keyof typeof table.families;
export const FAMILIES = Object.entries(table.families) as [Family, string][];

/** Meaning of a signal, and the family of evidence that it belongs to. */
export function signal(ranked: "file" | "place", name: string): { family: Family; text: string } {
  const known: Record<string, string[]> = table[ranked];
  const [family, text] = Object.hasOwn(known, name) ? (known[name] ?? []) : [];
  return { family: (family as Family | undefined) ?? "form", text: text ?? "This page does not know it yet." };
}

/** Name and meaning of an intent, which shapes how the budget is shared. */
export const INTENTS: Record<string, [name: string, meaning: string]> = {
  BUG_FIX: ["Bug fix", "something is broken: the likely places in full, their tests and callers"],
  IMPLEMENTATION: ["Implementation", "something is to be added: where it goes, and what it builds on"],
  REFACTOR: ["Refactoring", "code is to be changed without changing its behaviour: its uses count for more"],
  TEST_WRITING: ["Writing tests", "tests are wanted: existing tests count for more"],
  USAGE_EXPLORATION: ["Usage", "how or where something is used: callers and tests count for more"],
  DEFINITION_LOOKUP: ["Lookup", "where something is defined: the definition comes first"],
  EXPLANATION: ["Explanation", "how something works: definitions, and what they depend on"],
};

export function intent(kind: string): [name: string, meaning: string] {
  return Object.hasOwn(INTENTS, kind) ? (INTENTS[kind] ?? [kind, ""]) : [kind, ""];
}

/** Explanations of intent rules whose names do not have one of the endings below. */
const RULES: Record<string, string> = {
  given: "the request named the intent",
  traceback: "there is a stack trace",
  error_message: "an error message is quoted",
  bare_name: "it is a name and nothing else",
  few_words: "it has few words",
  issue_text: "it reads like an issue",
  some_order: "the title gives an order",
  failing_subject: "the title says that something fails",
};

/** Where a rule looks, by the ending of its name. */
const PLACES: [end: string, text: string][] = [
  ["_order", "the title asks for it"],
  ["_question", "it is a question"],
  ["_phrase", "a phrase of a question"],
  ["_template", "a heading of an issue template"],
  ["_label", "a label"],
  ["_wish", "a wish in the text"],
  ["_word", "a word of the text"],
];

export function rule(name: string): string {
  if (Object.hasOwn(RULES, name)) return RULES[name] ?? name;
  const place = PLACES.find(([end]) => name.endsWith(end));
  const words = name.replaceAll("_", " ");
  return place === undefined ? words : `${words.slice(0, words.lastIndexOf(" "))}: ${place[1]}`;
}

/** Why something relevant is not in the context. */
export const DROPPED: Record<string, string> = {
  budget: "No room was left in the budget",
  low_value: "Not likely enough for its length at this breadth",
  duplicate: "Nearly the same as another body in the context",
  binary: "Not indexed: binary",
  not_utf8: "Not indexed: not UTF-8",
  too_large: "Not indexed: larger than index.max_file_bytes",
  long_lines: "Not indexed: its lines are too long",
  data: "Not indexed: data",
  lfs_pointer: "Not indexed: a git LFS pointer",
  symlink: "Not indexed: a symbolic link",
  submodule: "Not indexed: a submodule",
  unreadable: "Not indexed: it cannot be read",
};

/** Titles of the sections of a context. */
export const SECTIONS: Record<string, string> = {
  definitions: "Definitions",
  snippets: "Snippets",
  imports: "Imports",
  tests: "Tests",
  callers: "Callers",
};

export const FIDELITIES: Record<string, string> = {
  full: "the whole body",
  standard: "signature, documentation and members",
  compact: "the signature alone",
};

export const BREADTHS: Record<string, string> = {
  precise: "only what is likely to be changed",
  balanced: "what is worth its tokens",
  wide: "as much as fits",
};
