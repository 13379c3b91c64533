/**
 * The format of keys and values that nodes write to a store which several use (`docs/reference/formats.md`). It is
 * raised when every node that is listed can read the new one; before that, new nodes write as the old ones do. A node
 * is listed in a transaction that reads the format, and the format is raised in one that reads the list: so no node
 * begins to use a store whose format it doesn't know.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Transaction } from '../../storage/contract.js';
import { LMDB_FORMAT } from '../../storage/lmdb/file/lmdb-metadata.js';
import { STORE_FORMAT_KEY } from '../keys/node-keys.js';

/** The formats that a release reads and writes. */
export interface KnownFormats {
  readonly oldest: number;
  readonly newest: number;
}

export const KNOWN_FORMATS: KnownFormats = { oldest: LMDB_FORMAT, newest: LMDB_FORMAT };

/** That of a store that doesn't say. */
const FIRST_FORMAT = 2;

/** The number of the format in which the nodes of the store write; the first one where none is stored. */
export function storeFormat(transaction: Transaction): PromiseOrValue<number> {
  return andThen(transaction.get(STORE_FORMAT_KEY), (stored) => (stored === undefined ? FIRST_FORMAT : Number(stored)));
}

/** Stores the format in which the store is written from now on. */
export function putStoreFormat(transaction: Transaction, format: number): void {
  transaction.put(STORE_FORMAT_KEY, format);
}

/** Checks that a format is one that this release reads. @throws TesseraError `storage_format` */
export function assertFormat(format: number, { oldest, newest }: KnownFormats): void {
  if (format < oldest || format > newest)
    throw failure('storage_format', { folder: 'the store', format: String(format), known: newest });
}

/** @throws TesseraError `storage_format` for a store that this release can't read */
export function assertKnownFormat(transaction: Transaction): PromiseOrValue<void> {
  return andThen(storeFormat(transaction), (format) => assertFormat(format, KNOWN_FORMATS));
}
