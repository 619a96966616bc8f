// Holds the state of the page apart from the form: the state of the server's repositories, and the answers to
// a question.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ask, Problem, repositories, type ContextAnswer, type Repo } from "./api";
import { bodyOf, type Question } from "./question";

/** Interval in milliseconds at which the repositories are polled: while one is busy, and otherwise. */
const BUSY_INTERVAL = 1000;
const IDLE_INTERVAL = 15_000;

export const isBusy = (repo: Repo) => repo.state === "indexing" || repo.progress.phase !== "idle";

export interface Repositories {
  list: Repo[] | null;
  problem: Problem | null;
  refresh: () => void;
}

/** Returns the repositories, polled while the page is visible. */
export function useRepositories(): Repositories {
  const [list, setList] = useState<Repo[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const refresh = useCallback(() => setRound((at) => at + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    let isPolling = false;
    const poll = async () => {
      // Each poll starts the next one: a second one at the same time would double the rate for good.
      if (isPolling) return;
      isPolling = true;
      let wait = IDLE_INTERVAL;
      try {
        const found = await repositories(stop.signal);
        setList(found);
        setProblem(null);
        if (found.some(isBusy)) wait = BUSY_INTERVAL;
      } catch (error) {
        if (stop.signal.aborted) return;
        const failed = asProblem(error);
        setProblem(failed);
        if (failed.needsToken) return setList(null);
        wait = Math.max(failed.retryAfter * 1000, 3000);
      } finally {
        isPolling = false;
      }
      if (!document.hidden) timer = setTimeout(() => void poll(), wait);
    };
    const visibilityChanged = () => {
      clearTimeout(timer);
      if (!document.hidden) void poll();
    };
    void poll();
    document.addEventListener("visibilitychange", visibilityChanged);
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", visibilityChanged);
    };
  }, [round]);
  return { list, problem, refresh };
}

export type Outcome =
  | { kind: "none" }
  | { kind: "asking"; question: Question }
  /** The index is being built; the question is retried automatically. */
  | { kind: "waiting"; question: Question; problem: Problem }
  | { kind: "failed"; question: Question; problem: Problem }
  /** One answer, or two that are compared. */
  | { kind: "answered"; question: Question; answers: ContextAnswer[] };

/** Maximum number of retries while an index is being built: about half an hour. */
const MAX_RETRIES = 1800;

/** Asks one question at a time; a new one replaces the previous one. */
export function useAnswer(): { outcome: Outcome; run: (question: Question) => void; stop: () => void } {
  const [outcome, setOutcome] = useState<Outcome>({ kind: "none" });
  const running = useRef(new AbortController());
  const stop = useCallback(() => {
    running.current.abort();
    setOutcome({ kind: "none" });
  }, []);
  const run = useCallback((question: Question) => {
    running.current.abort();
    const control = (running.current = new AbortController());
    const tell = (outcome: Outcome) => {
      if (!control.signal.aborted) setOutcome(outcome);
    };
    const attempt = async (left: number): Promise<void> => {
      const variants = question.other === null ? [question] : [question, question.other];
      try {
        // One after the other: a token may allow only few requests in flight.
        const answers: ContextAnswer[] = [];
        for (const variant of variants) {
          answers.push(await ask(question.repo, bodyOf(question, variant), control.signal));
        }
        tell({ kind: "answered", question, answers });
      } catch (error) {
        if (control.signal.aborted) return;
        const problem = asProblem(error);
        if (problem.code !== "indexing" || left === 0) return tell({ kind: "failed", question, problem });
        tell({ kind: "waiting", question, problem });
        await new Promise((resolve) => setTimeout(resolve, Math.max(problem.retryAfter, 1) * 1000));
        if (!control.signal.aborted) await attempt(left - 1);
      }
    };
    tell({ kind: "asking", question });
    void attempt(MAX_RETRIES);
  }, []);
  return { outcome, run, stop };
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, "unexpected", "The page could not read the answer of the server.");
}
