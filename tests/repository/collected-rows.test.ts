/**
 * Rows that come batch by batch and are kept are charged to the memory of their request: an operator keeps them in
 * `CollectedRows`, which has to be given a charge, or charges for them itself. A loop over a batch that pushes its rows
 * into a list, in a file without a charge, is found here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The rooms in which rows are read, and passed on batch by batch. */
const ROOMS = ['src/records', 'src/query', 'src/statements'];

/** Files that keep what is no more than a batch, or charged elsewhere. */
const UNCHARGED: Readonly<Record<string, string>> = {
  'src/query/operators/rows/filter.ts': 'the rows of one batch',
  'src/query/operators/rows/follow-links.ts':
    'rows that replace those of the input; the reader charges what they link to',
  'src/records/index/build.ts': 'the changes of one batch',
  'src/records/prefetch.ts': 'the results of writes, which the statement returns; and keys of one batch',
  'src/statements/write/relate.ts': 'the ids of one batch',
};

const KEEPS =
  /for \(const \w+ of (?:batch|rows|records|some|all|results|entries|found|fetched|kept)\)[^}]{0,240}?\.push\(/;
const CHARGES = /\.chargeRows\(|\.chargeCopies\(|\.charge\(|#charge\(/;

const files = ROOMS.flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(room, name)),
);
const keeping = files.filter((name) => KEEPS.test(readFileSync(name, 'utf8')));
const uncharged = keeping.filter((name) => !CHARGES.test(readFileSync(name, 'utf8')));

test('what keeps the rows of many batches charges for them', () => {
  expect(uncharged.toSorted()).toEqual(Object.keys(UNCHARGED).toSorted());
});

test('finds those that keep rows', () => {
  expect(keeping).toContain('src/query/operators/rows/collected-rows.ts');
  expect(keeping).toContain('src/statements/write/finder.ts');
});
