/** Checks the records of a table against the data derived from them: index entries, edges, references. */
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import { vertexKey } from '../../catalog/definitions/vertex-key.js';
import { edgeAt, edgePrefix, edgesRange, referenceKey, referrerAt } from '../../catalog/keys/edge-keys.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { encodedKeyOf } from '../../catalog/keys/store-keys.js';
import { edgeEntries } from '../../records/edges.js';
import type { KeptIndex } from '../../records/index/contract.js';
import { keptIndexes } from '../../records/index/maintain.js';
import { referredBy, referringFields } from '../../records/references.js';
import type { Referent } from '../../runtime/links.js';
import type { Entry, Key, KeyRange, Stored, Transaction } from '../../storage/contract.js';
import { decodeKey, encodeKey } from '../../value/codecs/key-codec.js';
import { equals } from '../../value/order.js';
import { toText } from '../../value/text/text.js';
import { isObject, type ObjectValue, RecordId, type RecordKey, type Value } from '../../value/value.js';
import type { Faults } from './fault.js';

/** Called for each batch of entries, with their number. */
export type CheckProgress = (entries: number) => void;

/** Every batch of a range. */
export async function* batchesOf(transaction: Transaction, range: KeyRange): AsyncGenerator<readonly Entry[]> {
  const cursor = transaction.scan(range);
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) yield batch;
}

/** The name of a table in faults. */
export function tableLabel(catalog: DatabaseCatalog, table: TableEntry, index?: IndexDefinition): string {
  const place = `table ${table.definition.name} of ${catalog.namespace.name}/${catalog.database.name}`;
  return index === undefined ? place : `index ${index.name} on ${place}`;
}

/** One table of a catalog in a transaction. */
export class TableCheck {
  readonly #transaction: Transaction;
  readonly #catalog: DatabaseCatalog;
  readonly #table: TableEntry;
  readonly #faults: Faults;
  readonly #progress: CheckProgress;
  readonly #place: string;

  constructor(
    transaction: Transaction,
    catalog: DatabaseCatalog,
    table: TableEntry,
    faults: Faults,
    progress: CheckProgress,
  ) {
    this.#transaction = transaction;
    this.#catalog = catalog;
    this.#table = table;
    this.#faults = faults;
    this.#progress = progress;
    this.#place = tableLabel(catalog, table);
  }

  async run(): Promise<void> {
    const indexes = keptIndexes(this.#table).filter(
      ({ isBuilding, keeping }) => !isBuilding && keeping.entries !== undefined,
    );
    const references = referringFields(this.#table);
    for await (const batch of batchesOf(this.#transaction, this.#table.keys.records)) {
      for (const [key, stored] of batch) {
        const record = this.#record(key, stored);
        if (record === undefined) continue;
        const id = record['id'] as RecordId;
        for (const index of indexes) await this.#listed(index, id, record);
        await this.#edges(id, record);
        for (const field of references) await this.#references(field, id, record);
      }
      this.#progress(batch.length);
    }
    for (const index of indexes) await this.#entries(index);
    await this.#nodes();
  }

  /** A record whose key and id agree. */
  #record(key: Key, stored: Stored): ObjectValue | undefined {
    const encoded = encodedKeyOf(key);
    const decoded = decodedKey(encoded);
    const name = decoded === undefined ? 'a record' : toText(new RecordId(this.#table.definition.name, decoded));
    if (decoded === undefined) this.#faults.add('records', this.#place, 'the key of a record can’t be read');
    else if (stored === null) this.#faults.add('values', this.#place, `${name} is not as it was written`);
    else if (!isObject(stored)) this.#faults.add('records', this.#place, `${name} is no object`);
    else {
      const { id } = stored;
      const agrees =
        id instanceof RecordId && id.table === this.#table.definition.name && encodeKey(id.key) === encoded;
      if (agrees) return stored;
      this.#faults.add('records', this.#place, `${name} has the id of another`);
    }
    return undefined;
  }

  async #listed(index: KeptIndex, id: RecordId, record: ObjectValue): Promise<void> {
    const key = id.key as RecordKey;
    for (const entry of index.keeping.entries?.(index, record, key) ?? []) {
      const listed = await this.#transaction.get(entry.key);
      const place = tableLabel(this.#catalog, this.#table, index.definition);
      if (listed === undefined) this.#faults.add('indexes', place, `${toText(id)} isn’t listed`);
      else if (listed !== null && !equals(listed, key))
        this.#faults.add('indexes', place, `an entry lists another record in place of ${toText(id)}`);
    }
  }

  async #entries(index: KeptIndex): Promise<void> {
    const place = tableLabel(this.#catalog, this.#table, index.definition);
    for await (const batch of batchesOf(this.#transaction, prefixRange(index.prefix))) {
      for (const [key, stored] of batch) {
        if (!(await this.isEntryOfRecord(index, key, stored)))
          this.#faults.add('indexes', place, 'an entry lists a record that doesn’t have its values');
      }
      this.#progress(batch.length);
    }
  }

  /** Whether the record that an index entry lists has that entry. */
  async isEntryOfRecord(index: KeptIndex, key: Key, listed: Stored): Promise<boolean> {
    // A damaged value is reported with the values, but its entry must be rewritten.
    if (listed === null) return false;
    const record = await this.#recordAt(listed as RecordKey);
    // An unreadable record may have it.
    if (record === null) return true;
    if (!isObject(record)) return false;
    const entries = index.keeping.entries?.(index, record, listed as RecordKey) ?? [];
    return entries.some((entry) => entry.key === key);
  }

  #recordAt(key: RecordKey): Promise<Value> {
    return Promise.resolve(this.#transaction.get(this.#table.keys.record(encodeKey(key))));
  }

  async #edges(id: RecordId, record: ObjectValue): Promise<void> {
    const { kind } = this.#table.definition.tableKind;
    if (kind === 'normal') return;
    for (const [edge, end] of edgeEntries(this.#catalog, this.#table, id.key as RecordKey, record)) {
      const stored = await this.#transaction.get(edge);
      if (stored === undefined && kind === 'relation')
        this.#faults.add('edges', this.#place, `${toText(id)} isn’t found from one of its ends`);
      // Stores written before the other end was kept have `true` there.
      else if (stored instanceof RecordId && !equals(stored, end))
        this.#faults.add('edges', this.#place, `${toText(id)} leads to another record than it says`);
    }
  }

  async #references(field: string, id: RecordId, record: ObjectValue): Promise<void> {
    for (const to of referredBy(record[field])) {
      const node = vertexKey(this.#catalog, to);
      const key = referenceKey(node, this.#table.definition.id, field, encodeKey(id.key));
      if ((await this.#transaction.get(key)) === undefined && !(await this.#isGone(to)))
        this.#faults.add('references', this.#place, `the reference ${field} of ${toText(id)} isn’t found from its end`);
    }
  }

  /** Whether a record isn't there: what referred to it when it was deleted goes on naming it. */
  async #isGone(to: Referent): Promise<boolean> {
    if (!(to instanceof RecordId)) return false;
    const table = this.#catalog.tables.get(to.table);
    return table === undefined || (await this.#transaction.get(table.keys.record(encodeKey(to.key)))) === undefined;
  }

  /** The entries at the table's records: edges and references of other records. */
  async #nodes(): Promise<void> {
    const { definition, keys } = this.#table;
    for await (const batch of batchesOf(this.#transaction, edgesRange(this.#catalog.database.id, definition.id))) {
      for (const [key] of batch) {
        const start = keys.node('').length;
        const end = decodedEnd(key, start);
        if (end === undefined) this.#faults.add('edges', this.#place, 'the key of an edge can’t be read');
        else await this.#node(key, key.slice(0, end), key.slice(start, end));
      }
      this.#progress(batch.length);
    }
  }

  async #node(key: Key, node: string, encoded: string): Promise<void> {
    const isReference = key.startsWith(edgePrefix(node, 'reference'));
    const { table: id, key: other } = isReference ? referrerAt(node, key) : edgeAt(node, key);
    const table = this.#catalog.tablesById.get(id);
    // Entries left by removed tables are never read.
    if (table === undefined) return;
    const record = await this.#transaction.get(table.keys.record(other));
    if (record === null) return;
    const here = new RecordId(this.#table.definition.name, decodeKey(encoded).value as RecordKey);
    if (isReference) {
      if (!refersTo(record, here))
        this.#faults.add(
          'references',
          this.#place,
          `a record of ${table.definition.name} is said to refer here, and doesn’t`,
        );
    } else {
      const own = isObject(record)
        ? edgeEntries(this.#catalog, table, decodeKey(other).value as RecordKey, record)
        : [];
      if (!own.some(([edge]) => edge === key))
        this.#faults.add('edges', this.#place, `an edge of ${table.definition.name} is said to be here, and isn’t`);
    }
  }
}

/** Whether a stored record refers to another or to a file in one of its fields. */
export function refersTo(record: Stored | undefined, referent: Referent): boolean {
  return (
    isObject(record) && Object.values(record).some((value) => referredBy(value).some((to) => equals(to, referent)))
  );
}

function decodedKey(encoded: string): RecordKey | undefined {
  try {
    const { value, next } = decodeKey(encoded);
    return next === encoded.length ? (value as RecordKey) : undefined;
  } catch {
    return undefined;
  }
}

/** Where an encoded value in a key ends; `undefined` if it can't be read. */
export function decodedEnd(key: Key, start: number): number | undefined {
  try {
    return decodeKey(key, start).next;
  } catch {
    return undefined;
  }
}
