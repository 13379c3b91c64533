/**
 * The tables, vectors and texts of a message in FlatBuffers. The library's own reader trusts every offset; this one
 * looks at nothing that doesn't lie inside the message, and follows offsets forward only, so that there are no cycles.
 *
 * Parts may be shared: offsets lead anywhere, so that a message of some hundred bytes can unfold into millions of
 * values. Everything is counted as often as it is read, and may be so only a few times as long as the message.
 */
import type { Buffer } from 'node:buffer';
import { asBuffer, utf8Between } from './byte-reader.js';

/** Bytes that may be read for each byte of the message. Writers that share anything share texts: keys of objects. */
const SHARED = 8;

const OFFSET = 4;
/** Before the slots of a vtable stand its own length and that of its tables. */
const VTABLE_HEAD = 4;

/**
 * Where a part of the message begins. 0 is a part that is absent, since the offset of the root stands there.
 */
export type MessagePlace = number;

export class FlatBuffersReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #damaged: (what: string) => never;
  readonly #most: number;
  /** Bytes read so far, as often as they were. */
  read = 0;

  /** `damaged` throws what a message that isn't valid ends in. */
  constructor(bytes: Uint8Array, damaged: (what: string) => never) {
    this.#bytes = asBuffer(bytes);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#damaged = damaged;
    this.#most = bytes.length * SHARED;
  }

  /** The table of the whole. */
  root(): MessagePlace {
    this.#within(0, OFFSET);
    return this.#tableAt(this.#target(0));
  }

  /** The table in a slot of a table. */
  table(table: MessagePlace, slot: number): MessagePlace {
    const field = this.#field(table, slot, OFFSET);
    return field === 0 ? 0 : this.#tableAt(this.#target(field));
  }

  /** The table in a slot that can't be empty. */
  required(table: MessagePlace, slot: number): MessagePlace {
    return this.table(table, slot) || this.#damaged('a part that is missing');
  }

  /** The vector of tables in a slot of a table. */
  vector(table: MessagePlace, slot: number): MessagePlace {
    return this.#vector(table, slot, OFFSET);
  }

  lengthOf(vector: MessagePlace): number {
    return vector === 0 ? 0 : this.#view.getUint32(vector, true);
  }

  /** A table of a vector. */
  element(vector: MessagePlace, index: number): MessagePlace {
    return this.#tableAt(this.#target(vector + OFFSET * (index + 1)));
  }

  /** A copy of the bytes in a slot; none if it is empty. */
  bytes(table: MessagePlace, slot: number): Uint8Array {
    const vector = this.#vector(table, slot, 1);
    const start = vector + OFFSET;
    return Uint8Array.prototype.slice.call(this.#bytes, start, start + this.lengthOf(vector));
  }

  /** The text in a slot; an empty one if the slot is, as JavaScript's library leaves it. */
  text(table: MessagePlace, slot: number): string {
    const vector = this.#vector(table, slot, 1);
    const start = vector + OFFSET;
    const text = utf8Between(this.#bytes, start, start + this.lengthOf(vector));
    return text ?? this.#damaged('a text that is not UTF-8');
  }

  // Numbers that equal their default, 0, are left out.

  uint8(table: MessagePlace, slot: number): number {
    const field = this.#field(table, slot, 1);
    return field === 0 ? 0 : this.#view.getUint8(field);
  }

  uint32(table: MessagePlace, slot: number): number {
    const field = this.#field(table, slot, 4);
    return field === 0 ? 0 : this.#view.getUint32(field, true);
  }

  uint64(table: MessagePlace, slot: number): bigint {
    const field = this.#field(table, slot, 8);
    return field === 0 ? 0n : this.#view.getBigUint64(field, true);
  }

  int64(table: MessagePlace, slot: number): bigint {
    const field = this.#field(table, slot, 8);
    return field === 0 ? 0n : this.#view.getBigInt64(field, true);
  }

  float64(table: MessagePlace, slot: number): number {
    const field = this.#field(table, slot, 8);
    return field === 0 ? 0 : this.#view.getFloat64(field, true);
  }

  /** Where a slot of a table has its content, of so many bytes, if it isn't empty. */
  #field(table: MessagePlace, slot: number, size: number): MessagePlace {
    const vtable = table - this.#view.getInt32(table, true);
    const entry = VTABLE_HEAD + 2 * slot;
    const at = entry + 2 > this.#view.getUint16(vtable, true) ? 0 : this.#view.getUint16(vtable + entry, true);
    if (at === 0) return 0;
    if (at < OFFSET || at + size > this.#view.getUint16(vtable + 2, true)) this.#damaged('a field outside its table');
    return table + at;
  }

  #vector(table: MessagePlace, slot: number, elementSize: number): MessagePlace {
    const field = this.#field(table, slot, OFFSET);
    if (field === 0) return 0;
    const vector = this.#target(field);
    this.#within(vector, OFFSET);
    this.#within(vector + OFFSET, this.#view.getUint32(vector, true) * elementSize);
    return vector;
  }

  /** What an offset leads to, which need not lie within the message. */
  #target(offset: MessagePlace): MessagePlace {
    const distance = this.#view.getUint32(offset, true);
    return distance === 0 ? this.#damaged('an offset that leads to itself') : offset + distance;
  }

  /** A table with its vtable, which may lie before it. */
  #tableAt(table: MessagePlace): MessagePlace {
    this.#within(table, OFFSET);
    const vtable = table - this.#view.getInt32(table, true);
    if (vtable < 0 || vtable + VTABLE_HEAD > this.#bytes.length) this.#damaged('a part outside the message');
    const length = this.#view.getUint16(vtable, true);
    const tableLength = this.#view.getUint16(vtable + 2, true);
    if (length < VTABLE_HEAD || vtable + length > this.#bytes.length) this.#damaged('a vtable of another length');
    if (tableLength < OFFSET) this.#damaged('a table of another length');
    this.#within(table + OFFSET, tableLength - OFFSET);
    return table;
  }

  /** Counts bytes that are read, which have to lie within the message. */
  #within(start: MessagePlace, length: number): void {
    if (start + length > this.#bytes.length) this.#damaged('a part outside the message');
    this.read += length;
    if (this.read > this.#most) this.#damaged('parts that are shared too often');
  }
}
