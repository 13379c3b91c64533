/**
 * A client that comes back to a live query gets exactly what a client gets that was there all the time. A record user gets of the past what is
 * of records that they may see by then, and deletions as ids.
 *
 * The one who was there is slow to read: its live query looks at what has happened when the other comes back, so that both are judged by the
 * rules of then. LIVE_SINCE_RUNS is for a long run.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
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

type Who = 'the owner' | 'a record user';

/** A session of the user, who is made if it is the first. */
async function listening(world: World, who: Who, isFirst = false): Promise<Listener> {
  if (who === 'the owner') {
    const session = world.database.ownerSession();
    await session.use('test', 'test');
    return new Listener(session);
  }
  if (isFirst) return new Listener(await world.person('ann'));
  const session = world.guest();
  await session.signIn(PERSON);
  return new Listener(session);
}

/** What a record user gets of past notifications. */
async function pastOf(session: Session, heard: readonly Notification[], isDifference: boolean): Promise<string[]> {
  const [ids] = await run(session, 'SELECT VALUE id FROM note');
  const visible = new Set((ids as readonly Value[]).map((each) => toText(each)));
  return heard
    .filter(({ action, record }) => action === 'DELETE' || visible.has(toText(record)))
    .map(({ action, record, result }) => {
      const shown = action === 'DELETE' && !isDifference ? objectFrom({ id: record }) : result;
      return `${action} ${toText(record)} ${toText(shown)}`;
    });
}

test.each<Who>(['the owner', 'a record user'])(
  '%s who comes back receives what they would have',
  { timeout: atLeast(300_000) },
  async (who) => {
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
          const world = await World.open({ environment }, new MemoryEngine(environment));
          const { owner } = world;
          await owner.query(`DEFINE TABLE bell PERMISSIONS FULL; DEFINE TABLE note ${FEED} PERMISSIONS FULL`);
          for (const each of before) await owner.query(each);

          const there = await listening(world, who, true);
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

          const back = await listening(world, who);
          const writing = (async () => {
            // What is past by the time that it is read depends on when that is.
            if (who === 'the owner') for (const each of meanwhile) await owner.query(each);
          })();
          await run(back.session, `${text} SINCE $since`, objectFrom({ since }));
          goOn();
          await writing;
          await quiet();
          const expected =
            who === 'the owner'
              ? there.texts.slice(1)
              : await pastOf(back.session, there.heard.slice(1), text.includes('DIFF'));
          await expect.poll(() => back.texts).toEqual(expected);

          // Broken off anywhere and begun again behind the last versionstamp, it goes on behind the last commit that was sent to its end.
          const stamps = back.heard.map(({ versionstamp }) => versionstamp);
          const stamp = stamps[breakAt % Math.max(stamps.length, 1)];
          if (stamp !== undefined) {
            const again = await listening(world, who);
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
  },
);
