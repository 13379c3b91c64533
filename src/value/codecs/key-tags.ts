/**
 * The bytes that say what follows in a key. Their order is that of `KINDS` (`value.ts`); zero ends a list and is below
 * all of them. They are on disk, in every key, and must stay as they are: another kind takes a byte between two.
 */
import type { Kind } from '../value.js';

export const KEY_TAGS = {
  none: 0x04,
  null: 0x08,
  bool: 0x0c,
  int: 0x10,
  float: 0x10,
  decimal: 0x10,
  string: 0x18,
  duration: 0x1c,
  datetime: 0x20,
  uuid: 0x24,
  array: 0x28,
  set: 0x2c,
  object: 0x30,
  geometry: 0x34,
  bytes: 0x38,
  table: 0x3c,
  record: 0x40,
  file: 0x44,
  regex: 0x48,
  range: 0x4c,
  function: 0x50,
} as const satisfies Record<Kind, number>;

/** Added to the tag of numbers. */
export const SIGN = { negative: 0, zero: 1, positive: 2, nan: 3 } as const;

/** After the items of an array or a set and after the fields of an object; before each field. */
export const LIST_END = 0;
export const FIELD = 1;

/**
 * Before the value of each end of a range: ranges sort by the kinds of their ends first, as in the reference engine.
 */
export const BOUND = { open: 1, inclusive: 2, exclusive: 3 } as const;

/** What follows the ordered part: that all numbers are of the kind that is natural for them, or the kind of each. */
export const NUMBER_KINDS = { natural: 0, int: 1, float: 2, decimal: 3, negativeZero: 4 } as const;
