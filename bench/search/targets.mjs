// Those whose full-text search is measured: each holds a table of texts by their ids, indexes it, adds to it, and searches.
import { join } from 'node:path';
import { tessera } from '../harness/build.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';

const ANALYZER = 'DEFINE ANALYZER words TOKENIZERS class FILTERS lowercase, ascii';
const INDEX = 'DEFINE INDEX body ON article FIELDS body FULLTEXT ANALYZER words BM25';
const BATCH = 1_000;

/** What both engines of SurrealQL do, by a function that runs a statement and answers its result. */
function surrealql(ask, { RecordId }, row = (id, body) => ({ id, body })) {
  const rows = (from, texts) => texts.map((body, at) => row(new RecordId('article', from + at), body));
  const add = (from, texts) => ask('INSERT INTO article $rows RETURN NONE', { rows: rows(from, texts) });
  const best = (operator) => (words) =>
    ask(
      `SELECT id, search::score(1) AS score FROM article WHERE body @1,${operator}@ $text ORDER BY score DESC LIMIT 10`,
      { text: words.join(' ') },
    );
  return {
    load: async (texts) => {
      await ask(`DEFINE TABLE article; ${ANALYZER}`);
      for (let from = 0; from < texts.length; from += BATCH) await add(from, texts.slice(from, from + BATCH));
    },
    index: () => ask(INDEX),
    addOne: (id, text) => ask('CREATE $id SET body = $text RETURN NONE', { id: new RecordId('article', id), text }),
    add,
    word: (words) => ask('SELECT VALUE id FROM article WHERE body @@ $text', { text: words.join(' ') }),
    bestOfAll: best('AND'),
    bestOfAny: best('OR'),
    countOfAny: async (words) => {
      const [row] = await ask('SELECT count() FROM article WHERE body @OR@ $text GROUP ALL', { text: words.join(' ') });
      return row?.count ?? 0;
    },
  };
}

export async function openTessera(address = 'memory') {
  const { openDatabase } = await tessera('session/database/database');
  const { openEngine } = await tessera('storage/open/open');
  const { objectFrom, RecordId } = await tessera('value/value');
  const folder = address === 'disk' ? temporaryFolder() : undefined;
  const engine = await openEngine(folder?.path ?? 'memory');
  const database = await openDatabase(engine, { guests: true });
  const owner = database.ownerSession();
  const asking = async (session) => {
    await session.use('bench', 'bench');
    return async (text, variables = {}) => {
      const results = await session.query(text, objectFrom(Object.entries(variables)));
      for (const { outcome } of results) if (!outcome.ok) throw outcome.error;
      return results.at(-1).outcome.value;
    };
  };
  const ask = await asking(owner);
  const row = (id, body) =>
    objectFrom([
      ['id', id],
      ['body', body],
    ]);
  return {
    ...surrealql(ask, { RecordId }, row),
    ask,
    removeIndex: () => ask('REMOVE INDEX body ON article'),
    /** The same searches by a guest, who is subject to PERMISSIONS. */
    guest: async () => surrealql(await asking(database.session({})), { RecordId }, row),
    /** Of the keys of the index, and of what stands under them as it is encoded. */
    indexBytes: () => indexBytes(engine),
    close: async () => {
      await database.close();
      folder?.remove();
    },
  };
}

async function indexBytes(engine) {
  const { indexPrefix } = await tessera('catalog/keys/store-keys');
  const { prefixRange } = await tessera('catalog/keys/key-bytes');
  const { CatalogCache, loadDatabase } = await tessera('catalog/definitions/load');
  const { encodeRecord } = await tessera('value/codecs/record-encode');
  const transaction = await engine.begin({ writable: false });
  const catalog = await loadDatabase(transaction, new CatalogCache(), 'bench', 'bench');
  const table = catalog.tables.get('article');
  const index = table.indexes.find(({ name }) => name === 'body');
  const prefix = indexPrefix(catalog.database.id, table.definition.id, index.id);
  let bytes = 0;
  const cursor = transaction.scan(prefixRange(prefix));
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next())
    for (const [key, stored] of batch) bytes += key.length + encodeRecord(stored).length;
  transaction.cancel();
  return bytes;
}

export async function openPeer() {
  const client = await import('surrealdb');
  const { createNodeEngines } = await import('@surrealdb/node');
  const db = new client.Surreal({ engines: createNodeEngines() });
  await db.connect('mem://');
  await db.use({ namespace: 'bench', database: 'bench' });
  const ask = async (text, variables) => (await db.query(text, variables)).at(-1);
  return { ...surrealql(ask, client), close: () => db.close() };
}

/** FTS5 over the texts of a table, which it doesn't copy. */
export async function openSqlite(address = 'memory') {
  const { default: Database } = await import('better-sqlite3');
  const folder = address === 'disk' ? temporaryFolder() : undefined;
  const db = new Database(folder === undefined ? ':memory:' : join(folder.path, 'bench.db'));
  if (folder !== undefined) db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE article (id INTEGER PRIMARY KEY, body TEXT)');
  const insert = db.prepare('INSERT INTO article VALUES (?, ?)');
  const queries = new Map();
  const ask = (text) => {
    if (!queries.has(text)) queries.set(text, db.prepare(text));
    return queries.get(text);
  };
  let isIndexed = false;
  const add = db.transaction((from, texts) => {
    for (const [at, text] of texts.entries()) {
      insert.run(from + at, text);
      if (isIndexed) ask('INSERT INTO words (rowid, body) VALUES (?, ?)').run(from + at, text);
    }
  });
  const pages = () => db.pragma('page_count', { simple: true }) * db.pragma('page_size', { simple: true });
  let before = 0;
  const match = (words, operator) => words.map((word) => `"${word}"`).join(` ${operator} `);
  const best = 'SELECT rowid AS id, bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10';
  return {
    load: (texts) => add(0, texts),
    index: () => {
      before = pages();
      db.exec(
        "CREATE VIRTUAL TABLE words USING fts5(body, content='article', content_rowid='id', tokenize='unicode61 remove_diacritics 2');" +
          "INSERT INTO words(words) VALUES ('rebuild')",
      );
      isIndexed = true;
    },
    removeIndex: () => {
      db.exec('DROP TABLE words');
      isIndexed = false;
    },
    addOne: (id, text) => add(id, [text]),
    add,
    word: (words) => ask('SELECT rowid FROM words WHERE words MATCH ?').all(match(words, 'AND')),
    bestOfAll: (words) => ask(best).all(match(words, 'AND')),
    bestOfAny: (words) => ask(best).all(match(words, 'OR')),
    countOfAny: (words) => ask('SELECT count(*) AS count FROM words WHERE words MATCH ?').get(match(words, 'OR')).count,
    indexBytes: () => pages() - before,
    close: () => {
      db.close();
      folder?.remove();
    },
  };
}

/** Has no table beside its index, and no way to write. */
export async function openMiniSearch() {
  const { default: MiniSearch } = await import('minisearch');
  let texts = [];
  const index = new MiniSearch({ fields: ['body'] });
  const search = (words, combineWith) => index.search(words.join(' '), { combineWith });
  const add = (from, more) => index.addAll(more.map((body, at) => ({ id: from + at, body })));
  return {
    load: (all) => {
      texts = all;
    },
    index: () => add(0, texts),
    addOne: (id, text) => add(id, [text]),
    add,
    word: (words) => search(words, 'AND'),
    bestOfAll: (words) => search(words, 'AND').slice(0, 10),
    bestOfAny: (words) => search(words, 'OR').slice(0, 10),
    countOfAny: (words) => search(words, 'OR').length,
    close: () => undefined,
  };
}
