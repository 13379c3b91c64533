/** The live queries of a table, found by the changes that they may show. */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { LiveQuery } from '../../runtime/execution.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { audienceOf, EVERYONE } from './rule-audience.js';
import { ANY, computedNames, keyRead } from './watched-value.js';

type Queries = ReadonlySet<LiveQuery>;
/** A record before a change and after it. */
export type RecordStates = Pick<WrittenRecord, 'before' | 'after'>;

/**
 * The live queries of a table. Those that watch a value are found by it, and those of record users by the users whom
 * the rule of the table lets see the record, so that a change asks few of many.
 *
 *     queries.add(query);                               // LIVE SELECT * FROM note WHERE room = 1
 *     queries.concernedBy({ after: { room: 2 } }, note) // without it
 */
export class WatchingQueries {
  readonly #all = new Set<LiveQuery>();
  readonly #ofOthers = new QueriesByValue();
  readonly #ofReaders = new QueriesByValue();
  /** The second ones by their reader. */
  readonly #byReader = new Map<string, Set<LiveQuery>>();

  /** In the order in which they began. */
  get all(): Queries {
    return this.#all;
  }

  add(query: LiveQuery): void {
    this.#all.add(query);
    const { reader } = query;
    if (reader === undefined) {
      this.#ofOthers.add(query);
      return;
    }
    this.#ofReaders.add(query);
    addUnder(this.#byReader, reader, query);
  }

  /** Returns whether it was there. */
  delete(query: LiveQuery): boolean {
    const { reader } = query;
    if (reader === undefined) this.#ofOthers.delete(query);
    else {
      this.#ofReaders.delete(query);
      deleteUnder(this.#byReader, reader, query);
    }
    return this.#all.delete(query);
  }

  /** The queries that may show a change; `table` has the definitions by which it was made. */
  concernedBy({ before, after }: RecordStates, table: TableEntry): Queries {
    if (this.#all.size === 0) return this.#all;
    // A live query judges the record as it is after the change, or as it was before it is deleted.
    const record = after ?? before ?? {};
    const computed = computedNames(table);
    const keyIn = (field: string) => (computed.has(field) ? ANY : keyRead(record[field]));
    const audience = this.#byReader.size === 0 ? EVERYONE : audienceOf(table, record, computed);
    if (audience === EVERYONE && this.#ofOthers.areUnbound && this.#ofReaders.areUnbound) return this.#all;
    const found = new Set<LiveQuery>();
    this.#ofOthers.find(keyIn, found);
    if (audience === EVERYONE) this.#ofReaders.find(keyIn, found);
    else for (const reader of audience) this.#findOf(reader, keyIn, found);
    return found;
  }

  #findOf(reader: string, keyIn: KeyIn, found: Set<LiveQuery>): void {
    for (const query of this.#byReader.get(reader) ?? []) {
      const key = query.watched === undefined ? ANY : keyIn(query.watched.field);
      if (key === ANY || key === query.watched?.key) found.add(query);
    }
  }
}

/** The key of what a field of the changed record may be for readers. */
type KeyIn = (field: string) => ReturnType<typeof keyRead>;

class QueriesByValue {
  /** Those that a change of any value may be for. */
  readonly #unbound = new Set<LiveQuery>();
  /** The others, by the field that they watch, and by the key of its value. */
  readonly #byField = new Map<string, Map<string, Set<LiveQuery>>>();

  get areUnbound(): boolean {
    return this.#byField.size === 0;
  }

  add(query: LiveQuery): void {
    const { watched } = query;
    if (watched === undefined) {
      this.#unbound.add(query);
      return;
    }
    const byKey = this.#byField.get(watched.field) ?? new Map<string, Set<LiveQuery>>();
    this.#byField.set(watched.field, byKey);
    addUnder(byKey, watched.key, query);
  }

  delete(query: LiveQuery): void {
    const { watched } = query;
    if (watched === undefined) {
      this.#unbound.delete(query);
      return;
    }
    const byKey = this.#byField.get(watched.field);
    if (byKey === undefined) return;
    deleteUnder(byKey, watched.key, query);
    if (byKey.size === 0) this.#byField.delete(watched.field);
  }

  find(keyIn: KeyIn, found: Set<LiveQuery>): void {
    addAll(found, this.#unbound);
    for (const [field, byKey] of this.#byField) {
      const key = keyIn(field);
      if (key === ANY) for (const queries of byKey.values()) addAll(found, queries);
      else if (key !== undefined) addAll(found, byKey.get(key));
    }
  }
}

function addUnder(map: Map<string, Set<LiveQuery>>, key: string, query: LiveQuery): void {
  map.set(key, (map.get(key) ?? new Set()).add(query));
}

function deleteUnder(map: Map<string, Set<LiveQuery>>, key: string, query: LiveQuery): void {
  const queries = map.get(key);
  queries?.delete(query);
  if (queries?.size === 0) map.delete(key);
}

function addAll(to: Set<LiveQuery>, queries: Queries | undefined): void {
  if (queries !== undefined) for (const query of queries) to.add(query);
}
