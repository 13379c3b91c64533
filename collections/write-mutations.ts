/** Writes what a collection has changed optimistically, all or none of it. */
import type { RecordId, Surreal } from 'surrealdb';
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

/** Makes a write that is repeated do nothing: a record has the number of the last write that was done. */
export interface Receipt {
  readonly record: RecordId;
  /** Of this write; it is done if it is larger than the record's `last`. */
  readonly number: number;
  /** Who has made the write: it waits until this user is signed in. */
  readonly user: RecordId;
}

/**
 * Writes mutations in one transaction, in their order. Repeating it changes nothing more, so that what was sent over a
 * connection that was lost may be sent again: a record that is there isn't created, one that is gone isn't deleted.
 * With a receipt it is done once whatever others have written meanwhile.
 *
 *     await writeMutations(client, transaction.mutations)
 *
 * @throws the client's error of the first statement that fails, or that the rules refuse; nothing is written then
 */
export async function writeMutations<T extends Row>(
  client: Surreal,
  mutations: readonly RowMutation<T>[],
  receipt?: Receipt,
): Promise<void> {
  const bindings: Record<string, unknown> = receipt === undefined ? {} : { receipt };
  const statements = mutations.map((mutation, at) => {
    const { type, modified, changes, original } = mutation;
    const { id, ...data } =
      type === 'update' ? { ...changes, id: original.id } : type === 'insert' ? modified : original;
    bindings[`id${at}`] = id;
    bindings[`data${at}`] = data;
    return STATEMENTS[type](`$id${at}`, `$data${at}`);
  });
  // A block is one statement, whose error is that of what failed in it.
  const block = `{\n${statements.join(';\n')}\n}`;
  await whileConnected(client, client.query(receipt === undefined ? block : withReceipt(block), bindings));
}

/** Begins the text of an error that says nothing about the write itself. */
export const NOT_YET = 'Not written yet: ';

const withReceipt = (block: string) => `{
IF $auth != $receipt.user { THROW '${NOT_YET}another user is signed in' };
IF ((SELECT VALUE last FROM ONLY $receipt.record) ?? 0) < $receipt.number {
  IF (UPSERT $receipt.record SET last = $receipt.number) = [] { THROW '${NOT_YET}its receipt is refused' };
  ${block}
}
}`;

/** Rules hide what they refuse: a statement that has no record is refused. */
const refused = (what: string) => `{ THROW 'You may not ${what} this record' }`;

const STATEMENTS = {
  insert: (id, data) => `IF !record::exists(${id}) AND (CREATE ${id} CONTENT ${data}) = [] ${refused('create')}`,
  update: (id, data) => `IF (UPDATE ${id} MERGE ${data}) = [] ${refused('change')}`,
  delete: (id) => `DELETE ${id}; IF record::exists(${id}) ${refused('delete')}`,
} as const satisfies Readonly<Record<RowMutation<Row>['type'], (id: string, data: string) => string>>;

/**
 * The client sends a request again after a lost connection, but never settles it once it has closed the connection
 * itself, as for another sign-in.
 */
export async function whileConnected<T>(client: Surreal, request: PromiseLike<T>): Promise<T> {
  let stop = () => {};
  const closed = new Promise<never>((_, reject) => {
    stop = client.subscribe('disconnected', () => reject(new Error('The connection was closed')));
  });
  try {
    return await Promise.race([request, closed]);
  } finally {
    stop();
  }
}
