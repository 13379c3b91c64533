// Which build of Tessera is measured: `dist/` of this repository unless told otherwise.
import { pathToFileURL } from 'node:url';

let load = (module) => import(new URL(`../../dist/${module}.js`, import.meta.url).href);

/** A module of Tessera by its path within `src/`: `tessera('embedded/index')`. */
export const tessera = (module) => load(module);

/** @param {(module: string) => Promise<any>} loader loads modules from elsewhere, for tests and comparisons of revisions */
export function useBuild(loader) {
  load = loader;
}

/** @param {string} folder of a build, with the modules of `src/` as JavaScript */
export function useFolder(folder) {
  useBuild((module) => import(pathToFileURL(`${folder}/${module}.js`).href));
}
