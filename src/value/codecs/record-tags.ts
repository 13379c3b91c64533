/** The first byte of each value of a stored record. */
import type { Kind } from '../value.js';

/** Changes with the format; bytes of another version aren't read. */
export const RECORD_VERSION = 1;
/** The same with a checksum behind the value (`sealed-record.ts`). */
export const SEALED_RECORD_VERSION = 2;

/** Ints and floats: those that are written as 64 bits. */
export const RECORD_TAGS = {
  none: 0x00,
  null: 0x01,
  bool: 0x02,
  int: 0x04,
  float: 0x06,
  decimal: 0x07,
  string: 0x08,
  duration: 0x09,
  datetime: 0x0a,
  uuid: 0x0b,
  array: 0x0c,
  set: 0x0d,
  object: 0x0e,
  geometry: 0x0f,
  bytes: 0x10,
  table: 0x11,
  record: 0x12,
  file: 0x13,
  regex: 0x14,
  range: 0x15,
} as const satisfies Record<Exclude<Kind, 'function'>, number>;

export const TRUE = 0x03;
/** A safe int below zero, written as −1 − n, and one from zero on. */
export const NEGATIVE_INT = 0x16;
export const POSITIVE_INT = 0x17;
/** Texts of up to 63 bytes and ints of up to 127 hold their length or their value in the tag. */
export const SHORT_TEXT = 0x40;
export const MAX_SHORT_TEXT = 0x3f;
export const SMALL_INT = 0x80;
export const MAX_SMALL_INT = 0x7f;

/** Whether a bound of a range is there, and whether it belongs to it. */
export const BOUND = { open: 0, exclusive: 1, inclusive: 2 } as const;
