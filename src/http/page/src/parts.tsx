// Small components that several views share.

import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";

/** Which of two answers is being rendered, `A` or `B`; empty if there is only one. */
export const Which = createContext("");

/** A section with a heading. */
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

/** A row of radio buttons; the arrow keys move between them. */
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

/** A button that copies a text exactly; `of` tells screen readers what it copies. */
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
    // Browsers offer the clipboard API only over https and on localhost; elsewhere the old command must do.
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

/** Has screen readers announce a text. */
export function announce(text: string): void {
  const region = document.getElementById("announced");
  // Screen readers announce a text again only if it differs.
  if (region !== null) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

/** A list that shows its first entries, and the others on request. */
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
