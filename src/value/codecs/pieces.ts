/** Encodes large values in chunks, so that the caller can yield in between: JSON and CBOR from the front. */
import { Buffer } from 'node:buffer';
import { MAX_ENCODED, MAX_NODES } from '../limits.js';
import { nextDepth } from '../nesting.js';
import { sortedKeys } from '../strings.js';
import { type ArrayValue, isArray, isObject, type ObjectValue, SetValue, type Value } from '../value.js';
import { tooLarge } from '../walk.js';
import { encodeCborItems, encodeCborOpening } from './cbor-encode.js';
import { quoteJson, stringifyJsonAt } from './json.js';

/** What is counted while a value is encoded. */
export interface Tally {
  bytes: number;
  nodes: number;
}

/** A notation in pieces, from the front. */
export interface Pieces {
  /** The text or bytes before and behind the members of a list or an object. */
  open(value: Container): Uint8Array;
  close(value: Container): Uint8Array | undefined;
  /** The members `from` to `to` (exclusive) of a list, with the separator from those before them. */
  items(list: ArrayValue, from: number, to: number, depth: number): Uint8Array;
  /** The text or bytes before the member `at` of a list that is written in pieces itself. */
  itemAhead(at: number): Uint8Array | undefined;
  key(name: string, at: number): Uint8Array;
}

export type Container = ArrayValue | SetValue | ObjectValue;

export const JSON_PIECES: Pieces = {
  open: (value) => Buffer.from(isList(value) ? '[' : '{'),
  close: (value) => Buffer.from(isList(value) ? ']' : '}'),
  items(list, from, to, depth) {
    let text = '';
    for (let at = from; at < to; at++) text += `${at === 0 ? '' : ','}${stringifyJsonAt(list[at], depth)}`;
    return Buffer.from(text);
  },
  itemAhead: (at) => (at === 0 ? undefined : Buffer.from(',')),
  key: (name, at) => Buffer.from(`${at === 0 ? '' : ','}${quoteJson(name)}:`),
};

export const CBOR_PIECES: Pieces = {
  open: encodeCborOpening,
  close: () => undefined,
  items: encodeCborItems,
  itemAhead: () => undefined,
  key: (name) => encodeCborItems([name], 0, 1, 0),
};

/**
 * Members of a list in one piece, if each consists of no more than so many values: some hundred microseconds.
 */
const ITEMS = 64;
export const SMALL = 256;
/** A text of more characters isn't small. */
const LONG = 4096;

/**
 * Values of more parts are written in pieces, whatever their shape; those of fewer take less than half a millisecond at
 * once.
 */
const AT_ONCE = 4096;

/** Whether a value is large enough to be encoded in chunks. */
export function isLargeValue(value: Value): boolean {
  return countParts(value, 0) > AT_ONCE;
}

/** The number of values in a value, long texts counting more than one; more than `AT_ONCE` for large ones. */
function countParts(value: Value, before: number): number {
  let parts = before + 1;
  if (typeof value === 'string') return parts + (value.length >> 6);
  if (typeof value !== 'object' || value === null) return parts;
  if (isList(value)) {
    const items = itemsIn(value);
    if (items.length > AT_ONCE) return AT_ONCE + 1;
    for (let at = 0; at < items.length && parts <= AT_ONCE; at++) parts = countParts(items[at], parts);
  } else if (isObject(value)) {
    for (const name in value) {
      parts = countParts(value[name], parts);
      if (parts > AT_ONCE) break;
    }
  }
  return parts;
}

/**
 * A value in pieces; together they equal the codec's output.
 * @throws TesseraError as the codecs do; what `exceeded` makes when they have more than `limit` bytes
 */
export function* piecesOf(
  value: Value,
  notation: Pieces,
  limit = MAX_ENCODED,
  exceeded: (limit: number) => Error = tooLarge,
): Generator<Uint8Array> {
  const tally = { bytes: 0, nodes: 0 };
  yield* withinLimits(follow(value, 0, notation, tally), tally, limit, exceeded);
}

/** Pieces that are counted. @throws TesseraError as `piecesOf` */
export function* withinLimits(
  pieces: Iterable<Uint8Array>,
  tally: Tally,
  limit: number,
  exceeded: (limit: number) => Error,
): Generator<Uint8Array> {
  for (const piece of pieces) {
    tally.bytes += piece.length;
    if (tally.bytes > limit) throw exceeded(limit);
    if (tally.nodes > MAX_NODES) throw tooLarge(MAX_NODES);
    yield piece;
  }
}

function* follow(value: Value, depth: number, notation: Pieces, tally: Tally): Generator<Uint8Array> {
  tally.nodes++;
  if (isList(value)) yield* followItems(value, nextDepth(depth), notation, tally);
  else if (isObject(value)) yield* followFields(value, nextDepth(depth), notation, tally);
  else yield notation.items([value], 0, 1, depth);
}

function* followItems(
  list: ArrayValue | SetValue,
  below: number,
  notation: Pieces,
  tally: Tally,
): Generator<Uint8Array> {
  const items = itemsIn(list);
  yield notation.open(list);
  for (let at = 0; at < items.length; ) {
    let end = at;
    for (; end < items.length && end - at < ITEMS; end++) {
      const nodes = countNodes(items[end], 0);
      if (nodes > SMALL) break;
      tally.nodes += nodes;
    }
    if (end > at) {
      yield notation.items(items, at, end, below);
      at = end;
    } else {
      const ahead = notation.itemAhead(at);
      if (ahead !== undefined) yield ahead;
      yield* follow(items[at++], below, notation, tally);
    }
  }
  const end = notation.close(list);
  if (end !== undefined) yield end;
}

function* followFields(object: ObjectValue, below: number, notation: Pieces, tally: Tally): Generator<Uint8Array> {
  yield notation.open(object);
  for (const [at, name] of sortedKeys(object).entries()) {
    yield notation.key(name, at);
    const field = object[name];
    const nodes = countNodes(field, 0);
    if (nodes > SMALL) {
      yield* follow(field, below, notation, tally);
    } else {
      tally.nodes += nodes;
      yield notation.items([field], 0, 1, below);
    }
  }
  const end = notation.close(object);
  if (end !== undefined) yield end;
}

/** The number of values in a value; more than `SMALL` for larger ones, or with long texts. */
export function countNodes(value: Value, before: number): number {
  let nodes = before + 1;
  if (typeof value === 'string') return value.length > LONG ? SMALL + 1 : nodes;
  if (typeof value !== 'object' || value === null) return nodes;
  if (isList(value)) {
    const items = itemsIn(value);
    if (nodes + items.length > SMALL) return SMALL + 1;
    for (let at = 0; at < items.length && nodes <= SMALL; at++) nodes = countNodes(items[at], nodes);
  } else if (isObject(value)) {
    for (const name in value) {
      nodes = countNodes(value[name], nodes);
      if (nodes > SMALL) break;
    }
  }
  return nodes;
}

/** Whether a value is an array or a set. */
export function isList(value: Value): value is ArrayValue | SetValue {
  return isArray(value) || value instanceof SetValue;
}

/** The items of an array or a set. */
export function itemsIn(value: ArrayValue | SetValue): ArrayValue {
  return value instanceof SetValue ? value.items : value;
}
