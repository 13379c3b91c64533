// `npm start -- memory --user root --pass secret` is `tessera start memory --user root --pass secret`, after installing what building and
// running need, and building, where that is missing or out of date.
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installToBuild, npm } from './install.mjs';

const parent = process.ppid;
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
installToBuild();

const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const newest = (folder) =>
  Math.max(...readdirSync(folder, { recursive: true }).map((name) => changed(`${folder}/${name}`)));
const isBuilt =
  changed('dist/bin/tessera.js') >= newest('src') &&
  changed('dist/pages/welcome/index.html') >= newest('pages') &&
  changed('dist/pages/studio/index.html') >= newest('studio');
if (!isBuilt) npm('run', 'build');

// npm doesn't hand its signals through the shell that it runs scripts in. When that is gone, so is who started the server.
if (process.env.npm_lifecycle_event === 'start') {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

// In this very process, so that signals reach the server. Workers (`--workers`) are started with the same arguments.
process.argv.splice(1, 1, fileURLToPath(new URL('../dist/bin/tessera.js', import.meta.url)), 'start');
await import('../dist/bin/tessera.js');
