/**
 * A process whose calls are traced: `node power-child.js <folder> <rounds>`. It changes files of a store, in the store
 * and in a folder, from where they were, and prints what it is about to do and what is acknowledged.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { BUCKETS, changeFiles, keptFiles, openFiles, PREFIXES } from '../support/power/file-writes.js';

const [, , folder = '', rounds = '', first = ''] = process.argv;

const { database, session } = await openFiles(openLmdb(join(folder, 'store')), folder);
const writers = BUCKETS.flatMap((bucket) => PREFIXES.map((prefix) => ({ bucket, prefix })));
const say = (...words: readonly (string | number)[]) => void writeSync(1, `${words.join(' ')}\n`);
await Promise.all(
  writers.map(async (writer, at) => {
    const { bucket, prefix } = writer;
    let kept = await keptFiles(session, bucket, prefix);
    say(bucket, prefix, 'has', ...kept);
    for (let round = Number(first) + at; round < Number(first) + at + Number(rounds); round++) {
      kept = await changeFiles(session, writer, kept, round, (next) => say(bucket, prefix, 'becomes', ...next));
      say(bucket, prefix, 'has', ...kept);
    }
  }),
);
await database.close();
