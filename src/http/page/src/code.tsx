// Renders a block of code: plain at first, highlighted once it is near the screen and the highlighting is
// ready.

import { useEffect, useRef, useState } from "preact/hooks";
import { highlight, languageOf } from "./highlight";
import type { Piece } from "./highlight_worker";
import { CodeText } from "./text";

/** The server's marks where it left lines out. */
const CUT = /^\s*…|… \d+ lines? left out .*…$|^\s*… \d+ more$/;

export function Code({ text, path, label }: { text: string; path: string; label: string }) {
  const block = useRef<HTMLPreElement>(null);
  const [pieces, setPieces] = useState<Piece[] | null>(null);
  useEffect(() => {
    setPieces(null);
    const language = languageOf(path);
    if (language === null || block.current === null) return;
    const stop = new AbortController();
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen.disconnect();
        void highlight(language, text, stop.signal).then((highlighted) => {
          if (!stop.signal.aborted) setPieces(highlighted);
        });
      },
      { rootMargin: "600px" },
    );
    seen.observe(block.current);
    return () => {
      stop.abort();
      seen.disconnect();
    };
  }, [text, path]);
  return (
    <pre class="code" ref={block} tabIndex={0} role="group" aria-label={label}>
      <code>{pieces === null ? <Plain text={text} /> : pieces.map(([part, kind], at) => highlighted(part, kind, at))}</code>
    </pre>
  );
}

function highlighted(text: string, kind: string, key: number) {
  return kind === "" ? (
    <Plain key={key} text={text} />
  ) : (
    <span key={key} class={`hl-${kind}`}>
      <CodeText text={text} />
    </span>
  );
}

function Plain({ text }: { text: string }) {
  if (!text.includes("…")) return <CodeText text={text} />;
  const lines = text.split(/(?<=\n)/);
  return (
    <>
      {lines.map((line, at) =>
        CUT.test(line.trimEnd()) ? (
          <span class="left-out" key={at}>
            <CodeText text={line} />
          </span>
        ) : (
          <CodeText key={at} text={line} />
        ),
      )}
    </>
  );
}
