// Defines a question, and converts it to a request body and to the fragment of the page's URL, which browsers
// send to no server.

import type { RepoContextBody } from "./api";

export const BREADTHS = ["precise", "balanced", "wide"] as const;
export const FORMATS = ["xml", "markdown", "json"] as const;
export const INTENTS = [
  "BUG_FIX",
  "IMPLEMENTATION",
  "REFACTOR",
  "TEST_WRITING",
  "USAGE_EXPLORATION",
  "DEFINITION_LOOKUP",
  "EXPLANATION",
] as const;
export const BUDGET = { least: 200, most: 128_000, usual: 8000 };
export const LIMIT = { least: 1, most: 100, usual: 20 };

/** What two compared answers may differ in. */
export interface Variant {
  /** Commit, branch or tag; empty: the working tree, or the registered ref. */
  ref: string;
  /** Budget in tokens. */
  budget: number;
  breadth: (typeof BREADTHS)[number];
}

export interface Question extends Variant {
  repo: string;
  query: string;
  format: (typeof FORMATS)[number];
  /** Empty: detected. */
  intent: (typeof INTENTS)[number] | "";
  limit: number;
  /** The second answer to compare with. */
  other: Variant | null;
}

export const USUAL: Question = {
  repo: "",
  query: "",
  ref: "",
  budget: BUDGET.usual,
  breadth: "balanced",
  format: "xml",
  intent: "",
  limit: LIMIT.usual,
  other: null,
};

/** Returns the body of the request for one of the variants. */
export function bodyOf(question: Question, variant: Variant): RepoContextBody {
  return {
    query: question.query,
    ref: variant.ref.trim() === "" ? null : variant.ref.trim(),
    budget_tokens: variant.budget,
    breadth: variant.breadth,
    format: question.format,
    intent: question.intent === "" ? null : question.intent,
    limit: question.limit,
    explain: true,
  };
}

/** Returns the fragment that asks a question again; defaults are left out. */
export function fragmentOf(question: Question): string {
  const parameters = new URLSearchParams();
  const put = (name: string, value: string | number, usual: string | number) => {
    if (value !== usual) parameters.set(name, String(value));
  };
  put("repo", question.repo, "");
  putVariant(put, "", question, USUAL);
  put("format", question.format, USUAL.format);
  put("intent", question.intent, "");
  put("limit", question.limit, USUAL.limit);
  if (question.other !== null) {
    parameters.set("compare", "1");
    putVariant(put, "other-", question.other, question);
  }
  put("query", question.query, "");
  return parameters.toString();
}

function putVariant(
  put: (name: string, value: string | number, usual: string | number) => void,
  prefix: string,
  variant: Variant,
  usual: Variant,
): void {
  put(`${prefix}ref`, variant.ref, usual.ref);
  put(`${prefix}budget`, variant.budget, usual.budget);
  put(`${prefix}breadth`, variant.breadth, usual.breadth);
}

/** Parses a fragment; unknown or invalid parameters are ignored. */
export function questionOf(fragment: string): Question {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const text = (name: string, usual: string) => parameters.get(name) ?? usual;
  const number = (name: string, usual: number, range: { least: number; most: number }) => {
    const value = Number(parameters.get(name) ?? usual);
    return Number.isInteger(value) && value >= range.least && value <= range.most ? value : usual;
  };
  const variant = (prefix: string, usual: Variant): Variant => ({
    ref: text(`${prefix}ref`, usual.ref),
    budget: number(`${prefix}budget`, usual.budget, BUDGET),
    breadth: oneOf(BREADTHS, parameters.get(`${prefix}breadth`)) ?? usual.breadth,
  });
  const first = variant("", USUAL);
  return {
    ...first,
    repo: text("repo", ""),
    query: text("query", ""),
    format: oneOf(FORMATS, parameters.get("format")) ?? USUAL.format,
    intent: oneOf(INTENTS, parameters.get("intent")) ?? "",
    limit: number("limit", USUAL.limit, LIMIT),
    other: parameters.has("compare") ? variant("other-", first) : null,
  };
}

function oneOf<T extends string>(values: readonly T[], value: string | null): T | null {
  return values.find((one) => one === value) ?? null;
}
