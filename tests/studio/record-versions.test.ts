/** Versions of a record by its changefeed, and what makes a record what it was: each value with its kind and bits. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { objectFrom } from '../../src/value/value.js';
import { statementsOf } from '../../studio/views/explore/changes.js';
import {
  differencesOf,
  findVersions,
  loadVersion,
  puttingBack,
  timeOf,
  type Version,
} from '../../studio/views/explore/record/versions.js';
import { loadContent } from '../../studio/views/explore/typed-values.js';
import { expectSame } from '../properties/same.js';
import { storableValue } from '../support/arbitraries.js';
import { EmbeddedSource } from './embedded-source.js';

let source: EmbeddedSource;
beforeAll(async () => {
  source = await EmbeddedSource.open();
});

const options = { progress() {}, signal: new AbortController().signal };
const plain = { isRelation: false, computed: [] };

async function versionsOf(table: string, code: string): Promise<Version[]> {
  const found = await findVersions(source, { table, code }, options);
  return Promise.all(found.map((version) => loadVersion(source, { table, code }, version)));
}

async function save(change: ReturnType<typeof puttingBack>): Promise<void> {
  if (change === undefined) return;
  for (const statement of statementsOf(change)) await source.values(statement);
}

it.each(['', ' INCLUDE ORIGINAL'])('finds the versions of one record, with what each changed%s', async (original) => {
  const table = original === '' ? 'short' : 'whole';
  await source.values(`DEFINE TABLE ${table} CHANGEFEED 1h${original};
    CREATE ${table}:1 SET a = 1, b = {1, 2}; CREATE ${table}:2; UPDATE ${table}:1 SET a = 1f, c = 1;
    BEGIN; UPDATE ${table}:2 SET x = 1; UPDATE ${table}:1 UNSET b; COMMIT; DELETE ${table}:1; CREATE ${table}:1 SET a = 2`);
  const versions = await versionsOf(table, `${table}:1`);
  expect(versions.map(({ isDeletion }) => isDeletion)).toEqual([false, false, false, true, false]);
  expect(versions.map((version, at) => differencesOf(versions[at - 1]?.content ?? {}, version.content))).toEqual([
    [
      { name: 'a', before: undefined, after: '1' },
      { name: 'b', before: undefined, after: '{1, 2}' },
    ],
    [
      { name: 'a', before: '1', after: '1f' },
      { name: 'c', before: undefined, after: '1' },
    ],
    [{ name: 'b', before: '{1, 2}', after: undefined }],
    [
      { name: 'a', before: '1f', after: undefined },
      { name: 'c', before: '1', after: undefined },
    ],
    [{ name: 'a', before: undefined, after: '2' }],
  ]);
  const [first] = versions;
  expect(first !== undefined && Math.abs(timeOf(first).getTime() - Date.now()) < 3_600_000).toBe(true);
});

it('reads a long feed batch by batch', async () => {
  await source.values('DEFINE TABLE long CHANGEFEED 1h');
  await source.values(`${'CREATE long RETURN NONE;'.repeat(1500)} CREATE long:last; UPDATE long:last SET a = 1`);
  const seen: number[] = [];
  const found = await findVersions(
    source,
    { table: 'long', code: 'long:last' },
    { ...options, progress: (count) => seen.push(count) },
  );
  expect([found.length, seen]).toEqual([2, [1000, 1503]]);
  expect(
    await findVersions(source, { table: 'long', code: 'long:last' }, { ...options, signal: AbortSignal.abort() }),
  ).toEqual([]);
});

it('puts back each value as it was, be it changed, removed or deleted', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(storableValue, storableValue, fc.boolean(), async (value, other, isDeleted) => {
      // A feed is read from its beginning.
      const table = `all${runs++}`;
      const record = { table, code: `${table}:1` };
      const row = `SELECT * FROM ONLY ${table}:1`;
      await source.values(`DEFINE TABLE ${table} CHANGEFEED 1h INCLUDE ORIGINAL`);
      await source.values(`CREATE ${table}:1 CONTENT $data`, { data: objectFrom({ value, other, round: 1, kept: 1 }) });
      const [before] = await source.values(row);
      await source.values(`UPDATE ${table}:1 REPLACE $data`, {
        data: objectFrom({ value: other, more: value, round: 2, kept: 1 }),
      });
      if (isDeleted) await source.values(`DELETE ${table}:1`);
      const versions = (await versionsOf(table, record.code)).filter(({ content }) => content['round']?.code === '1');
      const change = puttingBack(record, versions.at(-1) as Version, await loadContent(source, record.code), plain);
      // What is the same isn't touched.
      if (change?.kind === 'update') expect(Object.keys(change.set)).not.toContain('kept');
      await save(change);
      expectSame((await source.values(row))[0], before);
      const now = await loadContent(source, record.code);
      expect(puttingBack(record, versions.at(-1) as Version, now, plain)).toBe(undefined);
    }),
    { numRuns: 60 },
  );
});

it('leaves computed fields, puts edges back as edges, and knows keys of other kinds', async () => {
  await source.values(`DEFINE TABLE c CHANGEFEED 1h; DEFINE FIELD twice ON c COMPUTED n * 2; CREATE c:[1] SET n = 1; CREATE c:[1f] SET n = 5;
    UPDATE c:[1] SET n = 2; DEFINE TABLE e TYPE RELATION CHANGEFEED 1h; RELATE c:[1]->e:1->c:[1f]; DELETE e:1`);
  const [first, second, ...others] = await versionsOf('c', 'c:[1]');
  expect([first?.content['n']?.code, second?.content['n']?.code, others]).toEqual(['1', '2', []]);
  const computed = { isRelation: false, computed: ['twice'] };
  const record = { table: 'c', code: 'c:[1]' };
  const change = puttingBack(record, first as Version, await loadContent(source, 'c:[1]'), computed);
  expect(change).toMatchObject({ kind: 'update', set: { n: { code: '1' } }, unset: [] });

  const [edge] = await versionsOf('e', 'e:1');
  const gone = await loadContent(source, 'e:1');
  await save(puttingBack({ table: 'e', code: 'e:1' }, edge as Version, gone, { isRelation: true, computed: [] }));
  expect(await source.values('RETURN value::quote(c:[1]->e->c)')).toEqual(['[c:[1f]]']);
});
