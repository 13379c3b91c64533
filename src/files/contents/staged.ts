/** Contents that are stored, or being stored, and that no file has yet. */
import { invariant } from '../../base/invariant.js';
import type { BucketKeys } from '../../catalog/keys/file-keys.js';
import { failure } from '../../errors/error.js';
import { type Stored, type Transaction, TransactionLocal } from '../../storage/contract.js';
import { isObject, objectFrom, type Value } from '../../value/value.js';

export interface StagedContent {
  readonly content: string;
  /** When it is deleted, in nanoseconds since 1970, unless a file has got it. */
  readonly due: bigint;
  readonly size: number;
  readonly digest: Uint8Array;
}

/** Whose an upload is, and how large it may be, by which setting or clause. */
export interface Upload {
  readonly holder: string;
  readonly limit: { readonly bytes: number; readonly setting: string };
}

/** An upload as long as it has so many bytes, and hasn't become a file. */
export interface UploadMoment {
  readonly id: string;
  readonly offset: number;
}

interface StagedNote {
  readonly holder: string;
  /** Once all bytes are there. */
  readonly size?: number;
  /** Unless a file had it. */
  readonly digest?: Uint8Array;
  readonly of?: UploadMoment | undefined;
}

export function storeStaged({ holder, size, digest, of }: StagedNote): Stored {
  return objectFrom({
    holder,
    ...(size !== undefined && { size }),
    ...(digest !== undefined && { digest }),
    ...(of !== undefined && { of: objectFrom({ id: of.id, offset: of.offset }) }),
  });
}

/** Bytes of a noted content; 0 while they come. */
export function stagedSize(note: Stored): number {
  return isObject(note) && typeof note['size'] === 'number' ? note['size'] : 0;
}

/** How a request names a staged content. */
export function stagedName({ content, due }: Pick<StagedContent, 'content' | 'due'>): string {
  return `${due.toString(16)}-${content}`;
}

const NAME = /^([0-9a-f]{1,16})-([0-9a-f]{32})$/;

/**
 * Takes a staged content for a file that the transaction puts. The sweeper takes it likewise, so that only one of them
 * commits. `of` is there if it is that of an upload, which the transaction must end.
 * @throws TesseraError `file_upload_over` also for one of another user
 */
export async function takeStaged(
  transaction: Transaction,
  keys: BucketKeys,
  name: string,
  holder: string,
): Promise<StagedContent & { readonly of: UploadMoment | undefined }> {
  const [, time, content] = NAME.exec(name) ?? [];
  if (time === undefined || content === undefined) throw failure('file_upload_over');
  const due = BigInt(`0x${time}`);
  const key = keys.dueAt(due, content);
  const note = await transaction.get(key);
  if (note === undefined || !isObject(note) || note['holder'] !== holder) throw failure('file_upload_over');
  const { size, digest, of } = note;
  if (typeof size !== 'number' || !(digest instanceof Uint8Array)) throw failure('file_upload_over');
  transaction.delete(key);
  return { content, due, size, digest, of: of === undefined ? undefined : readMoment(of) };
}

function readMoment(stored: Value): UploadMoment {
  invariant(isObject(stored), 'the upload of a content is an object');
  const { id, offset } = stored;
  invariant(typeof id === 'string' && typeof offset === 'number', 'the upload of a content has an offset');
  return { id, offset };
}

const STORED_BESIDE = new TransactionLocal<Set<string>>();

/**
 * The contents that were stored for a transaction while it was open, in transactions of their own: its snapshot, which
 * is older, doesn't show them.
 */
export function storedBeside(transaction: Transaction): Set<string> {
  return transaction.local(STORED_BESIDE, () => new Set<string>());
}
