/** Contents in the store itself: pieces of 256 KiB, each under a key of its own. */

import type { BucketKeys } from '../../catalog/keys/file-keys.js';
import { failure } from '../../errors/error.js';
import type { Engine, Key, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { withRetries } from '../../storage/retry.js';
import type { Contents } from './contents.js';
import { partsOfContent } from './joined.js';
import { equalPieces } from './pieces.js';

export const CHUNK = 256 * 2 ** 10;
/** Pieces that are written or read in one transaction, and those that are deleted in one. */
const AT_ONCE = 4;
const DELETED_AT_ONCE = 64;

/** Writes a content that is in memory in a transaction, which then is its owner's. */
export function putChunks(transaction: Transaction, keys: BucketKeys, content: string, bytes: Uint8Array): void {
  for (let index = 0; index * CHUNK < bytes.length; index++) {
    transaction.put(keys.chunk(content, index), bytes.slice(index * CHUNK, (index + 1) * CHUNK));
  }
}

/** The pieces of a content as a transaction sees it. @throws TesseraError `bucket_store` */
export async function* readStoredContent(
  transaction: Transaction,
  { keys, name }: { readonly keys: BucketKeys; readonly name: string },
  content: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  const parts = await partsOfContent(transaction, keys, content, size);
  if (parts.length === 0) checked(undefined, name);
  for (const part of parts) {
    for (let index = 0; index * CHUNK < part.size; index++) {
      yield checked(await transaction.get(keys.chunk(part.content, index)), name);
    }
  }
}

function checked(chunk: unknown, name: string): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw failure('bucket_store', { name, reason: 'the file has been deleted meanwhile' });
}

/** Contents that are written and read in transactions of their own, since they may be large. */
export class ChunkedContents implements Contents {
  readonly #engine: Engine;
  readonly #keys: BucketKeys;
  readonly #name: string;

  constructor(engine: Engine, keys: BucketKeys, name: string) {
    this.#engine = engine;
    this.#keys = keys;
    this.#name = name;
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    let index = 0;
    let full: Uint8Array[] = [];
    const flush = async () => {
      const first = index;
      const chunks = full;
      await withRetries(this.#engine, (transaction) => {
        chunks.forEach((chunk, at) => {
          transaction.put(this.#keys.chunk(id, first + at), chunk);
        });
      });
      index += chunks.length;
      full = [];
    };
    for await (const chunk of equalPieces(bytes, CHUNK)) {
      full.push(chunk);
      if (full.length === AT_ONCE) await flush();
    }
    if (full.length > 0) await flush();
  }

  async *read(id: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    const end = Math.ceil(to / CHUNK);
    for (let index = Math.floor(from / CHUNK); index < end; index += AT_ONCE) {
      const count = Math.min(AT_ONCE, end - index);
      const keys: Key[] = Array.from({ length: count }, (_, at) => this.#keys.chunk(id, index + at));
      const chunks = await this.#getMany(keys);
      for (const [at, stored] of chunks.entries()) {
        const begin = (index + at) * CHUNK;
        yield checked(stored, this.#name).subarray(Math.max(0, from - begin), Math.max(0, to - begin));
      }
    }
  }

  async #getMany(keys: readonly Key[]): Promise<readonly unknown[]> {
    const transaction = await this.#engine.begin({ writable: false });
    try {
      return await transaction.getMany(keys);
    } finally {
      transaction.cancel();
    }
  }

  async delete(id: string): Promise<void> {
    while (await withRetries(this.#engine, (transaction) => deleteSome(transaction, this.#keys.chunks(id))));
  }

  async *list(): AsyncGenerator<string> {
    const transaction = await this.#engine.begin({ writable: false });
    try {
      const contents: string[] = [];
      let last = '';
      await forEachBatch(transaction.scan(this.#keys.allChunks, { batch: AT_ONCE }), (batch) => {
        for (const [key] of batch) {
          const content = this.#keys.contentOfChunk(key);
          if (content !== last) contents.push(content);
          last = content;
        }
        return false;
      });
      yield* contents;
    } finally {
      transaction.cancel();
    }
  }

  async clear(): Promise<void> {
    while (await withRetries(this.#engine, (transaction) => deleteSome(transaction, this.#keys.all)));
  }
}

/** Whether there is more. */
async function deleteSome(transaction: Transaction, range: { readonly from: Key; readonly to: Key }): Promise<boolean> {
  let count = 0;
  await forEachBatch(transaction.scan(range, { limit: DELETED_AT_ONCE }), (batch) => {
    for (const [key] of batch) transaction.delete(key);
    count += batch.length;
    return false;
  });
  return count === DELETED_AT_ONCE;
}
