/**
 * CBOR (RFC 8949) with the protocol's tags as values. Everything is checked: lengths against the remaining bytes, depth
 * against the limit, tags against their content. Indefinite lengths are accepted.
 */
import { ByteCollector } from '../../base/byte-collector.js';
import { runAtOnce, type Stepwise } from '../../base/work/stepwise.js';
import { failure } from '../../errors/error.js';
import { type DecodeLimits, nextDepth } from '../nesting.js';
import { StepwiseSet } from '../order.js';
import { durationFrom } from '../time/duration.js';
import {
  type ArrayValue,
  type Bound,
  type Duration,
  float,
  isArray,
  type MutableObject,
  newObject,
  Range,
  type Value,
} from '../value.js';
import { ByteReader } from './byte-reader.js';
import { boundedInt, invalidCbor, type RecordIdReading, TAG_MAKERS, type TagMaker, UNFIT } from './cbor-tagged.js';
import { CBOR_TAGS, MAJOR } from './cbor-tags.js';

/** The limits of a decoding, and how it reads texts as record ids. */
export interface CborOptions extends DecodeLimits, RecordIdReading {}

/** The one value that the bytes hold. @throws TesseraError `cbor_invalid`, `nesting_too_deep` */
export function decodeCbor(bytes: Uint8Array, options: CborOptions): Value {
  return runAtOnce(new CborDecoding(bytes, options, bytes.length));
}

/** The same in pieces. @throws TesseraError also `too_many_values`, `too_many_keys` */
export function decodeCborStepwise(bytes: Uint8Array, options: CborOptions): Stepwise<Value> {
  return new CborDecoding(bytes, options, PIECE);
}

/** Bytes that are read in one step. */
const PIECE = 4 * 1024;
const ANY_NUMBER = Number.POSITIVE_INFINITY;

/** Pieces of one text, or of bytes, which are read in one go. */
const MOST_CHUNKS = 2 ** 16;

/** Placeholder of a value whose end isn't reached in a step. */
const UNFINISHED: unique symbol = Symbol('unfinished');
type Read<T extends Value = Value> = T | typeof UNFINISHED;

/** What goes on with a member that a step hasn't finished, once it is there; without one, it is read first. */
type Resume = (decoding: CborDecoding, member: Read) => Read;

class CborDecoding implements Stepwise<Value> {
  readonly reader: ByteReader;
  readonly options: CborOptions;
  readonly #piece: number;
  readonly #maxValues: number;
  readonly maxKeys: number;
  #values = 0;
  /** Number of bytes left when this step ends. */
  #rest = 0;
  /** The containers open when the last step ended, the innermost first. */
  #suspended: Resume[] = [];
  result: Value;

  constructor(bytes: Uint8Array, options: CborOptions, piece: number) {
    this.reader = new ByteReader(bytes, invalidCbor);
    this.options = options;
    this.#piece = piece;
    this.#maxValues = options.maxValues ?? ANY_NUMBER;
    this.maxKeys = options.maxKeys ?? ANY_NUMBER;
  }

  step(): boolean {
    this.#rest = this.reader.remaining - this.#piece;
    const value = this.#suspended.length === 0 ? readItem(this, 0) : this.#resumed();
    if (value === UNFINISHED) return false;
    if (this.reader.remaining > 0) invalidCbor('bytes after the end');
    this.result = value;
    return true;
  }

  #resumed(): Read {
    const open = this.#suspended;
    this.#suspended = [];
    let member: Read = UNFINISHED;
    for (let index = 0; index < open.length; index++) {
      member = (open[index] as Resume)(this, member);
      if (member !== UNFINISHED) continue;
      this.#suspended.push(...open.slice(index + 1));
      return UNFINISHED;
    }
    return member;
  }

  /** Whether the step is complete. The last one reads to the end, to report missing bytes. */
  get isOver(): boolean {
    const { remaining } = this.reader;
    return remaining > 0 && remaining <= this.#rest;
  }

  /** Whether a list should be sorted in steps. */
  isLong({ length }: ArrayValue): boolean {
    return this.#piece === PIECE && length > PIECE;
  }

  suspend(resume: Resume): typeof UNFINISHED {
    this.#suspended.push(resume);
    return UNFINISHED;
  }

  count(): void {
    this.#values++;
    this.admit(0);
  }

  /** Refuses as many values more as a length announces, if they are too many, before any of them is made. */
  admit(length: number): void {
    if (this.#values + length > this.#maxValues) throw failure('too_many_values', { limit: this.#maxValues });
  }
}

const INDEFINITE = -1;
const BREAK = 0xff;
const NULL = 0xf6;

function readItem(decoding: CborDecoding, depth: number): Read {
  const { reader } = decoding;
  decoding.count();
  const initial = reader.byte();
  const information = initial & 31;
  switch (initial >>> 5) {
    case MAJOR.uint:
      return information === 27 ? boundedInt(reader.uint64()) : readArgument(reader, information);
    case MAJOR.negative:
      return information === 27 ? boundedInt(-1n - reader.uint64()) : -1 - readArgument(reader, information);
    case MAJOR.bytes:
      return readBytes(reader, information);
    case MAJOR.text:
      return readText(reader, information);
    case MAJOR.array:
      return readArray(decoding, information, depth);
    case MAJOR.map:
      return readMap(decoding, information, depth);
    case MAJOR.tag:
      return readTagged(decoding, readArgument(reader, information), nextDepth(depth, decoding.options.maxDepth));
    default:
      return readSimple(reader, information);
  }
}

/**
 * The number that follows the first byte; a length beyond what a file can hold is cut to what can't be there either.
 */
function readArgument(reader: ByteReader, information: number): number {
  if (information < 24) return information;
  switch (information) {
    case 24:
      return reader.byte();
    case 25:
      return reader.uint16();
    case 26:
      return reader.uint32();
    case 27:
      return Number(reader.uint64());
    default:
      return invalidCbor('a length of a reserved form');
  }
}

function readLength(reader: ByteReader, information: number): number {
  return information === 31 ? INDEFINITE : readArgument(reader, information);
}

function readBytes(reader: ByteReader, information: number): Uint8Array {
  const length = readLength(reader, information);
  return length === INDEFINITE ? Uint8Array.from(readChunks(reader, MAJOR.bytes)) : reader.raw(length);
}

function readText(reader: ByteReader, information: number): string {
  const length = readLength(reader, information);
  if (length !== INDEFINITE) return reader.utf8(length);
  const bytes = readChunks(reader, MAJOR.text);
  return new ByteReader(bytes, invalidCbor).utf8(bytes.length);
}

/** The pieces of a text or of bytes of indefinite length; each must be of the same type and of definite length. */
function readChunks(reader: ByteReader, major: number): Uint8Array {
  const collected = new ByteCollector();
  for (let chunks = 0; ; chunks++) {
    const initial = reader.byte();
    if (initial === BREAK) return collected.take();
    if (initial >>> 5 !== major || (initial & 31) === 31) invalidCbor('a piece of another type');
    if (chunks === MOST_CHUNKS) invalidCbor('too many pieces');
    collected.append(reader.raw(readArgument(reader, initial & 31)));
  }
}

function readArray(decoding: CborDecoding, information: number, depth: number): Read {
  const below = nextDepth(depth, decoding.options.maxDepth);
  const length = readLength(decoding.reader, information);
  decoding.admit(length);
  return readItems(decoding, [], length, below, UNFINISHED);
}

/** The rest of an array: from an item on, or from what stands behind `item`. */
function readItems(decoding: CborDecoding, items: Value[], length: number, depth: number, item: Read): Read {
  if (item !== UNFINISHED) items.push(item);
  while (!atEnd(decoding.reader, length, items.length)) {
    const value = decoding.isOver ? UNFINISHED : readItem(decoding, depth);
    if (value === UNFINISHED) {
      return decoding.suspend((again, member) => readItems(again, items, length, depth, member));
    }
    items.push(value);
  }
  return items;
}

function readMap(decoding: CborDecoding, information: number, depth: number): Read {
  const below = nextDepth(depth, decoding.options.maxDepth);
  const length = readLength(decoding.reader, information);
  decoding.admit(length);
  return readMembers(decoding, newObject(), { length, at: 0 }, below);
}

/** The position within a map. */
interface MapState {
  readonly length: number;
  at: number;
}

/** The rest of a map, from a key on. */
function readMembers(decoding: CborDecoding, object: MutableObject, state: MapState, depth: number): Read {
  const { reader, maxKeys } = decoding;
  for (; !atEnd(reader, state.length, state.at); state.at++) {
    if (decoding.isOver) return decoding.suspend((again) => readMembers(again, object, state, depth));
    if (state.at >= maxKeys) throw failure('too_many_keys', { limit: maxKeys });
    const initial = reader.byte();
    if (initial >>> 5 !== MAJOR.text) invalidCbor('a map key that is not a text');
    const key = readText(reader, initial & 31);
    const value = readItem(decoding, depth);
    if (value === UNFINISHED) {
      return decoding.suspend((again, member) => {
        object[key] = member as Value;
        state.at++;
        return readMembers(again, object, state, depth);
      });
    }
    object[key] = value;
  }
  return object;
}

/** Whether a list ends here. A false length of millions ends with the bytes, before anything was allocated for it. */
function atEnd(reader: ByteReader, length: number, index: number): boolean {
  if (length !== INDEFINITE) return index >= length;
  if (reader.peek() !== BREAK) return false;
  reader.byte();
  return true;
}

function readSimple(reader: ByteReader, information: number): Value {
  switch (information) {
    case 20:
      return false;
    case 21:
      return true;
    case 22:
      return null;
    case 23:
      return undefined;
    case 25:
      return float(halfToNumber(reader.uint16()));
    case 26:
      return float(reader.float32());
    case 27:
      return float(reader.float64());
    default:
      return invalidCbor('an unknown simple value');
  }
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

// ─── Tags ───

function readTagged(decoding: CborDecoding, tag: number, depth: number): Read {
  if (tag === CBOR_TAGS.range) return readRange(decoding, depth);
  if (tag === CBOR_TAGS.duration) return readDuration(decoding.reader);
  const make = TAG_MAKERS.get(tag) ?? invalidCbor(`the tag ${tag} is not supported`);
  const item = readItem(decoding, depth);
  return item === UNFINISHED
    ? decoding.suspend((again, member) => makeTagged(again, tag, make, member as Value))
    : makeTagged(decoding, tag, make, item);
}

function makeTagged(decoding: CborDecoding, tag: number, make: TagMaker, item: Value): Read {
  if (tag === CBOR_TAGS.set && isArray(item) && decoding.isLong(item)) return sortSet(decoding, new StepwiseSet(item));
  const made = make(item, decoding.options);
  return made === UNFIT ? invalidCbor(`tag ${tag} does not fit what it holds`) : made;
}

function sortSet(decoding: CborDecoding, set: StepwiseSet): Read {
  return set.step() ? set.result : decoding.suspend((again) => sortSet(again, set));
}

/** `[begin, end]`, each of them null or a bound. Bounds stand nowhere else, so they are read here. */
function readRange(decoding: CborDecoding, depth: number): Read {
  const { reader } = decoding;
  const initial = reader.byte();
  const length = readLength(reader, initial & 31);
  if (initial >>> 5 !== MAJOR.array || (length !== 2 && length !== INDEFINITE)) invalidCbor('a range without two ends');
  return readEnds(decoding, [], length, depth);
}

/** The rest of a range, from one of its ends on. */
function readEnds(decoding: CborDecoding, ends: (Bound | undefined)[], length: number, depth: number): Read {
  const { reader } = decoding;
  while (ends.length < 2) {
    const initial = reader.byte();
    if (initial === NULL) {
      ends.push(undefined);
      continue;
    }
    const tag = initial >>> 5 === MAJOR.tag ? readArgument(reader, initial & 31) : undefined;
    if (tag !== CBOR_TAGS.included && tag !== CBOR_TAGS.excluded) invalidCbor('an end of a range without its tag');
    const inclusive = tag === CBOR_TAGS.included;
    const value = readItem(decoding, depth);
    if (value === UNFINISHED) {
      return decoding.suspend((again, member) => {
        ends.push({ value: member as Value, inclusive });
        return readEnds(again, ends, length, depth);
      });
    }
    ends.push({ value, inclusive });
  }
  if (length === INDEFINITE && reader.byte() !== BREAK) invalidCbor('a range without two ends');
  return new Range(ends[0], ends[1]);
}

/** `[seconds, nanoseconds]`, zeros at the end left out. Seconds go beyond what an int can be. */
function readDuration(reader: ByteReader): Duration {
  const initial = reader.byte();
  const length = initial >>> 5 === MAJOR.array ? readLength(reader, initial & 31) : 3;
  const parts: bigint[] = [];
  while (parts.length < 3 && !atEnd(reader, length, parts.length)) parts.push(readUnsigned(reader));
  const [seconds = 0n, nanoseconds = 0n] = parts;
  const duration = parts.length < 3 && nanoseconds < 1_000_000_000n && durationFrom({ seconds, nanoseconds });
  return duration || invalidCbor('a duration of another form');
}

function readUnsigned(reader: ByteReader): bigint {
  const initial = reader.byte();
  if (initial >>> 5 !== MAJOR.uint) invalidCbor('a number that is negative or not whole');
  return (initial & 31) === 27 ? reader.uint64() : BigInt(readArgument(reader, initial & 31));
}
