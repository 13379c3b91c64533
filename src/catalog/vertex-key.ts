import { encodeRecordKey } from '../value/key-codec.js';
import type { RecordId } from '../value/value.js';
import type { DatabaseCatalog } from './definitions/database-catalog.js';
import { undefinedNode } from './keys.js';

/** Where the edges and references at a record stand, whether its table is defined or not. */
export function nodeOf({ tables, database }: DatabaseCatalog, id: RecordId): string {
  const { table } = id;
  const node = encodeRecordKey(id);
  return tables.get(table)?.keys.node(node) ?? undefinedNode(database.id, table, node);
}
