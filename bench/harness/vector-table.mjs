// A table of vectors in a database of this process, for benches of nearest neighbours. Needs a build (`npm run build`).
import { rangeOf, stateKey } from '../../dist/index/hnsw/layout.js';
import { openDatabase } from '../../dist/session/database/database.js';
import { openEngine } from '../../dist/storage/engines/open.js';
import { objectFrom, RecordId } from '../../dist/value/value.js';

/** Rows that one statement creates. */
const AT_ONCE = 500;
/** Fewer aren't linked until there are more (`src/exec/index/hnsw.ts`). */
const LEFT = 64;
/** What the keys of an index begin with (`src/catalog/keys.ts`). */
const PREFIX = 14;

/** @param path a folder, or `memory` */
export async function openVectorTable(path, options = {}) {
  const engine = await openEngine(path);
  const database = await openDatabase(engine, options);
  const session = database.ownerSession();
  await session.use('bench', 'bench');
  const ask = async (text, variables) => {
    const [{ outcome }] = await session.query(text, variables);
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  };
  return {
    ask,
    close: () => database.close(),
    /** Writes vectors, by their numbers, as records of `t` with further fields. */
    write: async (entries, fieldsOf, verb = 'INSERT') => {
      for (let from = 0; from < entries.length; from += AT_ONCE) {
        const rows = entries
          .slice(from, from + AT_ONCE)
          .map(([at, v]) => objectFrom(Object.entries({ id: new RecordId('t', at), v, ...fieldsOf(at) })));
        if (verb === 'INSERT') await ask('INSERT INTO t $rows RETURN NONE', { rows });
        else await ask('FOR $row IN $rows { UPDATE $row.id CONTENT $row RETURN NONE }', { rows });
      }
    },
    /** The numbers of the records that a condition finds. */
    search: (where) => async (query) =>
      (await ask(`SELECT VALUE id FROM t WHERE ${where}`, { query })).map(({ key }) => key),
    /** Until nearly all vectors of all indexes are linked, and their graphs mended. */
    linked: async () => {
      while (await isLinking(engine)) await new Promise((resolve) => setTimeout(resolve, 200));
    },
  };
}

async function isLinking(engine) {
  const transaction = await engine.begin({ writable: false });
  const cursor = transaction.scan({ from: 'D', to: 'E' });
  try {
    for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
      for (const [key, stored] of batch) {
        if (key[5] !== 'x' || key.length < PREFIX) continue;
        const index = key.slice(0, PREFIX);
        const isState = key === stateKey(index);
        if (isState && stored.sweep !== undefined) return true;
        const isFirst = key.startsWith(rangeOf(index, 'changed').from);
        if ((isState || isFirst) && (await transaction.count(rangeOf(index, 'changed'))) >= LEFT) return true;
      }
    }
    return false;
  } finally {
    cursor.close();
    transaction.cancel();
  }
}
