// Makes the pages for browsers out of pages/: for each a script and a style sheet in dist/pages/, named by what is in them, and the licences
// of the libraries that are in there. `npm run build` runs it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licences } from './licences.mjs';

/** Each page, with the folder of addresses under which its files are served. */
const PAGES = { graphiql: '/graphql', welcome: '/welcome' };

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist/pages', { recursive: true, force: true });

for (const [page, address] of Object.entries(PAGES)) {
  const folder = `dist/pages/${page}`;
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: [`pages/${page}.ts`],
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
  const addressOf = (ending) => `${address}/${written.find((name) => name.endsWith(ending))}`;
  const html = readFileSync(`pages/${page}.html`, 'utf8')
    .replace('{script}', addressOf('.js'))
    .replace('{style}', addressOf('.css'));
  writeFileSync(`${folder}/index.html`, html);
  const texts = licences(Object.keys(metafile.inputs));
  if (texts !== '') writeFileSync(`${folder}/LICENSES.txt`, texts);
}
