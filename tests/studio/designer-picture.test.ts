/** Boxes of the designer's picture that are moved by hand, and lines that follow them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Studio, seriousFaultsInBoth, startStudio } from './browser.js';

const SETUP = `DEFINE TABLE artist SCHEMAFULL; DEFINE FIELD name ON artist TYPE string;
  DEFINE TABLE album SCHEMAFULL; DEFINE FIELD by ON album TYPE record<artist>`;

let studio: Studio | undefined;
let page: Page;
beforeAll(async () => {
  studio = await startStudio(SETUP);
});
afterAll(() => studio?.close());
beforeEach(async () => {
  if (studio === undefined) return;
  ({ page } = await studio.tab('schema/designer'));
  await box('artist').waitFor();
});

const box = (table: string) => page.getByRole('article', { name: `Table ${table}`, exact: true });
const nameOf = (table: string) => box(table).getByRole('button', { name: table, exact: true });
const layOutAgain = () => page.getByRole('button', { name: 'Lay out again' });

async function placeOf(table: string): Promise<{ readonly x: number; readonly y: number }> {
  const { left, top } = await box(table).evaluate(({ style }) => ({ left: style.left, top: style.top }));
  return { x: Number.parseFloat(left), y: Number.parseFloat(top) };
}

async function dragBy(table: string, right: number, down: number): Promise<void> {
  const place = await nameOf(table).boundingBox();
  if (place === null) throw new Error('It is not in the picture');
  await page.mouse.move(place.x + 20, place.y + 10);
  await page.mouse.down();
  await page.mouse.move(place.x + 40, place.y + 20);
  await page.mouse.move(place.x + 20 + right, place.y + 10 + down, { steps: 3 });
  await page.mouse.up();
}

/** The ends of the only line. */
async function lineEnds(): Promise<readonly { readonly x: number; readonly y: number }[]> {
  const path = (await page.locator('.plane > svg > g > path').first().getAttribute('d')) ?? '';
  const points = path
    .slice(1)
    .split('L')
    .map((point) => point.split(' ').map(Number));
  return [points[0], points.at(-1)].map(([x = 0, y = 0] = []) => ({ x, y }));
}

it('stand where the pointer lets them go, also after a reload, until they are laid out again', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const before = await placeOf('album');
  expect(await layOutAgain().count()).toBe(0);
  await dragBy('album', 80, 160);
  const after = await placeOf('album');
  expect(after.x - before.x).toBeCloseTo(80, -1);
  expect(after.y - before.y).toBeCloseTo(160, -1);
  // To move isn't to press, which still opens the table.
  expect(await page.getByRole('complementary').count()).toBe(0);
  await nameOf('album').click();
  await page.getByRole('complementary').waitFor();

  // The line leads from border to border.
  const size = await box('album').evaluate(({ style }) => ({
    width: Number.parseFloat(style.width),
    height: Number.parseFloat(style.height),
  }));
  const [start = { x: 0, y: 0 }] = await lineEnds();
  const onBorder =
    [after.x, after.x + size.width].some((x) => Math.abs(x - start.x) < 1) ||
    [after.y, after.y + size.height].some((y) => Math.abs(y - start.y) < 1);
  expect(onBorder).toBe(true);

  await page.reload();
  await box('album').waitFor();
  expect(await placeOf('album')).toEqual(after);
  await layOutAgain().click();
  expect(await placeOf('album')).toEqual(before);
  expect(await layOutAgain().count()).toBe(0);
});

it('are moved by the keyboard, and not out of the picture', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  await nameOf('artist').focus();
  const before = await placeOf('artist');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  const after = await placeOf('artist');
  expect(after.y - before.y).toBeGreaterThan(40);
  expect(after.x - before.x).toBeGreaterThan(15);
  for (let press = 0; press < 60; press++) await page.keyboard.press('Shift+ArrowLeft');
  expect((await placeOf('artist')).x).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByRole('complementary').waitFor();
  expect(await seriousFaultsInBoth(page)).toEqual([]);
  await layOutAgain().click();
});

it('stay where they were if a move is given up', async ({ skip }) => {
  if (studio === undefined) return skip('There is no Chromium on this machine');
  const before = await placeOf('album');
  const place = await nameOf('album').boundingBox();
  if (place === null) throw new Error('It is not in the picture');
  await page.mouse.move(place.x + 20, place.y + 10);
  await page.mouse.down();
  await page.mouse.move(place.x + 60, place.y + 90, { steps: 2 });
  await expect.poll(() => placeOf('album')).not.toEqual(before);
  await page.keyboard.press('Escape');
  await expect.poll(() => placeOf('album')).toEqual(before);
  await page.mouse.up();
  expect(await placeOf('album')).toEqual(before);
  expect(await page.getByRole('complementary').count()).toBe(0);
  await nameOf('album').click();
  await page.getByRole('complementary').waitFor();
});
