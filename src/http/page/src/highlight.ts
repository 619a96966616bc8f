// Requests highlighting from the worker, one text after the other. If a text takes too long, it stays plain
// and the worker is replaced.

import type { HighlightRequest, HighlightResponse, Piece } from "./highlight_worker";

/** Timeout in milliseconds for one text; the first one loads the grammars. */
const TIMEOUT = 3000;
/** Maximum number of characters of a text, and of one of its lines: longer code is not read by people. */
const MAX_CHARACTERS = 200_000;
const MAX_LINE_CHARACTERS = 4000;

/** Languages by extension, or by name for files without one. */
const LANGUAGES: Record<string, string> = {
  bash: "bash", sh: "bash", zsh: "bash", dockerfile: "bash", makefile: "bash",
  c: "c", h: "c", cc: "cpp", cpp: "cpp", cxx: "cpp", hpp: "cpp", hh: "cpp", cs: "csharp", css: "css", scss: "css",
  go: "go", ini: "ini", cfg: "ini", toml: "ini", properties: "ini", java: "java",
  js: "javascript", cjs: "javascript", mjs: "javascript", jsx: "javascript",
  ts: "typescript", cts: "typescript", mts: "typescript", tsx: "typescript",
  json: "json", kt: "kotlin", kts: "kotlin", md: "markdown", markdown: "markdown", php: "php",
  py: "python", pyi: "python", rb: "ruby", rake: "ruby", gemfile: "ruby", rs: "rust", sql: "sql",
  html: "xml", htm: "xml", svg: "xml", xml: "xml", vue: "xml", svelte: "xml", yaml: "yaml", yml: "yaml",
};

export function languageOf(path: string): string | null {
  const last = path.toLowerCase().split(/[./]/).pop() ?? "";
  return Object.hasOwn(LANGUAGES, last) ? (LANGUAGES[last] ?? null) : null;
}

interface Waiting {
  request: HighlightRequest;
  done: (pieces: Piece[] | null) => void;
}

let worker: Worker | null = null;
let current: Waiting | null = null;
let timer = 0;
let last = 0;
const queue: Waiting[] = [];

/** Returns the highlighted pieces of a text, or null if it stays plain. `signal` cancels the request. */
export function highlight(language: string, text: string, signal: AbortSignal): Promise<Piece[] | null> {
  if (text.length > MAX_CHARACTERS || text.split("\n").some((line) => line.length > MAX_LINE_CHARACTERS)) return Promise.resolve(null);
  return new Promise((resolve) => {
    const waiting = { request: { id: ++last, language, text }, done: resolve };
    queue.push(waiting);
    signal.addEventListener("abort", () => {
      const at = queue.indexOf(waiting);
      if (at >= 0) queue.splice(at, 1);
      resolve(null);
    });
    next();
  });
}

function next(): void {
  if (current !== null) return;
  current = queue.shift() ?? null;
  if (current === null) return;
  worker ??= start();
  timer = setTimeout(() => finish(null, true), TIMEOUT);
  worker.postMessage(current.request);
}

function finish(pieces: Piece[] | null, replace: boolean): void {
  clearTimeout(timer);
  if (replace) {
    worker?.terminate();
    worker = null;
  }
  current?.done(pieces);
  current = null;
  next();
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL: (url: string) => string };
}

/** The URL of the only script that the page starts; in browsers with Trusted Types, created by the only policy. */
const SCRIPT = (() => {
  const path = "/page/highlight.js";
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  return types?.createPolicy("foveate", { createScriptURL: () => path }).createScriptURL(path) ?? path;
})();

function start(): Worker {
  const started = new Worker(SCRIPT);
  started.onmessage = (event: MessageEvent<HighlightResponse>) => {
    if (event.data.id === current?.request.id) finish(event.data.pieces, false);
  };
  started.onerror = () => finish(null, true);
  return started;
}
