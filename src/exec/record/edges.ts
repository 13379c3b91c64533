/** Graph edges: the keys at both ends that lead from a record to the edges that touch it. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import { forEachEntry } from '../../catalog/entries.js';
import { edgeAt, edgeKey, edgePrefix, prefixRange } from '../../catalog/keys.js';
import { nodeOf } from '../../catalog/node.js';
import type { Key, KeyRange } from '../../storage/contract.js';
import { decodeKey, encodeKey } from '../../value/key-codec.js';
import { compareStrings } from '../../value/strings.js';
import { type ObjectValue, RecordId, type RecordKey } from '../../value/value.js';
import type { EdgeStep, Execution } from '../execution.js';

type Direction = 'in' | 'out';

const DIRECTIONS: Readonly<Record<EdgeStep['direction'], readonly Direction[]>> = {
  out: ['out'],
  in: ['in'],
  both: ['in', 'out'],
};

/** The ids of the edges at a record: direction by direction, then by table, as they are named or else by name, then by key. */
export function edgesAt(execution: Execution, id: RecordId, step: EdgeStep): PromiseOrValue<RecordId[]> {
  return andThen(execution.unit.catalog(), (catalog) => {
    if (catalog === undefined) return [];
    const node = nodeOf(catalog, id);
    const ranges = DIRECTIONS[step.direction].flatMap((direction) => rangesOf(catalog, node, direction, step.tables));
    const found = mapInOrder(ranges, (range) => {
      const ids: RecordId[] = [];
      const done = forEachEntry(execution.unit.transaction, range, ([key]) => {
        const { table, key: encoded } = edgeAt(node, key);
        const name = catalog.tablesById.get(table)?.definition.name;
        if (name !== undefined) ids.push(new RecordId(name, decodeKey(encoded, 0).value as RecordKey));
      });
      return andThen(done, () => ids);
    });
    if (step.tables.length > 0) {
      return andThen(found, (groups) => (groups.length === 1 ? (groups[0] as RecordId[]) : groups.flat()));
    }
    return andThen(found, (groups) => groups.flatMap((ids) => ids.sort((a, b) => compareStrings(a.table, b.table))));
  });
}

/** The keys under which an edge record is found from its two ends; empty when a record isn't an edge. */
export function edgeKeys(catalog: DatabaseCatalog, edge: TableEntry, key: RecordKey, record: ObjectValue): Key[] {
  const { in: from, out: to } = record;
  if (!(from instanceof RecordId) || !(to instanceof RecordId)) return [];
  const encoded = encodeKey(key);
  return [
    edgeKey(nodeOf(catalog, from), 'out', edge.definition.id, encoded),
    edgeKey(nodeOf(catalog, to), 'in', edge.definition.id, encoded),
  ];
}

function rangesOf(catalog: DatabaseCatalog, node: string, direction: Direction, tables: readonly string[]): KeyRange[] {
  if (tables.length === 0) return [prefixRange(edgePrefix(node, direction))];
  return tables.flatMap((name) => {
    const table = catalog.tables.get(name);
    return table === undefined ? [] : [prefixRange(edgePrefix(node, direction, table.definition.id))];
  });
}
