// Which build of Tessera is measured. Default: `dist/` of this repository.
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

let folder = fileURLToPath(new URL('../../dist', import.meta.url));
let load = (module) => import(new URL(`../../dist/${module}.js`, import.meta.url).href);

/** A module of Tessera by its path within `src/`: `tessera('embedded/index')`. */
export const tessera = (module) => load(module);

/** @param {(module: string) => Promise<any>} loader loads modules from elsewhere, for tests and comparisons of revisions */
export function useBuild(loader) {
  load = loader;
}

/** @param {string} path of a build, with the modules of `src/` as JavaScript */
export function useFolder(path) {
  folder = path;
  useBuild((module) => {
    // A revision of before may have it elsewhere.
    const former = FORMER_PATHS[module];
    const isThere = former === undefined || existsSync(`${path}/${module}.js`);
    return import(pathToFileURL(`${path}/${isThere ? module : former}.js`).href);
  });
}

/** Modules that the bench loads, and where they were in revisions of before. */
const FORMER_PATHS = {
  'session/database/database': 'session/database',
  'storage/open/open': 'storage/engines/open',
  'storage/postgres/open': 'storage/engines/postgres/open',
};

/** The command `tessera`, for servers in processes of their own. */
export const command = () => `${folder}/bin/tessera.js`;

/** Why no such server can be started. */
export const lacksCommand = () => (existsSync(command()) ? undefined : 'it isn’t built; npm run build');
