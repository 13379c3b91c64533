/** Who may run which statement: the matrix of roles, levels, record users and guests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import type { StatementResult } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { PRINCIPALS, type PrincipalName, run, World } from '../support/world.js';

/**
 * One mark for each of: RO RE RV · NO NE NV · DO DE DV · record user, guest.
 * `y` allowed, `n` refused as not allowed, `p` whatever PERMISSIONS of the table say.
 */
const EVERYBODY = 'yyy yyy yyy yy';
const VIEW = { root: 'yyy nnn nnn nn', namespace: 'yyy yyy nnn nn', database: 'yyy yyy yyy nn' };
const EDIT = { root: 'yyn nnn nnn nn', namespace: 'yyn yyn nnn nn', database: 'yyn yyn yyn nn' };
const OWN = { root: 'ynn nnn nnn nn', namespace: 'ynn ynn nnn nn', database: 'ynn ynn ynn nn' };
const READ = 'yyy yyy yyy pp';
const WRITE = 'yyp yyp yyp pp';

const MATRIX: readonly (readonly [statement: string, marks: string])[] = [
  ['INFO FOR ROOT', VIEW.root],
  ['INFO FOR NS', VIEW.namespace],
  ['INFO FOR DB', VIEW.database],
  ['INFO FOR DB STRUCTURE', VIEW.database],
  ['INFO FOR TABLE open', VIEW.database],
  ['INFO FOR INDEX i ON open', VIEW.database],
  ['INFO FOR USER someone ON DATABASE', VIEW.database],
  ['INFO FOR USER someone ON NAMESPACE', VIEW.namespace],
  ['INFO FOR USER someone ON ROOT', VIEW.root],
  ['RETURN (INFO FOR DB)', VIEW.database],
  ['INFO FOR MAIL', OWN.database],
  ['INFO FOR EVENTS', OWN.database],
  ['RETRY EVENTS', OWN.database],
  ['KILL EVENTS', OWN.database],

  ['SELECT * FROM @', READ],
  ['SELECT count() FROM @ GROUP ALL', READ],
  ['SELECT * FROM @:1', READ],
  ['SELECT VALUE id FROM @ WITH INDEX i WHERE n = 1', READ],
  ['(SELECT * FROM @)', READ],
  ['@:1.*', READ],
  ['record::exists(@:1)', READ],
  ['SELECT * FROM ONLY start:1 FETCH @', READ],

  ['CREATE @ SET n = 9', WRITE],
  ['CREATE @:9 SET n = 9', WRITE],
  ['UPDATE @ SET m = 2', WRITE],
  ['UPDATE @:1 SET m = 2', WRITE],
  ['UPSERT @:1 SET m = 2', WRITE],
  ['UPSERT @:9 SET m = 2', WRITE],
  ['UPSERT @ SET m = 2', WRITE],
  ['UPSERT @ SET m = 2 WHERE n = 1', WRITE],
  ['INSERT INTO @ { id: 9 }', WRITE],
  ['INSERT INTO @ { id: 1 } ON DUPLICATE KEY UPDATE m = 2', WRITE],
  ['INSERT IGNORE INTO @ { id: 9 }', WRITE],
  ['INSERT RELATION INTO @ { id: 9, in: open:1, out: open:1 }', WRITE],
  ['RELATE open:1->@->open:1', WRITE],
  ['DELETE @ RETURN BEFORE', WRITE],
  ['DELETE @:1 RETURN BEFORE', WRITE],
  ['(CREATE @ SET n = 9)', WRITE],
  ['IF true { UPDATE @ SET m = 2 }', WRITE],
  ['fn::write_@()', WRITE],

  ['DEFINE NAMESPACE x', EDIT.root],
  ['REMOVE NAMESPACE other', EDIT.root],
  ['DEFINE DATABASE x', EDIT.namespace],
  ['REMOVE DATABASE other', EDIT.namespace],
  ['DEFINE TABLE x', EDIT.database],
  ['DEFINE TABLE OVERWRITE open', EDIT.database],
  ['REMOVE TABLE open', EDIT.database],
  ['DEFINE FIELD x ON open', EDIT.database],
  ['REMOVE FIELD f ON open', EDIT.database],
  ['DEFINE INDEX x ON open FIELDS n', EDIT.database],
  ['REBUILD INDEX i ON open', EDIT.database],
  ['REMOVE INDEX i ON open', EDIT.database],
  ['DEFINE EVENT x ON open THEN {}', EDIT.database],
  ['REMOVE EVENT e ON open', EDIT.database],
  ['DEFINE PARAM $x VALUE 1', EDIT.database],
  ['REMOVE PARAM $p', EDIT.database],
  ['DEFINE FUNCTION fn::x() {}', EDIT.database],
  ['REMOVE FUNCTION fn::write_open', EDIT.database],
  ['DEFINE ANALYZER x', EDIT.database],
  ['REMOVE ANALYZER a', EDIT.database],
  ['RETURN { DEFINE TABLE x; 1 }', EDIT.database],

  ['DEFINE USER x ON DATABASE', OWN.database],
  ['DEFINE USER x ON NAMESPACE', OWN.namespace],
  ['DEFINE USER x ON ROOT', OWN.root],
  ['DEFINE USER OVERWRITE RO ON ROOT ROLES VIEWER', OWN.root],
  ['REMOVE USER someone ON DATABASE', OWN.database],
  ['REMOVE USER someone ON NAMESPACE', OWN.namespace],
  ['REMOVE USER someone ON ROOT', OWN.root],
  ['DEFINE ACCESS x ON DATABASE TYPE RECORD', OWN.database],
  ["DEFINE ACCESS x ON NAMESPACE TYPE JWT ALGORITHM HS256 KEY 'a secret of more than 32 characters'", OWN.namespace],
  ["DEFINE ACCESS x ON ROOT TYPE JWT ALGORITHM HS256 KEY 'a secret of more than 32 characters'", OWN.root],
  ['REMOVE ACCESS people ON DATABASE', OWN.database],
  ['DEFINE CONFIG GRAPHQL AUTO', OWN.database],

  ['SLEEP 1ms', EDIT.root],
  ['OPTION IMPORT', EDIT.database],
  ['USE NS test DB test', EVERYBODY],
  ['LET $x = 1', EVERYBODY],
  ['RETURN 1', EVERYBODY],
  ['IF true { 1 }', EVERYBODY],
  ['FOR $x IN [1] {}', EVERYBODY],
];

const SETUP = ['open', 'shut'].map(
  (table) => `
    DEFINE TABLE ${table} PERMISSIONS ${table === 'open' ? 'FULL' : 'NONE'};
    DEFINE FIELD f ON ${table};
    DEFINE INDEX i ON ${table} FIELDS n;
    DEFINE EVENT e ON ${table} THEN {};
    DEFINE FUNCTION fn::write_${table}() { RETURN UPDATE ${table} SET m = 2 };
    CREATE ${table}:1 SET n = 1;`,
);

let world: World;
let sessions: Awaited<ReturnType<World['everybody']>>;

beforeAll(async () => {
  world = await World.open();
  sessions = await world.everybody();
  await run(
    world.owner,
    `${SETUP.join('')}
    DEFINE TABLE start PERMISSIONS FULL; CREATE start:1 SET open = open:1, shut = shut:1;
    DEFINE PARAM $p VALUE 1; DEFINE ANALYZER a;
    DEFINE NAMESPACE other; DEFINE DATABASE other;
    DEFINE USER someone ON DATABASE; DEFINE USER someone ON NAMESPACE; DEFINE USER someone ON ROOT;`,
  );
});
afterAll(() => world.close());

/** Runs a statement in a transaction that is thrown away, so that no cell of the matrix touches another. */
async function attempt(who: PrincipalName, statement: string): Promise<StatementResult['outcome']> {
  const held = await sessions[who].begin();
  try {
    const [result] = await held.query(statement);
    if (result === undefined) throw new Error('no result');
    return result.outcome;
  } catch (error) {
    // An OPTION that may not be set fails the whole request.
    if (error instanceof TesseraError) return { ok: false, error };
    throw error;
  } finally {
    held.cancel();
  }
}

function told(outcome: StatementResult['outcome']): string {
  return outcome.ok ? toText(outcome.value) : outcome.error.code;
}

/** What is seen of a table from which everything is kept. */
const NOTHING = new Set(['[]', 'NONE', 'false', '[{ count: 0 }]', '{ id: start:1, open: open:1, shut: NONE }']);

describe.each(MATRIX)('%s', (statement, marks) => {
  const tables = statement.includes('@') ? ['open', 'shut'] : [''];
  const cells = [...marks.replaceAll(' ', '')].map((mark, at) => [PRINCIPALS[at] as PrincipalName, mark] as const);

  it.each(tables)('%s', async (table) => {
    for (const [who, mark] of cells) {
      const got = told(await attempt(who, statement.replaceAll('@', table)));
      if (mark === 'n') expect([who, got]).toEqual([who, 'not_allowed']);
      else if (mark === 'p' && table === 'shut') expect([who, NOTHING.has(got)], got).toEqual([who, true]);
      else expect([who, got]).toEqual([who, expect.not.stringMatching(/^[a-z]+_[a-z_]+$/)]);
      if (mark !== 'n' && table === 'open') expect([who, NOTHING.has(got)], got).toEqual([who, false]);
      if (mark === 'y' && table === 'shut') expect([who, NOTHING.has(got)], got).toEqual([who, false]);
    }
  });
});

it('says nothing of what was refused', async () => {
  const { outcome } = { outcome: await attempt('guest', 'DEFINE TABLE x') };
  expect(outcome.ok ? '' : outcome.error.message).toBe('IAM error: Not enough permissions to perform this action');
});
