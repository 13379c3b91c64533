/** Records that a record is connected with. */
import { RecordId } from 'surrealdb';
import type { Connection } from '../../connection/connection.js';
import type { Row } from './rows.js';

/** A record that another one is connected with. */
export interface Neighbour {
  readonly direction: 'out' | 'in' | 'link';
  /** The name of the edge's table, or of the field. */
  readonly by: string;
  /** The edge itself. */
  readonly edge?: RecordId;
  readonly record: RecordId;
}

/** Edges of each direction that are looked at. */
const MOST = 50;

interface Edge {
  readonly id: RecordId;
  readonly in: RecordId;
  readonly out: RecordId;
}

/** By edges in both directions, and by links. */
export async function loadNeighbours(connection: Connection, row: Row): Promise<readonly Neighbour[]> {
  const [outgoing, incoming] = await connection.query<[Edge[], Edge[]]>(
    `SELECT id, in, out FROM $id->? LIMIT ${MOST}; SELECT id, in, out FROM $id<-? LIMIT ${MOST}`,
    { id: row.id },
  );
  return [
    ...outgoing.map(({ id, out }) => ({ direction: 'out', by: id.table.name, edge: id, record: out }) as const),
    ...incoming.map(({ id, in: from }) => ({ direction: 'in', by: id.table.name, edge: id, record: from }) as const),
    ...linksOf(row),
  ];
}

/** Links in the fields of a record, and in arrays of them. */
function linksOf(row: Row): Neighbour[] {
  return Object.entries(row).flatMap(([by, value]) => {
    if (by === 'id') return [];
    const records = (Array.isArray(value) ? value.slice(0, MOST) : [value]).filter((one) => one instanceof RecordId);
    return records.map((record) => ({ direction: 'link', by, record }) as const);
  });
}
