// Starts the server from a checkout: `npm start -- memory --user root --pass secret` is `tessera start memory …`, after
// installing and building whatever is missing or out of date.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const newest = (folder) =>
  Math.max(...readdirSync(folder, { recursive: true }).map((name) => changed(`${folder}/${name}`)));

function npm(...args) {
  // Standard output belongs to the server.
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) npm('ci');
if (changed('dist/cli/main.js') < newest('src')) npm('run', 'build');

// In this very process, so that signals reach the server.
process.argv.splice(2, 0, 'start');
await import(pathToFileURL('dist/cli/main.js').href);
