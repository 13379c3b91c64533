/** The files of buckets, for functions and for transports. */
import type { LinkMethod, PutBounds, StatementFiles } from '../functions/calls/files.js';
import type { FileAction, Permission } from '../language/ast.js';
import type { FileReference, ObjectValue, RecordId } from '../value/value.js';

/** For transports as well, which read and write bytes piece by piece, outside of the transaction. */
export interface TransferredFiles extends StatementFiles {
  /**
   * A file, if it may be got, or with a link without being asked; `undefined` if there is none.
   * @throws TesseraError `file_link`
   */
  open(file: FileReference, link?: FileLink): Promise<OpenFile | undefined>;
  /** Whether a clause, or a part of one, allows an action to those to whom rules apply: for EXPLAIN PERMISSIONS. */
  holds(clause: Permission, file: FileReference, action: FileAction, target?: FileReference): Promise<boolean>;
  /** Who puts a file by a link. @throws TesseraError `file_link` */
  makerOf(file: FileReference, link: FileLink): Promise<LinkMaker>;
  /** A file whose bytes come, if it may be put; by a link within its bounds. @throws TesseraError as `put` */
  upload(file: FileReference, type: string | undefined, bounds?: PutBounds): Promise<FileUpload>;
  /** A file whose bytes come in several requests, if it may be put. @throws TesseraError as `put` */
  beginUpload(file: FileReference, given: UploadStart): Promise<ResumableUpload>;
  /**
   * All files of a bucket as the transaction shows them, for users who may read any, in pieces of a size. Bytes may end
   * early in a bucket outside of the store, for a file that is deleted meanwhile.
   */
  all(bucket: string, piece: number): AsyncIterable<ExportedFile>;
  /** One of this user that was begun. @throws TesseraError `file_upload_over` */
  resumeUpload(bucket: string, id: string): Promise<ResumableUpload>;
}

/** What a link to a file says beside its address (`files/links.ts`). */
export interface FileLink extends PutBounds {
  readonly method: LinkMethod;
  /** Seconds since 1970 from which it is refused. */
  readonly until: number;
  /**
   * The id of the record whose link it is; it ends with the record. Absent for system users and guests, but that links
   * to put say `guest` of those to whom rules apply.
   */
  readonly by: string | undefined;
  /** Of a link to put, or one that ends with a session: the access method of the record. */
  readonly access?: string | undefined;
  /** The session with which it ends, if any (`files/link-session.ts`). */
  readonly session?: string | undefined;
  readonly signature: string;
}

/** Who puts a file by a link: a record, as one that has signed in; who hasn't; or one to whom no rules apply. */
export type LinkMaker =
  | { readonly kind: 'record'; readonly record: RecordId; readonly access: string }
  | { readonly kind: 'guest' | 'system' };

export interface OpenFile {
  /** As `head` shows it. */
  readonly facts: ObjectValue;
  readonly size: number;
  /** The bytes from an offset up to another (excluded). @throws TesseraError `bucket_store` */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

export interface ExportedFile extends Pick<OpenFile, 'facts' | 'size'> {
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface FileUpload {
  /** Its media type. */
  readonly type: string;
  /** There is such a file already. */
  readonly replaces: boolean;
  /** Stores the bytes, and returns the name by which `put` takes them. @throws TesseraError `file_too_large`, … */
  store(bytes: AsyncIterable<Uint8Array>): Promise<string>;
}

/** What is known of an upload when it begins. */
export interface UploadStart {
  /** Bytes that the file will have. */
  readonly length: number;
  readonly type: string | undefined;
  /** As for `put`. */
  readonly expected: string | false | undefined;
  /** What the client says of it, which it gets again. */
  readonly metadata: string | undefined;
}

/** An upload whose bytes come in several requests, also after the server was started again. */
export interface ResumableUpload {
  readonly id: string;
  readonly length: number;
  /** Bytes that are kept. */
  readonly offset: number;
  /** They have become the file. */
  readonly isPut: boolean;
  /** Nanoseconds since 1970 after which what came is deleted. */
  readonly expires: bigint;
  readonly metadata: string | undefined;
  /**
   * Keeps the bytes that follow, and puts the file once there are all, also if no more follow. What came before an
   * error is kept.
   * @throws TesseraError `file_upload_offset` if others have sent the same, `file_upload_over`, `file_too_large`,
   * `bucket_store`, and what `bytes` and `put` throw
   */
  append(bytes: UploadedBytes): Promise<void>;
  /** Deletes what came. */
  cancel(): Promise<void>;
}

export interface UploadedBytes {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** They count only if they end without an error. */
  readonly isWhole: boolean;
  /** Puts the file, as `file::put` does. */
  put(file: CompleteUpload): Promise<void>;
}

export interface CompleteUpload extends Pick<UploadStart, 'expected'> {
  readonly key: string;
  readonly type: string;
  /** The name by which `put` takes the bytes. */
  readonly upload: string;
}
