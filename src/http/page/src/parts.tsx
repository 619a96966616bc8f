// Small parts that several views share.

import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";

/** Which of two answers it is, `A` or `B`; empty where there is one. */
export const Which = createContext("");

/** A heading with what belongs to it. */
export function Block(props: { title: string; note?: ComponentChildren; tools?: ComponentChildren; children: ComponentChildren }) {
  const id = useId();
  const which = useContext(Which);
  return (
    <section class="block" aria-labelledby={id}>
      <div class="block-head">
        <h3 id={id}>
          {props.title}
          {which !== "" && <span class="hidden"> of answer {which}</span>}
        </h3>
        {props.note !== undefined && <p class="note">{props.note}</p>}
        {props.tools !== undefined && <div class="tools">{props.tools}</div>}
      </div>
      {props.children}
    </section>
  );
}

/** Choices of which one holds, as buttons in a row; the arrow keys move between them. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, text]) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === props.value} onChange={() => props.onChange(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Copies a text, exactly as it is; `of` says to those who do not see the button what `label` copies. */
export function Copy({ text, of, label = "Copy" }: { text: string; of: string; label?: string }) {
  const [said, setSaid] = useState("");
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    const done = await copied(text);
    setSaid(done ? "Copied" : "Not copied");
    announce(done ? `${label.replace("Copy", "Copied")} ${of}` : `The browser did not let the page copy ${of}`);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSaid(""), 2000);
  };
  return (
    <button type="button" class="quiet copy" onClick={() => void copy()} aria-label={`${said === "" ? label : said} ${of}`}>
      {said === "" ? label : said}
    </button>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https, and elsewhere than on this machine, browsers have the old way alone.
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    const dialog = document.querySelector("dialog[open]");
    (dialog ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/** Has screen readers say something. */
export function announce(text: string): void {
  const region = document.getElementById("announced");
  // The same text twice is said twice.
  if (region !== null) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

/** A list of which the first entries are shown, and the others when asked for. */
export function Long<T>(props: { entries: readonly T[]; first: number; what: string; children: (entry: T, at: number) => ComponentChildren }) {
  const [all, setAll] = useState(false);
  const shown = all ? props.entries : props.entries.slice(0, props.first);
  const rest = props.entries.length - shown.length;
  return (
    <>
      {shown.map(props.children)}
      {rest > 0 && (
        <li class="more">
          <button type="button" class="quiet" onClick={() => setAll(true)}>
            Show {rest} more<span class="hidden"> of the {props.what}</span>
          </button>
        </li>
      )}
    </>
  );
}
