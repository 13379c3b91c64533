/**
 * The result that a client makes of the differences it gets from a LIVE QUERY is, after each commit, the one that its
 * user gets by the same statement at that time; and no difference comes that changes nothing.
 *
 * RESULT_RUNS and RESULT_SEED are for a long run.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom, type Uuid } from '../../src/value/value.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { inTurns } from '../support/runs-all.js';
import { temporaryFolder } from '../support/server-process.js';
import { simulatedNodes } from '../support/shared-nodes.js';
import { atLeast } from '../support/timeouts.js';
import { answer, RECORD_ACCESS, run } from '../support/world.js';
import { Listener, ResultClient, shown } from './results/client.js';
import { SCHEMA, statement, step } from './results/model.js';

const RUNS = Number(process.env['RESULT_RUNS'] ?? 60);
const SEED = Number(process.env['RESULT_SEED'] ?? Date.now() % 2 ** 31);

/** Engines over one store: what one commits the others follow. */
const STORES: readonly (readonly [string, () => Promise<readonly Engine[]>])[] = [
  ['in memory', async () => [new MemoryEngine()]],
  ['on a store that answers later', async () => [new LateEngine(new MemoryEngine(), new Lateness(2, seeded(3)))]],
  ['on disk', async () => [await openEngine(temporaryFolder())]],
  ['on two nodes', async () => (await simulatedNodes()).nodes],
];

const OPTIONS = { authentication: { failureDelay: { minimum: 0, step: 1 } }, guests: true };

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe.each([STORES[0], ...inTurns('results', STORES.slice(1))] as typeof STORES)('%s', (_, open) => {
  test(`results stay right (seed ${SEED})`, { timeout: atLeast(300_000) }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.array(fc.record({ who: fc.constantFrom('owner', 'ann', 'bob'), text: statement }), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.array(step, { minLength: 1, maxLength: 16 }),
        async (before, subscriptions, steps) => {
          const databases: OpenDatabase[] = [];
          for (const engine of await open()) databases.push(await openDatabase(engine, OPTIONS));
          const [writing, reading = writing] = databases as [OpenDatabase, OpenDatabase?];
          const owner = writing.ownerSession();
          await owner.use('test', 'test');
          await run(owner, `${RECORD_ACCESS} ${SCHEMA}`);
          const listeners = new Map<string, Listener>();
          for (const name of ['ann', 'bob']) {
            const session = reading.session({});
            await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
            listeners.set(name, new Listener(session));
          }
          const watching = reading.ownerSession();
          await watching.use('test', 'test');
          listeners.set('owner', new Listener(watching));
          for (const each of before) await owner.query(each);

          const clients: (readonly [Listener, ResultClient])[] = [];
          for (const { who, text } of subscriptions) {
            const listener = listeners.get(who) as Listener;
            const isThere = !(await answer(listener.session, text)).includes('does not exist');
            if (isThere) clients.push([listener, await ResultClient.begin(listener, text)]);
          }
          for (const each of ['', ...steps]) {
            if (each !== '') await owner.query(each);
            for (const [{ session }, client] of clients) {
              const { text } = client;
              if (client.ended !== undefined) continue;
              const expected = async () => {
                const [result] = await session.query(text);
                if (result === undefined) return '';
                if (!result.outcome.ok) return `ended: ${result.outcome.error.code}`;
                return shown(result.outcome.value, text);
              };
              const wanted = await expected();
              const got = () => (client.ended === undefined ? shown(client.result, text) : `ended: ${client.ended}`);
              for (let turns = 0; turns < 50 && got() !== wanted; turns++) await turn();
              await expect.poll(got, { interval: 2, message: `${text} after ${each}` }).toBe(wanted);
            }
          }
          for (let turns = 0; turns < 20; turns++) await turn();
          expect(clients.flatMap(([, { faults, text }]) => faults.map((fault) => `${text}: ${fault}`))).toEqual([]);
          for (const database of databases) await database.close();
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

/** A write with or without effect on what a rule shows: records of others are hidden. */
const aboutMine = fc
  .record({ id: fc.nat(4), n: fc.nat(4), kind: fc.constantFrom('UPSERT', 'DELETE') })
  .map(({ id, n, kind }) => (kind === 'DELETE' ? `DELETE a:${id}` : `UPSERT a:${id} CONTENT { n: ${n}, mine: true }`));
const aboutHidden = fc
  .record({ id: fc.integer({ min: 10, max: 14 }), n: fc.nat(4), kind: fc.constantFrom('UPSERT', 'UPDATE', 'DELETE') })
  .map(({ id, n, kind }) =>
    kind === 'UPSERT'
      ? `UPSERT a:${id} CONTENT { n: ${n}, mine: false, to: a:1 }; RELATE a:1->e->a:${id}`
      : kind === 'DELETE'
        ? `DELETE a:${id}`
        : `UPDATE a SET secret = ${n}`,
  );

test(`hidden changes show in nothing that a reader receives (seed ${SEED})`, {
  timeout: atLeast(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ mine: aboutMine, hidden: fc.array(aboutHidden, { maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 12,
      }),
      async (steps) => {
        const heardWith = async (hasHidden: boolean): Promise<string[]> => {
          const database = await openDatabase(new MemoryEngine(), OPTIONS);
          const owner = database.ownerSession();
          await owner.use('test', 'test');
          await run(
            owner,
            `${RECORD_ACCESS}
            DEFINE TABLE a PERMISSIONS FOR select WHERE mine; DEFINE FIELD secret ON a PERMISSIONS FOR select NONE;
            DEFINE TABLE e TYPE RELATION PERMISSIONS FOR select WHERE out.mine; DEFINE INDEX n ON a FIELDS n`,
          );
          const reader = database.session({});
          await reader.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
          const heard: string[] = [];
          const names = new Map<string, string>();
          reader.listen(({ id, action, record, result, position }) => {
            heard.push(`${names.get(id.text)} ${action} ${toText(record)} ${toText(result)} ${position}`);
          });
          for (const [name, text] of Object.entries({
            all: 'SELECT * FROM a',
            top: 'SELECT id, n FROM a ORDER BY n DESC, id LIMIT 2',
            count: 'SELECT count() FROM a GROUP ALL',
            edges: 'SELECT id, ->e->a AS others FROM a ORDER BY id',
            few: 'SELECT VALUE n FROM a WHERE n > 2',
          })) {
            const [answer] = (await run(reader, `LIVE QUERY ${text}`)) as [ObjectValue];
            names.set((answer['id'] as Uuid).text, name);
          }
          for (const { mine, hidden } of steps) {
            await owner.query(mine);
            for (let turns = 0; turns < 12; turns++) await turn();
            if (hasHidden) for (const each of hidden) await owner.query(each);
            for (let turns = 0; turns < 12; turns++) await turn();
          }
          await database.close();
          return heard;
        };
        expect(await heardWith(true)).toEqual(await heardWith(false));
      },
    ),
    { numRuns: Math.ceil(RUNS / 2), seed: SEED },
  );
});
