/** Writes without a connection: kept over reloads, sent once, and rolled back where they are refused. */
import { RecordId, type Surreal, Uuid } from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../src/server/server.js';
import { startTestServer } from '../support/server.js';
import { newApp } from './app.js';
import { newPage, type OfflinePage, type Task } from './offline-page.js';

let server: RunningServer;
let owner: Surreal;
let page: OfflinePage;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await newApp(server);
  page = await newPage(server, 'ann@example.com');
});
afterEach(async () => {
  await page.close();
  await owner.close();
});

const stored = async () => {
  const [rows] = await owner.query<[Task[]]>('SELECT text, done FROM task ORDER BY text');
  return rows.map(({ text, done }) => (done ? `${text} (done)` : text));
};

test('what is written without a connection is seen, and sent when it is back', async () => {
  const milk = page.add('Milk');
  await expect.poll(stored).toEqual(['Milk']);
  page.cut();
  void page.tick(milk);
  page.add('Tea');
  expect(page.texts()).toEqual(['Milk (done)', 'Tea']);
  expect(page.pending()).toBe(2);
  expect(await stored()).toEqual(['Milk']);
  page.join();
  await expect.poll(stored).toEqual(['Milk (done)', 'Tea']);
  await expect.poll(() => page.pending()).toBe(0);
  expect(page.texts()).toEqual(['Milk (done)', 'Tea']);
});

test('is there after a reload, also without a connection', async () => {
  const milk = page.add('Milk');
  const jam = page.add('Jam');
  await expect.poll(stored).toEqual(['Jam', 'Milk']);
  await expect.poll(() => page.kept()).toEqual(['Jam', 'Milk']);
  page.cut();
  void page.tick(milk);
  page.remove(jam);
  page.add('Tea');
  page.reload();
  await expect.poll(() => page.texts()).toEqual(['Milk (done)', 'Tea']);
  page.reload();
  page.join();
  await expect.poll(stored).toEqual(['Milk (done)', 'Tea']);
  await expect.poll(() => page.pending()).toBe(0);
  expect(page.texts()).toEqual(['Milk (done)', 'Tea']);
});

test('what is refused is rolled back, and what follows is sent', async () => {
  const milk = page.add('Milk');
  await expect.poll(stored).toEqual(['Milk']);
  page.cut();
  const refused = page.insert({ id: new RecordId('task', Uuid.v7()), text: 'x'.repeat(30), done: false });
  const gone = page.tick(milk);
  page.add('Tea');
  await owner.query('DELETE task');
  page.join();
  await expect(refused).rejects.toThrow(/text/);
  await expect(gone).rejects.toThrow('You may not change this record');
  await expect.poll(() => page.texts()).toEqual(['Tea']);
  await expect.poll(stored).toEqual(['Tea']);
});

test('a write whose answer was lost isn’t done twice, whatever others do meanwhile', async () => {
  const milk = page.add('Milk');
  await expect.poll(stored).toEqual(['Milk']);
  page.loseNextAnswer(true);
  void page.tick(milk);
  await expect.poll(stored).toEqual(['Milk (done)']);
  await owner.query('UPDATE task SET done = false');
  page.join();
  await expect.poll(() => page.pending()).toBe(0);
  expect(await stored()).toEqual(['Milk']);
  await expect.poll(() => page.texts()).toEqual(['Milk']);
});

test('waits while the connection has no user, as after the end of a session', async () => {
  await page.session.client.invalidate();
  page.add('Milk');
  await page.session.check();
  await expect.poll(stored).toEqual(['Milk']);
});

test('waits for its own user', async () => {
  page.cut();
  page.add('Milk');
  await page.session.signOut();
  page.join();
  await page.signUp('bob@example.com');
  expect(page.pending()).toBe(0);
  expect(await stored()).toEqual([]);
  await page.session.signOut();
  await page.signIn('ann@example.com');
  await expect.poll(stored).toEqual(['Milk']);
});
