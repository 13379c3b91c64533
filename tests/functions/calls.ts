import { expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { failure, TesseraError } from '../../src/errors/error.js';
import { callFunction } from '../../src/functions/calls/call.js';
import type { FunctionContext } from '../../src/functions/calls/contract.js';
import { Fetcher } from '../../src/functions/network/fetcher.js';
import { NO_TARGETS } from '../../src/functions/network/targets.js';
import { findConstant, findFunction } from '../../src/functions/registry.js';
import type { Expression } from '../../src/language/ast.js';
import { constantValue } from '../../src/language/constant-value.js';
import { parseExpression, parseRecordId } from '../../src/language/parse.js';
import { cast } from '../../src/value/cast.js';
import { toText } from '../../src/value/text/text.js';
import { Closure, newObject, type Value } from '../../src/value/value.js';

type Implementation = (...args: Value[]) => Value | Promise<Value>;

/** A closure whose body is JavaScript. */
export function closure(implementation: Implementation): Closure {
  return new Closure('|…| …', implementation);
}

/** A world without sessions, records or passwords; parts of it can be replaced. */
export function testContext(parts: Partial<FunctionContext> = {}): FunctionContext {
  return {
    environment: realEnvironment,
    session: newObject(),
    passwords: {
      hash: async (algorithm, password) => `${algorithm}:${password}`,
      verify: async (algorithm, hash, password) => hash === `${algorithm}:${password}`,
    },
    passwordStrength: {
      estimate: async () => ({ score: 0, guesses: 1, warning: undefined, suggestions: [] }),
    },
    network: new Fetcher(realEnvironment, NO_TARGETS),
    functions: undefined,
    call: (called, args) => (called.implementation as Implementation)(...args),
    readRecord: () => undefined,
    hasRecord: () => false,
    invokeApi: () => undefined,
    get files(): never {
      throw new Error('no files here');
    },
    identitiesOf: () => [],
    nextNumber: () => 0,
    hasTable: () => true,
    indexNote: undefined,
    analyze: (name) => {
      throw failure('analyzer_missing', { name });
    },
    check: () => {},
    checkpoint: () => {},
    ...parts,
  };
}

/** Calls a function by name. */
export function call(name: string, args: readonly Value[], context = testContext()): Value | Promise<Value> {
  const row = findFunction(name);
  if (row === undefined) throw new Error(`there is no function ${name}`);
  return callFunction(row, name, args, context);
}

/** The value of a call whose arguments are values, casts or calls. */
function evaluate(expression: Expression): Value {
  if (expression.kind === 'call') return call(expression.path, expression.args.map(evaluate)) as Value;
  if (expression.kind === 'cast') return cast(evaluate(expression.operand), expression.type, parseRecordId);
  if (expression.kind === 'constant') return findConstant(expression.name)?.value;
  if (expression.kind === 'array') return expression.items.map(evaluate);
  if (expression.kind === 'unary' && expression.operator === '-') return -(evaluate(expression.operand) as number);
  const constant = constantValue(expression);
  if (constant === undefined) throw new Error(`a test can't evaluate ${expression.kind}`);
  return constant.value;
}

/** What a call gives, as text: its value, or the message of its error. */
export function outcome(text: string): string {
  try {
    return toText(evaluate(parseExpression(text)));
  } catch (error) {
    if (error instanceof TesseraError) return error.message;
    throw error;
  }
}

/** Tests that each call gives what stands beside it. */
export function checkRows(rows: readonly (readonly [text: string, expected: string])[]): void {
  test.each(rows)('%s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
}
