/** How bodies are read, so that many small chunks take neither memory nor turns of others. */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ByteCollector } from '../../base/byte-collector.js';
import type { Timers } from '../../env/environment.js';
import { YieldQueue } from '../../env/scheduler.js';

/** Pieces of a body that are taken before it waits for others: each takes a microsecond, however short it is. */
export const PIECES_PER_TURN = 256;

/**
 * The class of a server's requests, whose bodies take as much memory as they have bytes while no one reads them yet,
 * and as much time as others leave.
 *
 * Node gives each chunk of a chunked body a buffer of its own, and queues 16 KiB of them: some 5 MB where a chunk has
 * one byte. Here the queue has one buffer; the chunks behind it are collected until it is read.
 *
 * A connection whose chunks are many is read again when it is its turn, one of them in each round of the event loop: a
 * round reads every connection that has sent something, which takes seconds if hundreds of them send tiny chunks.
 */
export function incomingRequests(timers: Pick<Timers, 'nextRound'>): typeof IncomingMessage {
  const turns = new YieldQueue((callback) => void timers.nextRound().then(callback));
  return class extends IncomingRequest {
    constructor(socket: Socket) {
      super(socket, turns);
    }
  };
}

class IncomingRequest extends IncomingMessage {
  readonly #turns: YieldQueue;
  #behind: ByteCollector | undefined;
  /** Pieces since its last turn. */
  #pieces = 0;
  #isWaiting = false;

  constructor(socket: Socket, turns: YieldQueue) {
    super(socket);
    this.#turns = turns;
  }

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) {
      this.#advance();
      return super.push(null);
    }
    const hasRoom = this.#queue(chunk, encoding);
    if (++this.#pieces >= PIECES_PER_TURN) this.#awaitTurn();
    // Node stops to read the connection if there is no room, and goes on when `_read` is called.
    return hasRoom && !this.#isWaiting;
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size);
    if (this.#behind !== undefined && this.readableLength === 0) this.#advance();
    return chunk;
  }

  override _read(size: number): void {
    if (!this.#isWaiting) super._read(size);
  }

  #queue(chunk: Uint8Array, encoding: BufferEncoding | undefined): boolean {
    if (this.#behind === undefined) {
      if (this.readableLength === 0) return super.push(chunk, encoding);
      this.#behind = new ByteCollector();
    }
    this.#behind.append(chunk);
    return this.#hasRoom();
  }

  #hasRoom(): boolean {
    return this.readableLength + (this.#behind?.length ?? 0) < this.readableHighWaterMark;
  }

  /** Queues what was collected. */
  #advance(): void {
    const bytes = this.#behind?.take();
    this.#behind = undefined;
    if (bytes !== undefined) super.push(bytes);
  }

  #awaitTurn(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#turns.wait().then(() => {
      this.#isWaiting = false;
      this.#pieces = 0;
      if (!this.complete && !this.destroyed && this.#hasRoom()) super._read(this.readableHighWaterMark);
    });
  }
}
