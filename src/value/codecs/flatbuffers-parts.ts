/**
 * Decodes FlatBuffers in steps: values that consist of others are kept on a stack while their members are read, so that
 * a step can end anywhere.
 */
import type { Stepwise } from '../../base/work/stepwise.js';
import { failure } from '../../errors/error.js';
import { type DecodeLimits, nextDepth } from '../nesting.js';
import { StepwiseSet } from '../order.js';
import type { Value } from '../value.js';
import type { RecordIdReading } from './cbor-tagged.js';
import { FlatBuffersReader, type MessagePlace } from './flatbuffers-reader.js';

/** The limits of a decoding, and how it reads record ids that are sent as texts. */
export interface FlatBuffersOptions extends DecodeLimits, RecordIdReading {}

/** Bytes that are read in one step: some hundred microseconds of work. */
const PIECE = 8 * 1024;
const ANY_NUMBER = Number.POSITIVE_INFINITY;

/** @throws TesseraError `flatbuffers_invalid` */
export function invalidFlatBuffers(what: string): never {
  throw failure('flatbuffers_invalid', { what });
}

/** A value, or one whose members are read next. */
export type ValuePart = Value | OpenPart;
export type ReadPart = (decoding: FlatBuffersDecoding, table: MessagePlace, depth: number) => ValuePart;

export class FlatBuffersDecoding implements Stepwise<Value> {
  readonly reader: FlatBuffersReader;
  readonly options: FlatBuffersOptions;
  readonly #readRoot: (decoding: FlatBuffersDecoding) => ValuePart;
  readonly #maxValues: number;
  readonly #maxKeys: number;
  #values = 0;
  /** What is being read, the innermost last; empty before the first step. */
  readonly #open: OpenPart[] = [];
  result: Value;

  constructor(bytes: Uint8Array, options: FlatBuffersOptions, readRoot: (decoding: FlatBuffersDecoding) => ValuePart) {
    this.reader = new FlatBuffersReader(bytes, invalidFlatBuffers);
    this.options = options;
    this.#readRoot = readRoot;
    this.#maxValues = options.maxValues ?? ANY_NUMBER;
    this.#maxKeys = options.maxKeys ?? ANY_NUMBER;
  }

  step(): boolean {
    const { reader } = this;
    const end = reader.read + PIECE;
    if (this.#open.length === 0) {
      this.admit(1);
      if (this.#complete(this.#readRoot(this))) return true;
    }
    while (reader.read < end) {
      const part = this.#open.at(-1) as OpenPart;
      if (!part.isFull) {
        this.#complete(part.next());
        continue;
      }
      const value = part.finish();
      if (value === undefined) return false;
      this.#open.pop();
      if (this.#complete(value)) return true;
    }
    return false;
  }

  /** Goes on with a part. Whether it was the last. */
  #complete(part: ValuePart): boolean {
    const outer = this.#open.at(-1);
    if (part instanceof OpenPart) this.#open.push(part);
    else if (outer !== undefined) outer.take(part);
    else {
      this.result = part;
      return true;
    }
    return false;
  }

  /** Counts values before any of them is made. @throws TesseraError `too_many_values` */
  admit(values: number): void {
    this.#values += values;
    if (this.#values > this.#maxValues) throw failure('too_many_values', { limit: this.#maxValues });
  }

  /** @throws TesseraError `too_many_keys` */
  admitKeys(keys: number): void {
    if (keys > this.#maxKeys) throw failure('too_many_keys', { limit: this.#maxKeys });
  }
}

/** A value that consists of others, its members. */
export class OpenPart {
  readonly #length: number;
  readonly #depth: number;
  readonly #readMember: (index: number, depth: number) => ValuePart;
  readonly #make: (members: readonly Value[]) => Value | StepwiseSet;
  readonly #members: Value[] = [];
  #made: Value | StepwiseSet;

  /**
   * `make` gets all members, and makes no NONE of them.
   * @throws TesseraError `nesting_too_deep`, `too_many_values`
   */
  constructor(
    decoding: FlatBuffersDecoding,
    length: number,
    depth: number,
    readMember: (index: number, depth: number) => ValuePart,
    make: (members: readonly Value[]) => Value | StepwiseSet,
  ) {
    this.#depth = nextDepth(depth, decoding.options.maxDepth);
    decoding.admit(length);
    this.#length = length;
    this.#readMember = readMember;
    this.#make = make;
  }

  get isFull(): boolean {
    return this.#members.length === this.#length;
  }

  next(): ValuePart {
    return this.#readMember(this.#members.length, this.#depth);
  }

  take(member: Value): void {
    this.#members.push(member);
  }

  /** The value, or nothing as long as steps of making it are left. */
  finish(): Value {
    this.#made ??= this.#make(this.#members);
    if (!(this.#made instanceof StepwiseSet)) return this.#made;
    return this.#made.step() ? this.#made.result : undefined;
  }
}
