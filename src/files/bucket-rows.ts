/** The files of one bucket in a transaction, and which of them have which contents. */
import { andThen, isPromise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Work } from '../base/work/work.js';
import { BucketKeys } from '../catalog/keys/file-keys.js';
import type { Transaction } from '../storage/contract.js';
import { forEachBatch } from '../storage/cursor.js';

import { CHUNK } from './contents/chunks.js';
import type { BucketPlace } from './contents/content-stores.js';
import { isJoined } from './contents/joined.js';
import { storedBeside, storeStaged } from './contents/staged.js';
import { type FileRow, readFileRow, storeFileRow } from './file-row.js';

/** Nanoseconds for which the bytes of a deleted file stay, for those who are reading them. */
const GRACE = 600_000_000_000n;
/** Pieces that are deleted in the transaction itself. */
const DELETED_AT_ONCE = 4;

export class BucketRows {
  readonly keys: BucketKeys;
  readonly #transaction: Transaction;
  readonly #place: BucketPlace;
  /** Of a bucket in memory: files of other processes aren't there. */
  readonly #process: string | undefined;

  /** `process`: the name of this one. */
  constructor(transaction: Transaction, place: BucketPlace, process: string) {
    this.#transaction = transaction;
    this.#place = place;
    this.keys = new BucketKeys(place.database, place.identity);
    this.#process = place.address.kind === 'memory' ? process : undefined;
  }

  get(key: string): PromiseOrValue<FileRow | undefined> {
    return andThen(this.#transaction.get(this.keys.file(key)), (stored) =>
      stored === undefined ? undefined : this.#seen(readFileRow(stored)),
    );
  }

  #seen(row: FileRow): FileRow | undefined {
    return row.process === this.#process ? row : undefined;
  }

  /** The files with a prefix behind a key, in the order of keys, until `visit` returns true; `work` between batches. */
  async each(
    prefix: string,
    after: string | undefined,
    work: Work | undefined,
    visit: (row: FileRow) => PromiseOrValue<boolean>,
  ): Promise<void> {
    await forEachBatch(this.#transaction.scan(this.keys.filesFrom(prefix, after)), async (batch) => {
      for (const [, stored] of batch) {
        const row = this.#seen(readFileRow(stored));
        if (row === undefined) continue;
        const end = visit(row);
        if (isPromise(end) ? await end : end) return true;
      }
      await work?.checkpoint(batch.length);
      return false;
    });
  }

  /** All files, in the order of keys. */
  async *all(): AsyncGenerator<FileRow> {
    const cursor = this.#transaction.scan(this.keys.files);
    try {
      for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
        for (const [, stored] of batch) {
          const row = this.#seen(readFileRow(stored));
          if (row !== undefined) yield row;
        }
      }
    } finally {
      cursor.close();
    }
  }

  /** Whether there are at least so many files. */
  async hasAsManyAs(count: number): Promise<boolean> {
    let left = count;
    if (left > 0) await this.each('/', undefined, undefined, () => --left === 0);
    return left === 0;
  }

  /** Puts a file in the place of `before`, which loses its content. */
  async put(row: Omit<FileRow, 'process'>, before: FileRow | undefined, now: bigint): Promise<void> {
    this.#transaction.put(this.keys.file(row.key), storeFileRow({ ...row, process: this.#process }));
    if (before !== undefined) await this.#release(before, now);
  }

  delete(row: FileRow, now: bigint): Promise<void> {
    this.#transaction.delete(this.keys.file(row.key));
    return this.#release(row, now);
  }

  /** The file has its content under another key from now on, in the place of `before`, which may be a copy of it. */
  rename(row: FileRow, key: string, before: FileRow | undefined, now: bigint): Promise<void> {
    this.#transaction.delete(this.keys.file(row.key));
    return this.put({ ...row, key }, before, now);
  }

  /** Puts a file with the content of another one, in the place of `before`. */
  async putCopy(row: FileRow, before: FileRow | undefined, now: bigint): Promise<void> {
    if (before?.content === row.content) return;
    this.#transaction.put(this.keys.shares(row.content), (await this.#sharesOf(row.content)) + 1);
    await this.put(row, before, now);
  }

  /** How many files have a content. */
  async #sharesOf(content: string): Promise<number> {
    const shares = await this.#transaction.get(this.keys.shares(content));
    return typeof shares === 'number' ? shares : 1;
  }

  /** A file has its content no more. That of the last one is deleted, now or in a while. */
  async #release({ content, size }: FileRow, now: bigint): Promise<void> {
    const shares = await this.#sharesOf(content);
    const key = this.keys.shares(content);
    if (shares > 2) this.#transaction.put(key, shares - 1);
    else if (shares === 2) this.#transaction.delete(key);
    else if (this.#seesAll(content, size)) {
      await this.#transaction.deleteRange(this.keys.chunks(content));
    } else this.#transaction.put(this.keys.dueAt(now + GRACE, content), storeStaged({ holder: '', size }));
  }

  /** Whether the transaction has a content before it, and in few enough pieces to delete them. */
  #seesAll(content: string, size: number): boolean {
    if (this.#place.address.kind !== 'database' || size > DELETED_AT_ONCE * CHUNK || isJoined(content)) return false;
    return !storedBeside(this.#transaction).has(content);
  }
}
