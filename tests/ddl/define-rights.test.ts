import { beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/catalog/principal.js';
import type { Level, Role } from '../../src/language/ast.js';
import { RecordId } from '../../src/value/value.js';
import { PATH, Store } from '../support/definitions.js';

const REFUSED = 'IAM error: Not enough permissions to perform this action';

const LEVELS: readonly Level[] = ['root', 'namespace', 'database'];
const ROLES: readonly Role[] = ['owner', 'editor', 'viewer'];

function user(level: Level, role: Role): Principal {
  return {
    kind: 'system',
    level,
    name: role,
    roles: [role],
    ...(level !== 'root' && { namespace: 'test' }),
    ...(level === 'database' && { database: 'test' }),
  };
}

const GUEST: Principal = { kind: 'guest' };
const RECORD: Principal = {
  kind: 'record',
  namespace: 'test',
  database: 'test',
  access: 'a',
  id: new RecordId('user', 1),
};

/** The least level and role that each statement asks for (`reference/auth.md` §9). */
const MATRIX: [statement: string, level: Level, role: Role][] = [
  ['INFO FOR ROOT', 'root', 'viewer'],
  ['INFO FOR NS', 'namespace', 'viewer'],
  ['INFO FOR DB', 'database', 'viewer'],
  ['INFO FOR TABLE t', 'database', 'viewer'],
  ['INFO FOR INDEX i ON t', 'database', 'viewer'],
  ['INFO FOR USER u ON DATABASE', 'database', 'viewer'],
  ['INFO FOR USER u ON ROOT', 'root', 'viewer'],
  ['DEFINE NAMESPACE x', 'root', 'editor'],
  ['REMOVE NAMESPACE IF EXISTS x', 'root', 'editor'],
  ['DEFINE DATABASE x', 'namespace', 'editor'],
  ['REMOVE DATABASE IF EXISTS x', 'namespace', 'editor'],
  ['DEFINE TABLE x', 'database', 'editor'],
  ['DEFINE TABLE IF NOT EXISTS t', 'database', 'editor'],
  ['DEFINE FIELD x ON t', 'database', 'editor'],
  ['DEFINE INDEX x ON t FIELDS a', 'database', 'editor'],
  ['DEFINE EVENT x ON t THEN {}', 'database', 'editor'],
  ['DEFINE PARAM $x VALUE 1', 'database', 'editor'],
  ['DEFINE FUNCTION fn::x() {}', 'database', 'editor'],
  ['DEFINE ANALYZER x', 'database', 'editor'],
  ['REMOVE TABLE IF EXISTS x', 'database', 'editor'],
  ['REMOVE FIELD IF EXISTS x ON t', 'database', 'editor'],
  ['REMOVE INDEX IF EXISTS x ON t', 'database', 'editor'],
  ['REMOVE EVENT IF EXISTS x ON t', 'database', 'editor'],
  ['REMOVE PARAM IF EXISTS $x', 'database', 'editor'],
  ['REMOVE FUNCTION IF EXISTS fn::x', 'database', 'editor'],
  ['REMOVE ANALYZER IF EXISTS x', 'database', 'editor'],
  ['DEFINE USER x ON DATABASE', 'database', 'owner'],
  ['DEFINE USER x ON NAMESPACE', 'namespace', 'owner'],
  ['DEFINE USER x ON ROOT', 'root', 'owner'],
  ['REMOVE USER IF EXISTS x ON DATABASE', 'database', 'owner'],
  ['REMOVE USER IF EXISTS x ON NAMESPACE', 'namespace', 'owner'],
  ['REMOVE USER IF EXISTS x ON ROOT', 'root', 'owner'],
  ['DEFINE ACCESS x ON DATABASE TYPE RECORD', 'database', 'owner'],
  [
    "DEFINE ACCESS x ON NAMESPACE TYPE JWT ALGORITHM HS256 KEY 'a secret of more than 32 characters'",
    'namespace',
    'owner',
  ],
  ['DEFINE ACCESS x ON ROOT TYPE BEARER FOR USER', 'root', 'owner'],
  ['REMOVE ACCESS IF EXISTS x ON DATABASE', 'database', 'owner'],
  ['REMOVE ACCESS IF EXISTS x ON ROOT', 'root', 'owner'],
  ['DEFINE SEQUENCE x', 'database', 'owner'],
  ['REMOVE SEQUENCE IF EXISTS x', 'database', 'owner'],
  ["DEFINE API '/x' FOR get THEN {}", 'database', 'owner'],
  ["REMOVE API IF EXISTS '/x'", 'database', 'owner'],
  ['DEFINE CONFIG GRAPHQL AUTO', 'database', 'owner'],
  ['DEFINE CONFIG DEFAULT NAMESPACE a DATABASE b', 'root', 'owner'],
  ['REMOVE CONFIG IF EXISTS GRAPHQL', 'database', 'owner'],
];

let store: Store;
beforeEach(async () => {
  store = new Store();
  await store.run('DEFINE TABLE t; DEFINE INDEX i ON t FIELDS a; DEFINE USER u ON DATABASE; DEFINE USER u ON ROOT');
});

it.each(MATRIX)('%s', async (statement, leastLevel, leastRole) => {
  for (const level of LEVELS) {
    for (const role of ROLES) {
      const allowed =
        LEVELS.indexOf(level) <= LEVELS.indexOf(leastLevel) && ROLES.indexOf(role) <= ROLES.indexOf(leastRole);
      const overwriting = statement.replace(/^DEFINE (\w+) (?!IF)/, 'DEFINE $1 OVERWRITE ');
      const failure = await store.failure(overwriting, { principal: user(level, role) });
      expect(`${level} ${role}: ${failure}`).toBe(`${level} ${role}: ${allowed ? 'no failure' : REFUSED}`);
    }
  }
  for (const principal of [GUEST, RECORD]) expect(await store.failure(statement, { principal })).toBe(REFUSED);
});

describe('places that do not exist', () => {
  const NOWHERE = { namespace: 'new', database: 'new' };

  it('come into being for those who may define them', async () => {
    await store.run('DEFINE TABLE x', { databasePath: NOWHERE, principal: user('root', 'editor') });
    await store.run('DEFINE TABLE x', {
      databasePath: { namespace: 'test', database: 'new' },
      principal: user('namespace', 'editor'),
    });
    expect(await store.info('INFO FOR ROOT', 'namespaces', 'new')).toBe('DEFINE NAMESPACE new');
    expect(await store.info('INFO FOR NS', 'databases', 'new')).toBe('DEFINE DATABASE new');
  });

  it.each([GUEST, RECORD, user('database', 'owner'), user('namespace', 'owner'), user('root', 'viewer')])(
    'and for nobody else: %j',
    async (principal) => {
      for (const statement of [
        'DEFINE TABLE x',
        'DEFINE USER x ON DATABASE',
        'DEFINE USER x ON NAMESPACE',
        'INFO FOR DB',
      ]) {
        const failure = await store.failure(statement, { databasePath: NOWHERE, principal });
        expect([REFUSED, "The database 'new' does not exist"]).toContain(failure);
      }
      expect(await store.info('INFO FOR ROOT', 'namespaces', 'new')).toBe('NONE');
    },
  );

  it('are distinct from those that were not selected', async () => {
    expect(await store.failure('DEFINE TABLE x', { databasePath: {} })).toBe('Specify a namespace to use');
    expect(await store.failure('DEFINE TABLE x', { databasePath: { namespace: 'test' } })).toBe(
      'Specify a database to use',
    );
    expect(await store.failure('INFO FOR NS', { databasePath: {} })).toBe('Specify a namespace to use');
  });
});

it('covers only the own namespace and database', async () => {
  await store.run('DEFINE NAMESPACE other');
  await store.run('DEFINE DATABASE other', { databasePath: { namespace: 'other' } });
  for (const databasePath of [
    { namespace: 'other', database: 'other' },
    { namespace: 'other', database: PATH.database },
  ]) {
    for (const level of ['namespace', 'database'] as const) {
      expect(await store.failure('DEFINE TABLE x', { databasePath, principal: user(level, 'owner') })).toBe(REFUSED);
      expect(await store.failure('INFO FOR DB', { databasePath, principal: user(level, 'owner') })).toBe(REFUSED);
    }
  }
});

it('keeps a STRICT database from growing tables', async () => {
  await store.run('DEFINE DATABASE s STRICT');
  const databasePath = { namespace: 'test', database: 's' };
  expect(await store.failure('DEFINE FIELD x ON nope', { databasePath })).toBe("The table 'nope' does not exist");
});
