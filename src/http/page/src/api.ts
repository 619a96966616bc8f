// Calls the HTTP interface of the server, as described by openapi.yaml: the page has no other source of data.
// The types are generated from that document when the page is checked.

import type { components } from "./openapi";
import { token } from "./token";

type Schemas = components["schemas"];
export type ContextAnswer = Schemas["ContextAnswer"];
export type RepoContextBody = Schemas["RepoContextBody"];
export type Repo = Schemas["RepoAnswer"];
export type Item = Schemas["ItemAnswer"];
export type Section = Schemas["SectionAnswer"];
export type Signal = Schemas["SignalAnswer"];
export type Dropped = Schemas["DroppedAnswer"];
export type FileAnswer = Schemas["FileAnswer"];
export type PlaceAnswer = Schemas["PlaceAnswer"];
type ProblemBody = Schemas["ProblemBody"];

/** Why there is no answer: a problem from the server, or a failed request. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly field: string | null = null,
    readonly requestId = "",
    /** Seconds after which to retry; 0 if the server gives none. */
    readonly retryAfter = 0,
  ) {
    super(detail);
  }

  get needsToken(): boolean {
    return this.status === 401;
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const wait = Number(response.headers.get("retry-after") ?? "0");
  const retryAfter = Number.isFinite(wait) ? Math.min(Math.max(wait, 0), 3600) : 0;
  try {
    const body = (await response.json()) as ProblemBody;
    return new Problem(response.status, body.code, body.detail, body.field ?? null, body.request_id, retryAfter);
  } catch {
    // For example the error page of a proxy.
    const detail = `The server answered with status ${response.status} and without a reason.`;
    return new Problem(response.status, "unknown", detail, null, "", retryAfter);
  }
}

async function call<T>(path: string, signal: AbortSignal, body?: object): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (token() !== "") headers["authorization"] = `Bearer ${token()}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      body: body === undefined ? null : JSON.stringify(body),
      headers,
      signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Problem(0, "unreachable", "The server cannot be reached. Is it still running?");
  }
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

export async function repositories(signal: AbortSignal): Promise<Repo[]> {
  return (await call<Schemas["ReposAnswer"]>("/repos", signal)).repos;
}

export function ask(repo: string, body: RepoContextBody, signal: AbortSignal): Promise<ContextAnswer> {
  return call<ContextAnswer>("/context", signal, { repo, ...body });
}
