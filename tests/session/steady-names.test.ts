import { describe, expect, it } from 'vitest';
import { withSteadyNames } from '../../src/session/steady-names.js';
import { objectFrom } from '../../src/value/value.js';

const steady = (text: string, variables: Record<string, number>) => {
  const bound = withSteadyNames(text, objectFrom(variables));
  return [bound.text, { ...bound.variables }];
};

describe('parameters that the client counts', () => {
  it('are counted from 1 in each request', () => {
    expect(steady('UPDATE ONLY $bind__10 MERGE $bind__11', { bind__10: 1, bind__11: 2 })).toEqual([
      'UPDATE ONLY $bind__1 MERGE $bind__2',
      { bind__1: 1, bind__2: 2 },
    ]);
  });

  it('keep apart however they are ordered', () => {
    expect(steady('RETURN [$bind__2, $bind__1, $bind__2]', { bind__1: 1, bind__2: 2 })).toEqual([
      'RETURN [$bind__1, $bind__2, $bind__1]',
      { bind__1: 2, bind__2: 1 },
    ]);
  });

  it('leave other variables as they are', () => {
    expect(steady('RETURN $bind__7 + $n', { n: 1, bind__7: 2 })).toEqual([
      'RETURN $bind__1 + $n',
      { n: 1, bind__1: 2 },
    ]);
  });

  it.each([
    ['in a string', "RETURN ['$bind__7', $bind__7]", { bind__7: 2 }],
    ['in a comment', 'RETURN $bind__7 -- not $bind__8', { bind__7: 2 }],
    ['in a name in backticks', 'RETURN $`a$bind__7` + $bind__7', { bind__7: 2 }],
    ['in what is stored', 'DEFINE FUNCTION fn::a() { $bind__7 }', { bind__7: 2 }],
    ['set in the session', 'RETURN [$bind__1, $bind__7]', { bind__7: 2 }],
    ['for stored code to see', 'RETURN fn::a($bind__7)', { bind__7: 2, bind__1: 3 }],
  ])('stay as they are %s', (_, text, variables) => {
    expect(steady(text, variables)).toEqual([text, variables]);
  });
});
