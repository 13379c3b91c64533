/** Keys of graph edges and references, by the vertex at which they are (`store-keys.ts`). */
import type { Key, KeyRange } from '../../storage/contract.js';
import { ID_LENGTH, type Id, idAt, idBytes, NO_TABLE, nameBytes, OF_FILES, prefixRange } from './key-bytes.js';
import { databaseArea } from './store-keys.js';

const DIRECTIONS = { in: 'i', out: 'o', reference: 'r' } as const;
/** The direction of an edge at a vertex: incoming, outgoing, or a reference field of another record. */
export type EdgeDirection = keyof typeof DIRECTIONS;

/** The adjacency entries of one vertex. */
export function vertexPrefix(database: Id, table: Id, key: string): string {
  return `${databaseArea(database)}e${idBytes(table)}${key}`;
}

/** A vertex in an undefined table; when the table is defined, the entries in `undefinedVertices` are moved. */
export function undefinedVertex(database: Id, table: string, key: string): string {
  return vertexPrefix(database, NO_TABLE, nameBytes(table)) + key;
}

/** The prefix of all vertices of an undefined table. */
export function undefinedVertices(database: Id, table: string): string {
  return vertexPrefix(database, NO_TABLE, nameBytes(table));
}

/**
 * A file as a vertex, by its name: it needn't exist, nor need its bucket. `file` is the encoded value, as `key` is that
 * of a record.
 */
export function fileVertex(database: Id, file: string): string {
  return vertexPrefix(database, OF_FILES, file);
}

/** The adjacency entries of all files. */
export function fileEdgesRange(database: Id): KeyRange {
  return edgesRange(database, OF_FILES);
}

/** The adjacency entries of a table's vertices. */
export function edgesRange(database: Id, table: Id): KeyRange {
  return prefixRange(`${databaseArea(database)}e${idBytes(table)}`);
}

/** The prefix of the edges at a vertex in one direction, of one edge table or all. */
export function edgePrefix(node: string, direction: EdgeDirection, edgeTable?: Id): string {
  return node + DIRECTIONS[direction] + (edgeTable === undefined ? '' : idBytes(edgeTable));
}

/** The adjacency key of an edge: `node` is a vertex (`vertexKey`), `edge` the encoded key of the edge's record. */
export function edgeKey(node: string, direction: 'in' | 'out', edgeTable: Id, edge: string): Key {
  return edgePrefix(node, direction, edgeTable) + edge;
}

/** The edge record in an adjacency key of vertex `node`. The table may have been removed. */
export function edgeAt(node: string, key: Key): { readonly table: Id; readonly key: string } {
  const at = node.length + 1;
  return { table: idAt(key, at), key: key.slice(at + ID_LENGTH) };
}

/** The prefix of the references to a vertex from a field of a table's records. */
export function referencePrefix(node: string, table: Id, field: string): string {
  return edgePrefix(node, 'reference', table) + nameBytes(field);
}

/** The key that notes that `record` (an encoded key of `table`) refers to the vertex `node` in `field`. */
export function referenceKey(node: string, table: Id, field: string, record: string): Key {
  return referencePrefix(node, table, field) + record;
}

/** The referring record in a reference key of vertex `node`. */
export function referrerAt(node: string, key: Key): { readonly table: Id; readonly key: string } {
  const at = node.length + 1;
  return { table: idAt(key, at), key: key.slice(key.indexOf('\0', at + ID_LENGTH) + 1) };
}
