/** The key of a record or a file as a vertex of the graph, with the prefix of its table if that is defined. */
import { encodeKey, encodeRecordKey } from '../../value/codecs/key-codec.js';
import { FileReference, type RecordId } from '../../value/value.js';
import { fileVertex, undefinedVertex } from '../keys/edge-keys.js';
import type { DatabaseCatalog } from './database-catalog.js';

/** The adjacency prefix of a file, or of a record whether or not its table is defined. */
export function vertexKey({ tables, database }: DatabaseCatalog, of: RecordId | FileReference): string {
  if (of instanceof FileReference) return fileVertex(database.id, encodeKey(of));
  const { table } = of;
  const node = encodeRecordKey(of);
  return tables.get(table)?.keys.node(node) ?? undefinedVertex(database.id, table, node);
}
