/**
 * Three pages write into the same list while their connections are cut and come back, answers are lost, and they are
 * reloaded. When all are connected, each write was done once, or was refused, and all see what the server has.
 *
 * The server's own log, written by an event, says what was done. OFFLINE_RUNS is for a long run.
 */
import fc from 'fast-check';
import type { Surreal } from 'surrealdb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../src/server/server.js';
import { newApp } from '../collections/app.js';
import { newPage, type OfflinePage } from '../collections/offline-page.js';
import { startTestServer } from '../support/server.js';
import { atLeast } from '../support/timeouts.js';

const RUNS = Number(process.env['OFFLINE_RUNS'] ?? 5);
const PAGES = 3;

const LOG = `
  DEFINE TABLE log;
  DEFINE EVENT log ON task WHEN $event != 'DELETE' THEN (CREATE log SET text = $after.text);
  DEFINE EVENT removal ON task WHEN $event = 'DELETE' THEN (CREATE log SET removed = <string> $before.id)`;

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer({ SVC_SIGNUP_RATE: '100000/1h', SVC_SIGNUP_RATE_DATABASE: '100000/1h' });
});
afterAll(() => server.close());

type Act = 'add' | 'change' | 'remove' | 'cut' | 'lose' | 'join' | 'reload';
const step = fc.record({
  page: fc.nat(PAGES - 1),
  act: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Act>('add', 'change', 'change') },
    { weight: 3, arbitrary: fc.constantFrom<Act>('cut', 'lose', 'join') },
    { weight: 1, arbitrary: fc.constantFrom<Act>('remove', 'reload') },
  ),
  /** Which of the tasks that the page shows. */
  which: fc.nat(99),
});

/** A write whose text no other has, and the task that it changes. */
interface Written {
  readonly text: string;
  readonly task: string;
  readonly isNew: boolean;
}

class Writers {
  readonly written: Written[] = [];

  /** What a user of the page does. */
  do(page: OfflinePage, act: Act, which: number): void {
    const keys = page.keys();
    const key = keys[which % Math.max(keys.length, 1)];
    const text = `text ${this.written.length}`;
    const acts: Readonly<Record<Act, () => void>> = {
      add: () => void this.written.push({ text, task: page.add(text), isNew: true }),
      change: () => {
        if (key === undefined) return;
        this.written.push({ text, task: key, isNew: false });
        void page.change(key, (task) => {
          task.text = text;
        });
      },
      remove: () => key !== undefined && page.remove(key),
      cut: () => page.cut(),
      lose: () => page.loseNextAnswer(),
      join: () => page.join(),
      reload: () => page.reload(),
    };
    acts[act]();
  }
}

test('nothing is lost, and nothing is done twice', { timeout: atLeast(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const owner = await newApp(server);
      await owner.query(LOG);
      const pages = await Promise.all(Array.from({ length: PAGES }, (_, at) => newPage(server, `${at}@example.com`)));
      const writers = new Writers();
      for (const { page, act, which } of steps) {
        writers.do(pages[page] as OfflinePage, act, which);
        // Requests and answers pass between some of the steps.
        if (which % 2 === 0) await owner.query('RETURN 1');
      }
      for (const page of pages) page.join();
      for (const page of pages) await expect.poll(() => page.pending(), { timeout: 20_000 }).toBe(0);
      await expectOnce(owner, writers.written);
      const [texts] = await owner.query<[string[]]>('SELECT VALUE text FROM task ORDER BY text');
      for (const page of pages) await expect.poll(() => page.texts(), { timeout: 20_000 }).toEqual(texts);
      await Promise.all([...pages, owner].map((each) => each.close()));
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

/** Each write is in the log once; not at all only where it changes a task that was removed before. */
async function expectOnce(owner: Surreal, written: readonly Written[]): Promise<void> {
  const [texts, removed] = await owner.query<[string[], string[]]>(
    'SELECT VALUE text FROM log WHERE text; SELECT VALUE removed FROM log WHERE removed',
  );
  for (const { text, task, isNew } of written) {
    const times = texts.filter((logged) => logged === text).length;
    const mayBeRefused = !isNew && removed.includes(task);
    expect({ text, times: times === 0 && mayBeRefused ? 1 : times }).toEqual({ text, times: 1 });
  }
  expect(new Set(removed).size).toBe(removed.length);
}
