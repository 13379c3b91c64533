/**
 * Gives the library whole messages. It keeps each chunk of an incomplete frame, and each fragment of an incomplete
 * message, as a buffer of its own, which takes some 300 bytes for one that has a byte.
 */
import type { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { ByteCollector } from '../../base/byte-collector.js';
import { invariant } from '../../base/invariant.js';

/** Longer frames are large; their header has an eight-byte length. */
const LARGEST_SMALL = 0xffff;
/** Bits of the first byte of a frame (RFC 6455, section 5.2). */
const FIN = 0x80;
const RESERVED = 0x70;
const OPCODE = 0x0f;
const CONTINUATION = 0;
const LAST_DATA = 2;
const FIRST_CONTROL = 8;
/** Bits of the second one. */
const MASKED = 0x80;
const LENGTH = 0x7f;
const LONGEST_CONTROL = 125;

/** Maximum number of fragments of a message. */
export const MOST_FRAGMENTS = 1024;

/**
 * Reads the frames of a client (RFC 6455, section 5.2). Bytes of complete messages and control frames are handed on as
 * they came; those of an incomplete one are collected, and handed on when it is complete. Control frames overtake the
 * message that they interrupt. Of a frame that the library refuses by its header, that is handed on, and nothing more.
 *
 * Large frames are unmasked in place as their bytes arrive, and their mask is replaced by zeros: the library would
 * unmask a complete frame at once, which takes 2 ns per byte; it skips masks of zeros. Small frames are left to it.
 */
export class FrameAssembler {
  readonly #longest: () => number;
  readonly #deliver: (bytes: Buffer) => void;
  /** The frames of an incomplete message, and an incomplete control frame. */
  #message = new ByteCollector();
  #control = new ByteCollector();
  /** Bytes of the frame's header received, and its total length as far as known. */
  #come = 0;
  #header = 2;
  #extended = 0;
  #first = 0;
  #isMasked = false;
  #length = 0;
  readonly #mask = new Uint8Array(4);
  /** Bytes of the payload still missing. */
  #left = 0;
  /** Of the incomplete message: its fragments, and the bytes of their payloads. */
  #fragments = 0;
  #total = 0;
  #isRefused = false;
  /** What of the current chunk is complete, but not handed on yet. */
  #from = 0;
  #to = 0;

  /** `longest`: how many bytes a message may have at present. */
  constructor(longest: () => number, deliver: (bytes: Buffer) => void) {
    this.#longest = longest;
    this.#deliver = deliver;
  }

  /** Bytes of memory that incomplete messages take. */
  get held(): number {
    return this.#message.capacity + this.#control.capacity;
  }

  /** Processes the next chunk of the connection. */
  take(chunk: Buffer): void {
    this.#from = this.#to = 0;
    for (let at = 0; at < chunk.length && !this.#isRefused; ) {
      const begin = at;
      at = this.#readFrame(chunk, at);
      const isControl = (this.#first & OPCODE) >= FIRST_CONTROL;
      const isWhole = this.#come === 0 && this.#left === 0;
      if (this.#isRefused) this.#finish(chunk, begin, at, isControl ? this.#control : this.#message);
      else if (isControl) this.#place(chunk, begin, at, this.#control, isWhole);
      else this.#place(chunk, begin, at, this.#message, isWhole && this.#endsMessage());
    }
    this.#flush(chunk);
  }

  /** Reads as much of a frame as there is, and returns where it ends. */
  #readFrame(chunk: Buffer, begin: number): number {
    let at = begin;
    if (this.#left === 0) {
      while (at < chunk.length) if (this.#readHeader(chunk, at++)) break;
      if (this.#come !== 0 || this.#isRefused) return at;
    }
    const end = Math.min(at + this.#left, chunk.length);
    if (this.#length > LARGEST_SMALL) this.#unmask(chunk, at, end);
    this.#left -= end - at;
    return end;
  }

  /** Returns whether the header is complete. */
  #readHeader(chunk: Buffer, at: number): boolean {
    const byte = chunk[at] as number;
    const index = this.#come++;
    if (index === 0) this.#first = byte;
    else if (index === 1) {
      const length = byte & LENGTH;
      this.#extended = length === 126 ? 2 : length === 127 ? 8 : 0;
      this.#length = this.#extended === 0 ? length : 0;
      this.#isMasked = (byte & MASKED) !== 0;
      this.#header = 2 + this.#extended + (this.#isMasked ? 4 : 0);
    } else if (index < 2 + this.#extended) this.#length = this.#length * 256 + byte;
    else {
      this.#mask[index - 2 - this.#extended] = byte;
      if (this.#length > LARGEST_SMALL) chunk[at] = 0;
    }
    if (this.#come < this.#header) return false;
    this.#left = this.#length;
    this.#come = 0;
    this.#header = 2;
    this.#isRefused = !this.#isAcceptable();
    return true;
  }

  /** Counts the frame; `false` for one that the library refuses when it has read the header. */
  #isAcceptable(): boolean {
    const opcode = this.#first & OPCODE;
    if ((this.#first & RESERVED) !== 0 || !this.#isMasked) return false;
    if (opcode >= FIRST_CONTROL) return (this.#first & FIN) !== 0 && this.#length <= LONGEST_CONTROL;
    if (opcode > LAST_DATA || (opcode === CONTINUATION) !== this.#fragments > 0) return false;
    this.#fragments++;
    this.#total += this.#length;
    return this.#total <= this.#longest();
  }

  /** A complete frame is the last of its message, or one too many, which the library refuses. */
  #endsMessage(): boolean {
    const isLast = (this.#first & FIN) !== 0 || this.#fragments > MOST_FRAGMENTS;
    if (isLast) this.#fragments = this.#total = 0;
    return isLast;
  }

  /** Collects bytes, or hands them on with what was collected before. */
  #place(chunk: Buffer, from: number, to: number, collected: ByteCollector, isComplete: boolean): void {
    if (isComplete && collected.length === 0) {
      if (this.#to !== from) this.#flush(chunk);
      if (this.#from === this.#to) this.#from = from;
      this.#to = to;
      return;
    }
    if (this.#come === 0 && (this.#first & FIN) !== 0) collected.expect(collected.length + to - from + this.#left);
    collected.append(chunk.subarray(from, to));
    if (!isComplete) return;
    this.#flush(chunk);
    this.#deliver(collected.take());
  }

  /** Hands on a refused frame, with the message that it belongs to. */
  #finish(chunk: Buffer, from: number, to: number, collected: ByteCollector): void {
    this.#flush(chunk);
    if (this.#message !== collected && this.#message.length > 0) this.#message = new ByteCollector();
    collected.append(chunk.subarray(from, to));
    this.#deliver(collected.take());
  }

  #flush(chunk: Buffer): void {
    if (this.#from < this.#to) this.#deliver(chunk.subarray(this.#from, this.#to));
    this.#from = this.#to = 0;
  }

  #unmask(chunk: Buffer, from: number, to: number): void {
    const mask = this.#mask;
    // The mask continues where the last chunk ended.
    const shift = (this.#length - this.#left - from) & 3;
    for (let at = from; at < to; at++) chunk[at] = (chunk[at] as number) ^ (mask[(at + shift) & 3] as number);
  }
}

/** Puts an assembler before the library's reader of frames. */
export function assembleFrames(webSocket: WebSocket, longest: () => number): FrameAssembler {
  const receiver = receiverOf(webSocket);
  const write = receiver.write.bind(receiver);
  let hasRoom = true;
  const assembler = new FrameAssembler(longest, (bytes) => {
    // A close frame ends it; what comes behind one isn't read.
    if (receiver.writable) hasRoom = write(bytes) && hasRoom;
  });
  receiver.write = (chunk: Buffer) => {
    hasRoom = true;
    assembler.take(chunk);
    return hasRoom;
  };
  return assembler;
}

/** The library reads its limit when a socket opens and cannot change it later. */
export function setMaxPayload(webSocket: WebSocket, bytes: number): void {
  receiverOf(webSocket)._maxPayload = bytes;
}

interface Receiver extends Writable {
  _maxPayload: number;
}

/** The library's reader of frames, which it keeps to itself. */
function receiverOf(webSocket: WebSocket): Receiver {
  const { _receiver: receiver } = webSocket as unknown as { readonly _receiver?: Receiver };
  invariant(receiver !== undefined, 'an open WebSocket has a reader of frames');
  return receiver;
}
