// The inspector: a page that asks the server's own interface, and shows its answers and their reasons.

import { render } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Repo } from "./api";
import { Form } from "./form";
import { OutcomeView } from "./outcome";
import { announce } from "./parts";
import { fragmentOf, questionOf, DEFAULTS, type Question } from "./question";
import { RepositoriesView } from "./repositories";
import { isBusy, useAnswer, useRepositories, type Outcome } from "./state";
import { counted, percent } from "./text";
import { token } from "./token";
import { TokenDialog } from "./token_dialog";

const REPOSITORIES = "repositories";

function Page() {
  const [question, setQuestion] = useState<Question>(DEFAULTS);
  const [view, setView] = useState<"ask" | "repositories">("ask");
  const [tokenOpen, setTokenOpen] = useState(false);
  const repositories = useRepositories();
  const { outcome, run, stop } = useAnswer();
  const change = useCallback((change: Partial<Question>) => setQuestion((before) => ({ ...before, ...change })), []);
  const shown = useRef("");
  const answer = useCallback((question: Question) => {
    shown.current = fragmentOf(question);
    setQuestion(question);
    run(question);
  }, []);
  useAddress((fragment) => {
    setView(fragment === REPOSITORIES ? REPOSITORIES : "ask");
    if (fragment === "" || fragment === REPOSITORIES || fragment === shown.current) return;
    const question = questionOf(fragment);
    setQuestion(question);
    if (question.repo !== "" && question.query.trim() !== "") answer(question);
  });
  useAnnouncements(outcome);

  const repos = repositories.list ?? [];
  const defaultRepo = useDefaultRepository(repos);
  const asked = question.repo === "" ? { ...question, repo: defaultRepo } : question;
  const ask = () => {
    history.pushState(null, "", `#${fragmentOf(asked)}`);
    answer(asked);
  };
  const show = (next: "ask" | "repositories") => {
    setView(next);
    const fragment = next === REPOSITORIES ? REPOSITORIES : outcome.kind === "none" ? "" : fragmentOf(outcome.question);
    history.pushState(null, "", `#${fragment}`);
  };
  const tokenChanged = () => {
    repositories.refresh();
    if (outcome.kind === "failed" && outcome.problem.needsToken) run(outcome.question);
  };
  const enterToken = () => setTokenOpen(true);
  const busy = repos.filter(isBusy).length;
  const needsToken = token() !== "" || repositories.problem?.needsToken === true;
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        Skip to the answer
      </a>
      <header>
        <h1>
          <img src="/page/icon.svg" alt="" width="20" height="20" /> Foveate
        </h1>
        <nav aria-label="Views">
          <Link text="Ask" here={view === "ask"} go={() => show("ask")} />
          <Link text={busy > 0 ? `Repositories (${busy} busy)` : "Repositories"} here={view === REPOSITORIES} go={() => show(REPOSITORIES)} />
        </nav>
        <span class="end">
          {needsToken && (
            <button type="button" class="quiet" onClick={enterToken}>
              Token
            </button>
          )}
          {!needsToken && <a href="/openapi.yaml">API</a>}
        </span>
      </header>
      <main class={view}>
        {view === "ask" ? (
          <>
            <Form question={asked} change={change} ask={ask} repos={repos} problem={outcome.kind === "failed" ? outcome.problem : null} />
            <div class="outcome" id="content" tabIndex={-1} aria-busy={outcome.kind === "asking" || outcome.kind === "waiting"}>
              {outcome.kind === "none" && repositories.problem !== null && repositories.list === null ? (
                <RepositoriesView repositories={repositories} choose={() => {}} enterToken={enterToken} />
              ) : (
                <OutcomeView
                  outcome={outcome}
                  repo={repos.find((repo) => "question" in outcome && repo.name === outcome.question.repo)}
                  again={run}
                  stop={stop}
                  enterToken={enterToken}
                />
              )}
            </div>
          </>
        ) : (
          <div id="content" tabIndex={-1}>
            <RepositoriesView
              repositories={repositories}
              enterToken={enterToken}
              choose={(repo) => {
                change({ repo });
                show("ask");
              }}
            />
          </div>
        )}
      </main>
      <TokenDialog open={tokenOpen} close={() => setTokenOpen(false)} changed={tokenChanged} />
      <div id="announced" class="hidden" role="status" aria-live="polite" />
    </>
  );
}

/** Returns the repository to use if none was chosen: the first one that is ready, else the first. It stays unless it fails. */
function useDefaultRepository(repos: readonly Repo[]): string {
  const chosen = useRef("");
  const stays = repos.some((repo) => repo.name === chosen.current && repo.state !== "failed");
  if (!stays) chosen.current = (repos.find((repo) => repo.state === "ready") ?? repos[0])?.name ?? "";
  return chosen.current;
}

/** Moves the focus without changing the URL's fragment, which holds the question. */
function skip(event: Event) {
  event.preventDefault();
  (document.getElementById("answer") ?? document.getElementById("content"))?.focus();
}

function Link({ text, here, go }: { text: string; here: boolean; go: () => void }) {
  return (
    <button type="button" class="tab" aria-current={here ? "page" : undefined} onClick={go}>
      {text}
    </button>
  );
}

/** Calls `follow` with the fragment of the URL: when the page is opened, and on back and forward. */
function useAddress(follow: (fragment: string) => void): void {
  useEffect(() => {
    const go = () => follow(location.hash.replace(/^#/, ""));
    go();
    addEventListener("popstate", go);
    return () => removeEventListener("popstate", go);
  }, []);
}

/** Scrolls to the outcome: on a small screen the form may fill the view. */
function showOutcome(): void {
  const outcome = document.querySelector(".outcome");
  if (outcome !== null && outcome.getBoundingClientRect().top > innerHeight / 2) outcome.scrollIntoView();
}

/** Announces the outcome of a question to screen readers. */
function useAnnouncements(outcome: Outcome): void {
  useEffect(() => {
    if (outcome.kind === "asking") {
      announce("Asking");
      showOutcome();
    }
    if (outcome.kind === "waiting") announce("The index is being built. The question is repeated automatically.");
    if (outcome.kind !== "answered") return;
    const [first] = outcome.answers;
    if (first === undefined) return;
    const places = counted(first.places.length, "place");
    announce(`Answer: ${places} ranked, ${counted(first.tokens.used, "token")}, confidence ${percent(first.confidence)}`);
  }, [outcome]);
}

const root = document.getElementById("page");
if (root !== null) render(<Page />, root);
