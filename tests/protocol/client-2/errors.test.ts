/** What failures of statements are to programs: their kind, and their details. Texts are held to the peer's in tests/scripts. */
import type { Surreal } from 'surrealdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/server.js';
import { startDrawnServer } from '../../support/drawn-server.js';
import { newClient } from '../../support/official-client.js';
import { ROOT } from '../../support/server.js';
import { addressOf, asRoot, SCHEMES } from './client.js';

/** Statements of which the last result, or the whole, fails; then the kind and the details of the error. */
type Row = [text: string, kind: string, details?: object];

const named = (kind: string, name: string) => ({ kind, details: { name } });
const record = (id: string) => ({ kind: 'Record', details: { id } });

/** The peer tells these so. */
const AS_THE_PEER: readonly Row[] = [
  ["RETURN 1 + 'a'", 'Validation'],
  ["RETURN 1 - 'a'", 'Validation'],
  ["RETURN 1 * 'a'", 'Validation'],
  ["RETURN 1 % 'a'", 'Validation'],
  ["RETURN 2 ** 'a'", 'Validation'],
  ["RETURN -'a'", 'Validation'],
  ['RETURN 9223372036854775807 + 1', 'Validation'],
  ['RETURN -duration::max', 'Validation'],
  ["RETURN { RETURN 1 % 'a' }", 'Validation'],
  ["SELECT * FROM [1] WHERE -'a'", 'Validation'],
  ["DEFINE EVENT e ON noted THEN (1 + 'a'); CREATE noted", 'Internal'],
  ['RETURN 1s - 2s', 'Internal'],
  ['RETURN 1s * -1', 'Internal'],
  ["RETURN <int>'x'", 'Internal'],
  ['RETURN <array>1..1000000000', 'Internal'],
  ['RETURN fn::nope()', 'Internal'],
  ['RETURN string::nope()', 'Validation'],
  ['RETURN 1 +', 'Validation'],
  ["RETURN d'x'", 'Validation'],
  ['THROW { a: 1 }', 'Thrown'],
  ['FOR $x IN [1] { THROW $x }', 'Thrown'],
  ['DEFINE TABLE item; CREATE item:1; INSERT INTO item { id: 1 }', 'AlreadyExists', record('item:1')],
  ['CREATE item:2 SET id = 3', 'Internal'],
  ['CREATE ONLY item:3, item:4', 'Internal'],
  ['CREATE 1', 'Internal'],
  ["SELECT * FROM item LIMIT 'x'", 'Internal'],
  ['UPDATE nowhere', 'NotFound', named('Table', 'nowhere')],
  ['DELETE nowhere', 'NotFound', named('Table', 'nowhere')],
  ['REMOVE TABLE nowhere', 'NotFound', named('Table', 'nowhere')],
  ['REMOVE DATABASE nowhere', 'NotFound', named('Database', 'nowhere')],
  ['REMOVE NAMESPACE nowhere', 'NotFound', named('Namespace', 'nowhere')],
  ['DEFINE TABLE item', 'AlreadyExists', named('Table', 'item')],
  ['DEFINE DATABASE errors', 'AlreadyExists', named('Database', 'errors')],
  ['DEFINE NAMESPACE test', 'AlreadyExists', named('Namespace', 'test')],
  ['DEFINE FIELD n ON strict TYPE int; CREATE strict SET n = NONE', 'Internal'],
  ['DEFINE FIELD n ON checked ASSERT $value > 1; CREATE checked SET n = 0', 'Internal'],
  ['DEFINE FIELD n ON kept READONLY; CREATE kept:1 SET n = 0; UPDATE kept:1 SET n = 1', 'Internal'],
  ['DEFINE TABLE full SCHEMAFULL; CREATE full SET n = 1', 'Internal'],
  ['CREATE item:5 CONTENT 1', 'Validation', { kind: 'InvalidContent', details: { value: '1' } }],
  ['UPDATE item:1 MERGE 1', 'Validation', { kind: 'InvalidMerge', details: { value: '1' } }],
  ["KILL u'018e1f3a-1111-7111-8111-111111111111'", 'Internal'],
  ['COMMIT', 'Internal'],
  ['BEGIN; THROW 1; RETURN 2; COMMIT', 'Query', { kind: 'Cancelled' }],
  ['BEGIN; RETURN 1; CANCEL; COMMIT', 'Internal'],
];

/** The peer tells these as Internal, which says nothing. */
const MORE_TELLING: readonly Row[] = [
  ['RETURN string::len(1)', 'Validation'],
  ["RETURN 'a'.nope()", 'Validation'],
  ['BREAK', 'Validation'],
  ["LET $n: int = 'x'", 'Validation'],
  ['DEFINE FUNCTION fn::typed($n: int) { $n }; RETURN fn::typed()', 'Validation'],
  ['DEFINE PARAM $p VALUE 1; DEFINE PARAM $p VALUE 1', 'AlreadyExists', named('Param', '$p')],
  [
    'DEFINE ACCESS a ON DATABASE TYPE RECORD; DEFINE ACCESS a ON DATABASE TYPE RECORD',
    'AlreadyExists',
    named('Access', 'a'),
  ],
  ['REMOVE FIELD nope ON item', 'NotFound', named('Field', 'nope')],
  ['REMOVE INDEX nope ON item', 'NotFound', named('Index', 'nope')],
  ['REMOVE USER nope ON ROOT', 'NotFound', named('User', 'nope')],
  ['REMOVE ACCESS nope ON DATABASE', 'NotFound', named('Access', 'nope')],
  ["REMOVE API '/nope'", 'NotFound', named('Api', '/nope')],
  ["RETURN search::analyze('nope', 'x')", 'NotFound', named('Analyzer', 'nope')],
  ["RETURN sequence::nextval('nope')", 'NotFound', named('Sequence', 'nope')],
  [
    'DEFINE INDEX i ON one FIELDS n UNIQUE; CREATE one:1 SET n = 1; CREATE one:2 SET n = 1',
    'AlreadyExists',
    record('one:1'),
  ],
];

async function failureOf(db: Surreal, text: string): Promise<object | undefined> {
  try {
    const last = (await db.query(text).responses()).at(-1);
    return last?.success === false ? told(last.error) : undefined;
  } catch (error) {
    return told(error);
  }
}
function told(error: unknown): object {
  const { kind, details } = error as { kind?: unknown; details?: unknown };
  return { kind, details: details ?? undefined };
}

let server: RunningServer;
beforeAll(async () => {
  server = await startDrawnServer('client: errors');
});
afterAll(() => server.close());

describe.each(SCHEMES)('errors over %s', (scheme) => {
  let db: Surreal;
  beforeAll(async () => {
    db = await asRoot(server, scheme, 'errors');
  });
  afterAll(() => db.close());

  it.each(AS_THE_PEER)('%s', async (text, kind, details) => {
    expect(await failureOf(db, text)).toEqual({ kind, details });
  });

  it.each(MORE_TELLING)('%s, more telling than the peer', async (text, kind, details) => {
    expect(await failureOf(db, text)).toEqual({ kind, details });
  });

  it('names what is refused to whom', async () => {
    await db.query("DEFINE USER OVERWRITE editor ON DATABASE PASSWORD 'secret' ROLES EDITOR");
    const editor = newClient();
    await editor.connect(addressOf(server, scheme), { reconnect: false });
    await editor.signin({ namespace: 'test', database: 'errors', username: 'editor', password: 'secret' });
    await editor.use({ namespace: 'test', database: 'errors' });
    const refused = (resource: string) => ({
      kind: 'NotAllowed',
      details: {
        kind: 'Auth',
        details: {
          kind: 'NotAllowed',
          details: { actor: '/ns:test/db:errors/Actor::editor(Editor)', action: 'Edit', resource },
        },
      },
    });
    for (const [text, resource] of [
      ['DEFINE ACCESS mine ON DATABASE TYPE RECORD', '/ns:test/db:errors/Actor:""'],
      ['REMOVE ACCESS mine ON NAMESPACE', '/ns:test/Actor:""'],
      ["DEFINE USER mine ON ROOT PASSWORD 'x'", '/Actor:""'],
      ['DEFINE DATABASE mine', '/ns:test/Database:""'],
    ] as const)
      expect(await failureOf(editor, text)).toEqual(refused(resource));
    await editor.close();
  });

  it('asks for a namespace and a database where functions and sequences need them', async () => {
    const nowhere = newClient();
    await nowhere.connect(addressOf(server, scheme), { reconnect: false });
    await nowhere.signin(ROOT);
    for (const text of ['RETURN fn::nope()', "RETURN sequence::nextval('nope')", 'SELECT * FROM nowhere'])
      expect(await failureOf(nowhere, text)).toEqual({ kind: 'Validation', details: { kind: 'NamespaceEmpty' } });
    await nowhere.use({ namespace: 'test' });
    for (const text of ['RETURN fn::nope()', "RETURN sequence::nextval('nope')", 'SELECT * FROM nowhere'])
      expect(await failureOf(nowhere, text)).toEqual({ kind: 'Validation', details: { kind: 'DatabaseEmpty' } });
    await nowhere.close();
  });
});
