import { IncomingMessage } from 'node:http';
import { ByteCollector } from '../../base/byte-collector.js';

/**
 * A request whose body takes as much memory as it has bytes while no one reads it yet. Node gives each chunk of a
 * chunked body a buffer of its own, and queues 16 KiB of them: some 5 MB where a chunk has one byte. Here the queue has
 * one buffer; the chunks behind it are collected until it is read.
 */
export class IncomingRequest extends IncomingMessage {
  #behind: ByteCollector | undefined;

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) {
      this.#advance();
      return super.push(null);
    }
    if (this.#behind === undefined) {
      if (this.readableLength === 0) return super.push(chunk, encoding);
      this.#behind = new ByteCollector();
    }
    this.#behind.append(chunk);
    return this.readableLength + this.#behind.length < this.readableHighWaterMark;
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size);
    if (this.#behind !== undefined && this.readableLength === 0) this.#advance();
    return chunk;
  }

  /** Queues what was collected. */
  #advance(): void {
    const bytes = this.#behind?.take();
    this.#behind = undefined;
    if (bytes !== undefined) super.push(bytes);
  }
}
