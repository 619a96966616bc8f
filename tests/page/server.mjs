// Starts servers and creates repositories for them.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** Timeout in milliseconds for every wait, long enough for a busy machine. */
export const TIMEOUT = 120_000;

const GIT = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
const CLEAN = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

export function git(root, ...commands) {
  return execFileSync("git", [...GIT, "-C", root, ...commands], { env: CLEAN, encoding: "utf8" }).trim();
}

/** Writes files and commits them. */
export function commit(root, files, message = "first") {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git(root, "init", "--quiet");
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--message", message);
  return git(root, "rev-parse", "HEAD");
}

export class Server {
  static async start(foveate, settings = {}, data = mkdtempSync(join(tmpdir(), "foveate-page-"))) {
    const server = new Server();
    server.data = data;
    const environment = Object.entries(settings).map(([name, value]) => [`FOVEATE__${name}`, value]);
    const log = join(data, "log");
    // Long deadlines, so that nothing times out on a busy machine.
    const patient = { FOVEATE__ANSWER__DEADLINE_MS: "60000", FOVEATE__ANSWER__BUILD_DEADLINE_MS: "60000" };
    server.process = spawn(foveate, ["serve", "--listen", "127.0.0.1:0", "--data-dir", join(data, "data")], {
      env: { ...CLEAN, ...patient, ...Object.fromEntries(environment) },
      stdio: ["ignore", "pipe", openSync(log, "w")],
    });
    server.ended = new Promise((resolve) => server.process.once("exit", resolve));
    for await (const line of createInterface({ input: server.process.stdout })) {
      server.url = /http:\/\/\S+/.exec(line)?.[0];
      if (server.url !== undefined) break;
    }
    server.process.stdout.resume();
    server.log = () => readFileSync(log, "utf8");
    return server;
  }

  async call(path, body, token) {
    const headers = { "content-type": "application/json" };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const method = body === undefined ? "GET" : "POST";
    const response = await fetch(this.url + path, { method, headers, body: JSON.stringify(body) });
    return response.json();
  }

  /** Registers a repository and waits for its index and its past commits. */
  async add(name, source, token) {
    const made = await this.call("/repos", { name, source }, token);
    if (made.name !== name) throw new Error(JSON.stringify(made));
    await this.until(name, (repo) => repo.state === "ready" && repo.history, token);
  }

  async until(name, wanted, token) {
    const end = Date.now() + TIMEOUT;
    for (;;) {
      const repo = await this.call(`/repos/${encodeURIComponent(name)}`, undefined, token);
      if (wanted(repo)) return repo;
      if (Date.now() > end) throw new Error(`${name}: ${JSON.stringify(repo)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop() {
    this.process.kill("SIGTERM");
    await this.ended;
  }

  async remove() {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }
}
