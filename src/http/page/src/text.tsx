// Formats text from repositories for display. Preact writes it as text, never as markup. Characters that hide
// or reorder the text around them are escaped, as the server does (crates/model/src/escape.rs).

import { Fragment } from "preact";

/* eslint-disable no-control-regex */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]|[\u{e0000}-\u{e007f}]/u;
const UNSAFE_IN_CODE = new RegExp(UNSAFE.source.replace("\\u0000-\\u001f", "\\u0000-\\u0008\\u000b-\\u001f"), "u");
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const code = (character: string) => (character.codePointAt(0) ?? 0).toString(16);

/** Returns a text on one line, with unsafe characters escaped as `\n` or `\u{202e}`. */
export function visible(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const escaped = (character: string) => SHORT[character] ?? `\\u{${code(character)}}`;
  return text.replace(new RegExp(UNSAFE, "gu"), escaped);
}

/** A name from a repository, isolated from the direction of the text around it. */
export function Name({ text }: { text: string }) {
  return <bdi dir="ltr">{visible(text)}</bdi>;
}

/** A path with line breaks allowed after its slashes. */
export function Path({ path, lines }: { path: string; lines?: string }) {
  const parts = visible(path).split(/(?<=\/)/);
  return (
    <bdi class="path" dir="ltr">
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
      {lines !== undefined && <span class="lines">:{lines}</span>}
    </bdi>
  );
}

/** Code, in which unsafe characters other than tabs and line ends are marked. */
export function CodeText({ text }: { text: string }) {
  if (!UNSAFE_IN_CODE.test(text)) return <>{text}</>;
  const parts = text.split(new RegExp(`(${UNSAFE_IN_CODE.source})`, "u"));
  return (
    <>
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <span class="unsafe" key={at} title="A character that is invisible or that reorders the text around it">
            U+{code(part).toUpperCase().padStart(4, "0")}
          </span>
        ),
      )}
    </>
  );
}

export const lineRange = (at: { start_line: number; end_line: number }) =>
  at.start_line === at.end_line ? `${at.start_line}` : `${at.start_line}-${at.end_line}`;

const GROUPED = new Intl.NumberFormat("en");
export const count = (value: number) => GROUPED.format(value);
export const counted = (value: number, one: string, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;
export const percent = (share: number) =>
  share > 0 && share < 0.01 ? "<1 %" : `${Math.round(Math.min(share, 1) * 100)} %`;
export const bytes = (value: number) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), units.length - 1);
  const scaled = value / 1024 ** power;
  return `${scaled >= 10 || power === 0 ? Math.round(scaled) : scaled.toFixed(1)} ${units[power]}`;
};
export const shortCommit = (commit: string) => visible(commit).slice(0, 10);
