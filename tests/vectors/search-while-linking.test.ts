/**
 * A search that goes on for more after vectors were linked: what a removed node has left in its slot was measured with
 * all others, and now another vector stands there.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { BeginOptions, Key } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import type { SnapshotTransaction } from '../../src/storage/transaction/transaction.js';
import { objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { graphOf, linkedGraph } from './linked-graph.js';

/** Of keys of indexes, after those of the database. */
const INDEX_TAG = 'x';
const TAG_AT = 5;

/** Transactions that begin while it is gated wait for `opened` before they read records. */
class GatedEngine extends MemoryEngine {
  isGated = false;
  waiting = 0;
  open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  override begin(options: BeginOptions): SnapshotTransaction {
    const transaction = super.begin(options);
    if (!this.isGated) return transaction;
    const getMany = transaction.getMany.bind(transaction);
    return Object.assign(transaction, {
      getMany: async (keys: readonly Key[]) => {
        if (keys[0]?.[TAG_AT] !== INDEX_TAG) {
          this.waiting++;
          await this.#opened;
        }
        return getMany(keys);
      },
    });
  }
}

let database: OpenDatabase | undefined;
afterEach(async () => {
  await database?.close();
  database = undefined;
});

/** A record with a vector on a line. */
function row(id: number, x: number, good: boolean): Value {
  return objectFrom(Object.entries({ id: new RecordId('t', id), v: [x, 0], good }));
}

test('nothing that is farther comes first', async () => {
  const engine = new GatedEngine();
  database = await openDatabase(engine, {});
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  const ask = async (text: string, rows: Value[] = []) => {
    for (const { outcome } of await owner.query(text, { rows })) expect(outcome).toMatchObject({ ok: true });
  };
  await ask('DEFINE TABLE t; DEFINE INDEX x ON t FIELDS v HNSW DIMENSION 2');
  await ask(
    'INSERT INTO t $rows RETURN NONE',
    Array.from({ length: 400 }, (_, at) => row(at, at, at >= 200)),
  );
  await linkedGraph(engine);
  // Three of four slots are free then.
  await ask('DELETE t WHERE id.id() % 4 > 0');
  await vi.waitFor(
    async () => expect((await graphOf(engine))[1]).toMatchObject({ live: 100, dead: 0, sweep: undefined }),
    { timeout: 60_000, interval: 20 },
  );
  // They are too few to be linked: a search measures them.
  await ask('INSERT INTO t $rows RETURN NONE', [row(1_000, 10_000, true), row(1_001, 10_001, true)]);
  engine.isGated = true;
  const held = await owner.begin();
  engine.isGated = false;
  const found = held.query('SELECT VALUE id FROM t WHERE v <|2,10|> [0, 0] AND good');
  await vi.waitFor(() => expect(engine.waiting).toBeGreaterThan(0), { timeout: 60_000 });
  await ask(
    'INSERT INTO t $rows RETURN NONE',
    Array.from({ length: 298 }, (_, at) => row(2_000 + at, 1_000_000 + at, false)),
  );
  expect((await linkedGraph(engine)).next).toBe(400);
  engine.open();
  const [result] = await found;
  expect(result?.outcome).toMatchObject({ ok: true, value: [new RecordId('t', 200), new RecordId('t', 204)] });
  await held.cancel();
}, 120_000);
