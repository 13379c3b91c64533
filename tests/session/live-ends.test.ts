/** Why live queries end, and when. */
import { beforeEach, expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { LiveQuota } from '../../src/session/resources/live-quota.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { run } from '../support/world.js';

let environment: StubbedEnvironment;
let database: OpenDatabase;
let owner: Session;
/** Timers that are still to fire. */
let timers: Set<object>;

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  timers = new Set();
  const { after } = environment.timers;
  environment.timers.after = (milliseconds, callback) => {
    const timer = {};
    timers.add(timer);
    const cancel = after(milliseconds, () => {
      timers.delete(timer);
      callback();
    });
    return () => {
      timers.delete(timer);
      cancel();
    };
  };
  database = await openDatabase(new MemoryEngine(environment), {
    environment,
    authentication: { failureDelay: { minimum: 0, step: 1 } },
  });
  owner = database.ownerSession();
  await owner.use('test', 'test');
  await run(
    owner,
    `DEFINE TABLE user PERMISSIONS FULL; DEFINE TABLE a PERMISSIONS FULL;
     DEFINE ACCESS people ON DATABASE TYPE RECORD SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM user)
       DURATION FOR SESSION 1h`,
  );
});

const PERSON = (name: string) => objectFrom({ NS: 'test', DB: 'test', AC: 'people', name });

/** A signed-in session with a live query, and what it receives. */
async function listening(allowance?: LiveQuota): Promise<{ session: Session; heard: Notification[] }> {
  const session = database.session({});
  const heard: Notification[] = [];
  session.listen((notification) => {
    heard.push(notification);
  }, allowance);
  await session.signUp(PERSON('ann'));
  await run(session, 'LIVE SELECT * FROM a');
  return { session, heard };
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const ENDS: Record<string, [code: string | undefined, end: (session: Session) => unknown]> = {
  'the session expires, though nothing happens': ['session_expired', () => environment.advance(3_600_000)],
  'the user is removed': ['session_expired', () => run(owner, 'DELETE user:ann')],
  'somebody else signs in': ['live_queries_abandoned', (session) => session.signUp(PERSON('bob'))],
  'nobody is signed in any more': ['live_queries_abandoned', (session) => session.invalidate()],
  'the table is removed': ['table_missing', () => run(owner, 'REMOVE TABLE a')],
  'too much waits for the client': ['live_queries_behind', () => run(owner, 'CREATE |a:5|; CREATE |a:5|')],
  'somebody ends them': [undefined, () => run(owner, 'LET $id = (INFO FOR TABLE a).lives.keys()[0]; KILL $id')],
};

test.each(Object.entries(ENDS))('when %s', async (_, [code, end]) => {
  const before = timers.size;
  const { session, heard } = await listening(new LiveQuota({ changes: 3 }));
  await end(session);
  await quiet();
  expect(heard.map(({ action, reason }) => [action, reason?.code])).toEqual([['KILLED', code]]);
  expect(timers.size).toBe(before);
});

test('not before a session that was made fresh expires', async () => {
  const { session, heard } = await listening();
  environment.advance(3_000_000);
  await session.signIn(PERSON('ann'));
  environment.advance(3_599_999);
  await quiet();
  expect(heard).toEqual([]);
  environment.advance(1);
  await quiet();
  expect(heard).toMatchObject([{ action: 'KILLED', reason: { code: 'session_expired' } }]);
});

test('when they were begun beyond the limit', async () => {
  const { session, heard } = await listening(new LiveQuota({ queries: 2 }));
  await run(session, 'BEGIN; LIVE SELECT * FROM a; LIVE SELECT * FROM a; COMMIT');
  await quiet();
  expect(heard).toMatchObject([{ action: 'KILLED', reason: { code: 'live_queries_full' } }]);
});
