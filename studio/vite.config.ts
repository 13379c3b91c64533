/** `npx vite studio` while developing, beside a server on its usual port. `scripts/pages.mjs` builds the Studio. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/studio/',
  envDir: false,
  publicDir: false,
  resolve: { alias: { 'node:buffer': fileURLToPath(new URL('base/node-buffer.ts', import.meta.url)) } },
  server: {
    proxy: Object.fromEntries(['/rpc', '/signin', '/graphql', '/export', '/import', '/metrics'].map(forwarded)),
  },
});

function forwarded(path: string): [string, object] {
  return [path, { target: 'http://127.0.0.1:8000', ws: true }];
}
