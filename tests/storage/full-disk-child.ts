/**
 * A process whose files may only have a certain length: `node full-disk-child.js <folder> <seed>`. It writes until there is no more room, reads
 * all that was acknowledged is stored, makes room by deleting, and writes again. Prints the outcome as JSON. With `RUN_AS=<uid>` it gives up being
 * root once its code is loaded, since another user may not reach the folder of the code.
 */
import { TesseraError } from '../../src/errors/error.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';

const [, , folder = '', seed = ''] = process.argv;
const user = Number(process.env['RUN_AS'] ?? 0);
if (user !== 0) {
  process.setgid?.(user);
  process.setuid?.(user);
}
let state = Number(seed) >>> 0;
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

let threads = 0;
process.on('worker', () => threads++);
let fatal = 0;
const engine = openLmdb(folder, { cacheBytes: 0, fatal: () => fatal++ });
const stored = new Map<string, string>();
const codes: Record<string, number> = {};

async function write(pairs: ReadonlyMap<string, string | undefined>): Promise<boolean> {
  const transaction = engine.begin({ writable: true });
  for (const [key, value] of pairs) {
    if (value === undefined) transaction.delete(key);
    else transaction.put(key, value);
  }
  try {
    await transaction.commit();
  } catch (error) {
    const code = error instanceof TesseraError ? error.code : String(error);
    codes[code] = (codes[code] ?? 0) + 1;
    return false;
  }
  for (const [key, value] of pairs) {
    if (value === undefined) stored.delete(key);
    else stored.set(key, value);
  }
  return true;
}

/** So many that a thread writes them. */
function manyPairs(): Map<string, string> {
  return new Map(Array.from({ length: 4_200 }, () => [`k${random(1e6)}`, 'v'.repeat(random(20))]));
}

function somePairs(): Map<string, string> {
  if (random(40) === 0) return manyPairs();
  const count = 1 + random(random(10) === 0 ? 100 : 8);
  return new Map(
    Array.from({ length: count }, () => [`k${random(1e6)}`, 'v'.repeat(random(random(10) === 0 ? 20_000 : 300))]),
  );
}

function isIntact(): boolean {
  const transaction = engine.begin({ writable: false });
  const intact = [...stored].every(([key, value]) => transaction.get(key) === value);
  transaction.cancel();
  return intact;
}

await write(manyPairs());
for (let round = 0; round < 3_000 && (codes['storage_full'] ?? 0) < 30; round++) {
  // Some at once, so that they wait for each other.
  await Promise.all(Array.from({ length: 1 + random(3) }, () => write(somePairs())));
}
const whenFull = isIntact();
let deleted = 0;
for (const key of [...stored.keys()]) if (deleted < 100 && (await write(new Map([[key, undefined]])))) deleted++;
let written = 0;
for (let index = 0; index < 20; index++) if (await write(new Map([[`z${index}`, 'small']]))) written++;
const afterwards = isIntact();
engine.check();
await engine.close();
const again = openLmdb(folder);
const reader = again.begin({ writable: false });
const whenReopened = [...stored].every(([key, value]) => reader.get(key) === value);
reader.cancel();
await again.close();
process.stdout.write(
  JSON.stringify({ threads, codes: Object.keys(codes), fatal, whenFull, deleted, written, afterwards, whenReopened }),
);
