/** Whose owners see an audited event. */
import { expect, test } from 'vitest';
import { scopeOf } from '../../src/audit/scope.js';
import { objectFrom } from '../../src/value/value.js';

test('a sign-in that begins is for the access method, not for what the client has selected', () => {
  const place = objectFrom({ namespace: 'shop', database: 'main' });
  const begun = (as: object) =>
    scopeOf(
      objectFrom({ action: 'sign-in-start', place, what: objectFrom({ as: objectFrom({ access: 'a', ...as }) }) }),
    );
  expect(begun({})).toEqual({});
  expect(begun({ namespace: 'corp' })).toEqual({ namespace: 'corp' });
  expect(begun({ namespace: 'corp', database: 'hr' })).toEqual({ namespace: 'corp', database: 'hr' });
});
