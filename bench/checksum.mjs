// What checksums cost: a read by id from disk, whose value isn't cached, beside the verification of the checksum in it. Needs a build.
//
//     node bench/checksum.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Tessera } from '../dist/embedded/index.js';
import { isChecksumRight, sealRecord } from '../dist/value/codecs/sealed-record.js';
import { objectFrom, RecordId } from '../dist/value/value.js';
import { readOptions } from '../scripts/options.mjs';

readOptions(`Prints what the checksum of a record costs beside a read of it from disk. Needs a build (npm run build).

  node bench/checksum.mjs

  -h, --help   prints this`);

const RECORDS = 20_000;
const ROUNDS = 7;
const FIELDS = { name: 'Ada Lovelace', email: 'ada@example.com', age: 36, active: true, score: 0.25 };

/** Microseconds for one of `count`, the least of some rounds; `prepare` makes what `work` works on. */
async function least(count, prepare, work) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const made = await prepare();
    const began = performance.now();
    await work(made);
    best = Math.min(best, ((performance.now() - began) * 1e3) / count);
    await made?.close();
  }
  return best;
}

const folder = mkdtempSync(join(tmpdir(), 'tessera-checksum-'));
const open = async () => {
  const db = await Tessera.open(folder);
  await db.use('bench', 'bench');
  return db;
};
const first = await open();
await first.query('FOR $i IN 0..$count { CREATE type::record("person", $i) CONTENT $fields RETURN NONE }', {
  count: RECORDS,
  fields: FIELDS,
});
await first.close();
// Nothing is cached of a store that has just been opened.
const read = await least(RECORDS, open, async (db) => {
  for (let id = 0; id < RECORDS; id++) await db.query('SELECT * FROM ONLY type::record("person", $id)', { id });
});
const key = 'a key of thirty-two bytes, about';
const sealed = sealRecord(key, objectFrom({ id: new RecordId('person', 1), ...FIELDS }));
let right = 0;
const verify = await least(
  RECORDS * 10,
  () => undefined,
  () => {
    for (let at = 0; at < RECORDS * 10; at++) if (isChecksumRight(key, sealed)) right++;
  },
);
if (right !== RECORDS * 10 * ROUNDS) throw new Error('a checksum was wrong');
console.log(`a read by id from disk: ${read.toFixed(2)} µs`);
console.log(
  `of it, the checksum of ${sealed.length} bytes: ${verify.toFixed(3)} µs, ${((verify / read) * 100).toFixed(1)} %`,
);
rmSync(folder, { recursive: true });
