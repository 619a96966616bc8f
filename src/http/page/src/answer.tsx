// Renders one answer: intent, resolved names, ranking, context and what was left out.

import type { ContextAnswer, Dropped } from "./api";
import { Context } from "./context";
import { DROPPED, intent, rule } from "./explain";
import type { AnswerIndex, Shared } from "./comparison";
import { Block, Copy, Long } from "./parts";
import type { Question, Variant } from "./question";
import { Ranking } from "./ranking";
import { count, counted, lineRange, Name, Path, percent, shortCommit, visible } from "./text";

interface Props {
  answer: ContextAnswer;
  question: Question;
  /** Set if the answer is one of two that are compared. */
  compared: AnswerIndex | null;
  /** Parts that are shown elsewhere. */
  without?: Shared;
}

export function Answer({ answer, question, compared, without }: Props) {
  return (
    <>
      <Summary answer={answer} />
      {without?.symbols !== true && <Symbols answer={answer} />}
      {without?.ranking !== true && <Ranking answer={answer} compared={compared} />}
      <Context answer={answer} format={question.format} compared={compared} />
      <LeftOut dropped={answer.dropped} />
      <p class="note foot">
        Request <code>{visible(answer.request_id ?? "")}</code>
        <Copy text={answer.request_id ?? ""} of="the request's id" /> is in the server's log.
      </p>
    </>
  );
}

/** Names one of two compared answers. */
export function variantName(variant: Variant, answer: ContextAnswer): string {
  const given = variant.ref.trim();
  const ref = /^[0-9a-f]{40,64}$/.test(given) ? shortCommit(given) : given;
  const revision = ref === "" ? (answer.tree.dirty ? "working tree" : "current") : visible(ref);
  return `${revision}, ${counted(variant.budget, "token")}, ${variant.breadth}`;
}

function Summary({ answer }: { answer: ContextAnswer }) {
  const [name, meaning] = intent(answer.intent.kind);
  const { timings_ms: times, tree } = answer;
  const stages = `intent ${times.intent.toFixed(1)}, resolve ${times.resolve.toFixed(1)}, rank ${times.rank.toFixed(1)}, assemble ${times.assemble.toFixed(1)} ms`;
  return (
    <div class="summary">
      <dl class="figures">
        <div>
          <dt>Intent</dt>
          <dd>{name}</dd>
          <dd class="note">{percent(answer.intent.confidence)} sure</dd>
        </div>
        <div>
          <dt>Confidence</dt>
          <dd>{percent(answer.confidence)}</dd>
          <dd class="note">that a right place is shown whole</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>{count(answer.tokens.used)}</dd>
          <dd class="note">of {count(answer.tokens.budget)}</dd>
        </div>
        <div>
          <dt>Time</dt>
          <dd title={stages}>{times.total.toFixed(times.total < 10 ? 1 : 0)} ms</dd>
          <dd class="note">on the server</dd>
        </div>
        <div>
          <dt>Revision</dt>
          <dd>
            <code title={visible(answer.commit)}>{answer.commit === "" ? "no commit" : shortCommit(answer.commit)}</code>
          </dd>
          <dd class="note">
            {tree.dirty ? "with changes" : "as committed"}, index {count(answer.generation)}
          </dd>
        </div>
      </dl>
      <p class="why">
        <strong>{name}</strong>
        {meaning !== "" && `: ${meaning}.`} Because:{" "}
        {answer.intent.signals.map((signal) => (
          <span class="tag" key={signal} title={signal}>
            {rule(visible(signal))}
          </span>
        ))}
      </p>
      {tree.pending_files > 0 && (
        <p class="notice">{counted(tree.pending_files, "changed file")} detected but not indexed yet.</p>
      )}
      {answer.issues.map((issue) => (
        <p class="notice" key={issue.code + issue.detail}>
          <code>{visible(issue.code)}</code> {visible(issue.detail)}
        </p>
      ))}
    </div>
  );
}

export function Symbols({ answer }: { answer: ContextAnswer }) {
  if (answer.symbols.length === 0) return null;
  return (
    <Block title="Names in the issue" note="The definitions that each may refer to, best first.">
      <ul class="symbols">
        <Long entries={answer.symbols} first={8} what="names">
          {(symbol, at) => (
            <li key={at}>
              <code>
                <Name text={symbol.name} />
              </code>
              <span class="tag">{visible(symbol.from)}</span>
              <span class="resolved">
                {[...new Set(symbol.resolved)].map((definition) => (
                  <Path key={definition} path={definition} />
                ))}
                {symbol.total === 0 && <span class="note">no definition in the repository</span>}
                {symbol.total > symbol.resolved.length && (
                  <span class="note">and {count(symbol.total - symbol.resolved.length)} more</span>
                )}
              </span>
            </li>
          )}
        </Long>
      </ul>
    </Block>
  );
}

const linesOf = ({ start_line, end_line }: Dropped) =>
  start_line == null || end_line == null ? {} : { lines: lineRange({ start_line, end_line }) };

function LeftOut({ dropped }: { dropped: readonly Dropped[] }) {
  const reasons = [...new Set(dropped.map((one) => one.reason))];
  return (
    <Block title="Left out" note={`${counted(dropped.length, "relevant thing")} not in the context`}>
      {dropped.length === 0 && <p class="empty">Everything that was found relevant is in the context.</p>}
      {reasons.map((reason) => {
        const entries = dropped.filter((one) => one.reason === reason);
        return (
          <details class="dropped" key={reason} open={reasons.length === 1}>
            <summary>
              <code>{visible(reason)}</code> {DROPPED[reason] ?? "Not indexed"}
              <span class="note">{count(entries.length)}</span>
            </summary>
            <ul>
              <Long entries={entries} first={25} what="left out">
                {(one, at) => (
                  <li key={at}>
                    {one.name !== "" && (
                      <span class="title">
                        <Name text={one.name} />
                      </span>
                    )}
                    <Path path={one.path} {...linesOf(one)} />
                    {one.tokens > 0 && <span class="cost">{counted(one.tokens, "token")}</span>}
                  </li>
                )}
              </Long>
            </ul>
          </details>
        );
      })}
    </Block>
  );
}
