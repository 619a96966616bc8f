// Renders the rankings, and the signals that add up to each score.

import { useId, useState } from "preact/hooks";
import type { ContextAnswer, FileAnswer, PlaceAnswer, Signal } from "./api";
import { FAMILIES, signal as explained } from "./explain";
import { movement, placeKey, type AnswerIndex } from "./comparison";
import { Block, Choice, Long } from "./parts";
import { lineRange, Name, Path, percent, visible } from "./text";

type Ranked = FileAnswer | PlaceAnswer;
/** Entries that are shown before the others are requested. */
const FIRST = 10;

type List = "places" | "functions" | "files";

export function Ranking({ answer, compared, note }: { answer: ContextAnswer; compared: AnswerIndex | null; note?: string }) {
  const [list, setList] = useState<List>("places");
  const [chosen, setChosen] = useState("");
  const entries: readonly Ranked[] = answer[list];
  const largest = Math.max(...entries.map((entry) => positive(entry.signals)), Number.MIN_VALUE);
  const options = (["places", "functions", "files"] as const).map(
    (name) => [name, `${name[0]?.toUpperCase()}${name.slice(1)} ${answer[name].length}`] as const,
  );
  return (
    <Block
      title="Ranking"
      note={`${note === undefined ? "" : `${note} `}What is likely to be changed, independent of the budget. Each bar is a score, made up of signals: open it to see them.`}
      tools={<Choice label="What is ranked" value={list} options={options} onChange={setList} />}
    >
      <ul class="families" aria-label="Kinds of signals">
        {FAMILIES.map(([family, text]) => (
          <li key={family}>
            <span class={`swatch f-${family}`} />
            <span title={text}>{text.split(":")[0]}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p class="empty">Nothing was found.</p>}
      <ol class="ranking">
        <Long key={list} entries={entries} first={FIRST} what={list}>
          {(entry, at) => (
            <Row
              key={`${at} ${placeKey(entry)}`}
              entry={entry}
              rank={at + 1}
              largest={largest}
              other={compared === null ? undefined : movement(at + 1, compared.ranks[list].get(placeKey(entry)))}
              chosen={chosen}
              choose={(name) => setChosen(chosen === name ? "" : name)}
            />
          )}
        </Long>
      </ol>
    </Block>
  );
}

const positive = (signals: Signal[] | null | undefined) =>
  (signals ?? []).reduce((sum, one) => sum + Math.max(one.value, 0), 0);

interface RowProps {
  entry: Ranked;
  rank: number;
  largest: number;
  other: { text: string; said: string } | null | undefined;
  chosen: string;
  choose: (name: string) => void;
}

function Row({ entry, rank, largest, other, chosen, choose }: RowProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const signals = entry.signals ?? [];
  const kind = "name" in entry ? "place" : "file";
  const title = "name" in entry ? entry.name : "";
  const what = visible(title === "" ? entry.path : title);
  return (
    <li class={other ? "differs" : ""}>
      <span class="rank" aria-hidden="true">
        {rank}
      </span>
      <div class="what">
        {title !== "" && (
          <span class="title">
            <Name text={title} />
          </span>
        )}
        <Path path={entry.path} {...("start_line" in entry ? { lines: lineRange(entry) } : {})} />
        <span class="tag">{"kind" in entry ? entry.kind : entry.role}</span>
        {other && (
          <span class="tag mark" title={other.said}>
            <span aria-hidden="true">{other.text}</span>
            <span class="hidden">{other.said}</span>
          </span>
        )}
      </div>
      <span class="probability" title="Probability that the change touches it">
        {percent(entry.probability)}
      </span>
      <button
        type="button"
        class="bar"
        aria-expanded={open}
        aria-controls={id}
        aria-label={`Signals of ${what}: score ${entry.score.toFixed(2)}`}
        onClick={() => setOpen(!open)}
      >
        <span class="track" aria-hidden="true">
          {signals
            .filter((one) => one.value > 0)
            .map((one) => (
              <span
                key={one.name}
                class={`f-${explained(kind, one.name).family} ${chosen !== "" && chosen !== one.name ? "dim" : ""}`}
                style={{ width: `${(one.value / largest) * 100}%` }}
              />
            ))}
        </span>
        <span class="score" aria-hidden="true">
          {entry.score.toFixed(2)}
        </span>
      </button>
      <div id={id} class="signals" hidden={!open}>
        {open && <Signals signals={signals} kind={kind} chosen={chosen} choose={choose} />}
      </div>
    </li>
  );
}

interface SignalsProps {
  signals: readonly Signal[];
  kind: "file" | "place";
  chosen: string;
  choose: (name: string) => void;
}

/** Lists each signal with a bar: to the right if it raises the score, to the left if it lowers it. */
function Signals({ signals, kind, chosen, choose }: SignalsProps) {
  const widest = Math.max(...signals.map((one) => Math.abs(one.value)), Number.MIN_VALUE);
  if (signals.length === 0) return <p class="empty">The server gave no signals.</p>;
  return (
    <ul>
      {signals.map((one) => {
        const { family, text } = explained(kind, one.name);
        const value = `${one.value < 0 ? "−" : "+"}${Math.abs(one.value).toFixed(2)}`;
        return (
          <li key={one.name}>
            <button type="button" aria-pressed={chosen === one.name} onClick={() => choose(one.name)}>
              <code>{visible(one.name)}</code>
              <span class={`half ${one.value < 0 ? "less" : "more"}`} aria-hidden="true">
                <span class={`f-${family}`} style={{ width: `${(Math.abs(one.value) / widest) * 100}%` }} />
              </span>
              <span class="value">{value}</span>
              <span class="why">{text}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
