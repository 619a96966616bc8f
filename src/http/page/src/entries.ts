// Parses the entries of a context from its text in any of the three formats, so that the page shows exactly
// what is sent. The server writes a fixed form (crates/query/src/assemble/render), in which nothing of a
// repository can pass for markup. A text in another form has no entries, and the page shows it as plain text.

export interface Entry {
  /** The code, as in the context. */
  body: string;
  /** Its last line. Entries of adjacent lines are shown as one, which stands for several items. */
  end: number;
  /** The line of the enclosing class; empty if there is none. */
  scope: string;
  /** Such as `lines`, `kind` and `same_as`. */
  properties: ReadonlyMap<string, string>;
}

/** The entries by section, in order. */
export type Entries = ReadonlyMap<string, readonly Entry[]>;

export function entriesOf(format: "xml" | "markdown" | "json", context: string): Entries {
  try {
    if (format === "xml") return fromXml(context);
    if (format === "json") return fromJson(context);
    return fromMarkdown(context);
  } catch {
    return new Map();
  }
}

const SECTIONS = ["definitions", "snippets", "imports", "tests", "callers"];
const XML = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([a-z]+)((?: [a-z_]+="[^"]*")*)>|([^<]+)/y;

/** Parses XML. Only the innermost elements contain text: entries, and the lines of classes. */
function fromXml(context: string): Entries {
  const sections = new Map<string, Entry[]>();
  let entries: Entry[] = [];
  let [scope, text] = ["", ""];
  let properties = new Map<string, string>();
  XML.lastIndex = 0;
  while (XML.lastIndex < context.length) {
    const found = XML.exec(context);
    if (found === null) throw new Error("not a context");
    const [, data, closes, name = "", attributes = "", plain] = found;
    if (data !== undefined || plain !== undefined) {
      text += data ?? plain;
    } else if (SECTIONS.includes(name)) {
      if (closes === "") sections.set(name, (entries = []));
    } else if (name === "file") {
      scope = "";
    } else if (closes === "") {
      [text, properties] = ["", attributesOf(attributes)];
    } else if (name === "scope") {
      scope = text;
    } else if (name !== "") {
      // A block begins and ends with a newline.
      const body = text.startsWith("\n") ? text.slice(1, -1) : text;
      entries.push({ body, end: endOf(properties.get("lines") ?? ""), scope, properties });
    }
  }
  return sections;
}

/** Returns the last line of `12` or `12-40`. */
const endOf = (lines: string) => Number(lines.split("-").at(-1));

function attributesOf(text: string): Map<string, string> {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };
  const decoded = (value: string) => value.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => entities[name] ?? "");
  const found = text.matchAll(/ ([a-z_]+)="([^"]*)"/g);
  return new Map([...found].map(([, name = "", value = ""]) => [name, decoded(value)]));
}

function fromJson(context: string): Entries {
  const value = JSON.parse(context) as { sections: { name: string; items: Record<string, string>[] }[] };
  const sections = value.sections.map(({ name, items }) => {
    const entries = items.map(({ path: _, scope = "", text: body = "", ...rest }) => {
      return { body, end: endOf(rest["lines"] ?? ""), scope, properties: new Map(Object.entries(rest)) };
    });
    return [name, entries] as const;
  });
  return new Map(sections);
}

function fromMarkdown(context: string): Entries {
  const sections = new Map<string, Entry[]>();
  let entries: Entry[] = [];
  let scope = "";
  const lines = context.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const section = /^(?:## |<details><summary>)([A-Z][a-z]+)(?:<\/summary>)?$/.exec(line);
    if (section !== null) {
      sections.set((section[1] ?? "").toLowerCase(), (entries = []));
    } else if (line.startsWith("### ")) {
      scope = "";
    } else if (line.startsWith("In `")) {
      scope = line.replace(/^In (`+) ?/, "").replace(/ ?`+ \(\d+\):$/, "");
    } else if (line.startsWith("- ")) {
      const body = /: (`+) ?(.*?) ?\1$/.exec(line);
      entries.push({ body: body?.[2] ?? line.slice(2), end: endOfHeading(line), scope, properties: notesOf(line) });
    } else if (line.startsWith("#### ")) {
      const fence = /^`{3,}/.exec(lines[at + 1] ?? "")?.[0] ?? "";
      const end = fence === "" ? -1 : lines.indexOf(fence, at + 2);
      if (end < 0) throw new Error("not a context");
      const body = lines.slice(at + 2, end).join("\n");
      entries.push({ body, end: endOfHeading(line), scope, properties: notesOf(line) });
      at = end;
    }
  }
  return sections;
}

/** Returns the last line of a heading such as "#### `name` 12-40 (method)" or "#### [12](link)". */
const endOfHeading = (line: string) => endOf(/^(?:####|-) (?:(`+).*?\1 )?\[?(\d+(?:-\d+)?)/.exec(line)?.[2] ?? "");

/** Parses the notes in a heading's brackets: the kind, and marks such as `folded`. */
function notesOf(line: string): Map<string, string> {
  const notes = /\(([^()]*)\)(?::.*)?$/.exec(line)?.[1]?.split(", ") ?? [];
  const kind = notes.find((note) => !["compact", "standard", "cut", "folded"].includes(note) && /^[a-z ]+$/.test(note));
  const marks = notes.filter((note) => note === "folded").map((note): [string, string] => [note, "true"]);
  return new Map(kind === undefined ? marks : [["kind", kind], ...marks]);
}

/** Pairs each entry with the items that it shows; null if the entries are not those of the items. */
export function itemsOf<I extends { end_line: number }>(entries: readonly Entry[], items: readonly I[]): [I[], Entry][] | null {
  let next = 0;
  const pairs = entries.map((entry): [I[], Entry] => {
    const start = next;
    while (next < items.length && items[next++]?.end_line !== entry.end);
    return [items.slice(start, next), entry];
  });
  const isComplete = next === items.length && pairs.every(([shown, entry]) => shown.at(-1)?.end_line === entry.end);
  return isComplete ? pairs : null;
}
