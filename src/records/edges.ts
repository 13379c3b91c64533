/**
 * Graph edges: the keys at both ends that lead from a record to its edges. Each key's value is the end
 * that it leads to, so that a walk over edges needn't read them; older stores have `true` there.
 */
import { andThen, lastly, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { sortItems } from '../base/work/sort.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import { vertexKey } from '../catalog/definitions/vertex-key.js';
import { edgeAt, edgeKey, edgePrefix } from '../catalog/keys/edge-keys.js';
import { prefixRange } from '../catalog/keys/key-bytes.js';
import { mapReads } from '../runtime/concurrent-reads.js';
import type { Execution } from '../runtime/execution.js';
import type { EdgeStep, Hop } from '../runtime/links.js';
import type { Entry, KeyRange, Transaction } from '../storage/contract.js';
import { forEachBatch, forEachBatchOfValues } from '../storage/cursor.js';
import { decodeKey, encodeKey } from '../value/codecs/key-codec.js';
import { compareStrings } from '../value/strings.js';
import { type ObjectValue, RecordId, type RecordKey } from '../value/value.js';
import { addWalked } from '../value/walk.js';

/** Work of looking into a range, in values visited: some ten microseconds on disk. */
const WALKED_PER_RANGE = 256;

type Direction = 'in' | 'out';

const DIRECTIONS: Readonly<Record<EdgeStep['direction'], readonly Direction[]>> = {
  out: ['out'],
  in: ['in'],
  both: ['in', 'out'],
};

/**
 * The ids of the edges at a record: direction by direction, then by table, as they are named or else by name, then by
 * key.
 */
export function edgesAt(execution: Execution, id: RecordId, step: EdgeStep): PromiseOrValue<RecordId[]> {
  return andThen(execution.context.catalog(), (catalog) => {
    if (catalog === undefined) return [];
    const node = vertexKey(catalog, id);
    const work = execution.interrupt;
    const ranges = DIRECTIONS[step.direction].flatMap((direction) => rangesOf(catalog, node, direction, step.tables));
    addWalked(WALKED_PER_RANGE * ranges.length);
    const found = mapReads(execution, ranges, (range) => {
      const ids: RecordId[] = [];
      const done = forEachBatch(execution.context.transaction.scan(range), (batch) => {
        for (const [key] of batch) {
          const { table, key: encoded } = edgeAt(node, key);
          const name = catalog.tablesById.get(table)?.definition.name;
          if (name !== undefined) ids.push(new RecordId(name, decodeKey(encoded, 0).value as RecordKey));
        }
        return andThen(work.checkpoint(), () => false);
      });
      return andThen(done, () => ids);
    });
    if (step.tables.length > 0) {
      return andThen(found, (groups) => (groups.length === 1 ? (groups[0] as RecordId[]) : groups.flat()));
    }
    const byTable = (a: RecordId, b: RecordId) => compareStrings(a.table, b.table);
    return andThen(found, (groups) =>
      andThen(
        mapInOrder(groups, (ids) => sortItems(ids, execution.interrupt, byTable)),
        (sorted) => sorted.flat(),
      ),
    );
  });
}

/**
 * The records to which the edges at a record lead, in the order of the edges' ids; `undefined` if unknown, or in
 * another table than `ends`.
 */
export function endsAt(
  execution: Execution,
  catalog: DatabaseCatalog,
  id: RecordId,
  { direction, edge, ends }: Hop,
): PromiseOrValue<RecordId[] | undefined> {
  const found: RecordId[] = [];
  let isWhole = true;
  const range = prefixRange(edgePrefix(vertexKey(catalog, id), direction, catalog.tables.get(edge)?.definition.id));
  const work = execution.interrupt;
  const done = forEachBatchOfValues(execution.context.transaction.scan(range), (values) => {
    for (const end of values) {
      if (end instanceof RecordId && end.table === ends) found.push(end);
      else isWhole = false;
    }
    return isWhole ? andThen(work.checkpoint(), () => false) : true;
  });
  return andThen(done, () => (isWhole ? found : undefined));
}

/** The entries by which an edge record is found from its two ends; none when a record isn't an edge. */
export function edgeEntries(catalog: DatabaseCatalog, edge: TableEntry, key: RecordKey, record: ObjectValue): Entry[] {
  const { in: from, out: to } = record;
  if (!(from instanceof RecordId) || !(to instanceof RecordId)) return [];
  const encoded = encodeKey(key);
  return [
    [edgeKey(vertexKey(catalog, from), 'out', edge.definition.id, encoded), to],
    [edgeKey(vertexKey(catalog, to), 'in', edge.definition.id, encoded), from],
  ];
}

/** Whether a single scan shows that there are neither edges nor references at records of one table, or between them. */
export function isUnconnected(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  records: readonly { readonly id: RecordId }[],
): PromiseOrValue<boolean> {
  let [first, last] = ['', ''];
  for (const { id } of records) {
    const node = vertexKey(catalog, id);
    if (first === '' || node < first) first = node;
    if (node > last) last = node;
  }
  const cursor = transaction.scan({ from: first, to: prefixRange(last).to }, { limit: 1 });
  return lastly(
    () => andThen(cursor.next(), (found) => found === undefined),
    () => cursor.close(),
  );
}

function rangesOf(catalog: DatabaseCatalog, node: string, direction: Direction, tables: readonly string[]): KeyRange[] {
  if (tables.length === 0) return [prefixRange(edgePrefix(node, direction))];
  return tables.flatMap((name) => {
    const table = catalog.tables.get(name);
    return table === undefined ? [] : [prefixRange(edgePrefix(node, direction, table.definition.id))];
  });
}
