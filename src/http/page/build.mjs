// Bundles the page into `assets/`, or into the directory that is given: what the server compiles in. The same
// sources and the locked build give the same bytes on every machine; the gate compares them.

import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2] ?? here("assets");

await mkdir(out, { recursive: true });
await build({
  entryPoints: { page: here("src/main.tsx"), highlight: here("src/highlight_worker.ts"), style: here("src/style.css") },
  outdir: out,
  absWorkingDir: here("."),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  // Licences of what is bundled stay in the bundle.
  legalComments: "eof",
  logLevel: "warning",
});
for (const file of ["index.html", "icon.svg"]) await copyFile(here(`src/${file}`), `${out}/${file}`);
