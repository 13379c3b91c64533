import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { quoteString as shown } from '../../src/value/text/quote.js';
import { isObject } from '../../src/value/value.js';
import { Store } from '../support/definitions.js';

const EC = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

let store: Store;
beforeEach(() => {
  store = new Store();
});

/** Statements as they are written, and as INFO shows them: taken from the reference engine. */
describe('canonical texts', () => {
  const TABLES: [string, string][] = [
    ['DEFINE TABLE t', 'DEFINE TABLE t TYPE ANY SCHEMALESS PERMISSIONS NONE'],
    ['DEFINE TABLE t SCHEMAFULL', 'DEFINE TABLE t TYPE NORMAL SCHEMAFULL PERMISSIONS NONE'],
    [
      "DEFINE TABLE t TYPE RELATION FROM a|b TO c ENFORCED SCHEMAFULL CHANGEFEED 3d INCLUDE ORIGINAL PERMISSIONS FOR select FULL COMMENT 'x'",
      "DEFINE TABLE t TYPE RELATION IN a | b OUT c ENFORCED SCHEMAFULL COMMENT 'x' CHANGEFEED 3d INCLUDE ORIGINAL PERMISSIONS FOR select FULL, FOR create, update, delete NONE",
    ],
    [
      'DEFINE TABLE t TYPE NORMAL PERMISSIONS FOR select WHERE a = 1, FOR create, update FULL',
      'DEFINE TABLE t TYPE NORMAL SCHEMALESS PERMISSIONS FOR select WHERE a = 1, FOR create, update FULL, FOR delete NONE',
    ],
  ];
  it.each(TABLES)('%s', async (written, canonical) => {
    await store.run(written);
    expect(await store.info('INFO FOR DB', 'tables', 't')).toBe(canonical);
  });

  const MEMBERS: [string, string, string, string][] = [
    [
      'DEFINE FIELD arr ON t TYPE array<string>',
      'fields',
      'arr',
      'DEFINE FIELD arr ON t TYPE array<string> PERMISSIONS FULL',
    ],
    [
      'DEFINE FIELD so ON t TYPE option<set<record<a>>>',
      'fields',
      'so.*',
      'DEFINE FIELD so.* ON t TYPE record<a> PERMISSIONS FULL',
    ],
    [
      'DEFINE FIELD un ON t TYPE array<int> | array<string>',
      'fields',
      'un.*',
      'DEFINE FIELD un.* ON t TYPE int | string PERMISSIONS FULL',
    ],
    [
      'DEFINE FIELD d ON t TYPE array<array<int,3>, 2>',
      'fields',
      'd.*.*',
      'DEFINE FIELD d.*.* ON t TYPE int PERMISSIONS FULL',
    ],
    [
      'DEFINE FIELD r ON t TYPE record<t> REFERENCE',
      'fields',
      'r',
      'DEFINE FIELD r ON t TYPE record<t> REFERENCE ON DELETE IGNORE PERMISSIONS FULL',
    ],
    [
      "DEFINE INDEX i ON t FIELDS a, b UNIQUE COMMENT 'idx'",
      'indexes',
      'i',
      "DEFINE INDEX i ON t FIELDS a, b UNIQUE COMMENT 'idx'",
    ],
    ['DEFINE INDEX i ON t FIELDS a CONCURRENTLY', 'indexes', 'i', 'DEFINE INDEX i ON t FIELDS a'],
    [
      'DEFINE EVENT e ON t THEN (CREATE x), (CREATE y)',
      'events',
      'e',
      'DEFINE EVENT e ON t WHEN true THEN (CREATE x), (CREATE y)',
    ],
  ];
  it.each(MEMBERS)('%s', async (written, list, name, shown) => {
    await store.run(written);
    expect(await store.info('INFO FOR TABLE t', list, name)).toBe(shown);
  });

  const PLACED: [string, string, string, string][] = [
    [
      'DEFINE PARAM $p VALUE { a: [1, 1f, t:1] }',
      'params',
      'p',
      'DEFINE PARAM $p VALUE { a: [1, 1f, t:1] } PERMISSIONS FULL',
    ],
    ['DEFINE PARAM $p VALUE NONE', 'params', 'p', 'DEFINE PARAM $p VALUE NONE PERMISSIONS FULL'],
    [
      'DEFINE FUNCTION fn::a::b($a: option<int>) { RETURN 1; }',
      'functions',
      'a::b',
      'DEFINE FUNCTION fn::a::b($a: none | int) { RETURN 1 } PERMISSIONS FULL',
    ],
    [
      'DEFINE ANALYZER an TOKENIZERS blank,class FILTERS lowercase, snowball(english)',
      'analyzers',
      'an',
      'DEFINE ANALYZER an TOKENIZERS BLANK,CLASS FILTERS LOWERCASE, SNOWBALL(ENGLISH)',
    ],
    ['DEFINE CONFIG GRAPHQL AUTO', 'configs', 'GraphQL', 'GRAPHQL TABLES AUTO FUNCTIONS AUTO'],
    [
      "DEFINE USER u ON DATABASE PASSWORD 'x' ROLES OWNER",
      'users',
      'u',
      "DEFINE USER u ON DATABASE PASSHASH '[REDACTED]' ROLES OWNER DURATION FOR TOKEN 1h, FOR SESSION NONE",
    ],
    [
      "DEFINE USER u ON DATABASE PASSHASH 'abc' DURATION FOR SESSION 1d, FOR TOKEN 5s COMMENT 'hi'",
      'users',
      'u',
      "DEFINE USER u ON DATABASE PASSHASH '[REDACTED]' ROLES VIEWER DURATION FOR TOKEN 5s, FOR SESSION 1d COMMENT 'hi'",
    ],
    [
      'DEFINE ACCESS ac ON DATABASE TYPE RECORD',
      'accesses',
      'ac',
      "DEFINE ACCESS ac ON DATABASE TYPE RECORD WITH JWT ALGORITHM HS512 KEY '[REDACTED]' WITH ISSUER KEY '[REDACTED]' DURATION FOR TOKEN 1h, FOR SESSION NONE",
    ],
    [
      "DEFINE ACCESS ac ON DATABASE TYPE RECORD WITH REFRESH WITH JWT ALGORITHM HS256 KEY '0123456789abcdef0123456789abcdef'",
      'accesses',
      'ac',
      "DEFINE ACCESS ac ON DATABASE TYPE RECORD WITH REFRESH WITH JWT ALGORITHM HS256 KEY '[REDACTED]' WITH ISSUER KEY '[REDACTED]' DURATION FOR GRANT 4w2d, FOR TOKEN 1h, FOR SESSION NONE",
    ],
    [
      `DEFINE ACCESS ac ON DATABASE TYPE JWT ALGORITHM ES256 KEY '${EC.publicKey}'`,
      'accesses',
      'ac',
      `DEFINE ACCESS ac ON DATABASE TYPE JWT ALGORITHM ES256 KEY ${shown(EC.publicKey)} DURATION FOR SESSION NONE`,
    ],
    [
      `DEFINE ACCESS ac ON DATABASE TYPE JWT ALGORITHM ES256 KEY '${EC.publicKey}' WITH ISSUER KEY '${EC.privateKey}'`,
      'accesses',
      'ac',
      `DEFINE ACCESS ac ON DATABASE TYPE JWT ALGORITHM ES256 KEY ${shown(EC.publicKey)} WITH ISSUER KEY '[REDACTED]' DURATION FOR TOKEN 1h, FOR SESSION NONE`,
    ],
    [
      `DEFINE ACCESS ac ON DATABASE TYPE JWT ALGORITHM ES256 KEY '${EC.publicKey}' FORMER KEY '${EC.publicKey}' UNTIL d'2030-01-01T00:00:00Z' REQUIRE ISSUER 'https://id.example', 'b' AUDIENCE 'shop'`,
      'accesses',
      'ac',
      `DEFINE ACCESS ac ON DATABASE TYPE JWT ALGORITHM ES256 KEY ${shown(EC.publicKey)} FORMER KEY ${shown(EC.publicKey)} UNTIL d'2030-01-01T00:00:00Z' REQUIRE ISSUER 'https://id.example', 'b' AUDIENCE 'shop' DURATION FOR SESSION NONE`,
    ],
    [
      "DEFINE ACCESS ac ON DATABASE TYPE RECORD WITH JWT ALGORITHM HS256 KEY '0123456789abcdef0123456789abcdef' FORMER KEY '0123456789abcdef0123456789ABCDEF' UNTIL d'2030-01-01T00:00:00Z' REQUIRE AUDIENCE 'shop' WITH REFRESH",
      'accesses',
      'ac',
      "DEFINE ACCESS ac ON DATABASE TYPE RECORD WITH REFRESH WITH JWT ALGORITHM HS256 KEY '[REDACTED]' FORMER KEY '[REDACTED]' UNTIL d'2030-01-01T00:00:00Z' REQUIRE AUDIENCE 'shop' WITH ISSUER KEY '[REDACTED]' DURATION FOR GRANT 4w2d, FOR TOKEN 1h, FOR SESSION NONE",
    ],
    [
      "DEFINE ACCESS ac ON DATABASE TYPE JWT URL 'https://x/y'",
      'accesses',
      'ac',
      "DEFINE ACCESS ac ON DATABASE TYPE JWT URL 'https://x/y' DURATION FOR SESSION NONE",
    ],
    [
      'DEFINE ACCESS ac ON DATABASE TYPE BEARER FOR RECORD',
      'accesses',
      'ac',
      'DEFINE ACCESS ac ON DATABASE TYPE BEARER FOR RECORD DURATION FOR GRANT 4w2d, FOR TOKEN 1h, FOR SESSION NONE',
    ],
  ];
  it.each(PLACED)('%s', async (written, list, name, shown) => {
    await store.run(written);
    expect(await store.info('INFO FOR DB', list, name)).toBe(shown);
  });

  it('shows a view at its source', async () => {
    await store.run('DEFINE TABLE src; DEFINE TABLE v AS SELECT count() FROM src GROUP ALL');
    expect(await store.info('INFO FOR TABLE src', 'tables', 'v')).toBe(
      'DEFINE TABLE v TYPE ANY SCHEMALESS AS SELECT count() FROM src GROUP ALL PERMISSIONS NONE',
    );
  });
});

describe('names that are taken', () => {
  const KINDS: [string, string][] = [
    ['DEFINE NAMESPACE x', "The namespace 'x' already exists"],
    ['DEFINE DATABASE x', "The database 'x' already exists"],
    ['DEFINE TABLE x', "The table 'x' already exists"],
    ['DEFINE FIELD x ON t', "The field 'x' already exists"],
    ['DEFINE INDEX x ON t FIELDS a', "The index 'x' already exists"],
    ['DEFINE EVENT x ON t THEN {}', "The event 'x' already exists"],
    ['DEFINE PARAM $x VALUE 1', "The param '$x' already exists"],
    ['DEFINE FUNCTION fn::x() {}', "The function 'fn::x' already exists"],
    ['DEFINE ANALYZER x', "The analyzer 'x' already exists"],
    ['DEFINE USER x ON DATABASE', "The user 'x' already exists in the database 'test'"],
    ['DEFINE USER x ON NAMESPACE', "The user 'x' already exists in the namespace 'test'"],
    ['DEFINE USER x ON ROOT', "The root user 'x' already exists"],
    ['DEFINE ACCESS x ON DATABASE TYPE RECORD', "The access method 'x' already exists in the database 'test'"],
    ['DEFINE ACCESS x ON ROOT TYPE BEARER FOR USER', "The root access method 'x' already exists"],
    ['DEFINE CONFIG GRAPHQL AUTO', 'The config for graphql already exists'],
    ['DEFINE CONFIG DEFAULT NAMESPACE a DATABASE b', 'The config for default already exists'],
  ];
  it.each(KINDS)('%s', async (statement, text) => {
    await store.run(statement);
    expect(await store.failure(statement)).toBe(text);
    await store.run(statement.replace('DEFINE', 'DEFINE').replace(/^DEFINE (\w+)/, 'DEFINE $1 IF NOT EXISTS'));
    await store.run(statement.replace(/^DEFINE (\w+)/, 'DEFINE $1 OVERWRITE'));
  });
});

describe('removing', () => {
  const KINDS: [string, string, string][] = [
    ['DEFINE NAMESPACE x', 'REMOVE NAMESPACE x', "The namespace 'x' does not exist"],
    ['DEFINE DATABASE x', 'REMOVE DATABASE x', "The database 'x' does not exist"],
    ['DEFINE TABLE x', 'REMOVE TABLE x', "The table 'x' does not exist"],
    ['DEFINE FIELD x ON t', 'REMOVE FIELD x ON t', "The field 'x' does not exist"],
    ['DEFINE INDEX x ON t FIELDS a', 'REMOVE INDEX x ON t', "The index 'x' does not exist"],
    ['DEFINE EVENT x ON t THEN {}', 'REMOVE EVENT x ON t', "The event 'x' does not exist"],
    ['DEFINE PARAM $x VALUE 1', 'REMOVE PARAM $x', "The param '$x' does not exist"],
    ['DEFINE FUNCTION fn::x() {}', 'REMOVE FUNCTION fn::x', "The function 'fn::x' does not exist"],
    ['DEFINE ANALYZER x', 'REMOVE ANALYZER x', "The analyzer 'x' does not exist"],
    ['DEFINE USER x ON DATABASE', 'REMOVE USER x ON DATABASE', "The user 'x' does not exist in the database 'test'"],
    ['DEFINE USER x ON NAMESPACE', 'REMOVE USER x ON NAMESPACE', "The user 'x' does not exist in the namespace 'test'"],
    ['DEFINE USER x ON ROOT', 'REMOVE USER x ON ROOT', "The root user 'x' does not exist"],
    [
      'DEFINE ACCESS x ON ROOT TYPE BEARER FOR USER',
      'REMOVE ACCESS x ON ROOT',
      "The root access method 'x' does not exist",
    ],
    ['DEFINE CONFIG GRAPHQL AUTO', 'REMOVE CONFIG GRAPHQL', 'The config for graphql does not exist'],
  ];
  it.each(KINDS)('%s; %s', async (define, remove, text) => {
    await store.run(define);
    await store.run(remove);
    expect(await store.failure(remove)).toBe(text);
    await store.run(remove.replace(/^REMOVE (\w+)/, 'REMOVE $1 IF EXISTS'));
    await store.run(define);
  });

  it('refuses a table that a view reads', async () => {
    await store.run('DEFINE TABLE t; DEFINE TABLE v AS SELECT * FROM t');
    expect(await store.failure('REMOVE TABLE t')).toBe(
      'Invalid query: Cannot delete table `t` on which a view is defined, table(s) `v` are defined as a view on this table.',
    );
    await store.run('DEFINE TABLE OVERWRITE v; REMOVE TABLE t');
  });

  it('takes all that is in a namespace with it', async () => {
    await store.run('DEFINE TABLE t; DEFINE FIELD f ON t; DEFINE USER u ON NAMESPACE; DEFINE USER u ON DATABASE');
    await store.run('REMOVE NAMESPACE test; DEFINE TABLE other');
    expect(await store.info('INFO FOR DB', 'tables')).toBe(
      "{ other: 'DEFINE TABLE other TYPE ANY SCHEMALESS PERMISSIONS NONE' }",
    );
    expect(await store.info('INFO FOR NS', 'users')).toBe('{  }');
  });
});

describe('fields', () => {
  const REFUSED: [string, string, string][] = [
    [
      'DEFINE FIELD a ON t TYPE string',
      'DEFINE FIELD a.b ON t TYPE int',
      'Cannot set field `a.b` with type `int` as it mismatched with field `a` with type `string`',
    ],
    [
      'DEFINE FIELD a ON t TYPE array<int>',
      'DEFINE FIELD OVERWRITE a.* ON t TYPE string',
      'Cannot set field `a.*` with type `string` as it mismatched with field `a` with type `array<int>`',
    ],
    [
      'DEFINE FIELD a ON t TYPE {a: {b: int}}',
      'DEFINE FIELD a.a.c ON t TYPE int',
      'Cannot set field `a.a.c` with type `int` as it mismatched with field `a` with type `{ a: { b: int } }`',
    ],
    [
      'DEFINE FIELD c ON t COMPUTED 1',
      'DEFINE FIELD c.x ON t TYPE int',
      'Cannot define nested field `c.x` as parent field `c` is a `COMPUTED` field.',
    ],
    [
      'DEFINE FIELD c.d ON t',
      'DEFINE FIELD c ON t COMPUTED 1',
      'Cannot define field `c` as `COMPUTED` since a nested field `c.d` already exists.',
    ],
    [
      'DEFINE TABLE t',
      'DEFINE FIELD x.c ON t COMPUTED 1',
      'Cannot define field `x.c` as `COMPUTED` fields must be top-level.',
    ],
    ['DEFINE TABLE t', 'DEFINE FIELD c ON t COMPUTED 1 VALUE 2', 'Cannot use the `VALUE` keyword with `COMPUTED`.'],
    ['DEFINE TABLE t', 'DEFINE FIELD id ON t VALUE 2', 'Cannot use the `VALUE` keyword on the `id` field.'],
    [
      'DEFINE TABLE t',
      'DEFINE FIELD id ON t TYPE float',
      "Cannot use the `float` type on the `id` field, as that's not a valid record id key.",
    ],
    [
      'DEFINE TABLE t',
      'DEFINE FIELD o.id ON t TYPE record<t> REFERENCE',
      'Cannot use the `REFERENCE` keyword on nested field `o.id`. Specify a referencing field at the root level instead.',
    ],
    [
      'DEFINE TABLE t',
      'DEFINE FIELD n ON t TYPE string REFERENCE',
      'Cannot use the `REFERENCE` keyword with `TYPE string`. Specify only a `record` type, or a type containing only records, instead.',
    ],
    [
      'DEFINE TABLE t',
      'DEFINE FIELD d ON t TYPE object FLEXIBLE',
      'An error occurred: FLEXIBLE can only be used in SCHEMAFULL tables',
    ],
    [
      'DEFINE TABLE t TYPE RELATION',
      'DEFINE FIELD OVERWRITE in ON t TYPE string',
      'An error occurred: in field on a relation must be a record',
    ],
    [
      'DEFINE TABLE t',
      'DEFINE FIELD a->b ON t',
      'Cannot define a field at the path `a->b`: only names, `*` and indexes can be in it',
    ],
  ];
  it.each(REFUSED)('after %s refuses %s', async (first, second, text) => {
    await store.run(first);
    expect(await store.failure(second)).toBe(text);
  });

  it.each([
    ['DEFINE FIELD a ON t TYPE option<object>', 'DEFINE FIELD a.x ON t TYPE int'],
    ['DEFINE FIELD a ON t TYPE int | object', 'DEFINE FIELD a.x ON t TYPE any'],
    ['DEFINE FIELD a ON t TYPE number', 'DEFINE FIELD a.x ON t'],
    ['DEFINE FIELD a ON t TYPE array<object>', 'DEFINE FIELD a.*.k ON t TYPE string'],
    ['DEFINE FIELD a ON t TYPE array<number>', 'DEFINE FIELD OVERWRITE a.* ON t TYPE number ASSERT $value > 1'],
    ['DEFINE TABLE t', 'DEFINE FIELD r ON t TYPE option<array<record<t>>> REFERENCE ON DELETE UNSET'],
  ])('after %s admits %s', async (first, second) => {
    await store.run(first);
    await store.run(second);
  });

  it('keeps the clauses of an implied field while its type follows', async () => {
    await store.run('DEFINE FIELD a ON t TYPE array<int>; DEFINE FIELD OVERWRITE a.* ON t TYPE int ASSERT $value > 1');
    await store.run('DEFINE FIELD OVERWRITE a ON t TYPE array<int | string>');
    expect(await store.info('INFO FOR TABLE t', 'fields', 'a.*')).toBe(
      'DEFINE FIELD a.* ON t TYPE int | string ASSERT $value > 1 PERMISSIONS FULL',
    );
  });

  it('drops an implied field that no statement changed', async () => {
    await store.run('DEFINE FIELD a ON t TYPE array<int>; DEFINE FIELD OVERWRITE a ON t TYPE string');
    expect(await store.info('INFO FOR TABLE t', 'fields', 'a.*')).toBe('NONE');
    await store.run('DEFINE FIELD OVERWRITE a ON t TYPE array<int>; REMOVE FIELD a ON t');
    expect(await store.info('INFO FOR TABLE t', 'fields')).toBe('{  }');
  });

  it('keeps a relation and its ends together', async () => {
    await store.run('DEFINE TABLE r TYPE RELATION FROM a TO b; DEFINE FIELD OVERWRITE in ON r TYPE record<c>');
    expect(await store.info('INFO FOR DB', 'tables', 'r')).toBe(
      'DEFINE TABLE r TYPE RELATION IN c OUT b SCHEMALESS PERMISSIONS NONE',
    );
    await store.run('DEFINE TABLE OVERWRITE r TYPE NORMAL');
    expect(await store.info('INFO FOR TABLE r', 'fields')).toBe('{  }');
  });
});

it.each([
  ['DEFINE INDEX i ON t COUNT WHERE a > 1', undefined],
  ['DEFINE INDEX i ON t', 'Expected at least one column - Use FIELDS to define columns'],
  ['DEFINE INDEX i ON t UNIQUE', 'Expected at least one column - Use FIELDS to define columns'],
  ['DEFINE INDEX i ON t FIELDS a COUNT', 'Cannot create a count index with fields'],
  ['DEFINE INDEX i ON t FIELDS a, b FULLTEXT ANALYZER x', 'Expected one column, found 2'],
])('%s asks for the columns of its kind', async (statement, text) => {
  const failure = await store.failure(statement);
  if (text === undefined) expect(failure).toBe('no failure');
  else expect(failure).toContain(text);
});

describe('names from params', () => {
  it('settles them', async () => {
    await store.run('DEFINE FIELD $path ON $table TYPE int', { variables: { path: 'a.b', table: 'dyn' } });
    expect(await store.info('INFO FOR TABLE dyn', 'fields', 'a.b')).toBe(
      'DEFINE FIELD a.b ON dyn TYPE int PERMISSIONS FULL',
    );
  });

  it.each([
    ['DEFINE TABLE $n', 'Expected `table name` but found `5`'],
    ['DEFINE USER $n ON ROOT', 'Expected `user name` but found `5`'],
    ['DEFINE FIELD $n ON t', 'Expected `field name` but found `5`'],
    ['REMOVE DATABASE $n', 'Expected `database name` but found `5`'],
    ['INFO FOR TABLE $n', 'Expected `string` but found `5`'],
  ])('%s', async (statement, text) => {
    await store.run('DEFINE TABLE t');
    expect(await store.failure(statement, { variables: { n: 5 } })).toBe(text);
  });
});

describe('views', () => {
  it('need their sources', async () => {
    expect(await store.failure('DEFINE TABLE v AS SELECT * FROM src')).toBe("The table 'src' does not exist");
  });

  it('never read themselves', async () => {
    await store.run('DEFINE TABLE a; DEFINE TABLE b AS SELECT * FROM a');
    expect(await store.failure('DEFINE TABLE OVERWRITE a AS SELECT * FROM b')).toBe(
      'Invalid query: Cannot define table `a` as a view that reads itself',
    );
  });
});

describe('secrets', () => {
  it('never show', async () => {
    await store.run("DEFINE USER u ON DATABASE PASSHASH 'thehash'; DEFINE USER v ON ROOT PASSHASH 'thehash'");
    await store.run("DEFINE ACCESS a ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'thekey thekey thekey thekey thekey'");
    await store.run(
      `DEFINE ACCESS b ON DATABASE TYPE JWT ALGORITHM ES256 KEY '${EC.publicKey}' WITH ISSUER KEY '${EC.privateKey}'`,
    );
    for (const subject of ['DB', 'DB STRUCTURE', 'ROOT', 'ROOT STRUCTURE', 'USER u', 'USER u STRUCTURE']) {
      const text = await store.info(`INFO FOR ${subject}`);
      expect(text).not.toMatch(/thehash|thekey|PRIVATE/);
      expect(text).toContain('[REDACTED]');
    }
  });

  it('refuses params that the session speaks for', async () => {
    expect(await store.failure('DEFINE PARAM $auth VALUE 1')).toBe("'auth' is a protected variable and cannot be set");
  });
});

describe('STRUCTURE', () => {
  it('gives the members of the reference engine', async () => {
    await store.run(
      "DEFINE TABLE r TYPE RELATION FROM a|b TO c ENFORCED SCHEMAFULL CHANGEFEED 3d INCLUDE ORIGINAL PERMISSIONS FOR select FULL COMMENT 'x'",
    );
    const tables = await store.info('INFO FOR DB STRUCTURE', 'tables');
    expect(tables.replace(/id: \d+/, 'id: 1')).toBe(
      "[{ changefeed: { expiry: 3d, original: true }, comment: 'x', drop: false, id: 1, kind: { enforced: true, in: ['a', 'b'], kind: 'RELATION', out: ['c'] }, name: 'r', permissions: { create: false, delete: false, select: true, update: false }, schemafull: true }]",
    );
    await store.run(
      "DEFINE FIELD f ON b TYPE string DEFAULT ALWAYS 'x' ASSERT $value != 'y' VALUE string::lowercase($value) READONLY COMMENT 'c' PERMISSIONS FOR select WHERE x = 1, FOR update NONE; DEFINE INDEX i ON b FIELDS a, b UNIQUE; DEFINE INDEX p ON b FIELDS a; DEFINE INDEX c ON b COUNT; DEFINE EVENT e ON b THEN (CREATE x)",
    );
    expect(await store.info('INFO FOR TABLE b STRUCTURE')).toBe(
      "{ events: [{ name: 'e', then: ['CREATE x'], what: b, when: 'true' }], fields: [{ assert: \"$value != 'y'\", comment: 'c', default: \"'x'\", default_always: true, kind: 'string', name: 'f', permissions: { create: true, select: 'x = 1', update: false }, readonly: true, table: 'b', value: 'string::lowercase($value)' }], indexes: [{ cols: [], index: 'COUNT', name: 'c', table: 'b' }, { cols: ['a', 'b'], index: 'UNIQUE', name: 'i', table: 'b' }, { cols: ['a'], index: '', name: 'p', table: 'b' }], lives: [], tables: [] }",
    );
    await store.run(
      "DEFINE ACCESS j ON DATABASE TYPE RECORD SIGNUP (CREATE user) AUTHENTICATE { RETURN $auth } WITH JWT URL 'https://x/y'".replace(
        " AUTHENTICATE { RETURN $auth } WITH JWT URL 'https://x/y'",
        " WITH JWT URL 'https://x/y' AUTHENTICATE { RETURN $auth }",
      ),
    );
    expect(await store.info('INFO FOR DB STRUCTURE', 'accesses')).toBe(
      "[{ authenticate: '{ RETURN $auth }', duration: { session: NONE, token: 1h }, kind: { jwt: { verify: { url: 'https://x/y' } }, kind: 'RECORD', signup: 'CREATE user' }, name: 'j' }]",
    );
    await store.run(
      "DEFINE USER u2 ON DATABASE PASSHASH 'abc' ROLES VIEWER, EDITOR DURATION FOR SESSION 1d, FOR TOKEN 5s COMMENT 'hi'",
    );
    expect(await store.info('INFO FOR USER u2 STRUCTURE')).toBe(
      "{ comment: 'hi', duration: { session: 1d, token: 5s }, hash: '[REDACTED]', name: 'u2', roles: ['VIEWER', 'EDITOR'] }",
    );
  });

  it('has the shape of each subject', async () => {
    await store.run('DEFINE TABLE t; DEFINE INDEX i ON t FIELDS a');
    const keys = async (text: string) => {
      const value = await store.run(text);
      return isObject(value) ? Object.keys(value) : [];
    };
    expect(await keys('INFO FOR ROOT')).toEqual([
      'accesses',
      'config',
      'defaults',
      'namespaces',
      'nodes',
      'system',
      'users',
    ]);
    expect(await keys('INFO FOR NS')).toEqual(['accesses', 'databases', 'users']);
    expect(await keys('INFO FOR TABLE nope')).toEqual(['events', 'fields', 'indexes', 'lives', 'tables']);
    expect(await store.info('INFO FOR INDEX i ON t')).toBe(
      "{ building: { initial: 0, pending: 0, status: 'ready', updated: 0 } }",
    );
    expect(await store.failure('INFO FOR INDEX x ON t')).toBe("The index 'x' does not exist");
    expect(await store.failure('INFO FOR USER u ON ROOT')).toBe("The root user 'u' does not exist");
  });
});
