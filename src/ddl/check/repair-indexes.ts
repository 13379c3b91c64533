/** Repairs the entries of indexes from the records. */
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { putIndex } from '../../catalog/indexes/lifecycle.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { realEnvironment } from '../../env/real.js';
import type { KeptIndex } from '../../records/index/contract.js';
import { keptIndexes } from '../../records/index/maintain.js';
import { manifestKey } from '../../search/segments/layout.js';
import type { Engine, Entry, Key, KeyRange, Transaction } from '../../storage/contract.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import { equals } from '../../value/order.js';
import { isObject, RecordId, type RecordKey } from '../../value/value.js';
import { checkedDatabases } from './databases.js';
import { Faults } from './fault.js';
import { checkFullText, fullTextIndexes } from './full-text.js';
import { TableCheck, tableLabel } from './tables.js';

/** Entries that one transaction reads. */
const STEP = 512;

export interface RepairResult {
  /** Numbers of index entries that were written, and removed. */
  readonly added: number;
  readonly removed: number;
  /** Records that a unique index can't list, since another one has the same values. */
  readonly conflicts: readonly string[];
  /** Full-text indexes that the server rebuilds when it starts; until then conditions read the table. */
  readonly rebuilt: readonly string[];
}

/** Works in transactions of bounded size; interrupted, it can be run again. The engine reads damaged values as NULL. */
export async function repairIndexes(engine: Engine): Promise<RepairResult> {
  const start = await engine.begin({ writable: false });
  const catalogs = await checkedDatabases(start, new Faults());
  start.cancel();
  const total = { added: 0, removed: 0, conflicts: [] as string[], rebuilt: [] as string[] };
  for (const catalog of catalogs) {
    for (const table of catalog.tables.values()) {
      for (const index of fullTextIndexes(table)) {
        if (await isSound(engine, catalog, table)) continue;
        await queueRebuild(engine, catalog, table, index);
        total.rebuilt.push(tableLabel(catalog, table, index.definition));
      }
      for (const index of keptIndexes(table)) {
        // The rest of its entries come in the background.
        if (index.isBuilding || index.keeping.entries === undefined) continue;
        const repair = new IndexRepair(engine, catalog, table, index);
        total.removed += await repair.removeStale();
        total.added += await repair.addMissing(total.conflicts);
      }
    }
  }
  return total;
}

async function isSound(engine: Engine, catalog: DatabaseCatalog, table: TableEntry): Promise<boolean> {
  const transaction = await engine.begin({ writable: false });
  const faults = new Faults();
  try {
    await checkFullText(transaction, catalog, table, faults, () => {});
  } finally {
    transaction.cancel();
  }
  return faults.total === 0;
}

/** The present entries are no longer used. */
async function queueRebuild(
  engine: Engine,
  catalog: DatabaseCatalog,
  table: TableEntry,
  { definition, prefix }: KeptIndex,
): Promise<void> {
  const transaction = await engine.begin({ writable: true });
  transaction.delete(manifestKey(prefix));
  const { random, clock } = realEnvironment;
  await putIndex({ transaction, random, clock }, catalog, table, definition, true);
  await transaction.commit();
}

class IndexRepair {
  readonly #engine: Engine;
  readonly #catalog: DatabaseCatalog;
  readonly #table: TableEntry;
  readonly #index: KeptIndex;

  constructor(engine: Engine, catalog: DatabaseCatalog, table: TableEntry, index: KeptIndex) {
    this.#engine = engine;
    this.#catalog = catalog;
    this.#table = table;
    this.#index = index;
  }

  /** Removes entries that no record has. */
  removeStale(): Promise<number> {
    return this.#steps(prefixRange(this.#index.prefix), async (transaction, [key, listed]) => {
      const check = new TableCheck(transaction, this.#catalog, this.#table, new Faults(), () => {});
      if (await check.isEntryOfRecord(this.#index, key, listed)) return 0;
      transaction.delete(key);
      return 1;
    });
  }

  /** Writes entries that records should have. */
  addMissing(conflicts: string[]): Promise<number> {
    return this.#steps(this.#table.keys.records, async (transaction, [key, record]) => {
      const id = isObject(record) ? record['id'] : undefined;
      if (!isObject(record) || !(id instanceof RecordId)) return 0;
      const own = id.key as RecordKey;
      // A record under the id of another isn't found by an index either.
      if (this.#table.keys.record(encodeKey(own)) !== key) return 0;
      const index = this.#index;
      let added = 0;
      for (const entry of index.keeping.entries?.(index, record, own) ?? []) {
        const listed = await transaction.get(entry.key);
        if (listed !== undefined && equals(listed, own)) continue;
        if (listed === undefined) {
          transaction.put(entry.key, own);
          added++;
        } else conflicts.push(tableLabel(this.#catalog, this.#table, index.definition));
      }
      return added;
    });
  }

  async #steps(range: KeyRange, visit: (transaction: Transaction, entry: Entry) => Promise<number>): Promise<number> {
    let changed = 0;
    for (let from: Key | undefined = range.from; from !== undefined; ) {
      const transaction = await this.#engine.begin({ writable: true });
      const cursor = transaction.scan({ from, to: range.to }, { limit: STEP, batch: STEP });
      const batch: readonly Entry[] = (await cursor.next()) ?? [];
      cursor.close();
      for (const entry of batch) changed += await visit(transaction, entry);
      await transaction.commit();
      const last = batch.at(-1);
      from = last === undefined ? undefined : `${last[0]}\0`;
    }
    return changed;
  }
}
