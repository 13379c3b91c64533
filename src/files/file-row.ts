/** What the store keeps of a file beside its bytes. */
import { invariant } from '../base/invariant.js';
import type { Stored } from '../storage/contract.js';
import { Datetime, FileReference, isObject, type ObjectValue, objectFrom, RecordId } from '../value/value.js';

export interface FileRow {
  readonly key: string;
  /** The id of its bytes, which never change: a file that is replaced gets another. */
  readonly content: string;
  /** In bytes. */
  readonly size: number;
  /** The media type, in lower case, with parameters: `text/plain; charset=utf-8`. */
  readonly type: string;
  /** SHA-256 of the bytes. */
  readonly digest: Uint8Array;
  readonly updated: Datetime;
  /** The record that has put it; none for system users and guests. */
  readonly owner?: RecordId | undefined;
  /** The process that has the bytes, for buckets in memory. */
  readonly process?: string | undefined;
}

/** Bytes and what is known of them, before a file has them. */
export type FileContent = Pick<FileRow, 'content' | 'size' | 'digest'>;

/** Of a file whose bytes are still to come. */
export const NO_CONTENT: FileContent = { content: '', size: 0, digest: new Uint8Array() };

/** The row of a file. */
export function storeFileRow({ key, content, size, type, digest, updated, owner, process }: FileRow): ObjectValue {
  return objectFrom({
    key,
    content,
    size,
    type,
    digest,
    updated,
    ...(owner !== undefined && { owner }),
    ...(process !== undefined && { process }),
  });
}

/** The file in a row of `storeFileRow`. */
export function readFileRow(stored: Stored): FileRow {
  invariant(isObject(stored), 'a stored file is an object');
  const { key, content, size, type, digest, updated, owner, process } = stored;
  const isRow =
    typeof key === 'string' &&
    typeof content === 'string' &&
    typeof size === 'number' &&
    typeof type === 'string' &&
    digest instanceof Uint8Array &&
    updated instanceof Datetime;
  invariant(isRow, 'a stored file has a content');
  return {
    key,
    content,
    size,
    type,
    digest,
    updated,
    owner: owner instanceof RecordId ? owner : undefined,
    process: typeof process === 'string' ? process : undefined,
  };
}

/** A file as `file::head` shows it, and rules see it. `version` is another one each time that the file is put. */
export function shownFile(bucket: string, { key, content, size, type, digest, updated, owner }: FileRow): ObjectValue {
  return objectFrom({
    file: new FileReference(bucket, key),
    size,
    updated,
    type,
    digest: digestText(digest),
    version: content,
    ...(owner !== undefined && { owner }),
  });
}

/** A digest as `file::head` shows it. */
export function digestText(digest: Uint8Array): string {
  return `sha-256:${Buffer.from(digest).toString('hex')}`;
}
