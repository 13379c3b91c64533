/** Definitions and records of a query are read in one snapshot. */
import { beforeEach, describe, expect, it } from 'vitest';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { run } from '../support/world.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE t SCHEMAFULL PERMISSIONS FULL; DEFINE FIELD n ON t TYPE int; CREATE t:1 SET n = 1;
  DEFINE FUNCTION fn::shut() -> option<string> { RETURN <string> INFO FOR DB };
  DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE ONLY person:1)`;

let database: OpenDatabase;
let owner: Session;
let snapshots = 0;
let audited: string[];
beforeEach(async () => {
  audited = [];
  const engine = new MemoryEngine();
  const begin = engine.begin.bind(engine);
  engine.begin = (options) => {
    if (options?.writable === false) snapshots += 1;
    return begin(options);
  };
  // By a clock that stands still, since work in the background takes snapshots, too.
  const environment = new StubbedEnvironment();
  database = await openDatabase(engine, {
    environment,
    audit: { sink: { write: (lines) => void audited.push(...lines) } },
  });
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(owner, SETUP);
});

async function ask(query: string, session = owner): Promise<unknown> {
  const { body } = await createGraphqlHandler(
    new GraphqlService(),
    'standard',
  )({
    session,
    accept: 'application/graphql-response+json',
    contentType: 'application/json',
    body: JSON.stringify({ query }),
  });
  return JSON.parse(body);
}

describe('a query', () => {
  it.each(['{ t { n } }', '{ a: t { n } b: t { n } }', '{ __typename }'])('takes one snapshot: %s', async (query) => {
    snapshots = 0;
    expect(await ask(query)).not.toHaveProperty('errors');
    expect(snapshots).toBe(1);
  });

  it('of one statement reads the state that its definitions were read in', async () => {
    const session: Session = Object.create(owner, {
      identity: { value: owner.identity },
      isAdmitted: { value: true },
      deadline: { value: () => undefined },
      catalogSnapshot: {
        value: async () => {
          const definitions = await owner.catalogSnapshot();
          await run(owner, 'UPDATE t:1 SET n = 2');
          return definitions;
        },
      },
    });
    expect(await ask('{ t { n } }', session)).toEqual({ data: { t: [{ n: 1 }] } });
    expect(await ask('{ t { n } }')).toEqual({ data: { t: [{ n: 2 }] } });
  });

  it('of one statement that is denied is audited', async () => {
    const session = database.session({});
    await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people' }));
    expect(await ask('{ fn_shut }', session)).toHaveProperty('errors');
    await database.close();
    const denied = audited.map((line) => JSON.parse(line)).filter(({ outcome }) => outcome === 'denied');
    expect(denied).toMatchObject([{ action: 'refuse', who: { kind: 'record', id: 'person:1' } }]);
  });
});
