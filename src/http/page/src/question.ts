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
export const BUDGET = { min: 200, max: 128_000, initial: 8000 };
export const LIMIT = { min: 1, max: 100, initial: 20 };

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

export const DEFAULTS: Question = {
  repo: "",
  query: "",
  ref: "",
  budget: BUDGET.initial,
  breadth: "balanced",
  format: "xml",
  intent: "",
  limit: LIMIT.initial,
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
  const put = (name: string, value: string | number, fallback: string | number) => {
    if (value !== fallback) parameters.set(name, String(value));
  };
  put("repo", question.repo, "");
  putVariant(put, "", question, DEFAULTS);
  put("format", question.format, DEFAULTS.format);
  put("intent", question.intent, "");
  put("limit", question.limit, DEFAULTS.limit);
  if (question.other !== null) {
    parameters.set("compare", "1");
    putVariant(put, "other-", question.other, question);
  }
  put("query", question.query, "");
  return parameters.toString();
}

function putVariant(
  put: (name: string, value: string | number, fallback: string | number) => void,
  prefix: string,
  variant: Variant,
  fallback: Variant,
): void {
  put(`${prefix}ref`, variant.ref, fallback.ref);
  put(`${prefix}budget`, variant.budget, fallback.budget);
  put(`${prefix}breadth`, variant.breadth, fallback.breadth);
}

/** Parses a fragment; unknown or invalid parameters are ignored. */
export function questionOf(fragment: string): Question {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const text = (name: string, fallback: string) => parameters.get(name) ?? fallback;
  const number = (name: string, fallback: number, range: { min: number; max: number }) => {
    const value = Number(parameters.get(name) ?? fallback);
    return Number.isInteger(value) && value >= range.min && value <= range.max ? value : fallback;
  };
  const variant = (prefix: string, fallback: Variant): Variant => ({
    ref: text(`${prefix}ref`, fallback.ref),
    budget: number(`${prefix}budget`, fallback.budget, BUDGET),
    breadth: oneOf(BREADTHS, parameters.get(`${prefix}breadth`)) ?? fallback.breadth,
  });
  const first = variant("", DEFAULTS);
  return {
    ...first,
    repo: text("repo", ""),
    query: text("query", ""),
    format: oneOf(FORMATS, parameters.get("format")) ?? DEFAULTS.format,
    intent: oneOf(INTENTS, parameters.get("intent")) ?? "",
    limit: number("limit", DEFAULTS.limit, LIMIT),
    other: parameters.has("compare") ? variant("other-", first) : null,
  };
}

function oneOf<T extends string>(values: readonly T[], value: string | null): T | null {
  return values.find((one) => one === value) ?? null;
}
