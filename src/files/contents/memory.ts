/** Contents in the memory of this process, within a bound. */
import type { MemoryScope } from '../../base/work/memory-scope.js';
import { failure } from '../../errors/error.js';
import type { Contents } from './contents.js';

export class MemoryContents implements Contents {
  readonly #contents = new Map<string, readonly Uint8Array[]>();
  readonly #memory: MemoryScope;
  readonly #name: string;

  /** `memory` is shared by all buckets. */
  constructor(memory: MemoryScope, name: string) {
    this.#memory = memory;
    this.#name = name;
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of bytes) {
        this.#memory.charge(piece.length);
        pieces.push(piece.slice());
      }
    } catch (error) {
      this.#memory.release(sizeOf(pieces));
      throw error;
    }
    this.#contents.set(id, pieces);
  }

  async *read(id: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    const pieces = this.#contents.get(id);
    if (pieces === undefined) {
      throw failure('bucket_store', { name: this.#name, reason: 'the file has been deleted meanwhile' });
    }
    let begin = 0;
    for (const piece of pieces) {
      const part = piece.subarray(Math.max(0, from - begin), Math.max(0, to - begin));
      begin += piece.length;
      if (part.length > 0) yield part;
    }
  }

  async delete(id: string): Promise<void> {
    const pieces = this.#contents.get(id);
    if (pieces === undefined) return;
    this.#contents.delete(id);
    this.#memory.release(sizeOf(pieces));
  }

  async *list(): AsyncGenerator<string> {
    yield* [...this.#contents.keys()];
  }

  async clear(): Promise<void> {
    for (const id of [...this.#contents.keys()]) await this.delete(id);
  }
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
