/**
 * The wire format of values for scripts: JSON, with `{"$": tag, "v": body}` for values without a JSON form. Kinds that
 * JavaScript doesn't have stay here: the script holds a token, which becomes the very value again when it comes back.
 * So does a datetime that wasn't changed, since dates hold no nanoseconds. Floats without a fraction are plain numbers
 * there, and come back as ints.
 */
import { MemoryScope } from '../../base/work/memory-scope.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { type ByKind, byKind } from '../../value/by-kind.js';
import { parseJson } from '../../value/codecs/json.js';
import { parseDecimal } from '../../value/decimal.js';
import { MAX_NESTING } from '../../value/limits.js';
import { parseInteger } from '../../value/number.js';
import { setFrom } from '../../value/order.js';
import { toDisplay } from '../../value/text/text.js';
import { datetimeFromMilliseconds, datetimeMilliseconds } from '../../value/time/datetime.js';
import { formatDuration, parseDuration } from '../../value/time/duration.js';
import { parseUuid } from '../../value/uuid.js';
import {
  type ArrayValue,
  int,
  isArray,
  isObject,
  kindOf,
  newObject,
  type ObjectValue,
  Range,
  RecordId,
  type RecordKey,
  Uuid,
  type Value,
} from '../../value/value.js';
import { boundedText, escapable, MeasuredWalk } from '../../value/walk.js';
import type { ScriptLimits } from '../script-runner.js';

const TAG = '$';
/** Bytes of a small value and its place in a list. */
const KEPT_OVERHEAD = 64;
/** A tag and its body take a level each. */
const LIMITS = { maxDepth: 3 * MAX_NESTING };
const walk = new MeasuredWalk();

/** The values of one script: its inputs and results. */
export class ScriptValues {
  readonly #kept: Value[] = [];
  readonly #largest: number;
  readonly #keeping: MemoryScope;

  constructor({ value, memory }: ScriptLimits) {
    this.#largest = value;
    this.#keeping = new MemoryScope(memory, () => scriptFailure(`It was given too much to keep (--script-memory)`));
  }

  /**
   * @throws TesseraError `script_failed` for a closure and for what is too large; `nesting_too_deep`, `value_too_large`
   */
  encode(value: Value): string {
    const text = walk.end(this.#encode(value, walk.beginAt(value)));
    this.#assertFits(text);
    return text;
  }

  /** @throws TesseraError `script_failed` when the text is too long or denotes no value */
  decode(text: string): Value {
    this.#assertFits(text);
    return this.#decode(parseJson(text, LIMITS));
  }

  readonly #texts: ByKind<string, number> = {
    none: () => tagged('none', 'null'),
    null: () => 'null',
    bool: String,
    int: (value) => (typeof value === 'number' ? String(value) : tagged('int', `"${value}"`)),
    float: (value) => {
      const number = typeof value === 'number' ? value : value.number;
      return Number.isFinite(number) ? String(number) : tagged('number', `"${number}"`);
    },
    decimal: (value) => this.#keep(value),
    string: quote,
    duration: (value) => tagged('duration', `"${formatDuration(value)}"`),
    datetime: (value) => tagged('datetime', `[${datetimeMilliseconds(value)},${this.#remember(value, 0)}]`),
    uuid: (value) => tagged('uuid', `"${value.text}"`),
    array: (value, depth) => this.#items(value, depth),
    set: (value, depth) => tagged('set', this.#items(value.items, depth)),
    object: (value, depth) => this.#fields(value, depth),
    geometry: (value) => this.#keep(value),
    bytes: (value) => tagged('bytes', `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`),
    table: (value) => this.#keep(value),
    record: (value, depth) =>
      value.key instanceof Range
        ? this.#keep(value)
        : tagged('record', `[${quote(value.table)},${this.#encode(value.key, walk.enter(depth, 1))}]`),
    file: (value) => this.#keep(value),
    regex: (value) => this.#keep(value),
    range: (value) => this.#keep(value),
    function: () => {
      throw scriptFailure('A closure can’t be passed to an embedded function');
    },
  };

  #encode(value: Value, depth: number): string {
    return byKind(this.#texts, value, depth);
  }

  #keep(value: Value): string {
    const text = toDisplay(value);
    return tagged('kept', `[${this.#remember(value, text.length)},"${kindOf(value)}",${quote(text)}]`);
  }

  /** The value, kept until the script has ended. */
  #remember(value: Value, length: number): number {
    this.#keeping.charge(KEPT_OVERHEAD + length);
    return this.#kept.push(value) - 1;
  }

  #assertFits(text: string): void {
    if (text.length > this.#largest)
      throw scriptFailure(`The value is larger than ${this.#largest} bytes (--script-value)`);
  }

  #items(items: ArrayValue, depth: number): string {
    const below = walk.enter(depth, items.length);
    return boundedText(`[${items.map((item) => this.#encode(item, below)).join(',')}]`);
  }

  #fields(object: ObjectValue, depth: number): string {
    const keys = Object.keys(object);
    const below = walk.enter(depth, keys.length);
    const text = `{${keys.map((key) => `${quote(key)}:${this.#encode(object[key], below)}`).join(',')}}`;
    return boundedText(TAG in object ? tagged('object', text) : text);
  }

  /** JSON input is bounded in depth and size already. */
  #decode(wire: Value): Value {
    if (isArray(wire)) return wire.map((item) => this.#decode(item));
    if (!isObject(wire)) return wire;
    const tag = wire[TAG];
    if (tag === undefined) return this.#decodeFields(wire);
    const read = typeof tag === 'string' ? this.#readers.get(tag) : undefined;
    const value = read?.(wire['v']);
    if (value === undefined && tag !== 'none') throw scriptFailure(`It returned an invalid ${toDisplay(tag)}`);
    return value;
  }

  #decodeFields(wire: Value): ObjectValue | undefined {
    if (!isObject(wire)) return undefined;
    const object = newObject();
    for (const key of Object.keys(wire)) {
      const value = this.#decode(wire[key]);
      // A field that is NONE isn't there.
      if (value !== undefined) object[key] = value;
    }
    return object;
  }

  /** `undefined` for a body that denotes no value. */
  readonly #readers: ReadonlyMap<string, (body: Value) => Value> = new Map<string, (body: Value) => Value>([
    ['none', () => undefined],
    ['number', (body) => Number(body)],
    ['int', (body) => (typeof body === 'string' ? readInt(body) : undefined)],
    ['bytes', (body) => (typeof body === 'string' ? new Uint8Array(Buffer.from(body, 'hex')) : undefined)],
    ['set', (body) => (isArray(body) ? setFrom(body.map((item) => this.#decode(item))) : undefined)],
    ['datetime', (body) => (typeof body === 'number' ? datetimeFromMilliseconds(body) : undefined)],
    ['duration', (body) => (typeof body === 'string' ? parseDuration(body) : undefined)],
    ['uuid', (body) => (typeof body === 'string' ? parseUuid(body) : undefined)],
    ['record', (body) => (isArray(body) ? this.#readRecord(body) : undefined)],
    ['object', (body) => this.#decodeFields(body)],
    ['kept', (body) => (typeof body === 'number' ? this.#kept[body] : undefined)],
  ]);

  #readRecord([table, wire]: ArrayValue): RecordId | undefined {
    const key = this.#decode(wire);
    return typeof table === 'string' && table !== '' && isKey(key) ? new RecordId(table, key) : undefined;
  }
}

function isKey(value: Value): value is RecordKey {
  return (
    typeof value === 'string' || kindOf(value) === 'int' || value instanceof Uuid || isArray(value) || isObject(value)
  );
}

/** Beyond 64 bits a BigInt is a decimal, as far as one has its digits. */
function readInt(digits: string): Value {
  const integer = parseInteger(digits);
  return integer === undefined ? parseDecimal(digits) : int(BigInt(integer));
}

function tagged(tag: string, body: string): string {
  return `{"${TAG}":"${tag}","v":${body}}`;
}

function quote(text: string): string {
  return JSON.stringify(escapable(text));
}

/** The error `script_failed` for a forbidden action. */
export function scriptFailure(reason: string): TesseraError {
  return failure('script_failed', { reason });
}
