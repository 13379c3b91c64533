// Writes npm-shrinkwrap.json, which the package carries with it: npm installs the very versions that were tested, and not the newest ones that
// ranges allow, for `overrides` count in the project itself only. `npm pack` and `npm publish` make it and take it away again (`--remove`),
// so that package-lock.json stays the one lock file here.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SHRINKWRAP = 'npm-shrinkwrap.json';

/** The lock file as far as it is about what the package needs when it runs. */
export function shrinkwrapOf(lock) {
  const { '': root, ...installed } = lock.packages;
  const { devDependencies: _, workspaces = [], ...rest } = root;
  const isWorkspace = (path, { link }) => link === true || workspaces.includes(path);
  const needed = Object.entries(installed).filter(([path, entry]) => entry.dev !== true && !isWorkspace(path, entry));
  return { ...lock, packages: { '': rest, ...Object.fromEntries(needed) } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  if (process.argv[2] === '--remove') rmSync(SHRINKWRAP, { force: true });
  else {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    writeFileSync(SHRINKWRAP, `${JSON.stringify(shrinkwrapOf(lock), null, 2)}\n`);
  }
}
