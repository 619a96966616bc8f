// What became of a question: nothing yet, an answer, two that are compared, or a problem and what to do about it.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Answer, Symbols, variantName } from "./answer";
import type { ContextAnswer, Problem, Repo } from "./api";
import { marksOf, shared } from "./marks";
import { Copy, Which } from "./parts";
import { fragmentOf, type Question } from "./question";
import { Ranking } from "./ranking";
import { Progress } from "./repositories";
import { isBusy, type Outcome } from "./state";
import { counted, percent, visible } from "./text";

interface Props {
  outcome: Outcome;
  repo: Repo | undefined;
  again: (question: Question) => void;
  stop: () => void;
  enterToken: () => void;
}

export function OutcomeView({ outcome, repo, again, stop, enterToken }: Props) {
  switch (outcome.kind) {
    case "none":
      return <Empty />;
    case "asking":
      return <p class="empty">Asking…</p>;
    case "waiting":
      return (
        <div class="problem waiting">
          <h2>The index is being built</h2>
          {repo !== undefined && isBusy(repo) ? <Progress repo={repo} /> : <p>{visible(outcome.problem.detail)}</p>}
          <p>The question is asked again by itself.</p>
          <button type="button" onClick={stop}>
            Do not wait
          </button>
        </div>
      );
    case "failed":
      return <Failed problem={outcome.problem} again={() => again(outcome.question)} enterToken={enterToken} />;
    case "answered":
      return <Answered question={outcome.question} answers={outcome.answers} />;
  }
}

function Empty() {
  return (
    <div class="welcome">
      <h2>Which code must the reader see?</h2>
      <p>
        Choose a repository, paste an issue, a question or a stack trace, and ask. You see what the server understood, how
        it ranked the code and why, the context that a reader would get, and what was left out.
      </p>
      <p class="note">
        An address of this page can hold a question: it stands behind the <code>#</code>, which browsers send to no server,
        so that the text of an issue reaches no log. Whoever has the address can read it.
      </p>
    </div>
  );
}

/** Titles of problems that people meet here, by code. */
const TITLES: Record<string, string> = {
  missing_token: "This server needs a token",
  invalid_token: "The token is not accepted",
  rate_limited: "Too many requests",
  overloaded: "The server is busy",
  deadline: "The answer took too long",
  unknown_repo: "No such repository",
  unknown_ref: "No such commit, branch or tag",
  repo_failed: "The repository could not be read",
  unreachable: "No answer",
};

export function Failed({ problem, again, enterToken }: { problem: Problem; again: () => void; enterToken: () => void }) {
  const left = useCountdown(problem);
  const may = problem.needsToken ? (
    <button type="button" class="primary" onClick={enterToken}>
      Enter a token
    </button>
  ) : problem.status === 429 || problem.status >= 500 || problem.status === 0 ? (
    <button type="button" onClick={again} disabled={left > 0}>
      {left > 0 ? `Ask again in ${left} s` : "Ask again"}
    </button>
  ) : null;
  return (
    <div class="problem" role="alert">
      <h2>{TITLES[problem.code] ?? "The question has no answer"}</h2>
      <p>{visible(problem.detail)}</p>
      <p class="note">
        {problem.status > 0 && `${problem.status} `}
        <code>{visible(problem.code)}</code>
        {problem.field !== null && (
          <>
            , field <code>{visible(problem.field)}</code>
          </>
        )}
        {problem.requestId !== "" && (
          <>
            , request <code>{visible(problem.requestId)}</code>
          </>
        )}
      </p>
      {may}
    </div>
  );
}

/** Seconds until a problem may be gone. */
function useCountdown(problem: Problem): number {
  const [left, setLeft] = useState(Math.ceil(problem.retryAfter));
  useEffect(() => {
    const until = Date.now() + problem.retryAfter * 1000;
    const tick = () => setLeft(Math.max(Math.ceil((until - Date.now()) / 1000), 0));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [problem]);
  return left;
}

function Answered({ question, answers }: { question: Question; answers: ContextAnswer[] }) {
  const [first, second] = answers;
  if (first === undefined) return null;
  const address = `${location.origin}${location.pathname}#${fragmentOf(question)}`;
  const tools = <Copy text={address} of="to this question" label="Copy link" />;
  if (second === undefined || question.other === null) {
    return (
      <>
        <Head title={question.repo} tools={tools} />
        <Answer answer={first} question={question} marks={null} />
      </>
    );
  }
  return (
    <>
      <Head title={`${question.repo}: two answers`} tools={tools} />
      <Compared question={question} first={first} second={second} />
    </>
  );
}

function Head({ title, tools }: { title: string; tools: ComponentChildren }) {
  return (
    <div class="answer-head">
      <h2 id="answer" tabIndex={-1}>
        {visible(title)}
      </h2>
      <div class="tools">{tools}</div>
    </div>
  );
}

function Compared({ question, first, second }: { question: Question; first: ContextAnswer; second: ContextAnswer }) {
  const marks = useMemo(() => [marksOf(second), marksOf(first)] as const, [first, second]);
  const items = (answer: ContextAnswer) => answer.sections.reduce((sum, section) => sum + section.items.length, 0);
  const both = [...marks[0].items.keys()].filter((key) => marks[1].items.has(key)).length;
  const rows: [string, (answer: ContextAnswer) => string][] = [
    ["Commit", (answer) => answer.commit.slice(0, 10)],
    ["Tokens", (answer) => counted(answer.tokens.used, "token")],
    ["Confidence", (answer) => percent(answer.confidence)],
    ["In the context", (answer) => counted(items(answer), "item")],
    ["Only in this one", (answer) => counted(items(answer) - both, "item")],
    ["Left out", (answer) => counted(answer.dropped.length, "thing")],
  ];
  const same = useMemo(() => shared(first, second), [first, second]);
  const other = question.other ?? question;
  const pair = [
    { name: variantName(question, first), answer: first, marks: marks[0] },
    { name: variantName(other, second), answer: second, marks: marks[1] },
  ];
  return (
    <>
      <table class="differences">
        <caption class="hidden">The two answers in figures</caption>
        <thead>
          <tr>
            <td />
            {pair.map((one, at) => (
              <th scope="col" key={at}>
                {"AB"[at]}: {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, of]) => (
            <tr key={name} class={of(first) === of(second) ? "" : "differs"}>
              <th scope="row">{name}</th>
              <td>{of(first)}</td>
              <td>{of(second)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {same.symbols && <Symbols answer={first} />}
      {same.ranking && <Ranking answer={first} marks={null} note="The same in both." />}
      <div class="pair">
        {pair.map((one, at) => (
          <section key={at} aria-label={`Answer ${"AB"[at]}: ${one.name}`}>
            <h3 class="variant">
              <span class="letter">{"AB"[at]}</span> {one.name}
            </h3>
            <Which.Provider value={"AB"[at] ?? ""}>
              <Answer answer={one.answer} question={question} marks={one.marks} without={same} />
            </Which.Provider>
          </section>
        ))}
      </div>
    </>
  );
}
