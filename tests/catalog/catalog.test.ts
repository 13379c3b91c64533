import { beforeEach, describe, expect, it } from 'vitest';
import { generateSecret } from '../../src/catalog/credentials/secret.js';
import {
  ensureDatabase,
  ensureNamespace,
  implicitTable,
  putAtLevel,
  putField,
  putNamespace,
  putTable,
} from '../../src/catalog/ddl/define.js';
import { removeDatabase, removeTable } from '../../src/catalog/ddl/remove.js';
import type { DatabaseCatalog, TableEntry } from '../../src/catalog/definitions/database-catalog.js';
import { CatalogCache, loadDatabase } from '../../src/catalog/definitions/load.js';
import { findAccess, findUser, loadNamespace } from '../../src/catalog/definitions/lookup.js';
import { putIndex } from '../../src/catalog/indexes/lifecycle.js';
import { edgeKey } from '../../src/catalog/keys/edge-keys.js';
import { recordKey } from '../../src/catalog/keys/store-keys.js';
import { realEnvironment } from '../../src/env/real.js';
import { parseIdiom, parseStatement } from '../../src/language/parse.js';
import type { KeyRange, Transaction } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { encodeKey } from '../../src/value/codecs/key-codec.js';
import { objectFrom, RecordId } from '../../src/value/value.js';

const { random, clock } = realEnvironment;
const EVERYTHING: KeyRange = { from: '\0', to: '\xff' };

let engine: MemoryEngine;
let cache: CatalogCache;
beforeEach(async () => {
  engine = new MemoryEngine();
  cache = new CatalogCache();
  await write(async (transaction) => {
    await ensureNamespace({ transaction, random, clock }, 'n');
    await ensureDatabase({ transaction, random, clock }, 'n', 'd');
  });
});

async function write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const transaction = engine.begin({ writable: true });
  const result = await work(transaction);
  await transaction.commit();
  return result;
}

async function load(transaction: Transaction = engine.begin({ writable: false })): Promise<DatabaseCatalog> {
  const catalog = await loadDatabase(transaction, cache, 'n', 'd');
  if (catalog === undefined) throw new Error('no such database');
  return catalog;
}

async function table(catalog: DatabaseCatalog, name: string): Promise<TableEntry> {
  const entry = catalog.tables.get(name);
  if (entry === undefined) throw new Error('no such table');
  return entry;
}

async function defineTable(name: string): Promise<void> {
  await write(async (transaction) => {
    await putTable({ transaction, random, clock }, await load(transaction), implicitTable(name));
  });
}

async function defineField(tableName: string, path: string): Promise<void> {
  await write(async (transaction) => {
    const catalog = await load(transaction);
    const { definition } = await table(catalog, tableName);
    const field = {
      kind: 'define-field',
      path: parseIdiom(path),
      table: tableName,
      flexible: false,
      credential: false,
      readonly: false,
    } as const;
    await putField({ transaction, random, clock }, catalog, definition, field);
  });
}

describe('the cache', () => {
  it('gives the same catalog while nothing has changed', async () => {
    await defineTable('a');
    expect(await load()).toBe(await load());
  });

  it('takes over the tables that have not changed', async () => {
    await defineTable('a');
    await defineTable('b');
    const before = await load();
    await defineField('b', 'f');
    const after = await load();
    expect(after).not.toBe(before);
    expect(after.tables.get('a')).toBe(before.tables.get('a'));
    expect(after.tables.get('b')).not.toBe(before.tables.get('b'));
    expect((await table(after, 'b')).fields).toHaveLength(1);
  });

  it('gives a table another entry when a view of it comes', async () => {
    await defineTable('a');
    const before = await table(await load(), 'a');
    await write(async (transaction) => {
      const definition = parseStatement('DEFINE TABLE v AS SELECT * FROM a');
      if (definition.kind !== 'define-table') throw new Error('not a table');
      await putTable({ transaction, random, clock }, await load(transaction), { ...definition, name: 'v' });
    });
    const after = await table(await load(), 'a');
    expect(before.views).toEqual([]);
    expect(after.views.map((view) => view.name)).toEqual(['v']);
  });

  it('keeps what was never committed apart', async () => {
    const mine = engine.begin({ writable: true });
    const theirs = engine.begin({ writable: true });
    await putTable({ transaction: mine, random, clock }, await load(mine), implicitTable('mine'));
    await putTable({ transaction: theirs, random, clock }, await load(theirs), implicitTable('theirs'));
    expect([...(await load(mine)).tables.keys()]).toEqual(['mine']);
    expect([...(await load(theirs)).tables.keys()]).toEqual(['theirs']);
    expect([...(await load()).tables.keys()]).toEqual([]);
    await mine.commit();
    expect(() => theirs.commit()).toThrow('Transaction conflict');
    expect([...(await load()).tables.keys()]).toEqual(['mine']);
  });

  it('forgets what a savepoint took back', async () => {
    await defineTable('a');
    const transaction = engine.begin({ writable: true });
    const savepoint = transaction.savepoint();
    await putTable({ transaction, random, clock }, await load(transaction), implicitTable('b'));
    expect((await load(transaction)).tables.has('b')).toBe(true);
    transaction.rollback(savepoint);
    expect((await load(transaction)).tables.has('b')).toBe(false);
  });

  it('reads one key where the stamp is known', async () => {
    await defineTable('a');
    await load();
    const transaction = engine.begin({ writable: false });
    let reads = 0;
    const counted = new Proxy(transaction, {
      get(target, name) {
        if (name === 'get' || name === 'scan' || name === 'getMany') reads++;
        const member = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    await load(counted);
    expect(reads).toBe(1);
  });

  it('shows a namespace that was defined again', async () => {
    expect((await load()).namespace.comment).toBeUndefined();
    await write(async (transaction) => {
      await putNamespace({ transaction, random, clock }, { kind: 'define-namespace', name: 'n', comment: 'anew' });
    });
    expect((await load()).namespace.comment).toBe('anew');
  });
});

it('makes a statement conflict with a definition that it did not know', async () => {
  await defineTable('a');
  const transaction = engine.begin({ writable: true });
  await load(transaction);
  transaction.put('other', 1);
  await defineField('a', 'f');
  expect(() => transaction.commit()).toThrow('Transaction conflict');
});

it('never gives an id twice', async () => {
  await defineTable('a');
  const first = (await table(await load(), 'a')).definition.id;
  await write(async (transaction) => {
    const catalog = await load(transaction);
    await removeTable({ transaction, random, clock }, catalog, await table(catalog, 'a'));
  });
  await defineTable('a');
  expect((await table(await load(), 'a')).definition.id).toBeGreaterThan(first);
});

it('keeps the records of a table that is defined again', async () => {
  await defineTable('a');
  const before = (await table(await load(), 'a')).definition.id;
  await defineTable('a');
  expect((await table(await load(), 'a')).definition.id).toBe(before);
});

it('takes everything of a table with it, and its edges from the records that they connected', async () => {
  await defineTable('a');
  await defineTable('e');
  await defineField('e', 'f');
  const keysOf = (transaction: Transaction): string[] => {
    const cursor = transaction.scan(EVERYTHING);
    const keys: string[] = [];
    for (let batch = cursor.next(); batch !== undefined; batch = cursor.next()) {
      if (batch instanceof Promise) throw new Error('the memory engine answers at once');
      keys.push(...batch.map(([key]) => key));
    }
    return keys;
  };
  const left = await write(async (transaction) => {
    const catalog = await load(transaction);
    const a = await table(catalog, 'a');
    const e = await table(catalog, 'e');
    const before = keysOf(transaction);
    const index = {
      kind: 'define-index',
      name: 'i',
      table: 'e',
      fields: [parseIdiom('f')],
      indexKind: { kind: 'plain' },
      concurrently: false,
    } as const;
    await putIndex({ transaction, random, clock }, catalog, e, index, false);
    const edge = encodeKey(1);
    const record = objectFrom({ id: new RecordId('e', 1), in: new RecordId('a', 1), out: new RecordId('a', 2) });
    transaction.put(recordKey(catalog.database.id, e.definition.id, edge), record);
    transaction.put(edgeKey(a.keys.node(encodeKey(1)), 'out', e.definition.id, edge), true);
    transaction.put(edgeKey(a.keys.node(encodeKey(2)), 'in', e.definition.id, edge), true);
    const now = await load(transaction);
    await removeTable({ transaction, random, clock }, now, await table(now, 'e'));
    return { before, after: keysOf(transaction) };
  });
  // The row of the table and that of its field are gone; the counters and the rest stay.
  expect(left.after).toHaveLength(left.before.length - 2);
});

it('leaves nothing of a database but what is above it', async () => {
  const outside = await write(async (transaction) => {
    const catalog = await load(transaction);
    await putTable({ transaction, random, clock }, catalog, implicitTable('a'));
    await removeDatabase({ transaction, random, clock }, 'n', catalog.database);
    return loadDatabase(transaction, cache, 'n', 'd');
  });
  expect(outside).toBeUndefined();
  const namespace = await loadNamespace(engine.begin({ writable: false }), 'n');
  expect(namespace?.databases).toEqual([]);
});

describe('users and accesses', () => {
  const user = {
    kind: 'define-user',
    name: 'u',
    passhash: 'hash',
    secret: 'secret',
    roles: ['owner'],
    durations: {},
  } as const;

  it('are found exactly where they are defined', async () => {
    await write(async (transaction) => {
      const change = { transaction, random, clock };
      await putAtLevel(change, {}, { ...user, level: 'root', comment: 'root' });
      await putAtLevel(change, { namespace: 'n' }, { ...user, level: 'namespace', comment: 'n' });
      await putAtLevel(change, { namespace: 'n', database: 'd' }, { ...user, level: 'database', comment: 'd' });
    });
    const transaction = engine.begin({ writable: false });
    for (const [databasePath, comment] of [
      [{}, 'root'],
      [{ namespace: 'n' }, 'n'],
      [{ namespace: 'n', database: 'd' }, 'd'],
    ] as const) {
      const found = await findUser(transaction, databasePath, 'u');
      expect(found).toMatchObject({ comment, passhash: 'hash', secret: 'secret' });
    }
    expect(await findUser(transaction, { namespace: 'x' }, 'u')).toBeUndefined();
    expect(await findUser(transaction, { namespace: 'n', database: 'x' }, 'u')).toBeUndefined();
    expect(await findUser(transaction, {}, 'v')).toBeUndefined();
  });

  it('keep their keys and lifetimes', async () => {
    const jwt = {
      verify: { kind: 'key', algorithm: 'HS512', key: "it's \\ a key" },
      issuer: { key: "it's \\ a key" },
    } as const;
    const durations = { token: 5_000_000_000n, session: undefined } as const;
    await write(async (transaction) => {
      await putAtLevel(
        { transaction, random, clock },
        {},
        {
          kind: 'define-access',
          name: 'a',
          level: 'root',
          accessKind: { kind: 'jwt', jwt },
          durations,
        },
      );
      await putAtLevel(
        { transaction, random, clock },
        {},
        {
          kind: 'define-access',
          name: 'b',
          level: 'root',
          accessKind: { kind: 'bearer', subject: 'user' },
          durations,
          secret: 'drawn',
        },
      );
    });
    const transaction = engine.begin({ writable: false });
    const access = await findAccess(transaction, {}, 'a');
    expect(access?.accessKind).toEqual({ kind: 'jwt', jwt });
    expect(access?.durations).toEqual(durations);
    expect(access !== undefined && 'session' in access.durations).toBe(true);
    expect((await findAccess(transaction, {}, 'b'))?.secret).toBe('drawn');
  });
});

it.each(['', 'a', '`', 'naïve', '🦉', '"; REMOVE NAMESPACE n; --', '⟨x⟩', '\n', 'none', '__proto__'])(
  'keeps a table of the name %j apart',
  async (name) => {
    await defineTable('a!');
    await defineTable(name);
    const catalog = await load();
    expect((await table(catalog, name)).definition.name).toBe(name);
    expect(catalog.tables.size).toBe(2);
    cache = new CatalogCache();
    expect((await load()).tables.has(name)).toBe(true);
  },
);

it('refuses a name that no text could hold, before anything is stored', async () => {
  await expect(defineTable('a\0b')).rejects.toThrow('a name may not contain this character');
  await expect(defineTable('\ud800')).rejects.toThrow('the text may not contain this character');
  expect((await load()).tables.size).toBe(0);
});

it('draws secrets of letters and digits', () => {
  const secrets = Array.from({ length: 50 }, () => generateSecret(random, 128));
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9]{128}$/);
  expect(new Set(secrets).size).toBe(secrets.length);
});
