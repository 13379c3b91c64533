/** Deadlines that several calls of one request share. */
import { describe, expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { parseQuery } from '../../src/language/parse.js';
import type { Session, StatementExecutor } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { Duration } from '../../src/value/value.js';
import { openOwned } from '../support/owned.js';

const SECOND = new Duration(1_000_000_000n);
const CHEAP = parseQuery('RETURN 1').statements;
const ENDLESS = parseQuery('FOR $n IN 1..1000000000 { LET $a = $n }').statements;

/** Where statements of a session may be run. */
const DOORS: Readonly<Record<string, (session: Session) => StatementExecutor | PromiseLike<StatementExecutor>>> = {
  session: (session) => session,
  'held transaction': async (session) => session.begin(),
  snapshot: async (session) => session.begin({ writable: false }),
};

describe.each(Object.entries(DOORS))('in a %s', (_, open) => {
  test('each call has what the ones before it have left', async () => {
    const { environment, owner } = await openOwned();
    const door = await open(owner);
    const deadline = owner.deadline(SECOND);
    environment.advance(600);
    expect(await door.execute(CHEAP, undefined, deadline)).toMatchObject([{ outcome: { ok: true, value: 1 } }]);
    environment.advance(600);
    await expect((async () => door.execute(CHEAP, undefined, deadline))()).rejects.toMatchObject({
      code: 'timed_out',
      message: 'The query was not executed because it exceeded the timeout: 1s',
    });
    expect(await door.execute(CHEAP)).toMatchObject([{ outcome: { ok: true, value: 1 } }]);
  });

  test('a statement under way ends', async () => {
    let now = 0;
    // A look at it takes a millisecond.
    const clock = { now: () => 0n, monotonic: () => now++ };
    const database = await openDatabase(new MemoryEngine(), { environment: { ...realEnvironment, clock } });
    const owner = database.ownerSession();
    await owner.use('test', 'test');
    const door = await open(owner);
    const results = await door.execute([...CHEAP, ...ENDLESS, ...CHEAP], undefined, owner.deadline(SECOND));
    expect(results.map(({ outcome }) => (outcome.ok ? outcome.value : outcome.error.message))).toEqual([
      1,
      'The query was not executed because it exceeded the timeout: 1s',
      'The query was not executed because it exceeded the timeout: 1s',
    ]);
  });
});

describe('the earliest deadline counts', () => {
  test.each([
    ['1s', 5n],
    ['5s', 1n],
  ])('of the server, %s, and the request, %ds', async (server, seconds) => {
    const timeout = new Duration(server === '1s' ? 1_000_000_000n : 5_000_000_000n);
    const { environment, owner } = await openOwned({ requestTimeout: timeout });
    const deadline = owner.deadline(new Duration(seconds * 1_000_000_000n));
    expect(deadline?.allowed).toEqual(SECOND);
    environment.advance(1_000);
    await expect((async () => owner.execute(CHEAP, undefined, deadline))()).rejects.toMatchObject({
      code: 'timed_out',
    });
  });

  test('of the setting in the store', async () => {
    const { owner, value } = await openOwned();
    expect(owner.deadline()).toBeUndefined();
    await value('ALTER SYSTEM QUERY_TIMEOUT 1s');
    expect(owner.deadline()?.allowed).toEqual(SECOND);
    expect(owner.deadline(new Duration(5_000_000_000n))?.allowed).toEqual(SECOND);
  });
});
