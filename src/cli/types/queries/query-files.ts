/** The files of an app that have statements in them. */
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import type { QuerySource } from './query-source.js';
import { taggedTemplates } from './tagged-templates.js';

const STATEMENTS = /\.surql$/;
const PROGRAMS = /\.[cm]?[jt]sx?$/;

interface ReadFile {
  readonly changed: number;
  readonly sources: readonly QuerySource[];
}

/** Reads them again and again: files that haven't changed are read once. */
export class QueryFiles {
  #read = new Map<string, ReadFile>();

  /** `out`: a file that is made, so that nothing in it counts. */
  constructor(
    private readonly pattern: string,
    private readonly out: string | undefined,
  ) {}

  /** Whether there were none when they were read last. */
  get areMissing(): boolean {
    return this.#read.size === 0;
  }

  /** In the order of the names of files. @throws what the file system throws */
  async sources(): Promise<QuerySource[]> {
    const found = await glob(this.pattern, { ignore: ['**/node_modules/**'], expandDirectories: false });
    const read = new Map<string, ReadFile>();
    for (const file of found.sort()) {
      if (!(STATEMENTS.test(file) || PROGRAMS.test(file)) || this.#isMade(file)) continue;
      const { mtimeMs: changed } = await stat(file);
      const known = this.#read.get(file);
      read.set(file, known?.changed === changed ? known : { changed, sources: await sourcesIn(file) });
    }
    this.#read = read;
    return [...read.values()].flatMap(({ sources }) => sources);
  }

  #isMade(file: string): boolean {
    return this.out !== undefined && resolve(file) === resolve(this.out);
  }
}

async function sourcesIn(file: string): Promise<QuerySource[]> {
  const text = await readFile(file, 'utf8');
  return STATEMENTS.test(file) ? [{ file, text, name: nameOf(file) }] : taggedTemplates(file, text);
}

/** The name of the file in camel case. */
function nameOf(file: string): string {
  const [first = '', ...rest] = basename(file, '.surql').split(/[^\p{ID_Continue}]+|_/u);
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
