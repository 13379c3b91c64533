/**
 * A client that comes back to a live query gets exactly what a client gets that was there all the time.
 *
 * The one who was there is slow to read: its live query looks at what has happened when the other comes back, so that both are judged by the
 * rules of then. LIVE_SINCE_RUNS is for a long run.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { atLeast } from '../support/timeouts.js';
import { run, World } from '../support/world.js';

const RUNS = Number(process.env['LIVE_SINCE_RUNS'] ?? 60);

const FEED = 'CHANGEFEED 1h INCLUDE ORIGINAL';
const id = fc.integer({ min: 1, max: 4 }).map((number) => `note:${number}`);
const content = fc
  .record({ owner: fc.constantFrom('user:ann', 'user:bob'), n: fc.nat(3), secret: fc.nat(2) })
  .map(({ owner, n, secret }) => `{ owner: ${owner}, n: ${n}, secret: ${secret} }`);

const write = fc.oneof(
  fc.tuple(id, content).map(([each, data]) => `UPSERT ${each} CONTENT ${data}`),
  fc.tuple(id, fc.nat(3)).map(([each, n]) => `UPDATE ${each} SET n = ${n}`),
  fc.tuple(id, fc.nat(2)).map(([each, secret]) => `UPDATE ${each} SET secret = ${secret}`),
  id.map((each) => `DELETE ${each}`),
  fc.constant('UPDATE note SET n += 1'),
  fc.constant('DELETE note WHERE n > 2'),
);
const together = fc.array(write, { minLength: 1, maxLength: 4 });
const change = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 3, arbitrary: together.map((each) => `BEGIN; ${each.join('; ')}; COMMIT`) },
  { weight: 1, arbitrary: together.map((each) => `BEGIN; ${each.join('; ')}; CANCEL`) },
  { weight: 1, arbitrary: together.map((each) => `OPTION IMPORT; ${each.join('; ')}`) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('FULL', 'NONE', 'WHERE owner = $auth', 'WHERE n < 2', 'WHERE owner = $auth OR $before.n = 1')
      .map((rule) => `DEFINE TABLE OVERWRITE note ${FEED} PERMISSIONS FOR select ${rule}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('FULL', 'NONE', 'WHERE n = 1')
      .map((rule) => `DEFINE FIELD OVERWRITE secret ON note PERMISSIONS FOR select ${rule}`),
  },
);
const statement = fc.constantFrom(
  'LIVE SELECT * FROM note',
  'LIVE SELECT DIFF FROM note',
  'LIVE SELECT * FROM note WHERE n > 0',
  'LIVE SELECT VALUE [$event, $before, $after] FROM note',
  'LIVE SELECT n, $before.secret AS old FROM note WHERE $before.n != $after.n',
);

class Listener {
  readonly heard: Notification[] = [];
  /** Until this is done its client takes nothing more. */
  pause: Promise<void> | undefined;

  constructor(readonly session: Session) {
    session.listen((notification) => {
      this.heard.push(notification);
      return this.pause;
    });
  }

  get texts(): string[] {
    return this.heard.map(({ action, record, result }) => `${action} ${toText(record)} ${toText(result)}`);
  }
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const PERSON = objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' });

async function returning(world: World): Promise<Listener> {
  const session = world.guest();
  await session.signIn(PERSON);
  return new Listener(session);
}

test('a subscriber who comes back receives what it would have received', { timeout: atLeast(300_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      fc.array(change, { maxLength: 25 }),
      fc.array(write, { maxLength: 6 }),
      statement,
      fc.nat(30),
      async (before, missed, meanwhile, text, breakAt) => {
        const environment = new StubbedEnvironment();
        environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
        const world = await World.open({ environment });
        const { owner } = world;
        await owner.query(`DEFINE TABLE bell PERMISSIONS FULL; DEFINE TABLE note ${FEED} PERMISSIONS FULL`);
        for (const each of before) await owner.query(each);

        const there = new Listener(await world.person('ann'));
        await run(there.session, 'LIVE SELECT * FROM bell');
        const [sets] = await run(owner, 'SHOW CHANGES FOR TABLE note SINCE 0');
        const since = (sets as ObjectValue[]).at(-1)?.['versionstamp'];
        await run(there.session, text);
        let goOn = () => {};
        there.pause = new Promise((resolve) => {
          goOn = resolve;
        });
        await run(owner, 'CREATE bell:1');
        await quiet();
        for (const each of missed) {
          await owner.query(each);
          if (each.length % 3 === 0) environment.advance(1);
        }

        const back = await returning(world);
        const writing = (async () => {
          for (const each of meanwhile) await owner.query(each);
        })();
        await run(back.session, `${text} SINCE $since`, objectFrom({ since }));
        goOn();
        await writing;
        await quiet();
        await expect.poll(() => back.texts).toEqual(there.texts.slice(1));

        // Broken off anywhere and begun again behind the last versionstamp, it goes on behind the last commit that was sent to its end.
        const stamps = back.heard.map(({ versionstamp }) => versionstamp);
        const stamp = stamps[breakAt % Math.max(stamps.length, 1)];
        if (stamp !== undefined) {
          const again = await returning(world);
          await run(again.session, `${text} SINCE $since`, objectFrom({ since: stamp }));
          await quiet();
          const told = BigInt(stamp) === BigInt(since as bigint) ? 0 : stamps.indexOf(stamp) + 1;
          expect(again.texts).toEqual(back.texts.slice(told));
        }
        await world.close();
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
});
