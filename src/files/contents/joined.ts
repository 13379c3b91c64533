/**
 * Contents that are made of others, one behind the other: what came in parts needn't be written again. The parts are
 * contents of the backend, and belong to nothing else; which they are is kept in the store.
 */

import { invariant } from '../../base/invariant.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { entriesOf } from '../../catalog/entries.js';
import type { BucketKeys } from '../../catalog/keys/file-keys.js';
import { failure } from '../../errors/error.js';
import type { Engine, Stored, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { isArray, isObject, objectFrom } from '../../value/value.js';
import type { Contents } from './contents.js';

export interface ContentPart {
  readonly content: string;
  readonly size: number;
}

/** The digit of an id that is the version of the UUID: 7 where it was drawn, 8 where the content is made of others. */
const VERSION_AT = 12;
const JOINED = '8';

/** The id of a content that is made of others, from one that was drawn. */
export function joinedContent(drawn: string): string {
  return drawn.slice(0, VERSION_AT) + JOINED + drawn.slice(VERSION_AT + 1);
}

/** Whether a content is made of others. */
export function isJoined(content: string): boolean {
  return content[VERSION_AT] === JOINED;
}

/** Parts, as rows have them. */
export function storeContentParts(parts: readonly ContentPart[]): Stored {
  return parts.map(({ content, size }) => objectFrom({ content, size }));
}

/** The parts in a value of `storeContentParts`. */
export function readContentParts(stored: Stored | undefined): ContentPart[] {
  invariant(isArray(stored), 'parts are a list');
  return stored.map((part) => {
    invariant(isObject(part), 'a part is an object');
    const { content, size } = part;
    invariant(typeof content === 'string' && typeof size === 'number', 'a part has a content');
    return { content, size };
  });
}

/** What a content is made of, as a transaction shows it: itself, if it isn't made of others; none where it is gone. */
export async function partsOfContent(
  transaction: Transaction,
  keys: BucketKeys,
  content: string,
  size: number,
): Promise<readonly ContentPart[]> {
  if (!isJoined(content)) return [{ content, size }];
  const stored = await transaction.get(keys.joined(content));
  return stored === undefined ? [] : readContentParts(stored);
}

/** The contents of a backend, and those that are made of them. */
export class JoinedContents implements Contents {
  readonly #contents: Contents;
  readonly #engine: Engine;
  readonly #keys: BucketKeys;
  readonly #name: string;

  constructor(contents: Contents, engine: Engine, keys: BucketKeys, name: string) {
    this.#contents = contents;
    this.#engine = engine;
    this.#keys = keys;
    this.#name = name;
  }

  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#contents.write(id, bytes);
  }

  async *read(id: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    let begin = 0;
    for (const { content, size } of await this.#partsOf(id, to)) {
      const [first, end] = [Math.max(0, from - begin), Math.min(size, to - begin)];
      if (first < end || (from === to && begin === 0)) yield* this.#contents.read(content, first, Math.max(first, end));
      begin += size;
    }
    if (begin < to) throw failure('bucket_store', { name: this.#name, reason: 'the file has been deleted meanwhile' });
  }

  async delete(id: string): Promise<void> {
    for (const { content } of await this.#partsOf(id, 0)) await this.#contents.delete(content);
    if (isJoined(id)) await withRetries(this.#engine, (transaction) => transaction.delete(this.#keys.joined(id)));
  }

  /** Of one that lacks a part the others are listed, as belonging to nothing. */
  async *list(): AsyncGenerator<string> {
    const contents = new Set<string>();
    for await (const content of this.#contents.list()) contents.add(content);
    const joined = await this.#seen((transaction) => entriesOf(transaction, this.#keys.allJoined));
    for (const [key, stored] of joined) {
      const parts = readContentParts(stored);
      if (!parts.every(({ content }) => contents.has(content))) continue;
      for (const { content } of parts) contents.delete(content);
      yield this.#keys.contentIn(key);
    }
    yield* contents;
  }

  clear(): Promise<void> {
    return this.#contents.clear();
  }

  #partsOf(id: string, size: number): Promise<readonly ContentPart[]> {
    if (!isJoined(id)) return Promise.resolve([{ content: id, size }]);
    return this.#seen((transaction) => partsOfContent(transaction, this.#keys, id, size));
  }

  async #seen<T>(look: (transaction: Transaction) => PromiseOrValue<T>): Promise<T> {
    const transaction = await this.#engine.begin({ writable: false });
    try {
      return await look(transaction);
    } finally {
      transaction.cancel();
    }
  }
}
