/** How often subqueries that are the same for all rows are evaluated. */
import { afterEach, describe, expect, test } from 'vitest';
import { openEngine } from '../../src/storage/open/open.js';
import { run, World } from '../support/world.js';
import { type Calls, counting } from './counted-calls.js';

const ROWS = 301;
const calls: Calls = {};
let world: World | undefined;
afterEach(async () => world?.database.close());

async function open(): Promise<World> {
  const opened = await World.open({}, counting(await openEngine('memory'), calls));
  world = opened;
  await run(
    opened.owner,
    `DEFINE TABLE team PERMISSIONS FULL; CREATE team:1 SET size = 1; CREATE team:2 SET size = 2;
     DEFINE TABLE person PERMISSIONS FOR select WHERE team IN (SELECT VALUE id FROM team WHERE size > 1);
     INSERT INTO person (<array> 0..${ROWS}).map(|$i| { id: $i, team: type::record('team', $i % 3) });`,
  );
  return opened;
}

async function scansOf(session: World['owner'], text: string): Promise<{ scans: number; rows: unknown }> {
  await run(session, text);
  calls.scan = 0;
  const rows = await run(session, text);
  return { scans: calls.scan, rows };
}

describe('an uncorrelated subquery', () => {
  test('of WHERE is evaluated once for all rows', async () => {
    const { owner } = await open();
    const text = 'SELECT VALUE count() FROM person WHERE team IN (SELECT VALUE id FROM team WHERE size = 2) GROUP ALL';
    const { scans, rows } = await scansOf(owner, text);
    expect(rows).toEqual([[(ROWS - 1) / 3]]);
    expect(scans).toBeLessThan(10);
  });

  test('of a projection as well', async () => {
    const { owner } = await open();
    const text = 'SELECT VALUE (SELECT VALUE math::max(size) FROM team GROUP ALL)[0] FROM person';
    const { scans, rows } = await scansOf(owner, text);
    expect(rows).toEqual([Array(ROWS).fill(2)]);
    expect(scans).toBeLessThan(10);
  });

  test('of the condition of UPDATE is evaluated once for the rows that are read together', async () => {
    const { owner } = await open();
    const text = 'UPDATE person SET n = 1 WHERE team IN (SELECT VALUE id FROM team WHERE size = 2) RETURN NONE';
    const { scans } = await scansOf(owner, text);
    expect(scans).toBeLessThan(ROWS / 10);
  });

  test('of PERMISSIONS is evaluated once for the rows that are read together', async () => {
    const session = await (await open()).person('ann');
    const { scans, rows } = await scansOf(session, 'SELECT VALUE count() FROM person GROUP ALL');
    expect(rows).toEqual([[(ROWS - 1) / 3]]);
    expect(scans).toBeLessThan(ROWS / 10);
  });
});

test('the value of one stays charged until the statement ends, and no longer', async () => {
  const opened = await World.open({ memory: { request: 4 * 2 ** 20 } });
  world = opened;
  await run(opened.owner, 'INSERT INTO t (<array> 0..9).map(|$n| { id: $n, n: $n })');
  const holds = (n: number) => `(n = ${n} AND n IN (SELECT VALUE <array> 0..200000 FROM ONLY [${n}] LIMIT 1))`;
  const one = `SELECT VALUE id FROM t WHERE ${holds(0)}`;
  await run(opened.owner, `${one}; ${one}; ${one}; FOR $i IN 0..3 { ${one} }`);
  const three = `SELECT VALUE id FROM t WHERE ${[0, 1, 2].map(holds).join(' OR ')}`;
  await expect(run(opened.owner, three)).rejects.toMatchObject({ code: 'request_memory_exceeded' });
});
