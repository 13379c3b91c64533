/** The files of buckets, as functions see them: in the transaction of their statement, with the rights of its user. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { FileAction } from '../../language/ast.js';
import type { Datetime, FileReference, ObjectValue, RecordId, Value } from '../../value/value.js';

/** What is given to `StatementFiles.put`. */
export interface FilePut {
  /** Bytes, or what can be cast to them. */
  readonly data: Value;
  readonly type: string | undefined;
  /** In the place of data: names bytes that are stored already (`FileUpload`). */
  readonly upload: string | undefined;
  /** The version that the file must have; false: there must be no such file. */
  readonly expected: string | false | undefined;
  /** Nothing happens if there is such a file. */
  readonly ifFree: boolean;
  /** The data is a piece of the file, which is there with the last one. */
  readonly piece: FilePiece | undefined;
  /** The file was one before, whatever the bucket takes by now: for users whose role allows them to put any. */
  readonly restored: RestoredFile | undefined;
}

/** A piece of a file: where it begins, and the size of the whole file. The first one gives up others that came. */
export interface FilePiece {
  readonly at: number;
  readonly size: number;
}

/** What was known of a file. */
export interface RestoredFile {
  readonly updated: Datetime;
  readonly owner: RecordId | undefined;
  /** As `head` shows it. */
  readonly digest: string;
}

export interface FileListing {
  /** At most this many; all if it is absent. */
  readonly limit: number | undefined;
  /** Only those that come after this key. */
  readonly start: string | undefined;
  readonly prefix: string | undefined;
}

/** What a link lets its holder do: get the file, or put it. */
export const LINK_METHODS = ['GET', 'PUT'] as const;
export type LinkMethod = (typeof LINK_METHODS)[number];

/** What a file put by a link may be. */
export interface PutBounds {
  /** Its media type: `image/*`, `image/png`. */
  readonly type?: string | undefined;
  /** Its bytes at most. */
  readonly size?: number | undefined;
}

export interface LinkRequest extends PutBounds {
  readonly method: LinkMethod;
  /** For how long. */
  readonly seconds: number;
  /** It ends with the session that makes it, if that is sooner. */
  readonly endsWithSession: boolean;
}

/**
 * What a statement puts and deletes is seen by its transaction alone, and done when that commits. Every method throws
 * `bucket_missing`, `file_key` and `file_denied`; those that change something also `bucket_read_only`, `read_only` and
 * `view_read_only`.
 */
export interface StatementFiles {
  /**
   * @throws TesseraError `file_too_large`, `file_type`, `bucket_full`, `file_changed`, `file_upload_over`,
   * `file_upload_offset`, `file_restore`, `file_digest`, `bucket_store`
   */
  put(file: FileReference, given: FilePut): PromiseOrValue<undefined>;
  get(file: FileReference): PromiseOrValue<Uint8Array | undefined>;
  head(file: FileReference): PromiseOrValue<ObjectValue | undefined>;
  /** `expected` is as for `put`. @throws TesseraError `file_changed` */
  delete(file: FileReference, expected: string | false | undefined): PromiseOrValue<undefined>;
  /** @throws TesseraError `file_source_missing`, unless `ifFree` */
  copy(file: FileReference, target: FileReference, ifFree: boolean): PromiseOrValue<undefined>;
  /** Within a bucket. @throws TesseraError `file_source_missing`, unless `ifFree` */
  rename(file: FileReference, key: string, ifFree: boolean): PromiseOrValue<undefined>;
  /** In the order of keys, those that may be listed. */
  list(bucket: string, listing: FileListing): PromiseOrValue<ObjectValue[]>;
  /**
   * The address at which a file can be got or put for a while without signing in: with that of the server, if that is
   * known.
   * @throws TesseraError `file_link_time`, `file_link_session`, `file_type_malformed`, `bucket_read_only`
   */
  url(file: FileReference, link: LinkRequest): PromiseOrValue<string>;
  /** Whether an action would be allowed. `target` is that of copy and rename. */
  may(file: FileReference, action: FileAction, target: FileReference | undefined): PromiseOrValue<boolean>;
}
