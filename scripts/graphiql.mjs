// Makes the page of `GET /graphql` out of graphiql/: one script and one style sheet in dist/graphiql/, named by what is in them, and the
// licences of the libraries that are in there. `npm run build` runs it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licences } from './licences.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const folder = 'dist/graphiql';
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const { metafile } = await build({
  entryPoints: ['graphiql/page.ts'],
  entryNames: '[name]-[hash]',
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

const written = Object.keys(metafile.outputs).map((path) => basename(path));
const addressOf = (ending) => `/graphql/${written.find((name) => name.endsWith(ending))}`;
const page = readFileSync('graphiql/index.html', 'utf8')
  .replace('{script}', addressOf('.js'))
  .replace('{style}', addressOf('.css'));
writeFileSync(`${folder}/index.html`, page);
writeFileSync(`${folder}/LICENSES.txt`, licences(Object.keys(metafile.inputs)));
