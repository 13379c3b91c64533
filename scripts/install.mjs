// Installs the dependencies when they are missing or older than the lock file: all of them, or what building and running need, which is
// a third. What else checks and tests need is listed in tooling/package.json, a workspace.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

/** Runs one of npm's commands in the project's folder. */
export function npm(...args) {
  execFileSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { stdio: 'inherit' });
}

const LISTED = 'node_modules/.package-lock.json';
/** Installed with the workspace alone. */
const TOOLING = 'node_modules/tesseradb-tooling';

const isCurrent = () => existsSync(LISTED) && statSync(LISTED).mtimeMs >= statSync('package-lock.json').mtimeMs;

/** What building and running need. */
export function installToBuild() {
  if (!isCurrent()) npm('ci', '--workspaces=false', '--no-audit', '--no-fund');
}

export function installAll() {
  if (!isCurrent() || !existsSync(TOOLING)) npm('ci', '--no-audit', '--no-fund');
}
