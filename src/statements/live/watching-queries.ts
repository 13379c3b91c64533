/** The live queries of a table, found by the changes that they may show. */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { LiveQuery } from '../../runtime/execution.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { ANY, computedNames, keyRead } from './watched-value.js';

type Queries = ReadonlySet<LiveQuery>;
/** A record before a change and after it. */
export type RecordStates = Pick<WrittenRecord, 'before' | 'after'>;

/**
 * The live queries of a table. Those that watch a value are found by it, so that a change asks few of many.
 *
 *     queries.add(query);                               // LIVE SELECT * FROM note WHERE room = 1
 *     queries.concernedBy({ after: { room: 2 } }, note) // without it
 */
export class WatchingQueries {
  readonly #all = new Set<LiveQuery>();
  /** Those that any change may be for. */
  readonly #unbound = new Set<LiveQuery>();
  /** The others, by the field that they watch, and by the key of its value. */
  readonly #byField = new Map<string, Map<string, Set<LiveQuery>>>();

  /** In the order in which they began. */
  get all(): Queries {
    return this.#all;
  }

  add(query: LiveQuery): void {
    this.#all.add(query);
    const { watched } = query;
    if (watched === undefined) {
      this.#unbound.add(query);
      return;
    }
    const { field, key } = watched;
    const byKey = this.#byField.get(field) ?? new Map<string, Set<LiveQuery>>();
    this.#byField.set(field, byKey);
    byKey.set(key, (byKey.get(key) ?? new Set()).add(query));
  }

  /** Returns whether it was there. */
  delete(query: LiveQuery): boolean {
    const wasHere = this.#all.delete(query);
    const { watched } = query;
    if (watched === undefined) {
      this.#unbound.delete(query);
      return wasHere;
    }
    const { field, key } = watched;
    const byKey = this.#byField.get(field);
    const queries = byKey?.get(key);
    queries?.delete(query);
    if (queries?.size === 0) byKey?.delete(key);
    if (byKey?.size === 0) this.#byField.delete(field);
    return wasHere;
  }

  /** The queries that may show a change; `table` has the definitions by which it was made. */
  concernedBy({ before, after }: RecordStates, table: TableEntry): Queries {
    if (this.#byField.size === 0) return this.#all;
    // A live query judges the record as it is after the change, or as it was before it is deleted.
    const record = after ?? before ?? {};
    const computed = computedNames(table);
    const found = new Set(this.#unbound);
    for (const [field, byKey] of this.#byField) {
      const key = computed.has(field) ? ANY : keyRead(record[field]);
      if (key === ANY) for (const queries of byKey.values()) addAll(found, queries);
      else if (key !== undefined) addAll(found, byKey.get(key));
    }
    return found;
  }
}

function addAll(to: Set<LiveQuery>, queries: Queries | undefined): void {
  if (queries !== undefined) for (const query of queries) to.add(query);
}
