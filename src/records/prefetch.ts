/** Prefetches the reads of statements that write, for many records at once, on asynchronous stores. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import { vertexKey } from '../catalog/definitions/vertex-key.js';
import { edgePrefix } from '../catalog/keys/edge-keys.js';
import { prefixRange } from '../catalog/keys/key-bytes.js';
import { TesseraError } from '../errors/error.js';
import type { Execution } from '../runtime/execution.js';
import type { FoundRecord } from '../runtime/record-access.js';
import type { Key, KeyRange, Prefetch } from '../storage/contract.js';
import { encodeKey } from '../value/codecs/key-codec.js';
import { type ObjectValue, Range, type RecordId } from '../value/value.js';
import { keptIndexes } from './index/maintain.js';
import { hasReferences } from './references.js';
import { storedOf } from './stored.js';

/** The reads for records. */
export interface RecordReads {
  /** The records themselves. */
  readonly records?: readonly RecordId[];
  /** The holders of the values that these records would claim in the unique indexes of their table. */
  readonly claims?: readonly UniqueClaims[];
  /** Their edges, and the references to them. */
  readonly nodes?: readonly RecordId[];
}

export interface UniqueClaims {
  readonly table: string;
  readonly record: ObjectValue;
  /** The present record: values that it holds already are left out. */
  readonly before?: ObjectValue | undefined;
}

/** Records fetched at once. */
const BATCH = 1024;

/**
 * Prefetches the reads of `readsOf`, which isn't called on synchronous stores. It never fails because of an error in
 * a record.
 */
export function prefetchRecords(
  { context }: Execution,
  readsOf: (catalog: DatabaseCatalog) => RecordReads,
): PromiseOrValue<void> {
  if (!context.answersLater) return;
  // By the cached catalog, the reads are fetched together with the row that shows whether it is current.
  return andThen(context.likelyCatalog() ?? context.catalog(), (catalog) => {
    if (catalog === undefined) return;
    const { keys, ranges } = prefetchOf(catalog, readsOf(catalog));
    return keys.length === 0 && ranges.length === 0 ? undefined : context.prefetch({ keys, ranges });
  });
}

/** The keys and ranges by which it is read. */
export function prefetchOf(
  catalog: DatabaseCatalog,
  { records = [], claims = [], nodes = [] }: RecordReads,
): Required<Prefetch> {
  const keys: Key[] = [];
  for (const id of records) {
    const entry = catalog.tables.get(id.table);
    if (entry !== undefined && !(id.key instanceof Range)) keys.push(entry.keys.record(encodeKey(id.key)));
  }
  for (const { table, record, before } of claims) {
    const entry = catalog.tables.get(table);
    if (entry === undefined) continue;
    const held = before && new Set(claimsOf(entry, before));
    for (const key of claimsOf(entry, record)) if (!held?.has(key)) keys.push(key);
  }
  return { keys, ranges: nodes.flatMap((id) => rangesAt(catalog, id)) };
}

/** `mapInOrder` over what is written, of which `readsOf` tells what will be read, batch by batch. */
export function mapPrefetched<T, U>(
  execution: Execution,
  items: readonly T[],
  readsOf: (batch: readonly T[], catalog: DatabaseCatalog) => RecordReads,
  map: (item: T, index: number) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  if (!execution.context.answersLater) return mapInOrder(items, map);
  return mapInBatches(items, (batch, from) =>
    andThen(
      prefetchRecords(execution, (catalog) => readsOf(batch, catalog)),
      () => mapInOrder(batch, (item, at) => map(item, from + at)),
    ),
  );
}

/** Maps batch by batch, one after the other. */
export function mapInBatches<T, U>(
  items: readonly T[],
  map: (batch: readonly T[], from: number) => PromiseOrValue<U[]>,
): PromiseOrValue<U[]> {
  if (items.length <= BATCH) return map(items, 0);
  const starts = Array.from({ length: Math.ceil(items.length / BATCH) }, (_, at) => at * BATCH);
  const mapped: U[] = [];
  const done = forEachInOrder(starts, (from) =>
    andThen(map(items.slice(from, from + BATCH), from), (results) => {
      for (const result of results) mapped.push(result);
      return false;
    }),
  );
  return andThen(done, () => mapped);
}

/** The values that found records will claim, by their speculative results, if known. */
export function claimsOfChanges(
  catalog: DatabaseCatalog,
  found: readonly FoundRecord[],
  make: (seen: ObjectValue, before: ObjectValue) => ObjectValue | undefined,
): UniqueClaims[] {
  return found.flatMap(({ id, seen }) => {
    if (!hasClaims(catalog, id.table)) return [];
    const before = storedOf(seen);
    const record = make(seen, before);
    return record === undefined ? [] : [{ table: id.table, record, before }];
  });
}

/** Whether a table has indexes in which a record claims values for itself alone. */
export function hasClaims({ tables }: DatabaseCatalog, table: string): boolean {
  const entry = tables.get(table);
  return entry !== undefined && keptIndexes(entry).some(({ keeping }) => keeping.claims !== undefined);
}

/** The keys under which indexes list the values of a record for it alone. */
function claimsOf(table: TableEntry, record: ObjectValue): Key[] {
  try {
    return keptIndexes(table).flatMap((index) => index.keeping.claims?.(index, record) ?? []);
  } catch (error) {
    // A value that is too large for an index fails when it is written.
    if (error instanceof TesseraError) return [];
    throw error;
  }
}

/** Just the ranges that are scanned when a record is deleted. */
function rangesAt(catalog: DatabaseCatalog, id: RecordId): KeyRange[] {
  if (id.key instanceof Range) return [];
  const node = vertexKey(catalog, id);
  const edges = [prefixRange(edgePrefix(node, 'in')), prefixRange(edgePrefix(node, 'out'))];
  return hasReferences(catalog, 'record') ? [...edges, prefixRange(edgePrefix(node, 'reference'))] : edges;
}
