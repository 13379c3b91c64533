/** What DEFINE ACCESS refuses of second factors, and where. */
import { expect, test } from 'vitest';
import { parseQuery } from '../../src/language/parse.js';

const RECORD = 'DEFINE ACCESS a ON DATABASE TYPE RECORD\n';

test.each([
  ['no one word', 'SIGNIN (SELECT 1 FROM 1) SECOND FACTOR SOMETIMES', 'expected NONE or ALWAYS', 40],
  ['half a clause', 'SECOND NONE', 'expected FACTOR', 8],
  ['no codes', 'WITH RECOVERY CODES 0', 'expected a number from 1 to 100', 21],
  ['too many codes', 'WITH RECOVERY CODES 101', 'number too large', 21],
  ['half a code', 'WITH RECOVERY CODES 1.5', 'only integers', 22],
  ['recovery of what', 'WITH RECOVERY', 'expected CODES', 13],
  ['a sign-in of its own', 'SIGNIN (SELECT 1 FROM 1) WITH TOTP', 'SIGNIN means nothing for WITH TOTP', 1],
  ['a sign-up of its own', 'SIGNUP (CREATE user) WITH TOTP', 'SIGNUP means nothing for a second factor', 1],
  ['one that owes one', 'WITH TOTP SECOND FACTOR ALWAYS', 'what a sign-in begins with', 11],
  ['two ways', 'WITH TOTP WITH RECOVERY CODES', 'TOTP is its way already', 16],
])('%s', (_, clauses, message, column) => {
  let error: unknown;
  try {
    parseQuery(RECORD + clauses);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'parse_error', message: expect.stringContaining(message) });
  expect(error).toMatchObject({ position: { line: 2, column } });
});
