import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { LmdbFile } from '../../src/storage/lmdb/file/lmdb-file.js';
import { compiled } from '../support/compiled.js';
import { isInTurn } from '../support/runs-all.js';
import { attack } from './attack.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'tessera-damage-'));
const SEED = Number(process.env['DAMAGE_SEED'] ?? 82);
const PAGE = 4096;
const SOUND = join(FOLDER, 'sound', 'data.mdb');
let child: string;
let random: () => number;

beforeAll(async () => {
  child = compiled('tests/storage/damage-child.ts', FOLDER);
  const folder = join(FOLDER, 'sound');
  await openLmdb(folder).close();
  writeFileSync(SOUND, gunzipSync(readFileSync('tests/storage/fixtures/format-1.mdb.gz')));
  // As this version writes it: with checksums.
  const engine = openLmdb(folder);
  await engine.sealed;
  await engine.close();
  let state = SEED >>> 0;
  random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** What became of each damage, in one process; that ends with the first that a signal ends. */
async function outcomes(damages: readonly string[]): Promise<Map<string, string>> {
  const process_ = spawn(process.execPath, [child, SOUND, join(FOLDER, 'copy')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const found = new Map<string, string>();
  createInterface({ input: process_.stdout }).on('line', (line) => {
    const [damage = '', outcome = ''] = line.split(': ');
    if (damages.includes(damage)) found.set(damage, outcome);
  });
  process_.stdin.end(`${damages.join('\n')}\n`);
  const [code, signal] = await once(process_, 'close');
  const next = damages[found.size];
  expect({ code, signal, next, seed: SEED }).toEqual({ code: 0, signal: null, next: undefined, seed: SEED });
  return found;
}

/** Right data, or errors with a code of the storage; never anything else. */
const HARMLESS = /^(right ?)?(storage_corrupt|storage_unavailable|storage_format)?$/;

// In turns with other long tests.
describe.skipIf(!isInTurn(6))('A data file', () => {
  attack(82, 'cut off at each border of its pages', async () => {
    const { size } = statSync(SOUND);
    const { lastPage } = metaOf(SOUND);
    const cuts = Array.from({ length: Math.ceil(size / PAGE / 5) }, (_, at) => `cut ${at * 5 * PAGE}`);
    const found = await outcomes([...cuts, `cut ${PAGE - 1}`, `cut ${lastPage * PAGE + 1}`]);
    for (const [damage, outcome] of found)
      expect(`${damage}: ${outcome}`).toMatch(/: (right|storage_corrupt|storage_unavailable)$/);
    for (const cut of ['cut 0', `cut ${PAGE - 1}`]) expect(found.get(cut)).toBe('storage_corrupt');
    expect([...found.values()]).toContain('right');
  });

  attack(82, 'with bytes flipped in the pages that lead to the others', async () => {
    const { root } = metaOf(SOUND);
    const flips = [0, 1, root].flatMap((page) =>
      Array.from({ length: 60 }, () => {
        // Meta pages hold their few bytes at the front, others theirs at the end.
        const at = page < 2 ? Math.floor(random() * 170) : PAGE - 1 - Math.floor(random() * 200);
        return `flip ${page * PAGE + at} ${1 << Math.floor(random() * 8)}`;
      }),
    );
    const found = await outcomes([...new Set(flips)]);
    for (const [damage, outcome] of found)
      expect(`${damage}: ${outcome}`).toMatch(new RegExp(`: ${HARMLESS.source.slice(1)}`));
    expect([...found.values()]).toContain('storage_corrupt');
  });

  attack(82, 'with bytes flipped anywhere', async () => {
    const { size } = statSync(SOUND);
    const flips = Array.from(
      { length: 250 },
      () => `flip ${Math.floor(random() * size)} ${1 + Math.floor(random() * 255)}`,
    );
    const found = await outcomes([...new Set(flips)]);
    for (const [damage, outcome] of found)
      expect(`${damage}: ${outcome}`).toMatch(new RegExp(`: ${HARMLESS.source.slice(1)}`));
    // A value that is damaged is an error, and everything else is served.
    expect([...found.values()]).toContain('right storage_corrupt');
  });
});

function metaOf(path: string): { readonly lastPage: number; readonly root: number } {
  const file = new LmdbFile(path);
  file.close();
  return { lastPage: file.meta.lastPage, root: file.meta.main.root ?? 0 };
}
