// Makes the pages for browsers out of pages/, studio/ and docs/: for each scripts and style sheets in dist/pages/, named by what is in them, and the
// licences of the libraries that are in there. `npm run build` runs it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build } from 'esbuild';
import { directImports } from './direct-imports.mjs';
import { licences } from './licences.mjs';
import { writeManual } from './manual.mjs';

/** Each page, with the folder of addresses under which its files are served. */
const PAGES = {
  graphql: '/graphql',
  welcome: '/welcome',
  // `/auth`, as seen from each of its pages: the server may be public at any path.
  auth: '{root}',
};

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist/pages', { recursive: true, force: true });

/** Bundles a page; resolves with the names of its files. */
async function bundle(page, entry, options = {}) {
  const folder = `dist/pages/${page}`;
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: [entry],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    metafile: true,
    plugins: [directImports],
    logLevel: 'warning',
    ...options,
  });
  const texts = licences(Object.keys(metafile.inputs));
  if (texts !== '') writeFileSync(`${folder}/LICENSES.txt`, texts);
  return Object.keys(metafile.outputs).map((path) => basename(path));
}

/** Compresses the scripts and styles of a page, rather than each answer (`src/server/pages.ts`). */
async function compress(page, names) {
  const write = async (name) => {
    const path = `dist/pages/${page}/${name}`;
    writeFileSync(`${path}.br`, await promisify(brotliCompress)(readFileSync(path)));
    rmSync(path);
  };
  await Promise.all(names.map(write));
}

for (const [page, address] of Object.entries(PAGES)) {
  const written = await bundle(page, `pages/${page}.ts`);
  const addressOf = (ending) => `${address}/${written.find((name) => name.endsWith(ending))}`;
  const html = readFileSync(`pages/${page}.html`, 'utf8')
    .replace('{script}', addressOf('.js'))
    .replace('{style}', addressOf('.css'));
  writeFileSync(`dist/pages/${page}/index.html`, html);
  await compress(page, written);
}

// The documentation, of which each page is ready to be sent.
writeManual('dist/pages/docs', await bundle('docs', 'pages/docs.ts'));

// The Studio. Its views are loaded when they are opened, their styles at once: a few kilobytes. The style sheet of the
// main module has them all, behind the library's, and those that esbuild writes for each view have them once more.
const DEVELOPED = '<script type="module" src="./main.tsx"></script>';
const written = await bundle('studio', 'studio/main.tsx', {
  splitting: true,
  alias: { 'node:buffer': './studio/base/node-buffer.ts' },
});
const isOfMain = (name) => name.startsWith('main-');
const styles = written.filter((name) => name.endsWith('.css'));
const isSent = (name) => !name.endsWith('.css') || isOfMain(name);
for (const name of written) if (!isSent(name)) rmSync(`dist/pages/studio/${name}`);
const html = readFileSync('studio/index.html', 'utf8');
if (!html.includes(DEVELOPED)) throw new Error('studio/index.html has another script than this one knows');
// The server puts a new nonce into each answer: styles that a library adds bear it.
const built = [
  '<meta property="csp-nonce" nonce="{nonce}">',
  `<script type="module" src="/studio/${written.find((name) => isOfMain(name) && name.endsWith('.js'))}" nonce="{nonce}"></script>`,
  `<link rel="stylesheet" href="/studio/${styles.find(isOfMain)}" nonce="{nonce}">`,
];
writeFileSync('dist/pages/studio/index.html', html.replace(DEVELOPED, built.join('\n    ')));
await compress('studio', written.filter(isSent));
