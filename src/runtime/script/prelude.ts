/**
 * The inside of the sandbox: its globals, and values in the form of `wire.ts`. This file is read as text
 * and run by the sandbox's interpreter before the script; it imports nothing. A script may break these globals, for
 * itself alone: the outside treats all output as data.
 */

type Wire = null | boolean | number | string | readonly Wire[] | { readonly [key: string]: Wire };
/** Calls the database; returns a promise if the call has to be waited for. */
type Ask = (request: 'function' | 'value' | 'query', input: string) => string | Promise<string>;

const { parse, stringify } = JSON;

/** A value that JavaScript has no form for; the database keeps it, and gets it back as it was. */
class Opaque {
  readonly #text: string;
  constructor(
    readonly kind: string,
    text: string,
    index: number,
  ) {
    this.#text = text;
    kept.set(this, index);
  }
  toString(): string {
    return this.#text;
  }
  toJSON(): string {
    return this.#text;
  }
  /** Decimals calculate as numbers. */
  valueOf(): number | string {
    return this.kind === 'decimal' ? Number.parseFloat(this.#text) : this.#text;
  }
}

/** Handles of the database values behind proxy objects. */
const kept = new WeakMap<object, number>();
/** Dates are kept, too, since they hold no nanoseconds; one that was changed counts for itself. */
const keptTimes = new WeakMap<Date, number>();

class Text {
  constructor(readonly value: string) {}
  toString(): string {
    return this.value;
  }
  toJSON(): string {
    return this.value;
  }
}

class Duration extends Text {
  is(other: unknown): boolean {
    return other instanceof Duration && other.value === this.value;
  }
}

class Uuid extends Text {
  is(other: unknown): boolean {
    return other instanceof Uuid && other.value === this.value;
  }
}

class RecordId {
  constructor(
    readonly tb: string,
    readonly id: unknown,
  ) {}
  is(other: unknown): boolean {
    return other instanceof RecordId && other.toString() === this.toString();
  }
  toString(): string {
    return `${this.tb}:${typeof this.id === 'string' ? this.id : stringify(this.id)}`;
  }
  toJSON(): string {
    return this.toString();
  }
}

/** A statement with its variables, for `surrealdb.query`. */
class Query {
  constructor(
    readonly text: string,
    readonly variables: object = {},
  ) {}
}

const DECODERS: Readonly<Record<string, (body: never) => unknown>> = {
  none: () => undefined,
  number: (text: string) => Number(text),
  int: (digits: string) => BigInt(digits),
  bytes: (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
  set: (items: readonly Wire[]) => new Set(items.map(decode)),
  datetime: ([milliseconds, index]: [number, number]) => {
    const date = new Date(milliseconds);
    kept.set(date, index);
    keptTimes.set(date, date.getTime());
    return date;
  },
  duration: (text: string) => new Duration(text),
  uuid: (text: string) => new Uuid(text),
  record: ([table, id]: [string, Wire]) => new RecordId(table, decode(id)),
  object: (fields: { readonly [key: string]: Wire }) => decodeFields(fields),
  kept: ([index, kind, text]: [number, string, string]) => new Opaque(kind, text, index),
};

function decode(wire: Wire): unknown {
  if (typeof wire !== 'object' || wire === null) return wire;
  if (Array.isArray(wire)) return wire.map(decode);
  const { $: tag, v: body } = wire as { readonly [key: string]: Wire };
  return typeof tag === 'string'
    ? DECODERS[tag]?.(body as never)
    : decodeFields(wire as { readonly [key: string]: Wire });
}

function decodeFields(fields: { readonly [key: string]: Wire }): object {
  return Object.fromEntries(Object.entries(fields).map(([key, member]) => [key, decode(member)]));
}

const tagged = (tag: string, body: Wire): Wire => ({ $: tag, v: body });

function encode(value: unknown): Wire {
  switch (typeof value) {
    case 'undefined':
      return tagged('none', null);
    case 'number':
      return Number.isFinite(value) ? value : tagged('number', String(value));
    case 'bigint':
      return tagged('int', String(value));
    case 'boolean':
    case 'string':
      return value;
    case 'object':
      return value === null ? null : encodeObject(value);
    default:
      throw new TypeError(`A ${typeof value} is not a value of the database`);
  }
}

function encodeObject(value: object): Wire {
  if (Array.isArray(value)) return Array.from(value, encode);
  const index = kept.get(value);
  if (value instanceof Date) {
    const milliseconds = value.getTime();
    const unchanged = index !== undefined && keptTimes.get(value) === milliseconds;
    return unchanged ? tagged('kept', index) : tagged('datetime', milliseconds);
  }
  if (index !== undefined) return tagged('kept', index);
  if (value instanceof Duration) return tagged('duration', String(value.value));
  if (value instanceof Uuid) return tagged('uuid', String(value.value));
  if (value instanceof RecordId) return tagged('record', [String(value.tb), encode(value.id)]);
  if (value instanceof Set) return tagged('set', Array.from(value, encode));
  if (value instanceof Map) return encodeFields(Array.from(value, ([key, member]) => [String(key), member]));
  if (value instanceof ArrayBuffer) return bytes(new Uint8Array(value));
  if (ArrayBuffer.isView(value)) return bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return encode(value.valueOf());
  return encodeFields(Object.entries(value));
}

const bytes = (array: Uint8Array): Wire =>
  tagged('bytes', Array.from(array, (byte) => byte.toString(16).padStart(2, '0')).join(''));

/** `fromEntries` defines its keys, so that `__proto__` is one like any other. */
function encodeFields(fields: readonly (readonly [string, unknown])[]): Wire {
  const encoded = Object.fromEntries(fields.map(([key, member]) => [key, encode(member)]));
  return '$' in encoded ? tagged('object', encoded) : encoded;
}

/** `surrealdb.functions.string.len`: every name leads on, and calling one calls the function of the names so far. */
function functionsBelow(path: string, ask: Ask): object {
  const call = (...args: readonly unknown[]): unknown => {
    const answer = ask('function', stringify(encode([path, args])));
    return typeof answer === 'string' ? decode(parse(answer)) : answer.then((text) => decode(parse(text)));
  };
  return new Proxy(call, {
    get: (_, name) =>
      typeof name === 'string' ? functionsBelow(path === '' ? name : `${path}::${name}`, ask) : undefined,
  });
}

function surrealdb(ask: Ask): object {
  return Object.freeze({
    functions: functionsBelow('', ask),
    value: async (path: unknown) => decode(parse(await ask('value', stringify(encode(String(path)))))),
    query: async (query: unknown, variables: unknown = {}) => {
      const given = query instanceof Query ? query : new Query(String(query), variables as object);
      return decode(parse(await ask('query', stringify(encode([given.text, given.variables])))));
    },
  });
}

/** The output of scripts is discarded. */
const silent = Object.freeze(
  Object.fromEntries(['debug', 'error', 'info', 'log', 'trace', 'warn'].map((name) => [name, () => undefined])),
);

/** Defines the globals of the script. */
export function prepareScript(ask: Ask): void {
  const world = { Duration, Record: RecordId, Uuid, Query, console: silent, surrealdb: surrealdb(ask) };
  for (const [name, value] of Object.entries(world)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

/**
 * Calls the script's function: its `this` and its arguments in, its result out. What it throws becomes an error with a
 * text.
 */
export async function invoke(script: (...args: unknown[]) => unknown, input: string): Promise<string> {
  try {
    const [self, args] = decode(parse(input)) as [unknown, unknown[]];
    return stringify(encode(await script.apply(self, args)));
  } catch (thrown) {
    throw textOf(thrown);
  }
}

function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' ? stringify(encode(thrown)) : String(thrown);
  return thrown.name === 'Error' ? thrown.message : `${thrown.name}: ${thrown.message}`;
}
