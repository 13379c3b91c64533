/**
 * Uploads that come in several requests. What comes is kept in parts, each a content of its own, that are joined when
 * all of them are there: so they need nothing of a backend that files don't need.
 */
import { BucketKeys } from '../../catalog/keys/file-keys.js';
import { failure } from '../../errors/error.js';
import type { ResumableUpload, UploadedBytes } from '../../runtime/file-access.js';
import type { Transaction } from '../../storage/contract.js';
import type { BucketPlace, ContentStores } from '../contents/content-stores.js';
import { type StagedContent, stagedName, storeStaged, type UploadMoment } from '../contents/staged.js';
import { Parts } from './parts.js';
import { readUploadRow, storeUploadRow, type UploadRow } from './upload-row.js';

/** Nanoseconds in which an upload must be complete. */
const LIFETIME = 86_400_000_000_000n;
/** Bytes of a part: what is lost at most when the process dies. A file that comes in one isn't written twice. */
const PART = 64 * 2 ** 20;

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

  static async begin(
    stores: ContentStores,
    place: BucketPlace,
    given: Pick<UploadRow, 'key' | 'type' | 'length' | 'holder' | 'expected' | 'metadata'>,
  ): Promise<UploadInParts> {
    const id = stores.drawContent();
    const process = place.address.kind === 'memory' ? stores.process : undefined;
    const began = { id, offset: 0, parts: [], expires: stores.now + LIFETIME, process, isPut: false };
    const upload = new UploadInParts(stores, place, { ...given, ...began });
    await stores.change((transaction) => transaction.put(upload.#keys.upload(id), storeUploadRow(upload.#row)));
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

  async append({ bytes, isWhole, put }: UploadedBytes): Promise<void> {
    if (this.#row.isPut || this.expires <= this.#stores.now) throw failure('file_upload_over');
    const { length } = this.#row;
    let { offset } = this.#row;
    const coming = new Parts(bytes);
    let kept: StagedContent[] = [];
    try {
      while ((await coming.hasMore()) || (length === 0 && this.#row.digest === undefined)) {
        if (offset === length && length > 0)
          throw failure('file_too_large', { most: length, setting: 'Upload-Length' });
        const part = await this.#store(coming.next(Math.min(PART, length - offset)), this.expires);
        kept.push(part);
        offset += part.size;
        // The end of what comes may be an error.
        const isMore = await coming.hasMore();
        if (offset === length && !isMore) {
          await this.#commit(kept.slice(0, -1));
          kept = [part];
          await this.#join(part);
          kept = [];
          break;
        }
        if (isWhole && isMore) continue;
        await this.#commit(kept);
        kept = [];
      }
    } finally {
      await coming.end();
      for (const part of kept) await this.#stores.discard(this.#place, part).catch(() => undefined);
    }
    await this.#putWhole(put);
  }

  async cancel(): Promise<void> {
    await this.#stores.change(async (transaction) => {
      const row = await rowOf(transaction, this.#keys, this.id);
      if (row === undefined) return;
      releaseParts(transaction, this.#keys, row, this.#stores.now);
      transaction.delete(this.#keys.upload(this.id));
    });
  }

  #store(bytes: AsyncIterable<Uint8Array>, due: bigint): Promise<StagedContent> {
    const { holder, length } = this.#row;
    return this.#stores.store(this.#place, bytes, { holder, limit: { bytes: length, setting: 'Upload-Length' } }, due);
  }

  /** From now on the parts belong to the upload. Of two requests that send the same bytes, one fails. */
  async #commit(parts: readonly StagedContent[]): Promise<void> {
    if (parts.length === 0) return;
    const { offset } = this.#row;
    const next: UploadRow = {
      ...this.#row,
      offset: parts.reduce((sum, { size }) => sum + size, offset),
      parts: [...this.#row.parts, ...parts.map(({ content, size }) => ({ content, size }))],
    };
    await this.#stores.change(async (transaction) => {
      await rowAt(transaction, this.#keys, { id: this.id, offset });
      if (next.expires <= this.#stores.now) throw failure('file_upload_over');
      transaction.put(this.#keys.upload(this.id), storeUploadRow(next));
    });
    this.#row = next;
  }

  /** All parts become one content, which from now on is the only one of the upload. */
  async #join(last: StagedContent): Promise<void> {
    const { offset, parts, length } = this.#row;
    const whole = parts.length === 0 ? last : await this.#store(this.#joined(last), this.expires);
    const { content, size, digest } = whole;
    const next: UploadRow = { ...this.#row, offset: length, parts: [{ content, size }], digest };
    try {
      await this.#stores.change(async (transaction) => {
        const row = await rowAt(transaction, this.#keys, { id: this.id, offset });
        if (row.expires <= this.#stores.now) throw failure('file_upload_over');
        releaseParts(transaction, this.#keys, row, this.#stores.now);
        transaction.put(this.#keys.upload(this.id), storeUploadRow(next));
      });
    } catch (error) {
      if (whole !== last) await this.#stores.discard(this.#place, whole).catch(() => undefined);
      throw error;
    }
    this.#row = next;
    if (whole !== last) await this.#stores.discard(this.#place, last).catch(() => undefined);
  }

  /**
   * Puts the file if all of its bytes are there. If that fails, or is cut, it can be done again: the bytes keep their
   * note until the transaction that puts the file commits.
   */
  async #putWhole(put: UploadedBytes['put']): Promise<void> {
    const { id, offset, parts, holder, type, key, expected, digest } = this.#row;
    const [part] = parts;
    if (digest === undefined || part === undefined) return;
    const whole = { ...part, due: this.expires, digest };
    await this.#stores.offer(this.#place, whole, holder, { id, offset });
    await put({ key, type, expected, upload: stagedName(whole) });
    this.#row = { ...this.#row, parts: [], isPut: true };
  }

  async *#joined(last: StagedContent): AsyncGenerator<Uint8Array> {
    const contents = this.#stores.of(this.#place);
    for (const { content, size } of [...this.#row.parts, last]) yield* contents.read(content, 0, size);
  }
}

/**
 * Ends an upload in the transaction that puts its file, to which its bytes belong then.
 * @throws TesseraError `file_upload_offset`, `file_upload_over`
 */
export async function endUpload(transaction: Transaction, keys: BucketKeys, moment: UploadMoment): Promise<void> {
  const row = await rowAt(transaction, keys, moment);
  transaction.put(keys.upload(row.id), storeUploadRow({ ...row, parts: [], isPut: true }));
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

/** The parts of an upload are deleted soon. */
function releaseParts(transaction: Transaction, keys: BucketKeys, { parts, expires }: UploadRow, now: bigint): void {
  for (const { content } of parts) {
    transaction.delete(keys.dueAt(expires, content));
    transaction.put(keys.dueAt(now, content), storeStaged({ holder: '' }));
  }
}
