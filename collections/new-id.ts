/** Ids of new records, made by pages. */
import { RecordId, Uuid } from 'surrealdb';

/**
 * The id of a new record: a UUID of version 7, whose order is that of time, so that rows are read in the order in which
 * they were made. A write that is repeated is known by it.
 *
 *     collection.insert({ id: newId('task'), text: 'Milk', done: false });
 */
export function newId<Table extends string>(table: Table): RecordId<Table> {
  // The client's own `Uuid.v7()` needs `SharedArrayBuffer`, which browsers show to pages of a few origins alone.
  return new RecordId(table, new Uuid(bytesOfVersion7().buffer));
}

/** A name that no other has, in the order of time. */
export const newName = (): string =>
  Array.from(bytesOfVersion7(), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Of the last id: those of one millisecond count up. */
let last = { time: 0, count: 0 };

/** RFC 9562: 48 bits of the time in milliseconds, 12 that count up within one, and 62 random ones. */
function bytesOfVersion7(): Uint8Array<ArrayBuffer> {
  const now = Math.max(Date.now(), last.time);
  const count = now === last.time ? last.count + 1 : 0;
  last = count < 0x1000 ? { time: now, count } : { time: now + 1, count: 0 };
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(last.time / 2 ** 32));
  view.setUint32(2, last.time % 2 ** 32);
  view.setUint16(6, 0x7000 | last.count);
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  return bytes;
}
