// Renders the context as it is sent: item by item with cost and reason, or as the plain text.

import { useMemo, useState } from "preact/hooks";
import type { ContextAnswer, Item, Section } from "./api";
import { Code } from "./code";
import { entriesOf, type Entry } from "./entries";
import { FIDELITIES, SECTIONS } from "./explain";
import { difference, itemKey, type AnswerIndex } from "./comparison";
import { Block, Choice, Copy } from "./parts";
import type { Question } from "./question";
import { CodeText, count, counted, lineRange, Name, Path, visible } from "./text";

const VIEWS = [
  ["items", "Items"],
  ["text", "Text"],
] as const;

export function Context({ answer, format, compared }: { answer: ContextAnswer; format: Question["format"]; compared: AnswerIndex | null }) {
  const [view, setView] = useState<"items" | "text">("items");
  const entries = useMemo(() => entriesOf(format, answer.context), [format, answer.context]);
  const { used, budget } = answer.tokens;
  return (
    <Block
      title="Context"
      note={`${count(used)} of ${counted(budget, "token")}, as it is sent`}
      tools={
        <>
          <Choice label="How the context is shown" value={view} options={VIEWS} onChange={setView} />
          <Copy text={answer.context} of="of the context" label="Copy all" />
        </>
      }
    >
      <Budget answer={answer} />
      {view === "text" ? (
        <pre class="code whole" tabIndex={0} role="group" aria-label="The text of the context">
          <code>
            <CodeText text={answer.context} />
          </code>
        </pre>
      ) : (
        answer.sections
          .filter((section) => section.items.length > 0)
          .map((section) => (
            <Part key={section.name} section={section} entries={entries.get(section.name) ?? []} compared={compared} />
          ))
      )}
    </Block>
  );
}

/** Shows how much of the budget each section took. */
function Budget({ answer }: { answer: ContextAnswer }) {
  const { budget } = answer.tokens;
  const used = answer.sections.filter((section) => section.used > 0);
  return (
    <div class="budget">
      <div class="track" aria-hidden="true">
        {used.map((section) => (
          <span key={section.name} class={`s-${section.name}`} style={{ width: `${(section.used / budget) * 100}%` }} />
        ))}
      </div>
      <ul>
        {used.map((section) => (
          <li key={section.name}>
            <span class={`swatch s-${section.name}`} />
            {SECTIONS[section.name] ?? visible(section.name)} {count(section.used)}
          </li>
        ))}
        <li>
          <span class="swatch" />
          unused {count(Math.max(budget - answer.tokens.used, 0))}
        </li>
      </ul>
    </div>
  );
}

function Part({ section, entries, compared }: { section: Section; entries: readonly Entry[]; compared: AnswerIndex | null }) {
  // Items and entries have the same order. A text in another form has no entries, and then no code is shown
  // here.
  const isKnown = entries.length === section.items.length;
  const files: { path: string; items: [Item, Entry | null][] }[] = [];
  section.items.forEach((item, at) => {
    const entry = isKnown ? (entries[at] ?? null) : null;
    const file = files.at(-1);
    if (file?.path === item.path) file.items.push([item, entry]);
    else files.push({ path: item.path, items: [[item, entry]] });
  });
  return (
    <div class="part">
      <h4>
        {SECTIONS[section.name] ?? visible(section.name)}
        <span class="note">
          {counted(section.items.length, "item")}, {counted(section.used, "token")}
        </span>
      </h4>
      {!isKnown && <p class="empty">The code is in the text of the context: choose “Text”.</p>}
      {files.map((file) => (
        <div class="file" key={file.path}>
          <h5>
            <Path path={file.path} />
          </h5>
          {file.items.map(([item, entry], at) => {
            const before = at === 0 ? "" : (file.items[at - 1]?.[1]?.scope ?? "");
            const scope = entry === null || entry.scope === before ? "" : entry.scope;
            const other = compared?.items.get(itemKey(section.name, item));
            return <Shown key={at} item={item} entry={entry} scope={scope} mark={compared === null ? null : difference(item, other)} />;
          })}
        </div>
      ))}
    </div>
  );
}

function Shown({ item, entry, scope, mark }: { item: Item; entry: Entry | null; scope: string; mark: string | null }) {
  const lines = lineRange(item);
  const what = `${visible(item.name === "" ? item.path : item.name)}, lines ${lines}`;
  const kind = entry?.properties.get("kind") ?? "";
  return (
    <article class={`item ${mark === null ? "" : "differs"}`} aria-label={what}>
      {scope !== "" && (
        <p class="scope">
          in <code><CodeText text={scope} /></code>
        </p>
      )}
      <div class="item-head">
        {item.name !== "" && (
          <span class="title">
            <Name text={item.name} />
          </span>
        )}
        <Lines item={item} lines={lines} what={what} />
        {kind !== "" && <span class="tag">{visible(kind)}</span>}
        <span class="tag" title={FIDELITIES[item.fidelity]}>
          {item.fidelity}
        </span>
        {item.cut && <Cut entry={entry} />}
        {mark !== null && <span class="tag mark">{mark}</span>}
        <span class="reason">{visible(item.reason)}</span>
        <span class="cost">{counted(item.tokens, "token")}</span>
        {entry !== null && entry.body !== "" && <Copy text={entry.body} of={what} />}
      </div>
      {entry !== null && entry.body !== "" && <Code text={entry.body} path={item.path} label={`Code of ${what}`} />}
    </article>
  );
}

function Lines({ item, lines, what }: { item: Item; lines: string; what: string }) {
  const link = item.link ?? "";
  // URLs come from settings and remotes; only web URLs become links.
  if (!/^https?:\/\//.test(link)) return <span class="lines">{lines}</span>;
  return (
    <a class="lines" href={link} target="_blank" rel="noopener noreferrer" aria-label={`${what}, on the web`}>
      {lines}
    </a>
  );
}

function Cut({ entry }: { entry: Entry | null }) {
  const folded = entry?.properties.get("folded") === "true";
  const text = folded ? "Documentation, comments or texts are left out; the code marks where" : "Lines are left out; the code marks where";
  return (
    <span class="tag cut" title={text}>
      {folded ? "folded" : "cut"}
    </span>
  );
}
