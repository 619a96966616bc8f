// Renders the context as it is sent: item by item with cost and reason, or as the plain text.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ContextAnswer, Item, Section } from "./api";
import { Code } from "./code";
import { entriesOf, itemsOf, type Entry } from "./entries";
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
  // A text in another form has no entries, and then no code is shown here.
  const pairs = itemsOf(entries, section.items);
  const isKnown = pairs !== null;
  const files: { path: string; shown: [Item[], Entry | null][] }[] = [];
  for (const pair of pairs ?? section.items.map((item): [Item[], null] => [[item], null])) {
    const path = pair[0][0]?.path ?? "";
    const file = files.at(-1);
    if (file?.path === path) file.shown.push(pair);
    else files.push({ path, shown: [pair] });
  }
  const markOf = (item: Item) => (compared === null ? null : difference(item, compared.items.get(itemKey(section.name, item))));
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
          {file.shown.map(([items, entry], at) => {
            const before = at === 0 ? "" : (file.shown[at - 1]?.[1]?.scope ?? "");
            const scope = entry === null || entry.scope === before ? "" : entry.scope;
            return <Shown key={at} items={items} entry={entry} scope={scope} markOf={markOf} />;
          })}
        </div>
      ))}
    </div>
  );
}

/** Shows an entry: a head for each of its items, and its code. */
function Shown({ items, entry, scope, markOf }: { items: Item[]; entry: Entry | null; scope: string; markOf: (item: Item) => string | null }) {
  const what = items.map(described).join("; ");
  const code = entry?.body ?? "";
  return (
    <article class={`item ${items.every((item) => markOf(item) === null) ? "" : "differs"}`} aria-label={what}>
      {scope !== "" && (
        <p class="scope">
          in <code><CodeText text={scope} /></code>
        </p>
      )}
      {items.map((item, at) => (
        <Head key={at} item={item} entry={entry} mark={markOf(item)}>
          {at === 0 && code !== "" && <Copy text={code} of={what} />}
        </Head>
      ))}
      {code !== "" && <Code text={code} path={items[0]?.path ?? ""} label={`Code of ${what}`} />}
    </article>
  );
}

const described = (item: Item) => `${visible(item.name === "" ? item.path : item.name)}, lines ${lineRange(item)}`;

function Head(props: { item: Item; entry: Entry | null; mark: string | null; children: ComponentChildren }) {
  const { item, entry, mark, children } = props;
  const kind = entry?.properties.get("kind") ?? "";
  return (
    <div class="item-head">
      {item.name !== "" && (
        <span class="title">
          <Name text={item.name} />
        </span>
      )}
      <Lines item={item} lines={lineRange(item)} what={described(item)} />
      {kind !== "" && <span class="tag">{visible(kind)}</span>}
      <span class="tag" title={FIDELITIES[item.fidelity]}>
        {item.fidelity}
      </span>
      {item.cut && <Cut entry={entry} />}
      {mark !== null && <span class="tag mark">{mark}</span>}
      <span class="reason">{visible(item.reason)}</span>
      <span class="cost">{counted(item.tokens, "token")}</span>
      {children}
    </div>
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
