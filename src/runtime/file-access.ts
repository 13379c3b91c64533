/** The files of buckets, for functions and for transports. */
import type { StatementFiles } from '../functions/calls/files.js';
import type { FileReference, ObjectValue } from '../value/value.js';

/** For transports as well, which read and write bytes piece by piece, outside of the transaction. */
export interface TransferredFiles extends StatementFiles {
  /**
   * A file, if it may be got, or with a link without being asked; `undefined` if there is none.
   * @throws TesseraError `file_link`
   */
  open(file: FileReference, link?: FileLink): Promise<OpenFile | undefined>;
  /** A file whose bytes come, if it may be put. @throws TesseraError as `put` */
  upload(file: FileReference, type: string | undefined): Promise<FileUpload>;
}

/** What a link to a file says beside its address (`files/links.ts`). */
export interface FileLink {
  /** Seconds since 1970 from which it is refused. */
  readonly until: number;
  /** The id of the record whose link it is; it ends with the record. Absent for system users and guests. */
  readonly by: string | undefined;
  readonly signature: string;
}

export interface OpenFile {
  /** As `head` shows it. */
  readonly facts: ObjectValue;
  readonly size: number;
  /** The bytes from an offset up to another (excluded). @throws TesseraError `bucket_store` */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

export interface FileUpload {
  /** There is such a file already. */
  readonly replaces: boolean;
  /** Stores the bytes, and returns the name by which `put` takes them. @throws TesseraError `file_too_large`, … */
  store(bytes: AsyncIterable<Uint8Array>): Promise<string>;
}
