/**
 * No function does more at once than it says, and those that take more pause on the way. Work is counted, not timed.
 */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { callFunction } from '../../src/functions/calls/call.js';
import type { FunctionRow } from '../../src/functions/calls/contract.js';
import {
  ANY_INPUT,
  MAX_INPUT,
  MAX_INPUT_IN_PIECES,
  MAX_INPUT_IN_STEPS,
  SMALL_INPUT,
} from '../../src/functions/calls/input-limit.js';
import { castAny } from '../../src/functions/cast.js';
import { FUNCTIONS } from '../../src/functions/registry.js';
import type { Type } from '../../src/value/type.js';
import { Closure, newObject, objectFrom, Range, SetValue, type Value } from '../../src/value/value.js';
import { call, testContext } from './calls.js';

/** Something of a type with so many characters, bytes, elements or fields; `undefined` for types that have none. */
function sized({ kind }: Type, size: number): Value {
  if (kind === 'string') return 'a'.repeat(size);
  if (kind === 'array' || kind === 'any') return new Array<Value>(size).fill(1);
  if (kind === 'set') return new SetValue(new Array<Value>(size).fill(1));
  if (kind === 'bytes') return new Uint8Array(size);
  if (kind === 'object') return objectFrom(Array.from({ length: size }, (_, at): [string, Value] => [`k${at}`, at]));
  return undefined;
}

const OTHERS: Partial<Record<Type['kind'], Value>> = {
  any: 1,
  array: [],
  bool: true,
  float: 2,
  function: new Closure('|x| x', (value: Value) => value),
  int: 2,
  number: 2,
  object: newObject(),
  set: new SetValue([]),
  string: 'a',
};

/** A call with `first`, and as little as possible in its other arguments. */
function argumentsOf(row: FunctionRow, first: Value): Value[] {
  return [first, ...row.parameters.slice(1).map(({ type }) => OTHERS[type.kind])];
}

const bounded = FUNCTIONS.filter(({ parameters, largest }) => {
  const [first] = parameters;
  return first !== undefined && largest !== ANY_INPUT && sized(first.type, 1) !== undefined;
});

describe('what is too much is refused before it is looked at', () => {
  test.each(bounded.map((row) => [row.name, row] as const))('%s', (name, row) => {
    const { largest = MAX_INPUT, parameters } = row;
    // Beyond these, a small value replaces one that would take too much memory here.
    if (largest > 2 ** 20) return;
    const [first] = parameters as [FunctionRow['parameters'][number]];
    const looked = () => {
      throw new Error('it was looked at');
    };
    const spied: FunctionRow = { ...row, run: looked };
    const args = argumentsOf(row, sized(first.type, largest + 1));
    let error: unknown;
    try {
      void callFunction(spied, name, args, testContext());
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(TesseraError);
    expect((error as TesseraError).code).toBe('input_too_large');
    expect((error as TesseraError).message).toContain(`${name}()`);
    expect((error as TesseraError).message).toContain(String(largest));
  });
});

/** Objects of which each look is counted: copying them around isn't one. */
class Looks {
  since = 0;
  most = 0;
  total = 0;

  value(at: number): Value {
    return new Proxy(objectFrom([['n', at]]), {
      ownKeys: (target) => {
        this.since++;
        return Reflect.ownKeys(target);
      },
    });
  }

  readonly pause = (): void => {
    this.total += this.since;
    this.most = Math.max(this.most, this.since);
    this.since = 0;
  };
}

/** A step of a thousand items compares each of them some ten times, and looks at both sides of each comparison. */
const MOST_LOOKS = 24 * 1024;
/** Where few of them are compared often, and where many are looked at once. */
const MANY = [4 * 1024, 32 * 1024];

describe('who takes many elements pauses on the way', () => {
  const inSteps = FUNCTIONS.filter(
    ({ largest, parameters: [first] }) =>
      largest === MAX_INPUT_IN_STEPS && (first?.type.kind === 'array' || first?.type.kind === 'set'),
  );

  test.each(inSteps.map((row) => [row.name, row] as const))('%s', async (name, row) => {
    for (const many of MANY) if ((await looksOf(name, row, many)) > 4 * many) return;
  });

  async function looksOf(name: string, row: FunctionRow, many: number): Promise<number> {
    const looks = new Looks();
    const items = Array.from({ length: many }, (_, at) => looks.value((at * 7919) % many));
    const whole = (type: Type): Value => (type.kind === 'set' ? new SetValue(items) : items);
    const args = row.parameters.map(({ type }, at) =>
      type.kind === 'array' || type.kind === 'set' ? whole(type) : at === 0 ? items : OTHERS[type.kind],
    );
    const called = (closure: Closure, given: readonly Value[]) => {
      looks.since++;
      return (closure.implementation as (...all: readonly Value[]) => Value)(...given);
    };
    const context = testContext({ checkpoint: looks.pause, call: called });
    await callFunction(row, name, args, context);
    looks.pause();
    expect(looks.most).toBeLessThan(MOST_LOOKS);
    return looks.total;
  }

  test('there are many of them', () => {
    expect(inSteps.length).toBeGreaterThan(30);
  });
});

describe('who takes long texts pauses on the way', () => {
  const text = 'Übergröße 你好 <b>  '.repeat(2 ** 14);
  const cases: readonly (readonly [name: string, args: readonly Value[], expected: Value])[] = [
    ['string::len', [text], Array.from(text).length],
    ['string::reverse', [text], Array.from(text).reverse().join('')],
    ['string::words', [text], text.trim().split(/\s+/)],
    ['string::html::encode', ['<'.repeat(2 ** 17)], '&lt;'.repeat(2 ** 17)],
    ['string::split', ['a,'.repeat(2 ** 17), ','], [...new Array(2 ** 17).fill('a'), '']],
    ['crypto::md5', [text], createHash('md5').update(text).digest('hex')],
    ['crypto::sha1', [text], createHash('sha1').update(text).digest('hex')],
    ['crypto::sha256', [text], createHash('sha256').update(text).digest('hex')],
    ['crypto::sha512', [text], createHash('sha512').update(text).digest('hex')],
  ];

  test.each(cases)('%s', async (name, args, expected) => {
    let pauses = 0;
    const context = testContext({
      checkpoint: async (units) => {
        if (units === undefined) pauses++;
      },
    });
    expect(await call(name, args, context)).toEqual(expected);
    expect(pauses).toBeGreaterThanOrEqual(15);
  });

  test.each(['crypto::blake3', 'crypto::joaat'])('%s gives the same in pieces', async (name) => {
    const never = testContext();
    const pieces = testContext({ checkpoint: () => Promise.resolve() });
    // Pairs of surrogates stand where pieces end.
    const pairs = `a${'😀'.repeat(2 ** 14)}`;
    expect(await call(name, [pairs], pieces)).toBe(await call(name, [pairs], never));
    expect(await call('string::reverse', [pairs], pieces)).toBe(`${'😀'.repeat(2 ** 14)}a`);
  });

  test('there are many of them', () => {
    const rows = FUNCTIONS.filter(({ largest }) => largest === MAX_INPUT_IN_PIECES);
    expect(rows.length).toBeGreaterThan(cases.length);
  });
});

test('calls claim what they are given, unless it is little', () => {
  const claims: number[] = [];
  const context = testContext({
    checkpoint: (units) => {
      if (units !== undefined) claims.push(units);
    },
  });
  void call('string::lowercase', ['a'.repeat(SMALL_INPUT)], context);
  void call('array::len', [new Array(5000).fill(1)], context);
  expect(claims).toEqual([]);
  void call('string::lowercase', ['a'.repeat(5000)], context);
  void call('array::union', [new Array(300).fill(1), new Array(200).fill(1)], context);
  expect(claims).toEqual([5000, 500]);
});

test('the items of a range are written out in steps', async () => {
  const range = new Range({ value: 0, inclusive: true }, { value: 2 ** 20, inclusive: false });
  let pauses = 0;
  const context = testContext({
    checkpoint: () => {
      pauses++;
    },
  });
  const items = (await castAny(range, { kind: 'array' }, context)) as readonly Value[];
  expect([items.length, items.at(-1)]).toEqual([2 ** 20, 2 ** 20 - 1]);
  expect(pauses).toBeGreaterThanOrEqual(2 ** 5 - 1);
  // Items that are cast in turn are bounded as those of arrays are.
  await expect((async () => castAny(range, { kind: 'array', item: { kind: 'string' } }, context))()).rejects.toThrow(
    TesseraError,
  );
});

test.each(['search::rrf', 'search::linear'])('%s takes so many records, in steps', async (name) => {
  const list = (count: number, fields: number) =>
    Array.from({ length: count }, (_, id) =>
      objectFrom([['id', id], ...Array.from({ length: fields }, (__, at): [string, Value] => [`f${at}`, at])]),
    );
  let work = 0;
  let most = 0;
  let pauses = 0;
  const context = testContext({
    checkpoint: (units) => {
      if (units === undefined) pauses++;
      else {
        work += units;
        most = Math.max(most, units);
      }
    },
  });
  const fused = async (lists: Value[]) =>
    call(name, name === 'search::rrf' ? [lists, 1e6, 60] : [lists, lists.map(() => 1), 1e6, 'minmax'], context);
  expect(await fused([list(10_000, 4), list(10_000, 4)])).toHaveLength(10_000);
  expect(work).toBeGreaterThan(20_000 * 16);
  expect(most).toBeLessThan(2 * 4_096);
  expect(pauses).toBeGreaterThan(8);
  const failing = async (lists: Value[]) => fused(lists).catch((error: TesseraError) => error.code);
  expect(await failing([list(20_000, 0), list(20_000, 0)])).toBe('input_too_large');
  expect(await failing([[objectFrom([['id', 'x'.repeat(2 ** 20)]])]])).toBe('input_too_large');
  // One record that becomes larger with each list.
  const growing = Array.from({ length: 3 }, (_, of) => [
    objectFrom([['id', 1], ...Array.from({ length: 4_000 }, (__, at): [string, Value] => [`f${of}.${at}`, at])]),
  ]);
  expect(await failing(growing)).toBe('input_too_large');
});
