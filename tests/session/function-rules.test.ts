/** Functions that the server denies to all users, however they are called. */
import { describe, expect, it } from 'vitest';
import type { FunctionNames } from '../../src/functions/calls/rules.js';
import { answer, run, World } from '../support/world.js';

async function told(text: string, functions: { allow?: FunctionNames; deny?: FunctionNames }): Promise<string> {
  const world = await World.open({ functions });
  try {
    await run(world.owner, 'DEFINE FUNCTION fn::greet() { RETURN 1 }; CREATE t:1 SET a = 1');
    return await answer(world.owner, text);
  } finally {
    await world.close();
  }
}

const denied = (name: string) =>
  `function_denied: Function '${name}' is not allowed to be executed {"kind":"Function","details":{"name":"${name}"}}`;

describe('a denied function', () => {
  it.each<[string, readonly string[], string]>([
    ["RETURN string::len('a')", ['string::len'], 'string::len'],
    ["RETURN string::len('a')", ['string'], 'string::len'],
    ["RETURN 'a'.len()", ['string'], 'string::len'],
    ['RETURN [1].map(|$x| $x)', ['array::map'], 'array::map'],
    ["RETURN [1].map(|$x| 'a'.len())", ['string::len'], 'string::len'],
    ["RETURN type::thing('a', 1)", ['type::thing'], 'type::record'],
    ["RETURN string::distance::hamming('a', 'b')", ['string::distance'], 'string::distance::hamming'],
    ['RETURN fn::greet()', ['fn::greet'], 'fn::greet'],
    ['RETURN fn::greet()', ['fn'], 'fn::greet'],
    ['SELECT math::sum(a) FROM t GROUP ALL', ['math'], 'math::sum'],
    ['SELECT count() FROM t GROUP ALL', ['count'], 'count'],
    ['SELECT * FROM t WHERE math::abs(a) = 1', ['math::abs'], 'math::abs'],
  ])('%s without %j', async (text, deny, name) => {
    expect(await told(text, { deny })).toBe(denied(name));
  });
});

describe('the more specific name counts', () => {
  it.each<[FunctionNames, FunctionNames, boolean]>([
    ['all', [], true],
    ['all', 'all', false],
    [[], [], false],
    [['string'], 'all', true],
    [['string::len'], ['string'], true],
    [['string'], ['string::len'], false],
    [['string::len'], ['string::len'], false],
    [['array'], [], false],
    ['all', ['str'], true],
  ])('allow %j, deny %j', async (allow, deny, allowed) => {
    expect(await told("RETURN string::len('abc')", { allow, deny })).toBe(allowed ? '3' : denied('string::len'));
  });
});
