// Bundles the page, which the server compiles in, into `assets/` or into a given directory. The same sources
// and the locked build give the same bytes on every machine; the gate compares them.

import { copyFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2] ?? here("assets");

await mkdir(out, { recursive: true });
const { metafile } = await build({
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
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
await writeFile(`${out}/licenses.txt`, await licenses(Object.keys(metafile.inputs)));
for (const file of ["index.html", "icon.svg"]) await copyFile(here(`src/${file}`), `${out}/${file}`);

/** Returns the full licences of the bundled packages. */
async function licenses(inputs) {
  const names = inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const texts = [...new Set(names)].sort().map(async (name) => {
    const root = here(`node_modules/${name}`);
    const { version, license } = JSON.parse(await readFile(`${root}/package.json`, "utf8"));
    const file = (await readdir(root)).find((file) => /^licen[cs]e/i.test(file));
    if (file === undefined) throw new Error(`${name} comes without its licence`);
    return `${name} ${version}, ${license}\n\n${(await readFile(`${root}/${file}`, "utf8")).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}
