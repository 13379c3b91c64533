/** Where tests have the store of a process that is killed or loses its power, and the process itself. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { compiled } from '../compiled.js';

export interface WriterPlace {
  readonly root: string;
  /** Of the store. */
  readonly folder: string;
  /** Where what is left of it is opened. */
  readonly copy: string;
  /** `tests/storage/power-child.ts`, once the tests run. */
  readonly child: string;
}

/** In memory, where there is such a folder: nothing has to last. Each test begins without a store. */
export function writerPlace(name: string): WriterPlace {
  const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `tessera-${name}-`));
  const place = { root, folder: join(root, 'store'), copy: join(root, 'copy'), child: '' };
  beforeAll(() => {
    place.child = compiled('tests/storage/power-child.ts', root);
  }, 60_000);
  beforeEach(() => {
    for (const folder of [place.folder, place.copy]) rmSync(folder, { recursive: true, force: true });
  });
  afterAll(() => rmSync(root, { recursive: true }));
  return place;
}
