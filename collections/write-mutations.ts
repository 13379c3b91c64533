/** Writes what a collection has changed optimistically, all or none of it. */
import type { Surreal } from 'surrealdb';
import type { Row } from './live-rows.js';

/** What TanStack's transactions hold, as far as it is written. */
export interface RowMutation<T extends Row> {
  readonly type: 'insert' | 'update' | 'delete';
  /** Of an insert. */
  readonly modified: T;
  /** Of an update: the fields that have changed. */
  readonly changes: Partial<T>;
  /** Of an update or a delete. */
  readonly original: Partial<T> | Record<string, never>;
}

/**
 * Writes mutations in one transaction, in their order. Repeating it changes nothing more, so that what was sent over a
 * connection that was lost may be sent again: a record that is there isn't created, one that is gone isn't deleted.
 *
 *     await writeMutations(client, transaction.mutations)
 *
 * @throws the client's error of the first statement that fails, or that the rules refuse; nothing is written then
 */
export async function writeMutations<T extends Row>(
  client: Surreal,
  mutations: readonly RowMutation<T>[],
): Promise<void> {
  const bindings: Record<string, unknown> = {};
  const statements = mutations.map((mutation, at) => {
    const { type, modified, changes, original } = mutation;
    const { id, ...data } =
      type === 'update' ? { ...changes, id: original.id } : type === 'insert' ? modified : original;
    bindings[`id${at}`] = id;
    bindings[`data${at}`] = data;
    return STATEMENTS[type](`$id${at}`, `$data${at}`);
  });
  // A block is one statement, whose error is that of what failed in it.
  await client.query(`{\n${statements.join(';\n')}\n}`, bindings);
}

/** Rules hide what they refuse: a statement that has no record is refused. */
const refused = (what: string) => `{ THROW 'You may not ${what} this record' }`;

const STATEMENTS = {
  insert: (id, data) => `IF !record::exists(${id}) AND (CREATE ${id} CONTENT ${data}) = [] ${refused('create')}`,
  update: (id, data) => `IF (UPDATE ${id} MERGE ${data}) = [] ${refused('change')}`,
  delete: (id) => `DELETE ${id}; IF record::exists(${id}) ${refused('delete')}`,
} as const satisfies Readonly<Record<RowMutation<Row>['type'], (id: string, data: string) => string>>;
