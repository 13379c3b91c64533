/** Builds the Studio into dist/pages/studio: files named by what is in them, and the licences of the libraries that are in there. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { licences } from '../scripts/licences.mjs';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

const licencesPlugin: Plugin = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    const inputs = modules.map((id) => relative(PROJECT, id.replace(/^\0/, '').replaceAll('\\', '/')));
    this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: licences(inputs) });
  },
};

export default defineConfig({
  base: '/studio/',
  // The server puts a new one into each answer: styles that a library adds bear it.
  html: { cspNonce: '{nonce}' },
  envDir: false,
  publicDir: false,
  plugins: [licencesPlugin],
  build: {
    outDir: '../dist/pages/studio',
    emptyOutDir: true,
    assetsDir: '',
    target: 'es2022',
    // The policy of the page allows no script that stands in it, nor data as a style or a font.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  // `npx vite studio` while developing, beside a server on its usual port.
  server: {
    proxy: Object.fromEntries(['/rpc', '/signin', '/graphql', '/export', '/import', '/metrics'].map(forwarded)),
  },
});

function forwarded(path: string): [string, object] {
  return [path, { target: 'http://127.0.0.1:8000', ws: true }];
}
