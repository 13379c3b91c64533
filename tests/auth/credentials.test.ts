import { describe, expect, test } from 'vitest';
import { readSignIn, readSignUp } from '../../src/auth/credentials.js';
import {
  Closure,
  Datetime,
  FileReference,
  type ObjectValue,
  objectFrom,
  Range,
  RecordId,
  Regex,
  SetValue,
  Table,
  Uuid,
  type Value,
} from '../../src/value/value.js';

const body = (fields: Record<string, Value>): ObjectValue => objectFrom(fields);
const fails = (work: () => unknown, error: object) => expect(work).toThrowError(expect.objectContaining(error));

describe('who is meant', () => {
  test.each<[string, Record<string, Value>, object]>([
    ['root user', { user: 'u', pass: 'p' }, {}],
    ['root user, long names', { username: 'u', password: 'p' }, {}],
    ['root user with absent places', { user: 'u', pass: 'p', NS: undefined, DB: null, AC: undefined }, {}],
    ['namespace user', { NS: 'n', user: 'u', pass: 'p' }, { namespace: 'n' }],
    ['namespace user, lower case', { ns: 'n', user: 'u', pass: 'p' }, { namespace: 'n' }],
    ['database user', { NS: 'n', DB: 'd', user: 'u', pass: 'p' }, { namespace: 'n', database: 'd' }],
    [
      'database user, long names',
      { namespace: 'n', database: 'd', user: 'u', pass: 'p' },
      { namespace: 'n', database: 'd' },
    ],
    [
      'one name twice with the same text',
      { NS: 'n', ns: 'n', user: 'u', username: 'u', pass: 'p' },
      { namespace: 'n' },
    ],
  ])('%s', (_, fields, databasePath) => {
    expect(readSignIn(body(fields))).toEqual({ kind: 'system', databasePath, user: 'u', password: 'p' });
  });

  test.each<[string, Record<string, Value>, object]>([
    [
      'short names',
      { NS: 'n', DB: 'd', AC: 'a', email: 'e', pass: 'p' },
      { NS: 'n', DB: 'd', AC: 'a', email: 'e', pass: 'p' },
    ],
    ['lower case', { ns: 'n', db: 'd', ac: 'a', email: 'e' }, { ns: 'n', db: 'd', ac: 'a', email: 'e' }],
    ['long names', { namespace: 'n', database: 'd', access: 'a', email: 'e' }, { email: 'e' }],
    [
      'an object of variables',
      { NS: 'n', DB: 'd', AC: 'a', variables: objectFrom({ email: 'e', user: 'u' }) },
      { NS: 'n', DB: 'd', AC: 'a', email: 'e', user: 'u' },
    ],
    [
      'variables in both places',
      { ns: 'n', db: 'd', access: 'a', email: 'e', variables: objectFrom({ pass: 'p' }) },
      { ns: 'n', db: 'd', email: 'e', pass: 'p' },
    ],
    ['variables that is none', { ns: 'n', db: 'd', access: 'a', variables: 3 }, { ns: 'n', db: 'd', variables: 3 }],
    ['no variables', { ns: 'n', db: 'd', access: 'a', variables: objectFrom({}) }, { ns: 'n', db: 'd' }],
    [
      'user names are variables here',
      { ns: 'n', db: 'd', access: 'a', user: 1, username: null },
      { ns: 'n', db: 'd', user: 1, username: null },
    ],
  ])('record user: %s', (_, fields, variables) => {
    const expected = { kind: 'access', databasePath: { namespace: 'n', database: 'd' }, access: 'a' };
    for (const read of [readSignIn, readSignUp]) {
      const credentials = read(body(fields));
      expect(credentials).toMatchObject(expected);
      expect({ ...(credentials as { variables: ObjectValue }).variables }).toEqual(variables);
    }
  });

  test('bearer and refresh', () => {
    expect(readSignIn(body({ ns: 'n', ac: 'a', key: 'surreal-bearer-x-y' }))).toMatchObject({
      kind: 'access',
      databasePath: { namespace: 'n' },
      key: 'surreal-bearer-x-y',
    });
    expect(readSignIn(body({ ns: 'n', db: 'd', ac: 'a', refresh: 'r' }))).toMatchObject({ refresh: 'r' });
    expect(readSignIn(body({ ns: 'n', db: 'd', ac: 'a', key: 7 }))).not.toHaveProperty('key');
  });
});

describe('refused bodies', () => {
  test.each<[Record<string, Value>, string, string]>([
    [{}, 'missing_user_or_pass', 'Username or Password was not provided'],
    [{ AC: 'a' }, 'no_signin_target', 'No signin target to either SC or DB or NS or KV'],
    [{ DB: 'd', user: 'u', pass: 'p' }, 'no_signin_target', 'No signin target to either SC or DB or NS or KV'],
    [{ user: 'u' }, 'missing_user_or_pass', 'Username or Password was not provided'],
    [{ pass: 'p' }, 'missing_user_or_pass', 'Username or Password was not provided'],
    [{ NS: 'n', DB: 'd' }, 'missing_user_or_pass', 'Username or Password was not provided'],
    [{ user: 'u', pass: null }, 'missing_user_or_pass', 'Username or Password was not provided'],
    [
      { NS: 1, user: 'u', pass: 'p' },
      'malformed_credentials',
      "The credentials are malformed: 'NS' must be a text that isn't empty",
    ],
    [
      { NS: '', user: 'u', pass: 'p' },
      'malformed_credentials',
      "The credentials are malformed: 'NS' must be a text that isn't empty",
    ],
    [
      { user: objectFrom({}), pass: 'p' },
      'malformed_credentials',
      "The credentials are malformed: 'user' must be a text that isn't empty",
    ],
    [
      { user: 'u', pass: 1 },
      'malformed_credentials',
      "The credentials are malformed: 'pass' must be a text that isn't empty",
    ],
    [
      { NS: 'n'.repeat(513), user: 'u', pass: 'p' },
      'malformed_credentials',
      "The credentials are malformed: 'NS' is too long",
    ],
    [
      { NS: 'a', ns: 'b', user: 'u', pass: 'p' },
      'duplicate_variable',
      "The credentials are malformed: 'ns' is given twice",
    ],
    [
      { user: 'u', username: 'v', pass: 'p' },
      'duplicate_variable',
      "The credentials are malformed: 'username' is given twice",
    ],
    [
      { NS: 'n', DB: 'd', AC: 'a', email: 'e', variables: objectFrom({ email: 'e' }) },
      'duplicate_variable',
      "The credentials are malformed: 'email' is given twice",
    ],
    [
      { NS: 'n', DB: 'd', AC: 'a', variables: objectFrom({ NS: 'other' }) },
      'duplicate_variable',
      "The credentials are malformed: 'NS' is given twice",
    ],
  ])('%j → %s', (fields, code, message) => {
    fails(() => readSignIn(body(fields)), { code, message, httpStatus: 400 });
  });

  test('a sign-up needs all three', () => {
    for (const fields of [{}, { NS: 'n', DB: 'd' }, { NS: 'n', AC: 'a' }, { user: 'u', pass: 'p' }] as Record<
      string,
      Value
    >[]) {
      fails(() => readSignUp(body(fields)), {
        code: 'invalid_signup',
        message: 'There was a problem with signing up',
        details: { kind: 'Auth', details: { kind: 'InvalidSignup' } },
      });
    }
  });

  test.each(['auth', 'session', 'token', 'access', 'before', 'after', 'value', 'event', 'this', 'parent', 'input'])(
    '$%s belongs to the engine',
    (name) => {
      const error = { code: 'reserved_variable', message: `'${name}' is a protected variable and cannot be set` };
      const nested = body({ NS: 'n', DB: 'd', AC: 'a', variables: objectFrom({ [name]: 1 }) });
      for (const read of [readSignIn, readSignUp]) {
        fails(() => read(nested), error);
        if (name !== 'access') fails(() => read(body({ NS: 'n', DB: 'd', AC: 'a', [name]: 1 })), error);
      }
    },
  );
});

describe('variables are data', () => {
  const closure = new Closure('|$x| $x', undefined);
  const live: [string, Value, string][] = [
    ['a closure', closure, 'function'],
    ['a closure in an array', [[closure]], 'function'],
    ['a closure in an object', objectFrom({ a: objectFrom({ b: closure }) }), 'function'],
    ['a closure in a set', new SetValue([closure]), 'function'],
    ['a closure in a range', new Range({ value: closure, inclusive: true }, undefined), 'range'],
    ['a closure in the key of a record id', new RecordId('t', [closure]), 'function'],
    ['a closure in the object key of a record id', new RecordId('t', objectFrom({ x: closure })), 'function'],
    ['a range of records', new RecordId('user', new Range(undefined, undefined)), 'record'],
    ['a table', new Table('user'), 'table'],
    ['a regex', new Regex('.*'), 'regex'],
    ['a range', new Range({ value: 1, inclusive: true }, { value: 2, inclusive: false }), 'range'],
  ];

  test.each(live)('%s is refused', (_, value, found) => {
    for (const read of [readSignIn, readSignUp]) {
      for (const fields of [{ x: value }, { variables: objectFrom({ x: value }) }] as Record<string, Value>[]) {
        fails(() => read(body({ NS: 'n', DB: 'd', AC: 'a', ...fields })), {
          code: 'variable_not_data',
          message: `The credentials are malformed: 'x' must be plain data, but holds a ${found}`,
        });
      }
    }
  });

  test.each(live)('%s is no user name either', (_, value) => {
    for (const name of ['NS', 'user', 'pass']) {
      fails(() => readSignIn(body({ NS: 'n', user: 'u', pass: 'p', [name]: value })), {
        code: 'malformed_credentials',
      });
    }
  });

  test('everything else passes', () => {
    const plain: Value[] = [
      undefined,
      null,
      true,
      1,
      2n ** 62n,
      1.5,
      'x',
      new Uint8Array([1]),
      new Datetime(0, 0),
      new Uuid('00000000-0000-4000-8000-000000000000'),
      new RecordId('t', [1, 'a']),
      new FileReference('b', '/k'),
      [objectFrom({ a: [1] })],
    ];
    for (const x of plain) readSignUp(body({ NS: 'n', DB: 'd', AC: 'a', x }));
  });

  test('depth, breadth and number are bounded', () => {
    let deep: Value = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const base = { NS: 'n', DB: 'd', AC: 'a' };
    fails(() => readSignIn(body({ ...base, x: deep })), { code: 'malformed_credentials' });
    fails(() => readSignIn(body({ ...base, x: new Array(20_000).fill(1) })), { code: 'malformed_credentials' });
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`x${index}`, 1]));
    fails(() => readSignIn(body({ ...base, ...many })), { code: 'malformed_credentials' });
  });

  test('names like the machinery of JavaScript are names', () => {
    const fields = objectFrom([
      ['NS', 'n'],
      ['DB', 'd'],
      ['AC', 'a'],
      ['__proto__', 1],
      ['constructor', 2],
    ]);
    const { variables } = readSignUp(fields);
    expect(Object.keys(variables)).toEqual(['NS', 'DB', 'AC', '__proto__', 'constructor']);
    fails(() => readSignIn(objectFrom([['__proto__', objectFrom({ user: 'u', pass: 'p' })]])), {
      code: 'missing_user_or_pass',
    });
  });
});
