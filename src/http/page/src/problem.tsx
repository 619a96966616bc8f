// Renders a problem, and what the user can do about it.

import { useEffect, useState } from "preact/hooks";
import type { Problem } from "./api";
import { visible } from "./text";

/** Titles of problems that users meet here, by code. */
const TITLES: Record<string, string> = {
  missing_token: "This server needs a token",
  invalid_token: "The token is not accepted",
  rate_limited: "Too many requests",
  overloaded: "The server is busy",
  deadline: "The answer took too long",
  unknown_repo: "No such repository",
  unknown_ref: "No such commit, branch or tag",
  repo_failed: "The repository could not be read",
  unreachable: "No connection",
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
      <h2>{TITLES[problem.code] ?? "The question was not answered"}</h2>
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

/** Returns the seconds until the request may be retried. */
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
