// The form for asking a question.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Problem, Repo } from "./api";
import { BREADTHS as MEANINGS, INTENTS as NAMES } from "./explain";
import { Choice } from "./parts";
import { BREADTHS, BUDGET, FORMATS, INTENTS, LIMIT, type Question, type Variant } from "./question";
import { StateLine } from "./repositories";
import { visible } from "./text";

interface Props {
  question: Question;
  change: (change: Partial<Question>) => void;
  ask: () => void;
  repos: readonly Repo[];
  /** Why the last question was refused. */
  problem: Problem | null;
}

export function Form({ question, change, ask, repos, problem }: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem?.field == null) return;
    form.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(problem.field)}"]`)?.focus();
  }, [problem]);
  const submit = (event: Event) => {
    event.preventDefault();
    ask();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  const repo = repos.find((one) => one.name === question.repo);
  return (
    <form class="ask" ref={form} onSubmit={submit} onKeyDown={keys} aria-label="Question">
      <Field label="Repository">
        {(id) => (
          <select id={id} data-field="repo" required value={question.repo} onChange={(e) => change({ repo: e.currentTarget.value })}>
            {repo === undefined && <option value={question.repo}>{question.repo === "" ? "None yet" : visible(question.repo)}</option>}
            {repos.map((one) => (
              <option key={one.name} value={one.name}>
                {visible(one.name)}
                {one.state === "ready" ? "" : ` (${visible(one.state)})`}
              </option>
            ))}
          </select>
        )}
      </Field>
      {repo !== undefined && <StateLine repo={repo} />}
      <Field label="Issue, question or stack trace">
        {(id) => (
          <textarea
            id={id}
            data-field="query"
            required
            rows={10}
            spellcheck={false}
            aria-describedby="keys"
            value={question.query}
            onInput={(e) => change({ query: e.currentTarget.value })}
          />
        )}
      </Field>
      <VariantFields variant={question} change={change} bad={problem?.field ?? ""} prefix="" registered={registered(repo)} />
      <More question={question} change={change} />
      <div class="submit">
        <button type="submit" class="primary">
          Ask
        </button>
        <span class="note" id="keys">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      </div>
    </form>
  );
}

/** The fields that are seldom changed. */
function More({ question, change }: { question: Question; change: Props["change"] }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="more" open={open || question.other !== null} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Compare, format, intent</summary>
      <Comparison question={question} change={change} />
      <Field label="Format">
        {(id) => (
          <select id={id} value={question.format} onChange={(e) => change({ format: e.currentTarget.value as Question["format"] })}>
            {FORMATS.map((format) => (
              <option key={format} value={format}>
                {{ xml: "XML", markdown: "Markdown", json: "JSON" }[format]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Intent">
        {(id) => (
          <select id={id} value={question.intent} onChange={(e) => change({ intent: e.currentTarget.value as Question["intent"] })}>
            <option value="">Detected</option>
            {INTENTS.map((kind) => (
              <option key={kind} value={kind}>
                {NAMES[kind]?.[0] ?? kind}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Listed in rankings">
        {(id) => <Whole id={id} value={question.limit} range={LIMIT} onChange={(limit) => change({ limit })} />}
      </Field>
    </details>
  );
}

const registered = (repo: Repo | undefined) =>
  repo === undefined ? "" : "git" in repo.source ? (repo.source.ref ?? "HEAD") : "working tree";

function Comparison({ question, change }: { question: Question; change: Props["change"] }) {
  const other = question.other;
  const first = (): Variant => ({ ref: question.ref, budget: Math.max(question.budget / 4, BUDGET.min) | 0, breadth: question.breadth });
  return (
    <div class="comparison">
      <label class="check">
        <input type="checkbox" checked={other !== null} onChange={(e) => change({ other: e.currentTarget.checked ? first() : null })} />
        Compare with a second answer
      </label>
      {other !== null && (
        <VariantFields variant={other} change={(changed) => change({ other: { ...other, ...changed } })} bad="" prefix="Second " registered="" />
      )}
    </div>
  );
}

interface VariantProps {
  variant: Variant;
  change: (change: Partial<Variant>) => void;
  bad: string;
  prefix: string;
  /** The revision that is used if the field is empty. */
  registered: string;
}

function VariantFields({ variant, change, bad, prefix, registered }: VariantProps) {
  const named = (name: string) => (prefix === "" ? name : prefix + name.toLowerCase());
  return (
    <>
      <div class="two">
        <Field label={named("Revision")}>
          {(id) => (
            <input
              id={id}
              data-field={prefix === "" ? "ref" : "other"}
              type="text"
              maxLength={255}
              spellcheck={false}
              autocapitalize="off"
              autocomplete="off"
              placeholder={registered === "" ? "commit or branch" : visible(registered)}
              aria-invalid={bad === "ref"}
              value={variant.ref}
              onInput={(e) => change({ ref: e.currentTarget.value })}
            />
          )}
        </Field>
        <Field label={prefix === "" ? "Budget (tokens)" : named("Budget")}>
          {(id) => <Whole id={id} value={variant.budget} range={BUDGET} onChange={(budget) => change({ budget })} />}
        </Field>
      </div>
      <div class="field">
        <Choice
          label={named("Breadth")}
          value={variant.breadth}
          options={BREADTHS.map((breadth) => [breadth, breadth] as const)}
          onChange={(breadth) => change({ breadth })}
        />
        <p class="note">{MEANINGS[variant.breadth]}</p>
      </div>
    </>
  );
}

function Field({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

interface WholeProps {
  id: string;
  value: number;
  range: { min: number; max: number };
  onChange: (value: number) => void;
}

/** A field for a whole number. Invalid input stays in the field until it is corrected. */
function Whole({ id, value, range, onChange }: WholeProps) {
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => setTyped(null), [value]);
  const input = (text: string) => {
    const number = Number(text);
    const fits = Number.isInteger(number) && number >= range.min && number <= range.max;
    setTyped(fits ? null : text);
    if (fits) onChange(number);
  };
  return (
    <input id={id} type="number" required min={range.min} max={range.max} step={1} value={typed ?? value} onInput={(e) => input(e.currentTarget.value)} />
  );
}
