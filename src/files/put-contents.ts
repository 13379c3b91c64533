/** The bytes that a statement puts: as a whole, in pieces, or uploaded before; and how they get into the store. */
import { createHash } from 'node:crypto';
import { failure } from '../errors/error.js';
import type { FilePiece, FilePut } from '../functions/calls/files.js';
import type { Execution } from '../runtime/execution.js';
import { uploadHolder } from './bounds.js';
import type { BucketRows } from './bucket-rows.js';
import { CHUNK, putChunks } from './contents/chunks.js';
import type { BucketPlace, ContentStores } from './contents/content-stores.js';
import { type StagedContent, storedBeside, takeStaged } from './contents/staged.js';
import type { FileContent, FileRow } from './file-row.js';
import { addPiece, uploadOfKey } from './uploads/pieces.js';
import { endUpload } from './uploads/resumable-upload.js';
import { deleteUploadRow } from './uploads/upload-row.js';

/** Nanoseconds before a content is deleted in which nothing more begins to use it. */
const LATEST = 300_000_000_000n;

/** A bucket, as its bytes need it. */
interface StoredFiles {
  readonly place: BucketPlace;
  readonly rows: BucketRows;
}

export class PutContents {
  readonly #execution: Execution;
  readonly #stores: ContentStores;

  constructor(execution: Execution, stores: ContentStores) {
    this.#execution = execution;
    this.#stores = stores;
  }

  /** Adds a piece of a file that comes in several; returns the whole with the last one. */
  async added(
    { place, rows }: StoredFiles,
    { key, type, size }: FileRow,
    { expected }: FilePut,
    { at }: FilePiece,
    bytes: Uint8Array,
  ): Promise<FileContent | undefined> {
    const { transaction } = this.#execution.context;
    const holder = uploadHolder(this.#execution.identity);
    const start = { key, type, length: size, expected, metadata: undefined, holder };
    const whole = await addPiece(this.#stores, place, start, at, bytes);
    if (whole === undefined) return undefined;
    // The upload was changed beside this transaction, as its bytes were stored.
    deleteUploadRow(transaction, rows.keys, { id: uploadOfKey(holder, key), holder });
    this.keepStaged(rows, whole);
    return whole;
  }

  /** The content of an upload, which is over when the transaction commits. */
  async taken({ keys }: BucketRows, name: string): Promise<FileContent> {
    const { transaction } = this.#execution.context;
    const { content, size, digest, of } = await takeStaged(
      transaction,
      keys,
      name,
      uploadHolder(this.#execution.identity),
    );
    if (of !== undefined) await endUpload(transaction, keys, of);
    return { content, size, digest };
  }

  /** Bytes that are in memory, before they are stored. */
  async drawn(bytes: Uint8Array): Promise<FileContent> {
    const hash = createHash('sha256');
    for (let at = 0; at < bytes.length; at += CHUNK) {
      hash.update(bytes.subarray(at, at + CHUNK));
      await this.#execution.interrupt.checkpoint();
    }
    return { content: this.#stores.drawContent(), size: bytes.length, digest: new Uint8Array(hash.digest()) };
  }

  /** Stores bytes that are in memory, and that the bucket takes; returns the id of their content. */
  async store({ place, rows }: StoredFiles, drawn: string, bytes: Uint8Array): Promise<string> {
    const { transaction } = this.#execution.context;
    if (place.address.kind === 'database') {
      putChunks(transaction, rows.keys, drawn, bytes);
      return drawn;
    }
    const limit = { bytes: bytes.length, setting: 'MAXSIZE' };
    const staged = await this.#stores.stage(place, once(bytes), {
      holder: uploadHolder(this.#execution.identity),
      limit,
    });
    this.keepStaged(rows, staged);
    return staged.content;
  }

  /**
   * A content that was stored for this transaction stays when it commits. The transaction doesn't see the note of it,
   * which is younger; nor does the sweeper take it before it is due.
   */
  keepStaged({ keys }: BucketRows, staged: StagedContent): void {
    const { transaction } = this.#execution.context;
    storedBeside(transaction).add(staged.content);
    transaction.delete(keys.dueAt(staged.due, staged.content));
    transaction.beforeCommit(() => {
      if (this.#stores.now > staged.due - LATEST) throw failure('file_upload_over');
    });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
