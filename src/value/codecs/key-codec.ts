/**
 * Values as keys: byte strings (`storage/contract.ts`) whose byte order is the order of the values and which end by
 * themselves, so that one may follow the other in a longer key.
 *
 *     key = order · kinds
 *
 * `order` is the same for equal values: `1`, `1f` and `1dec` share it, which is what index keys are made of. `kinds`
 * tells them apart again. It is there only if the value holds numbers: a zero if they are ints and floats as their
 * values suggest, otherwise one byte for each of them.
 *
 * Stores on disk hold these bytes: a change of the format needs a new format number of the store.
 */
import { failure } from '../../errors/error.js';
import { type ByKind, byKind } from '../by-kind.js';
import { type Coordinates, SHAPE_TYPES } from '../order.js';
import { sortedKeys } from '../strings.js';
import { durationSeconds, durationSubseconds } from '../time/duration.js';
import { uuidBytes } from '../uuid.js';
import {
  type ArrayValue,
  type Bound,
  Decimal,
  Float,
  kindOf,
  type NumberValue,
  type ObjectValue,
  type RecordId,
  type Shape,
  type Value,
} from '../value.js';
import { MeasuredWalk } from '../walk.js';
import { keyBytes } from './key-bytes.js';
import { writeMagnitude } from './key-numbers.js';
import { readKey } from './key-reader.js';
import { BOUND, FIELD, KEY_TAGS, LIST_END, NUMBER_KINDS, SIGN } from './key-tags.js';

/**
 * A value as a key from which `decodeKey` makes it again.
 *
 *     decodeKey(encodeKey('ann')).value   // 'ann'
 *
 * @throws TesseraError `closure_stored`, `nesting_too_deep`, `value_too_large`
 */
export function encodeKey(value: Value): string {
  begin(true);
  write(value, walk.beginAt(value));
  writeNumberKinds();
  return walk.end(keyBytes.finish());
}

/** The encoded key of a record id (`encodeKey`); the id remembers it, so that it is encoded once. */
export function encodeRecordKey(id: RecordId): string {
  return id.encodedBy(encodeKey);
}

/**
 * The part of the key that equal values share and by which they are ordered.
 * @throws TesseraError `nesting_too_deep`, `value_too_large`
 */
export function encodeOrder(value: Value): string {
  begin(false);
  write(value, walk.beginAt(value));
  return walk.end(keyBytes.finish());
}

/**
 * Reads the key that begins at `offset` of a longer one; `next` is where it ends.
 *
 *     decodeKey(encodeKey('a') + rest)   // { value: 'a', next: encodeKey('a').length }
 *
 * @throws TesseraError `stored_bytes_invalid`
 */
export function decodeKey(key: string, offset = 0): { readonly value: Value; readonly next: number } {
  return readKey(key, offset);
}

// The kinds of the numbers met so far; like the bytes they belong to the one key under construction.
const walk = new MeasuredWalk();
let numberKinds: number[] = [];
/** How many of them are there: to empty the list would give away its memory each time. */
let numbers = 0;
/** A list that grew beyond this for one large key isn't kept. */
const KEEP = 1 << 12;
let allNatural = true;
let toBeDecoded = true;

function begin(decodable: boolean): void {
  keyBytes.begin();
  if (numbers > KEEP) numberKinds = [];
  numbers = 0;
  allNatural = true;
  toBeDecoded = decodable;
}

function writeNumberKinds(): void {
  if (numbers === 0) return;
  if (allNatural) keyBytes.byte(NUMBER_KINDS.natural);
  else for (let index = 0; index < numbers; index++) keyBytes.byte(numberKinds[index] as number);
}

function write(value: Value, depth: number): void {
  if (typeof value === 'number') writeNumber(value);
  else {
    const tag = KEY_TAGS[kindOf(value)];
    // Booleans and numbers write tags of their own.
    if (tag !== KEY_TAGS.int && tag !== KEY_TAGS.bool) keyBytes.byte(tag);
    byKind(WRITERS, value, depth);
  }
}

const WRITERS: ByKind<void, number> = {
  none: () => {},
  null: () => {},
  bool: (value) => keyBytes.byte(KEY_TAGS.bool + Number(value)),
  int: writeNumber,
  float: writeNumber,
  decimal: writeNumber,
  string: keyBytes.text,
  duration: (value) => {
    keyBytes.uint64(durationSeconds(value));
    keyBytes.uint32(durationSubseconds(value));
  },
  datetime: (value) => {
    keyBytes.float64(value.seconds);
    keyBytes.uint32(value.nanoseconds);
  },
  uuid: (value) => keyBytes.raw(uuidBytes(value)),
  array: writeItems,
  set: (value, depth) => writeItems(value.items, depth),
  object: writeFields,
  geometry: (value) => writeShape(value.shape),
  bytes: keyBytes.escaped,
  table: (value) => keyBytes.text(value.name),
  record: (value, depth) => {
    keyBytes.text(value.table);
    write(value.key, walk.enter(depth, 1));
  },
  file: (value) => {
    keyBytes.text(value.bucket);
    keyBytes.text(value.key);
  },
  regex: (value) => keyBytes.text(value.source),
  range: ({ start, end }, depth) => {
    const below = walk.enter(depth, 2);
    writeBound(start, below);
    writeBound(end, below);
  },
  function: (value) => {
    if (toBeDecoded) throw failure('closure_stored');
    keyBytes.text(value.text);
  },
};

function writeBound(bound: Bound | undefined, depth: number): void {
  if (bound === undefined) {
    keyBytes.byte(BOUND.open);
  } else {
    keyBytes.byte(bound.inclusive ? BOUND.inclusive : BOUND.exclusive);
    write(bound.value, depth);
  }
}

function writeNumber(value: NumberValue): void {
  const number = value instanceof Float ? value.number : value;
  noteKind(value, number);
  const sign = signOf(number);
  keyBytes.byte(KEY_TAGS.int + SIGN[sign]);
  if (sign === 'negative' || sign === 'positive') writeMagnitude(number);
}

function signOf(number: number | bigint | Decimal): keyof typeof SIGN {
  const value = number instanceof Decimal ? number.number.cmp(0) : number;
  if (value < 0) return 'negative';
  if (value > 0) return 'positive';
  return Number.isNaN(value) ? 'nan' : 'zero';
}

function noteKind(value: NumberValue, number: number | bigint | Decimal): void {
  if (value instanceof Float) {
    numberKinds[numbers++] = Object.is(number, -0) ? NUMBER_KINDS.negativeZero : NUMBER_KINDS.float;
    allNatural = false;
  } else if (value instanceof Decimal) {
    numberKinds[numbers++] = NUMBER_KINDS.decimal;
    allNatural = false;
  } else {
    numberKinds[numbers++] = kindOf(value) === 'int' ? NUMBER_KINDS.int : NUMBER_KINDS.float;
  }
}

function writeItems(items: ArrayValue, depth: number): void {
  const below = walk.enter(depth, items.length);
  for (let index = 0; index < items.length; index++) write(items[index], below);
  keyBytes.byte(LIST_END);
}

function writeFields(object: ObjectValue, depth: number): void {
  const keys = sortedKeys(object);
  const below = walk.enter(depth, keys.length);
  for (const key of keys) {
    keyBytes.byte(FIELD);
    keyBytes.text(key);
    write(object[key], below);
  }
  keyBytes.byte(LIST_END);
}

function writeShape(shape: Shape): void {
  keyBytes.byte(SHAPE_TYPES.indexOf(shape.type));
  if (shape.type === 'Point') writeCoordinates(shape.coordinates);
  else if (shape.type === 'GeometryCollection') writeList(shape.geometries, writeShape);
  else writeCoordinates(shape.coordinates);
}

/** Lists of coordinates; the reader knows from the type how deep they are nested. */
function writeCoordinates(coordinates: Coordinates): void {
  if (typeof coordinates === 'number') keyBytes.float64(coordinates);
  else writeList(coordinates, writeCoordinates);
}

function writeList<T>(items: readonly T[], writeItem: (item: T) => void): void {
  for (const item of items) {
    keyBytes.byte(FIELD);
    writeItem(item);
  }
  keyBytes.byte(LIST_END);
}
