/** Links of records: cards of what they lead to, and the tables that link to a record. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PLACE, type Studio, seriousFaults, startStudio, type User } from './browser.js';

const HOSTILE = '<img src=x onerror="globalThis.attacked = 1">';
const NAME = `\`${HOSTILE}\``;

const SETUP = `DEFINE TABLE person PERMISSIONS FOR select FULL; DEFINE FIELD boss ON person TYPE option<record<person>>;
  DEFINE TABLE knows TYPE RELATION FROM person TO person;
  DEFINE TABLE team; DEFINE FIELD members ON team TYPE array<record<person>> REFERENCE;
  DEFINE TABLE bill; DEFINE FIELD lines ON bill TYPE array<object>; DEFINE FIELD lines.*.payer ON bill TYPE record<person | team>;
  DEFINE TABLE ${NAME}; DEFINE FIELD ${NAME} ON ${NAME} TYPE record; DEFINE TABLE apart; DEFINE FIELD x ON apart TYPE option<record<team>>;
  CREATE person:ann SET name = 'Ann', motto = '${HOSTILE}', age = 40; CREATE person:bob SET name = 'Bob', boss = person:ann;
  CREATE person:eve SET boss = person:ann; RELATE person:ann->knows->person:bob; RELATE person:ann->knows->person:eve;
  CREATE team:1 SET members = [person:ann, person:bob]; CREATE bill:1 SET lines = [{ payer: person:ann }, { payer: team:1 }];
  CREATE ${NAME}:1 SET ${NAME} = person:ann;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('person', $name))`;

let studio: Studio | undefined;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());

const card = (page: Page) => page.getByRole('tooltip');

it('shows the first fields of a linked record by pointer and by focus, and closes it with Escape', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/table/person');
  const link = page.getByRole('grid').getByRole('link', { name: 'person:ann', exact: true }).nth(1);
  await link.hover();
  await expect
    .poll(() => card(page).innerText())
    .toMatch(/person:ann\s+motto\s+<img src=x[\s\S]*name\s+Ann\s+age\s+40/);
  expect(await link.getAttribute('aria-describedby')).toBe(await card(page).getAttribute('id'));
  expect(await seriousFaults(page)).toEqual([]);
  // It can be pointed at.
  await card(page).hover();
  await page.keyboard.press('Escape');
  await expect.poll(() => card(page).count()).toBe(0);

  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => card(page).innerText()).toMatch(/person:ann\s+motto/);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => card(page).count()).toBe(0);
  await studio.sql('UPDATE person:eve SET gone = person:gone');
  await page.goto(`${studio.server.url}/studio#/explore/record/person:eve`);
  await page.getByRole('link', { name: 'person:gone' }).first().focus();
  await expect.poll(() => card(page).innerText()).toContain('There is no such record');
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('lists the tables that link to a record, with how many of their rows do, and leads there', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const { page, complaints } = await studio.tab('explore/record/person:ann');
  const from = page.getByRole('region', { name: 'Linked from', exact: true });
  await expect
    .poll(() => from.getByRole('row').allInnerTexts())
    .toEqual([
      'Table\tBy\tRows',
      `${HOSTILE}\t${NAME}\t1 row`,
      'bill\tlines.*.payer\t1 row',
      'knows\tedges from here\t2 rows',
      'knows\tedges to here\tNone',
      'person\tboss\t2 rows',
      'team\tmembers\t1 row',
    ]);
  const rows = () => page.getByRole('grid').getByRole('row').allInnerTexts();
  for (const [count, table, id] of [
    ['2 rows', 'person', 'person:bob'],
    ['1 row', 'bill', 'bill:1'],
    ['1 row', HOSTILE, `${NAME}:1`],
    ['1 row', 'team', 'team:1'],
  ] as const) {
    await from
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: table, exact: true }) })
      .getByRole('link', { name: count })
      .click();
    await expect.poll(async () => (await rows())[1]).toContain(id);
    await page.goBack();
    await expect.poll(() => from.getByRole('row').count()).toBe(7);
  }
  expect(await page.evaluate('globalThis.attacked')).toBe(undefined);
  expect(complaints).toEqual([]);
});

it('says to a record user what they may not see', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const user: User = {
    level: 'record',
    name: 'account',
    credentials: { NS: PLACE.namespace, DB: PLACE.database, AC: 'account', name: 'bob' },
  };
  const { page } = await studio.tab('explore/record/person:bob', user);
  const from = page.getByRole('region', { name: 'Linked from', exact: true });
  await expect.poll(() => from.innerText()).toContain('for system users of the database to see');
});
