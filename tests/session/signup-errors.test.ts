/** What a failed sign-up says: nothing, unless the access method has ERRORS DETAILED. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { TesseraError } from '../../src/errors/error.js';
import { errorBody } from '../../src/http/response/error-body.js';
import { objectFrom, type Value } from '../../src/value/value.js';
import { type Owned, openOwned } from '../support/owned.js';

let database: Owned['database'];
let value: Owned['value'];
beforeEach(async () => {
  ({ database, value } = await openOwned());
  await value(`
    DEFINE TABLE user SCHEMAFULL;
    DEFINE FIELD email ON user TYPE string ASSERT string::is_email($value);
    DEFINE FIELD age ON user TYPE option<int>;
    DEFINE FIELD company ON user TYPE option<string>;
    DEFINE FIELD name ON user TYPE option<string>;
    DEFINE INDEX user_email ON user FIELDS email UNIQUE;
    DEFINE INDEX user_name ON user FIELDS company, name UNIQUE;
    DEFINE EVENT audit ON user WHEN $after.name = 'event' THEN { THROW 'of the event' };
    CREATE user:ann SET email = 'ann@example.com', company = 'acme', name = 'ann';
  `);
});

const define = (
  errors: string,
  clause = 'CREATE type::record("user", $id) SET email = $email, age = $age, company = $company, name = $name',
) => value(`DEFINE ACCESS OVERWRITE account ON DATABASE TYPE RECORD SIGNUP (${clause}) ${errors}`);

async function failed(variables: Record<string, Value>): Promise<TesseraError> {
  const body = objectFrom({ NS: 'test', DB: 'test', AC: 'account', id: 'bob', email: 'bob@example.com', ...variables });
  return database
    .session({})
    .signUp(body)
    .then(
      () => {
        throw new Error('signed up');
      },
      (error: TesseraError) => error,
    );
}

const CASES = [
  ['a unique address', { email: 'ann@example.com' }, 'signup_conflict', 'email', 409],
  ['a unique pair', { company: 'acme', name: 'ann' }, 'signup_conflict', 'company, name', 409],
  ['an id', { id: 'ann' }, 'signup_conflict', 'id', 409],
  ['an assertion', { email: 'nobody' }, 'signup_invalid', 'email', 400],
  ['a type', { age: 'old' }, 'signup_invalid', 'age', 400],
] as const;

describe.each(CASES)('a sign-up that hits %s', (_, variables, code, field, status) => {
  test('says so where the access method asks for it', async () => {
    await define('ERRORS DETAILED');
    const error = await failed(variables);
    expect([error.code, error.httpStatus]).toEqual([code, status]);
    expect(error.details).toEqual({ kind: 'Field', details: { field } });
    expect(JSON.parse(errorBody(error))).toMatchObject({ error: code, field, code: status });
    // Nothing of the record that is there, and no value.
    expect(errorBody(error)).not.toMatch(/user:|ann@|acme|nobody|old/);
  });

  test.each(['', 'ERRORS EQUAL'])('says what every other says otherwise: %s', async (clause) => {
    await define(clause);
    const error = await failed(variables);
    expect([error.code, error.httpStatus, error.details]).toEqual([
      'record_access_signup_query_failed',
      400,
      undefined,
    ]);
    expect(errorBody(error)).not.toContain('"field"');
  });
});

test('an error that isn’t about a field names none, and signing in names none either', async () => {
  await define('ERRORS DETAILED');
  expect(await failed({ name: 'event' })).toMatchObject({ code: 'record_access_signup_query_failed' });
  await define('SIGNIN (CREATE user:ann SET email = "x") ERRORS DETAILED');
  const signIn = database.session({}).signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'account' }));
  await expect(signIn).rejects.toMatchObject({ code: 'invalid_auth' });
});
