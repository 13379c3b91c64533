/** The rows that Explore keeps of a table: bounded, however far one scrolls. */
import { RecordId } from 'surrealdb';
import { expect, it } from 'vitest';
import { RowPages } from '../../studio/views/explore/rows.js';
import { RUNS_ALL } from '../support/runs-all.js';

const ROWS = RUNS_ALL ? 1_000_000 : 20_000;
const PAGE = 100;

/** Answers as a table of `ROWS` rows would, whose ids are the numbers from zero on. */
const source = {
  async query<Values extends unknown[]>(text: string) {
    const last = /FROM long:(\d+)>\.\. /.exec(text)?.[1];
    const start = last === undefined ? Number(/START (\d+)/.exec(text)?.[1]) : Number(last) + 1;
    const rows = Array.from({ length: PAGE }, (_, at) => ({ id: new RecordId('long', start + at) }));
    return [null, rows, rows.map(({ id }) => id.toString())] as unknown[] as Values;
  },
};

it('keeps 3,000 rows at most, those that were loaded last', async () => {
  let loaded = () => {};
  const pages = new RowPages(source, { table: 'long', filter: '' }, () => loaded());
  for (let at = 0; at < ROWS; at += PAGE) {
    const next = new Promise<void>((resolve) => {
      loaded = resolve;
    });
    expect(pages.row(at)).toBe(undefined);
    await next;
    expect(pages.row(at)?.id.id).toBe(at);
    expect(pages.id(at)).toBe(`long:${at}`);
  }
  // From the last on, since asking for one that is gone loads it in the place of another.
  let kept = 0;
  for (let at = ROWS - 1; at >= 0; at--) if (pages.row(at) !== undefined) kept++;
  expect(kept).toBe(3000);
});
