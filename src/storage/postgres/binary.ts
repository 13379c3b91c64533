/**
 * PostgreSQL's binary format of the types that the engine sends and receives (documentation, chapter "Frontend/Backend
 * Protocol").
 */

/** Object identifiers of element types, from `pg_type`. */
const BYTEA = 17;
const INT8 = 20;
const INT4 = 23;

/** A byte string, each character below 256, as bytes. */
export function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

export function int4(value: number): Buffer {
  const out = Buffer.allocUnsafe(4);
  out.writeInt32BE(value);
  return out;
}

export function int8(value: bigint): Buffer {
  const out = Buffer.allocUnsafe(8);
  out.writeBigInt64BE(value);
  return out;
}

/** `bytea[]`; NULL where an item is `undefined`. */
export function byteaArray(items: readonly (string | Buffer | undefined)[]): Buffer {
  let size = 0;
  for (const item of items) size += 4 + (item?.length ?? 0);
  const out = arrayOf(BYTEA, items.length, size, items.includes(undefined));
  let at = out.length - size;
  for (const item of items) {
    if (item === undefined) {
      at = out.writeInt32BE(-1, at);
      continue;
    }
    at = out.writeInt32BE(item.length, at);
    if (typeof item === 'string') out.write(item, at, item.length, 'latin1');
    else item.copy(out, at);
    at += item.length;
  }
  return out;
}

export function int4Array(items: readonly number[]): Buffer {
  return numberArray(INT4, 4, items, (out, item, at) => out.writeInt32BE(item, at));
}

export function int8Array(items: readonly bigint[]): Buffer {
  return numberArray(INT8, 8, items, (out, item, at) => out.writeBigInt64BE(item, at));
}

/** @param width bytes of each item */
function numberArray<T>(
  type: number,
  width: number,
  items: readonly T[],
  write: (out: Buffer, item: T, at: number) => number,
): Buffer {
  const size = items.length * (4 + width);
  const out = arrayOf(type, items.length, size, false);
  let at = out.length - size;
  for (const item of items) at = write(out, item, out.writeInt32BE(width, at));
  return out;
}

/**
 * An array of one dimension, with room for the bytes of its items at the end; without any dimension where it is empty.
 */
function arrayOf(type: number, count: number, size: number, hasNulls: boolean): Buffer {
  const dimensions = count === 0 ? 0 : 1;
  const out = Buffer.allocUnsafe(12 + 8 * dimensions + size);
  out.writeInt32BE(dimensions, 0);
  out.writeInt32BE(hasNulls ? 1 : 0, 4);
  out.writeInt32BE(type, 8);
  if (count > 0) {
    out.writeInt32BE(count, 12);
    out.writeInt32BE(1, 16);
  }
  return out;
}

/** An `int8` of a result, of which each character is a byte. */
export function int8Of(field: string): bigint {
  let value = 0n;
  for (let at = 0; at < 8; at++) value = (value << 8n) | BigInt(field.charCodeAt(at));
  return BigInt.asIntN(64, value);
}

/** An `int4` of a result. */
export function int4Of(field: string): number {
  return (field.charCodeAt(0) << 24) | (field.charCodeAt(1) << 16) | (field.charCodeAt(2) << 8) | field.charCodeAt(3);
}

/** An `int4[]` of a result, of one dimension and without NULLs. */
export function int4ArrayOf(field: string): number[] {
  const items: number[] = [];
  // Dimensions, flags, element type, length and lower bound come first; of an empty array, no more than the first
  // three.
  for (let at = 24; at < field.length; at += 8) items.push(int4Of(field.slice(at, at + 4)));
  return items;
}

/** A `bytea[]` of a result, of one dimension and without NULLs. */
export function byteaArrayOf(field: string): string[] {
  // Parts of the field would keep all of it in memory as long as one of them is.
  const from = bytes(field);
  const items: string[] = [];
  for (let at = 20; at < from.length; ) {
    const end = at + 4 + from.readInt32BE(at);
    items.push(from.toString('latin1', at + 4, end));
    at = end;
  }
  return items;
}

/** An `int8[]` of a result, of one dimension and without NULLs. */
export function int8ArrayOf(field: string): bigint[] {
  const items: bigint[] = [];
  for (let at = 24; at < field.length; at += 12) items.push(int8Of(field.slice(at, at + 8)));
  return items;
}
