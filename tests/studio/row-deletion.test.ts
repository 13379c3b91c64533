/** Deleting selected rows, and putting them back just as they were. */
import { beforeAll, expect, it } from 'vitest';
import { deleteRows } from '../../studio/views/explore/selection/deletion.js';
import { ALL_ROWS, NO_ROWS, type SelectedRows, withRows } from '../../studio/views/explore/selection/selected-rows.js';
import { EmbeddedSource } from './embedded-source.js';

let source: EmbeddedSource;
beforeAll(async () => {
  source = await EmbeddedSource.open();
});

const these = (...codes: string[]): SelectedRows => withRows(NO_ROWS, codes, true);
const place = (table: string, filter = '') => ({ table, filter });

/** All that a table holds, as code. */
async function contentOf(...tables: string[]): Promise<unknown> {
  return source.values(tables.map((table) => `RETURN value::quote((SELECT * FROM ${table}))`).join(';'));
}

it('deletes those that are named, and puts them back with their edges', async () => {
  await source.values(`DEFINE TABLE person; DEFINE TABLE knows TYPE RELATION FROM person TO person; DEFINE TABLE rates TYPE RELATION;
    CREATE person:ann SET all = [{1, 2}, 1f, -0f, type::table('t'), 1dec, NULL, <bytes> 'a', person:ann, 1..2, 9223372036854775807];
    CREATE person:[1f] SET name = 'Bob'; CREATE person:eve; CREATE person:⟨a b⟩;
    RELATE person:ann->knows->person:[1f] SET since = 1f; RELATE person:eve->knows->person:⟨a b⟩`);
  await source.values(
    'LET $edge = (SELECT VALUE id FROM ONLY person:ann->knows LIMIT 1); RELATE person:eve->rates->$edge SET stars = 1dec',
  );
  const before = await contentOf('person', 'knows', 'rates');
  const { count, undo } = await deleteRows(
    source,
    place('person'),
    these('person:ann', 'person:[1f]', 'person:gone'),
    4,
  );
  expect(count).toBe(2);
  expect(
    await source.values(
      'RETURN [(SELECT VALUE id FROM person).len(), (SELECT VALUE id FROM knows).len(), (SELECT VALUE id FROM rates).len()]',
    ),
  ).toEqual([[2, 1, 0]]);
  await undo?.();
  expect(await contentOf('person', 'knows', 'rates')).toEqual(before);
  // The pointers of edges are there again.
  expect(await source.values('RETURN [person:ann->knows.len(), person:ann->knows<-rates.len()]')).toEqual([[1, 1]]);
});

it('deletes edges alone, and puts them back', async () => {
  const before = await contentOf('person', 'knows');
  const { count, undo } = await deleteRows(source, place('knows', 'since = 1'), ALL_ROWS, 1);
  expect([count, await source.values('RETURN (SELECT VALUE id FROM knows).len()')]).toEqual([1, [1]]);
  await undo?.();
  expect(await contentOf('person', 'knows')).toEqual(before);
});

it('deletes all that match but those that were left out, if they are as many as was said', async () => {
  await source.values(
    'CREATE |many:20| RETURN NONE; UPDATE many SET n = 1; CREATE many:a SET n = 1; CREATE many:b SET n = 2',
  );
  const selected = withRows(ALL_ROWS, ['many:a'], false);
  await expect(deleteRows(source, place('many', 'n = 1 -- one'), selected, 20)).rejects.toThrow(/20 rows match/);
  expect((await deleteRows(source, place('many', 'n = 1 -- one'), selected, 21)).count).toBe(20);
  expect(await source.values('SELECT VALUE id.id() FROM many')).toEqual([['a', 'b']]);
  expect((await deleteRows(source, place('many'), withRows(ALL_ROWS, ['many:b'], false), 2)).count).toBe(1);
  expect((await deleteRows(source, place('many'), ALL_ROWS, 1)).count).toBe(1);
});

it('puts nothing back where that would not be what there was', async () => {
  await source.values(`DEFINE TABLE dated; DEFINE FIELD at ON dated VALUE time::now(); CREATE dated:1;
    DEFINE TABLE calls; DEFINE EVENT called ON calls THEN {}; CREATE calls:1; CREATE loose:1 SET in = person:ann, out = person:eve`);
  const dated = await deleteRows(source, place('dated'), these('dated:1'), 1);
  await expect(dated.undo?.()).rejects.toThrow('dated:1 would not be as it was');
  expect(await source.values('SELECT * FROM dated')).toEqual([[]]);
  expect(await deleteRows(source, place('calls'), these('calls:1'), 1)).toEqual({ count: 1 });
  expect(await deleteRows(source, place('loose'), these('loose:1'), 1)).toEqual({ count: 1 });

  await source.values(
    `DEFINE FIELD boss ON person TYPE option<record<person>> REFERENCE ON DELETE CASCADE; UPDATE person:eve SET boss = person:ann`,
  );
  expect(await deleteRows(source, place('person'), these('person:ann'), 1)).toEqual({ count: 1 });
});

it('deletes what is too large to be kept, or too much', async () => {
  const large = Array.from({ length: 50_000 }, (_, at) => at);
  await source.values('CREATE large:1 SET a = $large; CREATE large:2; CREATE |crowd:1001| RETURN NONE', { large });
  expect(await deleteRows(source, place('large'), these('large:1'), 1)).toEqual({ count: 1 });
  expect((await deleteRows(source, place('large'), these('large:2'), 1)).undo).toBeDefined();
  expect(await deleteRows(source, place('crowd'), ALL_ROWS, 1001)).toEqual({ count: 1001 });
});
