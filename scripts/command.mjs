// Makes the command `tessera` out of what tsc made: dist/bin/, a dozen files in place of a thousand. Finding and reading so many takes more
// time than everything else that a server does at its start. What is binary, finds its own files, or is loaded when it is first needed
// (`src/base/lazy.ts`) stays where it is installed. `npm run build` runs it, after tsc.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licences } from './licences.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const folder = 'dist/bin';
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

/** What fastify asks for where routes have schemas, and where requests are injected. */
const NEVER_LOADED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];

const { metafile } = await build({
  // A worker is looked for beside the module that starts it.
  entryPoints: {
    tessera: 'dist/cli/tessera.js',
    worker: 'dist/runtime/script/worker.js',
    'strength-worker': 'dist/auth/passwords/strength/strength-worker.js',
    'write-worker': 'dist/storage/lmdb/engine/write-worker.js',
  },
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Fastify would load HTTP/2, which isn't used.
  alias: { 'node:http2': 'node:http' },
  external: ['quickjs-emscripten-core', '@jitl/*', '@zxcvbn-ts/*', ...NEVER_LOADED],
  // Libraries in CommonJS ask for modules of Node's. The modules of the bundle don't use these names.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
  },
  legalComments: 'none',
  // V8 reads every character at each start. Names stay, for stacks and profiles, and so do lines.
  minifyWhitespace: true,
  lineLimit: 120,
  metafile: true,
  logLevel: 'warning',
});
copyFileSync('dist/runtime/script/prelude.js', `${folder}/prelude.js`);
writeFileSync(`${folder}/LICENSES.txt`, licences(Object.keys(metafile.inputs)));
