/** A database with every kind of definition and value, and with hostile names, is the same after an export and an import. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { toText } from '../../src/value/text/text.js';
import { isArray, isObject } from '../../src/value/value.js';
import { type Owned, openOwned } from '../support/owned.js';

const EVERYTHING = readFileSync(new URL('fixtures/everything.surql', import.meta.url), 'utf8');

const opened: Owned[] = [];
afterEach(async () => {
  for (const { database } of opened.splice(0)) await database.close();
});
const open = async (): Promise<Owned> => {
  const owned = await openOwned();
  opened.push(owned);
  return owned;
};

async function exported({ owner }: Owned): Promise<string> {
  let text = '';
  for await (const piece of owner.export()) text += piece;
  return text;
}

async function copyOf(first: Owned): Promise<Owned> {
  const second = await open();
  const text = await exported(first);
  async function* inPieces(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000);
  }
  await second.owner.import(inPieces());
  return second;
}

/** Definitions, shown in both ways, and all records; internal numbers of tables aren't compared. */
async function state({ value }: Owned): Promise<string[]> {
  const database = await value('INFO FOR DB');
  const tables = isObject(database) && isObject(database['tables']) ? Object.keys(database['tables']) : [];
  expect(tables.length).toBeGreaterThan(0);
  const all = [toText(database), toText(await value('INFO FOR DB STRUCTURE'))];
  for (const table of tables.map((name) => `\`${name.replace(/[`\\]/g, '\\$&')}\``)) {
    all.push(toText(await value(`INFO FOR TABLE ${table}`)), toText(await value(`INFO FOR TABLE ${table} STRUCTURE`)));
    const records = await value(`SELECT * FROM ${table}`);
    if (isArray(records)) all.push(...records.map(toText));
  }
  return all.map((text) => text.replace(/\bid: \d+, (?=kind|name)/g, ''));
}

it('with everything', async () => {
  const first = await open();
  for (const { outcome } of await first.owner.query(EVERYTHING)) expect(outcome).toMatchObject({ ok: true });
  const second = await copyOf(first);
  expect(await exported(second)).toBe(await exported(first));
  expect(await state(second)).toEqual(await state(first));
});

it('with views over tables that keep no records, which go on from where they were', async () => {
  const first = await open();
  await first.value(`DEFINE TABLE gone DROP; DEFINE TABLE kept;
    DEFINE TABLE all_gone AS SELECT count() AS n, math::sum(a) AS s, math::mean(a) AS m, math::min(a) AS least, math::max(a) AS most,
      math::variance(a) AS v, math::stddev(a) AS d, b FROM gone GROUP BY b;
    DEFINE TABLE only_mean AS SELECT math::mean(a) AS m FROM gone GROUP ALL;
    DEFINE TABLE both AS SELECT math::mean(a) AS m, math::max(a) AS most, a > 2 AS large FROM gone, kept GROUP BY large;
    DEFINE TABLE a_row AS SELECT a * 2 AS twice FROM gone, kept;
    DEFINE TABLE of_view AS SELECT count() AS n FROM both GROUP ALL;
    CREATE gone:1 SET a = 0.1, b = 'x'; CREATE gone:2 SET a = 0.2, b = 'x'; CREATE gone:3 SET a = 3dec, b = [1, 'y'];
    CREATE kept:9 SET a = 50; CREATE kept:1 SET a = 0.7; UPDATE kept:1 SET a = 5`);
  const second = await copyOf(first);
  expect(await state(second)).toEqual(await state(first));
  for (const { value } of [first, second]) {
    await value("CREATE gone:4 SET a = 7, b = 'x'; DELETE kept:9; UPDATE kept SET a += 1; CREATE kept:2 SET a = 1");
  }
  expect(await state(second)).toEqual(await state(first));
  expect(toText(await second.value("SELECT VALUE [n, least, most] FROM ONLY all_gone:['x']"))).toBe('[3, 0.1f, 7]');
});

it('takes totals only where they fit, and only in an import', async () => {
  const { owner, value } = await open();
  await value(`DEFINE TABLE gone DROP; DEFINE TABLE v AS SELECT count() AS n, math::variance(a) AS d, b FROM gone GROUP BY b;
    DEFINE TABLE kept; DEFINE TABLE w AS SELECT count() AS n FROM kept GROUP ALL; CREATE gone SET a = 1, b = 'x'`);
  const before = await value('RETURN [(SELECT * FROM v), (SELECT * FROM w)]');
  const good = "{ view: 'v', groups: [[['x'], 9, 9, [9f, 81f]]] }";
  await owner.query(`LET $view_totals = ${good}`);
  for (const bad of [
    '1',
    '{ groups: [] }',
    "{ view: 'v', groups: 1 }",
    "{ view: 'v', groups: [1] }",
    "{ view: 'v', groups: [[[], 9, 9, [9f, 81f]]] }",
    "{ view: 'v', groups: [[['x'], 0, 9, [9f, 81f]]] }",
    "{ view: 'v', groups: [[['x'], 9, 9]] }",
    "{ view: 'v', groups: [[['x'], 9, 'many', [9f, 81f]]] }",
    "{ view: 'v', groups: [[['x'], 9, 9, 9f]] }",
    "{ view: 'v', groups: [[['x'], 9, 9, [9f, 'a']]] }",
  ]) {
    const [, result] = await owner.query(`OPTION IMPORT; LET $view_totals = ${bad}`);
    expect(result?.outcome, bad).toMatchObject({ ok: false, error: { code: 'variable_coercion' } });
  }
  // Views that are built from their sources, and what is no view, take none.
  for (const other of ['w', 'kept', 'nothing']) {
    await value(`OPTION IMPORT; LET $view_totals = { view: '${other}', groups: [[[], 9, 9]] }`);
  }
  expect(await value('RETURN [(SELECT * FROM v), (SELECT * FROM w)]')).toEqual(before);
  await value(`OPTION IMPORT; LET $view_totals = ${good}`);
  expect(await value('SELECT VALUE n FROM v')).toEqual([9]);
});

it('names the clauses of the database, for making the one to import into', async () => {
  const first = await open();
  await first.value("DEFINE DATABASE OVERWRITE test STRICT COMMENT 'a\nb' CHANGEFEED 3d; DEFINE TABLE a; CREATE a:1");
  expect(await exported(first)).toContain("-- DEFINE DATABASE test STRICT COMMENT 'a\\nb' CHANGEFEED 3d;\n\n");
  expect(await (await copyOf(first)).value('SELECT VALUE id FROM a')).toHaveLength(1);
});
