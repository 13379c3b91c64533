/**
 * Uploads that come in several requests. What comes is kept in parts, each a content of its own, that are joined when
 * all of them are there: so they need nothing of a backend that files don't need. Only small parts are written again.
 */
import { createHash, type Hash } from 'node:crypto';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { BucketKeys } from '../../catalog/keys/file-keys.js';
import { failure } from '../../errors/error.js';
import type { ResumableUpload, UploadedBytes } from '../../runtime/file-access.js';
import type { Transaction } from '../../storage/contract.js';
import type { BucketPlace, ContentStores } from '../contents/content-stores.js';
import { type ContentPart, joinedContent, storeContentParts } from '../contents/joined.js';
import { type StagedContent, stagedName, storeStaged, type UploadMoment } from '../contents/staged.js';
import { LARGE_PART, Parts, smallTail } from './parts.js';
import { deleteUploadRow, putUploadRow, readUploadRow, type UploadRow } from './upload-row.js';

/** Nanoseconds in which an upload must be complete. */
const LIFETIME = 86_400_000_000_000n;
/** Uploads that a user may have begun in a bucket, and not ended. */
const MOST_OF_USER = 100;
/** Bytes of a part: what is lost at most when the process dies. */
const PART = 64 * 2 ** 20;

/** What is known of an upload when it begins. */
export type BegunUpload = Pick<UploadRow, 'key' | 'type' | 'length' | 'holder' | 'expected' | 'metadata'>;

export class UploadInParts implements ResumableUpload {
  readonly #stores: ContentStores;
  readonly #place: BucketPlace;
  readonly #keys: BucketKeys;
  #row: UploadRow;

  private constructor(stores: ContentStores, place: BucketPlace, row: UploadRow) {
    this.#stores = stores;
    this.#place = place;
    this.#keys = new BucketKeys(place.database, place.identity);
    this.#row = row;
  }

  /** @throws TesseraError `too_many_uploads` */
  static async begin(
    stores: ContentStores,
    place: BucketPlace,
    given: BegunUpload,
    id = stores.drawContent(),
  ): Promise<UploadInParts> {
    const process = place.address.kind === 'memory' ? stores.process : undefined;
    const began = { id, offset: 0, parts: [], expires: stores.now + LIFETIME, process, isPut: false };
    const upload = new UploadInParts(stores, place, { ...given, ...began });
    await stores.change(async (transaction) => {
      if ((await transaction.count(upload.#keys.uploadsOf(given.holder))) >= MOST_OF_USER)
        throw failure('too_many_uploads', { most: MOST_OF_USER, whose: 'of yours' });
      putUploadRow(transaction, upload.#keys, upload.#row);
    });
    return upload;
  }

  /** @throws TesseraError `file_upload_over` also for one of another user */
  static async find(
    transaction: Transaction,
    stores: ContentStores,
    place: BucketPlace,
    asked: { readonly id: string; readonly holder: string },
  ): Promise<UploadInParts> {
    const row = await rowOf(transaction, new BucketKeys(place.database, place.identity), asked.id);
    const isHere = row?.process === undefined || row.process === stores.process;
    if (row?.holder !== asked.holder || row.expires <= stores.now || !isHere) throw failure('file_upload_over');
    return new UploadInParts(stores, place, row);
  }

  get id(): string {
    return this.#row.id;
  }

  get length(): number {
    return this.#row.length;
  }

  get offset(): number {
    return this.#row.offset;
  }

  get isPut(): boolean {
    return this.#row.isPut;
  }

  get expires(): bigint {
    return this.#row.expires;
  }

  get metadata(): string | undefined {
    return this.#row.metadata;
  }

  /** All bytes, once they are there and no file has them. */
  get whole(): StagedContent | undefined {
    const { digest, parts } = this.#row;
    const [part] = parts;
    return digest === undefined || part === undefined ? undefined : { ...part, due: this.expires, digest };
  }

  async append({ bytes, isWhole, put }: UploadedBytes): Promise<void> {
    await this.keep(bytes, isWhole);
    await this.#putWhole(put);
  }

  /** Keeps the bytes that follow, and puts no file. @throws TesseraError as `append` */
  async keep(bytes: AsyncIterable<Uint8Array>, isWhole = true): Promise<void> {
    if (this.#row.isPut || this.expires <= this.#stores.now) throw failure('file_upload_over');
    const { length } = this.#row;
    let { offset } = this.#row;
    const coming = new Parts(bytes);
    const { digests } = this.#stores;
    let running = digests.at(this.id, offset);
    let kept: StagedContent[] = [];
    try {
      while ((await coming.hasMore()) || (length === 0 && this.#row.digest === undefined)) {
        if (offset === length && length > 0)
          throw failure('file_too_large', { most: length, setting: 'Upload-Length' });
        const hash = running?.copy();
        const part = await this.#store(coming.next(Math.min(PART, length - offset)), hash);
        running = hash;
        kept.push(part);
        offset += part.size;
        // The end of what comes may be an error.
        const isMore = await coming.hasMore();
        if (offset === length && !isMore) {
          await this.#commit(kept.slice(0, -1));
          kept = [part];
          await this.#join(part, running === undefined ? undefined : part.digest);
          kept = [];
          break;
        }
        if (isWhole && isMore) continue;
        await this.#commit(kept);
        kept = [];
        if (running !== undefined) digests.keep(this.id, offset, running);
      }
    } finally {
      await coming.end();
      for (const part of kept) await this.#discard(part);
    }
  }

  async cancel(): Promise<void> {
    await this.#stores.change(async (transaction) => {
      const row = await rowOf(transaction, this.#keys, this.id);
      if (row === undefined) return;
      this.#release(transaction, row.parts);
      deleteUploadRow(transaction, this.#keys, row);
    });
  }

  #store(bytes: AsyncIterable<Uint8Array>, hash?: Hash): Promise<StagedContent> {
    const { holder, length } = this.#row;
    const upload = { holder, limit: { bytes: length, setting: 'Upload-Length' } };
    return this.#stores.store(this.#place, bytes, upload, this.expires, hash);
  }

  /** From now on the parts belong to the upload. Of two requests that send the same bytes, one fails. */
  async #commit(parts: readonly StagedContent[]): Promise<void> {
    if (parts.length === 0) return;
    const { offset, length } = this.#row;
    const all = [...this.#row.parts, ...parts.map(partOf)];
    const small = all.slice(all.length - smallTail(all, length));
    // What came is kept also where they can't be merged, as with too many uploads at once: only the row is longer then.
    const merged = small.length === 0 ? undefined : await this.#store(this.#bytesOf(small)).catch(() => undefined);
    const next: UploadRow = {
      ...this.#row,
      offset: parts.reduce((sum, { size }) => sum + size, offset),
      parts: merged === undefined ? all : [...all.slice(0, -small.length), partOf(merged)],
    };
    try {
      await this.#stores.change(async (transaction) => {
        await rowAt(transaction, this.#keys, { id: this.id, offset });
        if (next.expires <= this.#stores.now) throw failure('file_upload_over');
        if (merged !== undefined) this.#release(transaction, small);
        putUploadRow(transaction, this.#keys, next);
      });
    } catch (error) {
      if (merged !== undefined) await this.#discard(merged);
      throw error;
    }
    this.#row = next;
  }

  /** All parts become one content, the only one of the upload then. `digest` is that of all bytes, if known. */
  async #join(last: StagedContent, digest: Uint8Array | undefined): Promise<void> {
    const { length } = this;
    const all = [...this.#row.parts, partOf(last)];
    if (all.length === 1) return this.#become(partOf(last), last.digest, () => undefined);
    // Each that isn't large may have one before it that is.
    if (length / all.length >= LARGE_PART / 2) {
      const content = joinedContent(this.#stores.drawContent());
      const known = digest ?? (await digestOf(this.#bytesOf(all)));
      return this.#become({ content, size: length }, known, (transaction) => this.#link(transaction, content, all));
    }
    const whole = await this.#store(this.#bytesOf(all));
    try {
      await this.#become(partOf(whole), whole.digest, (transaction, { parts }) => this.#release(transaction, parts));
    } catch (error) {
      await this.#discard(whole);
      throw error;
    }
    await this.#discard(last);
  }

  /** If that fails, it is deleted when the upload expires. */
  #discard(part: StagedContent): Promise<void> {
    return this.#stores.discard(this.#place, part).catch(() => undefined);
  }

  /** Parts are deleted soon. */
  #release(transaction: Transaction, parts: readonly ContentPart[]): void {
    for (const { content } of parts) {
      transaction.delete(this.#keys.dueAt(this.expires, content));
      transaction.put(this.#keys.dueAt(this.#stores.now, content), storeStaged({ holder: '' }));
    }
  }

  async #become(
    whole: ContentPart,
    digest: Uint8Array,
    settleParts: (transaction: Transaction, row: UploadRow) => PromiseOrValue<void>,
  ): Promise<void> {
    const { offset, length } = this.#row;
    const next: UploadRow = { ...this.#row, offset: length, parts: [whole], digest };
    await this.#stores.change(async (transaction) => {
      const row = await rowAt(transaction, this.#keys, { id: this.id, offset });
      if (row.expires <= this.#stores.now) throw failure('file_upload_over');
      await settleParts(transaction, row);
      putUploadRow(transaction, this.#keys, next);
    });
    this.#row = next;
  }

  /** The parts belong to the content that is made of them, which is due in their place. */
  async #link(transaction: Transaction, content: string, parts: readonly ContentPart[]): Promise<void> {
    for (const part of parts) {
      const note = this.#keys.dueAt(this.expires, part.content);
      // The sweeper may have taken it.
      if ((await transaction.get(note)) === undefined) throw failure('file_upload_over');
      transaction.delete(note);
    }
    transaction.put(this.#keys.joined(content), storeContentParts(parts));
    transaction.put(this.#keys.dueAt(this.expires, content), storeStaged({ holder: this.#row.holder }));
  }

  /**
   * Puts the file if all of its bytes are there. If that fails, or is cut, it can be done again: the bytes keep their
   * note until the transaction that puts the file commits.
   */
  async #putWhole(put: UploadedBytes['put']): Promise<void> {
    const { whole } = this;
    if (whole === undefined) return;
    const { id, offset, holder, type, key, expected } = this.#row;
    await this.#stores.offer(this.#place, whole, holder, { id, offset });
    await put({ key, type, expected, upload: stagedName(whole) });
    this.#row = { ...this.#row, parts: [], isPut: true };
  }

  async *#bytesOf(parts: readonly ContentPart[]): AsyncGenerator<Uint8Array> {
    const contents = this.#stores.of(this.#place);
    for (const { content, size } of parts) yield* contents.read(content, 0, size);
  }
}

/**
 * Ends an upload in the transaction that puts its file, to which its bytes belong then.
 * @throws TesseraError `file_upload_offset`, `file_upload_over`
 */
export async function endUpload(transaction: Transaction, keys: BucketKeys, moment: UploadMoment): Promise<void> {
  const row = await rowAt(transaction, keys, moment);
  putUploadRow(transaction, keys, { ...row, parts: [], isPut: true });
}

async function rowOf(transaction: Transaction, keys: BucketKeys, id: string): Promise<UploadRow | undefined> {
  if (!BucketKeys.isContent(id)) return undefined;
  const stored = await transaction.get(keys.upload(id));
  return stored === undefined ? undefined : readUploadRow(stored);
}

/** @throws TesseraError `file_upload_offset`, `file_upload_over` */
async function rowAt(transaction: Transaction, keys: BucketKeys, { id, offset }: UploadMoment): Promise<UploadRow> {
  const row = await rowOf(transaction, keys, id);
  if (row === undefined) throw failure('file_upload_over');
  if (row.isPut || row.offset !== offset) throw failure('file_upload_offset', { offset: row.offset });
  return row;
}

function partOf({ content, size }: ContentPart): ContentPart {
  return { content, size };
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  return new Uint8Array(hash.digest());
}
