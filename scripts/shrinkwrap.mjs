// Writes npm-shrinkwrap.json, which the package carries with it: npm installs the very versions that were tested, and not the newest ones that
// ranges allow, for `overrides` count in the project itself only. `npm pack` and `npm publish` make it and take it away again (`--remove`),
// so that package-lock.json stays the one lock file here.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SHRINKWRAP = 'npm-shrinkwrap.json';

/**
 * The lock file as far as it is about what the package needs when it runs: found from its dependencies, since npm marks
 * what optional peers bring (`@tanstack/db`, and with it the compiler) as it does what may be needed.
 */
export function shrinkwrapOf(lock) {
  const { '': root, ...installed } = lock.packages;
  const { devDependencies: _, workspaces: __, ...rest } = root;
  const needed = new Set();
  const open = [['', rest]];
  for (const [path, entry] of open) {
    for (const name of namesNeededBy(entry)) {
      const found = resolved(installed, path, name);
      if (found === undefined || needed.has(found)) continue;
      needed.add(found);
      open.push([found, installed[found]]);
    }
  }
  const packages = Object.entries(installed).filter(([path]) => needed.has(path));
  return { ...lock, packages: { '': rest, ...Object.fromEntries(packages) } };
}

function namesNeededBy({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Where a package finds another one: in its own folder, or in that of a package around it. */
function resolved(installed, path, name) {
  const own = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (own in installed) return own;
  if (path === '') return undefined;
  const outer = path.lastIndexOf('/node_modules/');
  return resolved(installed, outer === -1 ? '' : path.slice(0, outer), name);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  if (process.argv[2] === '--remove') rmSync(SHRINKWRAP, { force: true });
  else {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    writeFileSync(SHRINKWRAP, `${JSON.stringify(shrinkwrapOf(lock), null, 2)}\n`);
  }
}
