/** What the store keeps of an upload that comes in several requests. */
import { invariant } from '../../base/invariant.js';
import type { BucketKeys } from '../../catalog/keys/file-keys.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { toDatetime } from '../../value/time/datetime.js';
import { Datetime, isObject, objectFrom } from '../../value/value.js';
import { type ContentPart, readContentParts, storeContentParts } from '../contents/joined.js';

export interface UploadRow {
  readonly id: string;
  /** The file that it is to become. */
  readonly key: string;
  readonly type: string;
  /** Bytes that it will have, and bytes that are kept. */
  readonly length: number;
  readonly offset: number;
  /** The contents that have these bytes, one behind the other; none once the file has been put. */
  readonly parts: readonly ContentPart[];
  /** SHA-256 of all bytes, once they are one content. */
  readonly digest?: Uint8Array | undefined;
  readonly holder: string;
  /** Nanoseconds since 1970. */
  readonly expires: bigint;
  /** The version that the file must have; false: there must be none. */
  readonly expected?: string | false | undefined;
  /** What the client says of it, as it said it. */
  readonly metadata?: string | undefined;
  /** The process that has the bytes, for buckets in memory. */
  readonly process?: string | undefined;
  /** The file has been put. */
  readonly isPut: boolean;
}

const NANOSECONDS = 1_000_000_000n;

/** Writes the row of an upload, which is one of its user's until it has been put. */
export function putUploadRow(transaction: Transaction, keys: BucketKeys, row: UploadRow): void {
  const { id, holder, isPut } = row;
  transaction.put(keys.upload(id), storeUploadRow(row));
  if (isPut) transaction.delete(keys.uploadOf(holder, id));
  else transaction.put(keys.uploadOf(holder, id), true);
}

/** Deletes the row of an upload. */
export function deleteUploadRow(
  transaction: Transaction,
  keys: BucketKeys,
  { id, holder }: Pick<UploadRow, 'id' | 'holder'>,
): void {
  transaction.delete(keys.upload(id));
  transaction.delete(keys.uploadOf(holder, id));
}

function storeUploadRow({ parts, digest, expires, expected, metadata, process, ...row }: UploadRow): Stored {
  return objectFrom({
    ...row,
    parts: storeContentParts(parts),
    expires: toDatetime(expires),
    ...(digest !== undefined && { digest }),
    ...(expected !== undefined && { expected }),
    ...(metadata !== undefined && { metadata }),
    ...(process !== undefined && { process }),
  });
}

/** The upload in a row of `putUploadRow`. */
export function readUploadRow(stored: Stored): UploadRow {
  invariant(isObject(stored), 'a stored upload is an object');
  const { id, key, type, length, offset, parts, digest, holder, expires, expected, metadata, process, isPut } = stored;
  const isRow =
    typeof id === 'string' &&
    typeof key === 'string' &&
    typeof type === 'string' &&
    typeof length === 'number' &&
    typeof offset === 'number' &&
    typeof holder === 'string' &&
    expires instanceof Datetime &&
    typeof isPut === 'boolean';
  invariant(isRow, 'a stored upload has an offset');
  return {
    id,
    key,
    type,
    length,
    offset,
    parts: readContentParts(parts),
    digest: digest instanceof Uint8Array ? digest : undefined,
    holder,
    expires: BigInt(expires.seconds) * NANOSECONDS + BigInt(expires.nanoseconds),
    expected: typeof expected === 'string' || expected === false ? expected : undefined,
    metadata: typeof metadata === 'string' ? metadata : undefined,
    process: typeof process === 'string' ? process : undefined,
    isPut,
  };
}
