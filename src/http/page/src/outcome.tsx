// Renders the outcome of a question: nothing yet, an answer, two compared answers, or a problem.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Answer, Symbols, variantName } from "./answer";
import type { ContextAnswer, Repo } from "./api";
import { indexOf, shared } from "./comparison";
import { Copy, Which } from "./parts";
import { Failed } from "./problem";
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
          <p>The question is repeated automatically.</p>
          <button type="button" onClick={stop}>
            Stop waiting
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
        The address of this page contains the question, after the <code>#</code>. Browsers do not send that part to
        servers, so the text of an issue reaches no log. Anyone who has the address can read it.
      </p>
    </div>
  );
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
        <Answer answer={first} question={question} compared={null} />
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
  const compared = useMemo(() => [indexOf(second), indexOf(first)] as const, [first, second]);
  const items = (answer: ContextAnswer) => answer.sections.reduce((sum, section) => sum + section.items.length, 0);
  const both = [...compared[0].items.keys()].filter((key) => compared[1].items.has(key)).length;
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
    { name: variantName(question, first), answer: first, compared: compared[0] },
    { name: variantName(other, second), answer: second, compared: compared[1] },
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
      {same.ranking && <Ranking answer={first} compared={null} note="The same in both." />}
      <div class="pair">
        {pair.map((one, at) => (
          <section key={at} aria-label={`Answer ${"AB"[at]}: ${one.name}`}>
            <h3 class="variant">
              <span class="letter">{"AB"[at]}</span> {one.name}
            </h3>
            <Which.Provider value={"AB"[at] ?? ""}>
              <Answer answer={one.answer} question={question} compared={one.compared} without={same} />
            </Which.Provider>
          </section>
        ))}
      </div>
    </>
  );
}
