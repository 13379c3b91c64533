/** Rows as files: SurrealQL that is read back gives the same values, of every kind. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { objectFrom, type Value } from '../../src/value/value.js';
import { exportRows, type Format } from '../../studio/views/explore/selection/row-export.js';
import { ALL_ROWS, NO_ROWS, withRows } from '../../studio/views/explore/selection/selected-rows.js';
import { expectSame } from '../properties/same.js';
import { storableValue, text } from '../support/arbitraries.js';
import { EmbeddedSource } from './embedded-source.js';

let source: EmbeddedSource;
beforeAll(async () => {
  source = await EmbeddedSource.open();
});

const options = { progress() {}, signal: new AbortController().signal };

async function exported(table: string, format: Format, filter = '', selected = ALL_ROWS): Promise<string> {
  const { file } = await exportRows(source, { table, filter }, selected, format, options);
  return file.text();
}

/** A key that makes a record id. */
const key: fc.Arbitrary<Value> = fc.oneof(
  fc.integer(),
  text.filter((each) => each !== ''),
  fc.array(fc.oneof(fc.integer(), text, fc.constant(null)), { maxLength: 3 }),
);
const field = text.filter((each) => !each.includes('\0'));

it('is read back as the same rows, whatever is in them', async () => {
  const row = fc.record({ key, name: field, value: storableValue, other: storableValue });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), field, async (rows, drawn) => {
      const table = `x${drawn}`;
      const defined = `DEFINE TABLE ${quoted(table)}`;
      await source.values(`REMOVE TABLE IF EXISTS ${quoted(table)}; ${defined}`);
      for (const { key: id, name, value, other } of rows) {
        const data = objectFrom({ [`x${name}`]: value, other, list: [value] });
        await source.values('UPSERT type::record($table, $id) CONTENT $data', { table, id, data });
      }
      const [before] = await source.values(`SELECT * FROM ${quoted(table)}`);
      const all = await exported(table, 'surql');
      const [codes] = await source.query<[string[]]>(
        `RETURN (SELECT VALUE id FROM ${quoted(table)}).map(|$id| value::quote($id))`,
      );
      const some = await exported(table, 'surql', '', withRows(NO_ROWS, codes.slice(1), true));
      await source.values(`DELETE ${quoted(table)}; ${all}`);
      expectSame((await source.values(`SELECT * FROM ${quoted(table)}`))[0], before);
      await source.values(`DELETE ${quoted(table)}; ${some}`);
      expectSame((await source.values(`SELECT * FROM ${quoted(table)}`))[0], (before as Value[]).slice(1));
    }),
    { numRuns: 100 },
  );
});

function quoted(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

it('has the edges of a table of any kind as edges, and computes nothing again', async () => {
  await source.values(`DEFINE TABLE p; DEFINE FIELD at ON p VALUE rand::uuid(); DEFINE EVENT e ON p THEN { CREATE called };
    CREATE p:1, p:2; DELETE called; DEFINE TABLE likes TYPE ANY; RELATE p:1->likes->p:2; CREATE likes:plain SET in = p:1, out = p:2`);
  const before = await source.values('SELECT * FROM p; SELECT * FROM likes; RETURN p:1->likes');
  const texts = [await exported('p', 'surql'), await exported('likes', 'surql')];
  await source.values(`DELETE p; DELETE likes; DELETE called; ${texts.join('\n')}`);
  expect(await source.values('SELECT * FROM p; SELECT * FROM likes; RETURN p:1->likes')).toEqual(before);
  expect(await source.values('SELECT * FROM called')).toEqual([[]]);
});

it('reads on batch by batch, those that match, and says what is too large', async () => {
  await source.values(`CREATE |many:1..450| SET n = 1 RETURN NONE; UPDATE many:7 SET n = 2`);
  const text = await exported('many', 'surql', 'n = 1 -- not the seventh', withRows(ALL_ROWS, ['many:9'], false));
  expect(text.match(/\{ id: many:\d+, n: 1 \}/g)).toHaveLength(447);
  expect(text).not.toMatch(/many:[79],/);

  const large = Array.from({ length: 50_000 }, (_, at) => at);
  await source.values('UPDATE many:3 SET a = $large', { large });
  const { count, leftOut, file } = await exportRows(source, { table: 'many', filter: '' }, ALL_ROWS, 'surql', options);
  expect([count, leftOut]).toEqual([448, ['many:3']]);
  expect((await file.text()).match(/id: many/g)).toHaveLength(448);
});

it('is CSV and JSON with all fields that rows have', async () => {
  await source.values(
    `CREATE |late:1..250| RETURN NONE; UPDATE late:2 SET a = '=1+1', n = 1; UPDATE late:241 SET b = "x,\\"y\\"\\n"`,
  );
  const lines = (await exported('late', 'csv')).split('\r\n');
  expect([lines[0], lines[1], lines[2], lines[241], lines.length]).toEqual([
    'id,a,n,b',
    'late:1,,,',
    "late:2,'=1+1,1,",
    'late:241,,,"x,""y""\n"',
    251,
  ]);
  expect(JSON.parse(await exported('late', 'json', 'n OR b'))).toEqual([
    { id: 'late:2', a: '=1+1', n: 1 },
    { id: 'late:241', b: 'x,"y"\n' },
  ]);
  expect(JSON.parse(await exported('late', 'json', 'false'))).toEqual([]);
});

it('ends when it is cancelled', async () => {
  const signal = AbortSignal.abort(new Error('Cancelled'));
  await expect(
    exportRows(source, { table: 'late', filter: '' }, ALL_ROWS, 'csv', { ...options, signal }),
  ).rejects.toThrow('Cancelled');
});
