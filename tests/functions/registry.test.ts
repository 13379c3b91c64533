import { describe, expect, test } from 'vitest';
import { callFunction } from '../../src/functions/calls/call.js';
import { CONSTANTS } from '../../src/functions/constants.js';
import { FUNCTIONS, findConstant, findFunction } from '../../src/functions/registry.js';
import { testContext } from './calls.js';

const names = FUNCTIONS.flatMap((row) => [row.name, ...(row.aliases ?? [])]);

describe('the table of functions', () => {
  test('has each name once', () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('finds each function by all of its names', () => {
    for (const row of FUNCTIONS) {
      for (const name of [row.name, ...(row.aliases ?? [])]) expect(findFunction(name), name).toBe(row);
    }
  });

  test.each(FUNCTIONS.map((row) => [row.name, row] as const))('%s can be documented', (name, row) => {
    expect(name).toMatch(/^[a-z0-9_]+(::[a-z0-9_]+)*$/);
    expect(row.returns).not.toBe('');
    expect(row.description).toMatch(/^[^\n]{5,160}\.$/);
    const parameters = row.parameters.map((parameter) => parameter.name);
    expect(new Set(parameters).size).toBe(parameters.length);
    for (const parameter of parameters) expect(parameter).toMatch(/^[a-z]+$/);
  });

  test('has optional parameters behind the others, and a rest at the end', () => {
    for (const { name, parameters } of FUNCTIONS) {
      const firstOptional = parameters.findIndex(({ optional, rest }) => optional || rest);
      const behind = firstOptional < 0 ? [] : parameters.slice(firstOptional);
      expect(
        behind.every(({ optional, rest }) => optional || rest),
        name,
      ).toBe(true);
      expect(
        parameters.slice(0, -1).some(({ rest }) => rest),
        name,
      ).toBe(false);
    }
  });
});

test.each([
  ['string::is::email', 'string::is_email'],
  ['type::is::record', 'type::is_record'],
  ['type::thing', 'type::record'],
  ['time::from::unix', 'time::from_unix'],
  ['duration::from::secs', 'duration::from_secs'],
  ['geo::is::valid', 'geo::is_valid'],
  ['rand::guid', 'rand::id'],
  ['meta::tb', 'record::tb'],
  ['session::sc', 'session::ac'],
])('%s is %s', (alias, name) => {
  expect(findFunction(alias)?.name).toBe(name);
});

test('constants are found in any case', () => {
  for (const constant of CONSTANTS) expect(findConstant(constant.name.toUpperCase())).toBe(constant);
  expect(findConstant('math::nothing')).toBeUndefined();
});

test.each([
  ['array::len', 0, 'Incorrect arguments for function array::len(). Expected 1 argument'],
  ['array::at', 3, 'Incorrect arguments for function array::at(). Expected 2 arguments'],
  ['array::slice', 4, 'Incorrect arguments for function array::slice(). Expected 1 to 3 arguments'],
  ['string::join', 0, 'Incorrect arguments for function string::join(). Expected at least one argument'],
  ['time::now', 1, 'Incorrect arguments for function time::now(). Expected no arguments'],
  ['time::day', 2, 'Incorrect arguments for function time::day(). Expected 0 to 1 arguments'],
] as const)('%s with %d arguments is refused before it runs', (name, count, message) => {
  const row = findFunction(name);
  expect(row).toBeDefined();
  const args = new Array<undefined>(count).fill(undefined);
  if (row !== undefined) expect(() => callFunction(row, row.name, args, testContext())).toThrow(message);
});
