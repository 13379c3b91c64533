/** The key of a record as a vertex of the graph, with the prefix of its table if that is defined. */
import { encodeRecordKey } from '../../value/codecs/key-codec.js';
import type { RecordId } from '../../value/value.js';
import { undefinedVertex } from '../keys/edge-keys.js';
import type { DatabaseCatalog } from './database-catalog.js';

/** The adjacency prefix of a record, whether or not its table is defined. */
export function vertexKey({ tables, database }: DatabaseCatalog, id: RecordId): string {
  const { table } = id;
  const node = encodeRecordKey(id);
  return tables.get(table)?.keys.node(node) ?? undefinedVertex(database.id, table, node);
}
