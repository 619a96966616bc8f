// Highlights code in a worker: the code is untrusted, and a grammar that takes long must not block the page.
// It gets a text and returns pieces with their class names, never markup.

import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});

/** A piece of code and its class; the class is empty if there is none. */
export type Piece = [text: string, kind: string];
export interface HighlightRequest {
  id: number;
  language: string;
  text: string;
}
export interface HighlightResponse {
  id: number;
  pieces: Piece[] | null;
}

type Tree = ReturnType<typeof lowlight.highlight>;
type Node = Tree["children"][number];

function flatten(nodes: readonly Node[], kind: string, pieces: Piece[]): void {
  for (const node of nodes) {
    if (node.type === "text") pieces.push([node.value, kind]);
    else if (node.type === "element") flatten(node.children as Node[], kindOf(node.properties["className"], kind), pieces);
  }
}

/** Shortens the class names `hljs-title function_` to `title`. */
function kindOf(names: unknown, outer: string): string {
  const name = Array.isArray(names) ? names.find((one) => typeof one === "string" && one.startsWith("hljs-")) : undefined;
  return typeof name === "string" ? name.slice("hljs-".length) : outer;
}

function highlighted(request: HighlightRequest): Piece[] | null {
  if (!lowlight.registered(request.language)) return null;
  const pieces: Piece[] = [];
  flatten(lowlight.highlight(request.language, request.text).children, "", pieces);
  return pieces;
}

addEventListener("message", (event: MessageEvent<HighlightRequest>) => {
  let pieces: Piece[] | null = null;
  try {
    pieces = highlighted(event.data);
  } catch {
    // The text stays plain.
  }
  const response: HighlightResponse = { id: event.data.id, pieces };
  (postMessage as (message: HighlightResponse) => void)(response);
});
