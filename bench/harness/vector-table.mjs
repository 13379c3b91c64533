// A table of vectors in a database of this process, for benches of nearest neighbours. Needs a build (`npm run build`).
import { readGraphState } from '../../dist/index/hnsw/graph-state.js';
import { rangeOf, stateKey } from '../../dist/index/hnsw/layout.js';
import { isWorn } from '../../dist/index/hnsw/sweep.js';
import { openDatabase } from '../../dist/session/database/database.js';
import { openEngine } from '../../dist/storage/open/open.js';
import { objectFrom, RecordId } from '../../dist/value/value.js';

/** Rows that one statement creates. */
const AT_ONCE = 500;
/** Fewer aren't linked until there are more (`src/records/index/hnsw.ts`). */
const LEFT = 64;
/** What the keys of an index begin with (`src/catalog/keys/store-keys.ts`). */
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
      const indexes = await indexesOf(engine);
      while (await isLinking(engine, indexes)) await new Promise((resolve) => setTimeout(resolve, 200));
    },
  };
}

/** The prefixes of HNSW indexes. In small steps, since it is done while turns are measured. */
async function indexesOf(engine) {
  const transaction = await engine.begin({ writable: false });
  const cursor = transaction.scan({ from: 'D', to: 'E' }, { batch: 64 });
  const indexes = new Set();
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
    for (const [key] of batch) {
      const index = key.slice(0, PREFIX);
      if (key[5] === 'x' && key.startsWith(rangeOf(index, 'changed').from)) indexes.add(index);
      if (key[5] === 'x' && key === stateKey(index)) indexes.add(index);
    }
    await new Promise(setImmediate);
  }
  cursor.close();
  transaction.cancel();
  return indexes;
}

async function isLinking(engine, indexes) {
  const transaction = await engine.begin({ writable: false });
  try {
    for (const index of indexes) {
      const state = readGraphState(await transaction.get(stateKey(index)));
      if (state.sweep !== undefined || state.waiting > 0 || isWorn(state)) return true;
      if ((await transaction.count(rangeOf(index, 'changed'))) >= LEFT) return true;
    }
    return false;
  } finally {
    transaction.cancel();
  }
}
