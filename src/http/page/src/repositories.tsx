// Renders the repositories of the server and the progress of indexing.

import { useId, useState } from "preact/hooks";
import type { Repo } from "./api";
import { Long } from "./parts";
import { Failed } from "./problem";
import { isBusy, type Repositories } from "./state";
import { bytes, count, counted, Name, shortCommit, visible } from "./text";

const PHASES: Record<string, string> = {
  waiting: "Waiting in the queue",
  fetching: "Fetching objects",
  unpacking: "Unpacking objects",
  listing: "Listing files",
  reading: "Reading files",
  building: "Building the index",
  idle: "Done",
};

export function Progress({ repo }: { repo: Repo }) {
  const id = useId();
  const { phase, done, total } = repo.progress;
  if (!isBusy(repo)) return null;
  const figures = total > 0 ? `${count(done)} of ${count(total)}` : done > 0 ? count(done) : "";
  return (
    <div class="progress">
      <label for={id}>
        {PHASES[phase] ?? visible(phase)} <span class="note">{figures}</span>
      </label>
      <progress id={id} {...(total > 0 ? { value: done, max: total } : {})} />
    </div>
  );
}

/** The state of the chosen repository, in the form. */
export function StateLine({ repo }: { repo: Repo }) {
  return (
    <>
      {isBusy(repo) ? (
        <Progress repo={repo} />
      ) : (
        <p class="note">
          <State repo={repo} /> {counted(repo.files, "file")}, {counted(repo.definitions, "definition")}
          {repo.commit !== "" && (
            <>
              , <code>{shortCommit(repo.commit)}</code>
            </>
          )}
          {repo.dirty && " with changes"}
        </p>
      )}
      <Failure repo={repo} />
    </>
  );
}

/** Why a repository failed. */
function Failure({ repo }: { repo: Repo }) {
  return repo.error == null ? null : <p class="notice">{visible(repo.error)}</p>;
}

function State({ repo }: { repo: Repo }) {
  return <span class={`state ${repo.state === "ready" || repo.state === "failed" ? repo.state : "busy"}`}>{visible(repo.state)}</span>;
}

interface Props {
  repositories: Repositories;
  choose: (name: string) => void;
  enterToken: () => void;
}

export function RepositoriesView({ repositories, choose, enterToken }: Props) {
  const [filter, setFilter] = useState("");
  const { list, problem, refresh } = repositories;
  if (problem !== null && list === null) return <Failed problem={problem} again={refresh} enterToken={enterToken} />;
  if (list === null) return <p class="empty">Loading…</p>;
  const wanted = filter.trim().toLowerCase();
  const shown = list.filter((repo) => repo.name.toLowerCase().includes(wanted));
  return (
    <>
      <div class="answer-head">
        <h2>{counted(list.length, "repository", "repositories")}</h2>
        {list.length > 8 && (
          <input type="search" aria-label="Filter by name" placeholder="Filter by name" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
        )}
      </div>
      {problem !== null && <p class="notice">{visible(problem.detail)}</p>}
      {list.length === 0 && (
        <p class="empty">
          The server has no repositories, or none that the token may see. <code>foveate repo add DIR</code> adds one.
        </p>
      )}
      <ul class="repositories">
        <Long entries={shown} first={100} what="repositories">
          {(repo) => <Card key={repo.name} repo={repo} choose={choose} />}
        </Long>
      </ul>
    </>
  );
}

function Card({ repo, choose }: { repo: Repo; choose: (name: string) => void }) {
  const source = "path" in repo.source ? repo.source.path : repo.source.git;
  const languages = Object.entries(repo.languages).sort((a, b) => b[1] - a[1]);
  const skipped = Object.entries(repo.skipped).sort((a, b) => b[1] - a[1]);
  const list = (entries: [string, number][], max: number) =>
    entries.slice(0, max).map(([name, files]) => `${visible(name)} ${count(files)}`).join(", ");
  return (
    <li>
      <div class="card-head">
        <h3>
          <Name text={repo.name} />
        </h3>
        <State repo={repo} />
        <button type="button" class="quiet" onClick={() => choose(repo.name)} aria-label={`Ask ${visible(repo.name)}`}>
          Ask
        </button>
      </div>
      <p class="note source">{visible(source)}</p>
      <Progress repo={repo} />
      <Failure repo={repo} />
      <dl class="facts">
        <Fact name="Commit">
          {repo.commit === "" ? "none" : <code title={visible(repo.commit)}>{shortCommit(repo.commit)}</code>}
          {repo.dirty && " with changes"}
        </Fact>
        <Fact name="Files">{count(repo.files)}</Fact>
        <Fact name="Definitions">{count(repo.definitions)}</Fact>
        <Fact name="Past commits">{repo.history ? "loaded" : "not loaded yet"}</Fact>
        <Fact name="Updates">{followed(repo)}</Fact>
        <Fact name="Memory">{repo.memory.resident ? bytes(repo.memory.bytes) : "not loaded"}</Fact>
        <Fact name="Disk">{bytes(repo.disk.bytes)}</Fact>
        {languages.length > 0 && <Fact name="Languages">{list(languages, 5)}</Fact>}
        {skipped.length > 0 && <Fact name="Not indexed">{list(skipped, 5)}</Fact>}
      </dl>
    </li>
  );
}

function followed(repo: Repo): string {
  if (repo.poll != null) {
    if (repo.poll.failures > 0) return `${counted(repo.poll.failures, "poll")} failed`;
    return repo.poll.seconds === 0 ? "on request" : `every ${counted(repo.poll.seconds, "second")}`;
  }
  const pending = repo.watch.pending_files > 0 ? `, ${count(repo.watch.pending_files)} pending` : "";
  const modes: Record<string, string> = { off: "off", events: "by events", polling: "by polling" };
  return (modes[repo.watch.mode] ?? visible(repo.watch.mode)) + pending;
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
