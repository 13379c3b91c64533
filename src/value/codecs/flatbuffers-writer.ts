/**
 * Writes tables, vectors and texts of FlatBuffers. A message is built from its end: what refers to something is written
 * after it, and stands before it.
 *
 * What was written can be taken as a piece before all is written: references count from the end of the whole message,
 * so that they lead from a piece into those that were taken before, which follow it. The pieces of a message are put
 * together from the last to the first.
 */
import { Buffer } from 'node:buffer';
import type { Builder } from 'flatbuffers';
import { lazyLibrary } from '../../base/lazy.js';
import { MAX_ENCODED } from '../limits.js';
import { tooLarge } from '../walk.js';

const library = lazyLibrary<typeof import('flatbuffers')>('flatbuffers');

const INITIAL = 8192;
/** A buffer that grew beyond this for one large value isn't kept. */
const KEEP = 1 << 20;
/** A piece has at least so many bytes; it takes a step of some hundred microseconds. */
const PIECE = 16 * 1024;
/** The widest alignment: of 64-bit numbers. Readers check it. */
const ALIGNMENT = 8;

/** Where something begins: bytes before the end of the message. */
export type Written = number;

/** What a field holds: a number, or a reference to something else. */
type Content = number | bigint;

interface FieldType {
  readonly size: number;
  readonly add: (builder: Builder, content: Content) => void;
}

/** 0 is written as well: -0.0 equals the default, but isn't the same. */
const FIELD_TYPES = {
  uint8: { size: 1, add: (builder, content) => builder.addInt8(Number(content)) },
  uint32: { size: 4, add: (builder, content) => builder.addInt32(Number(content)) },
  reference: { size: 4, add: (builder, content) => builder.addOffset(Number(content)) },
  int64: { size: 8, add: addInt64 },
  float64: { size: 8, add: (builder, content) => builder.addFloat64(Number(content)) },
} as const satisfies Readonly<Record<string, FieldType>>;

function addInt64(builder: Builder, content: Content): void {
  if (typeof content === 'bigint') builder.addInt64(content);
  else {
    // Its halves: a bigint takes several times as long.
    builder.prep(8, 0);
    builder.writeInt32(Math.floor(content / 2 ** 32));
    builder.writeInt32(content | 0);
  }
}

type FieldTypeName = keyof typeof FIELD_TYPES;

export interface Layout {
  readonly alignment: number;
  /** In the order in which they are written: the widest first, so that there are few gaps. */
  readonly fields: readonly { readonly slot: number; readonly type: FieldTypeName }[];
}

/** The layout of a table with fields of these types, by their slots. */
export function layout(...types: readonly FieldTypeName[]): Layout {
  const fields = types
    .map((type, slot) => ({ slot, type }))
    .sort((left, right) => FIELD_TYPES[right.type].size - FIELD_TYPES[left.type].size);
  return { alignment: Math.max(4, ...types.map((type) => FIELD_TYPES[type].size)), fields };
}

export class FlatBuffersWriter {
  #builder = newBuilder();
  /** Bytes of the pieces that were taken. */
  #taken = 0;
  /** Texts that come often, such as the keys of objects, are written once. */
  readonly #shared = new Map<string, Written>();

  /** Begins a message. */
  begin(): void {
    this.#taken = 0;
    this.#shared.clear();
    this.#clear();
  }

  /** A table with the contents of all slots. */
  table({ alignment, fields }: Layout, ...contents: readonly Content[]): Written {
    const builder = this.#builder;
    this.#reserve(0);
    // A gap within the table would be part of its length, and so of its vtable, which the others share.
    builder.prep(alignment, 0);
    builder.startObject(fields.length);
    for (const { slot, type } of fields) {
      const content = contents[slot] as Content;
      FIELD_TYPES[type].add(builder, type === 'reference' ? Number(content) - this.#taken : content);
      builder.slot(slot);
    }
    return this.#taken + builder.endObject();
  }

  text(text: string): Written {
    this.#reserve(text.length);
    return this.#taken + (isShort(text) ? this.#shortText(text) : this.#builder.createString(text));
  }

  #shortText(text: string): number {
    const builder = this.#builder;
    builder.addInt8(0);
    builder.startVector(1, text.length, 1);
    for (let index = text.length - 1; index >= 0; index--) builder.writeInt8(text.charCodeAt(index));
    return builder.endVector();
  }

  /** A text that is likely to come again. */
  sharedText(text: string): Written {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const written = this.text(text);
    this.#shared.set(text, written);
    return written;
  }

  bytes(bytes: Uint8Array): Written {
    this.#reserve(bytes.length);
    return this.#taken + this.#builder.createByteVector(bytes);
  }

  /** A vector of tables. */
  vector(items: readonly Written[]): Written {
    this.addItems(items, 0, items.length);
    return this.endVector(items.length);
  }

  /** Begins a vector that may be taken in pieces: behind any even number of its items. */
  beginVector(): void {
    this.#builder.prep(ALIGNMENT, 0);
  }

  /** Adds some items of a vector, from its last to its first. */
  addItems(items: readonly Written[], from: number, to: number): void {
    this.#reserve(4 * (to - from));
    for (let index = to - 1; index >= from; index--) this.#builder.addOffset((items[index] as number) - this.#taken);
  }

  /** Ends a vector of so many items. */
  endVector(length: number): Written {
    this.#builder.addInt32(length);
    return this.#taken + this.#builder.offset();
  }

  /** Whether what was written since the last piece is enough for one. */
  get hasPiece(): boolean {
    return this.#builder.offset() >= PIECE;
  }

  /** What was written since the last piece. */
  takePiece(): Uint8Array {
    this.#builder.prep(ALIGNMENT, 0);
    const piece = this.#written();
    this.#taken += piece.length;
    this.#clear();
    return piece;
  }

  /** Ends the message with its root table: its first bytes, or all if no pieces were taken. */
  finish(root: Written): Uint8Array {
    // The first piece is aligned as those behind it are, so that all of them together are.
    if (this.#taken > 0) this.#builder.prep(ALIGNMENT, 4);
    this.#builder.finish(root - this.#taken);
    return this.#written();
  }

  /** Makes sure that the buffer grows little beyond what a message can be. @throws TesseraError `value_too_large` */
  #reserve(length: number): void {
    if (this.#taken + this.#builder.offset() + length > MAX_ENCODED) throw tooLarge(MAX_ENCODED);
  }

  #written(): Uint8Array {
    const buffer = this.#builder.dataBuffer();
    return Buffer.from(buffer.bytes().subarray(buffer.capacity() - this.#builder.offset()));
  }

  #clear(): void {
    if (this.#builder.dataBuffer().capacity() > KEEP) this.#builder = newBuilder();
    else this.#builder.clear();
  }
}

/** Shorter texts in ASCII are faster copied here than by a call out of JavaScript. */
const SHORT = 32;

function isShort(text: string): boolean {
  if (text.length >= SHORT) return false;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

function newBuilder(): Builder {
  return new (library().Builder)(INITIAL);
}
