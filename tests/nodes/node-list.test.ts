/** INFO FOR NODES and `tessera nodes`: who sees which nodes, with what. */

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VERSION } from '../../src/base/package-version.js';
import { DATABASE_GROUPS, DATABASE_WORKS } from '../../src/catalog/nodes/lease-row.js';
import { runNodes } from '../../src/cli/nodes.js';
import { NodeDatabases } from '../support/node-databases.js';
import { ROOT, startTestServer } from '../support/server.js';
import { answer, PRINCIPALS, World } from '../support/world.js';

describe('Of several servers on one store', () => {
  let nodes: NodeDatabases;
  beforeEach(() => {
    nodes = new NodeDatabases();
  });
  afterEach(() => nodes.close());

  test('each lists all, and says which one it is and what they do', async () => {
    const one = await nodes.join({ address: 'one:8000' });
    const two = await nodes.join();
    const listed = 'SELECT id, current, version, format, address FROM (INFO FOR NODES)';
    const rows = [
      `{ address: 'one:8000', current: true, format: 2, id: '${one.id}', version: '${VERSION}' }`,
      `{ address: NONE, current: false, format: 2, id: '${two.id}', version: '${VERSION}' }`,
    ].sort((a, b) => ((/id: '(.*?)'/.exec(a)?.[1] as string) < (/id: '(.*?)'/.exec(b)?.[1] as string) ? -1 : 1));
    expect(await nodes.ask(one, listed)).toBe(`[${rows.join(', ')}]`);
  });

  test('shows what each does in the background: all of it, or on some of the groups of databases', async () => {
    const one = await nodes.join();
    expect(await nodes.ask(one, '(INFO FOR NODES).work')).toBe(
      "[['events', 'indexes', 'changefeeds', 'live', 'mail', 'sign-ins', 'files', 'log', 'nodes']]",
    );
    const two = await nodes.join();
    await nodes.pass(3_000);
    const shares = [one, two].map(async ({ id }) => nodes.ask(one, `(INFO FOR NODES)[WHERE id = '${id}'].work`));
    const [first = '', second = ''] = await Promise.all(shares);
    for (const share of [first, second]) expect(share).toMatch(/'(events|indexes) \d\/8'/);
    const groups = [...`${first}${second}`.matchAll(/(\d)\/8/g)].map(([, held]) => Number(held));
    expect(groups.reduce((sum, held) => sum + held, 0)).toBe(DATABASE_WORKS.length * DATABASE_GROUPS);
  });

  test('one that has died is seen to fall behind, and then it is gone, as one that was closed is at once', async () => {
    const [one, two, three] = [await nodes.join(), await nodes.join(), await nodes.join()];
    const behind = () => nodes.ask(one, '(INFO FOR NODES)[WHERE staleness > 3s].id');
    await nodes.pass(2_000);
    expect(await behind()).toBe('[]');
    two.process.pause();
    await nodes.pass(6_000);
    expect(await behind()).toBe(`['${two.id}']`);
    await nodes.during(three.database.close());
    expect(await nodes.ask(one, 'array::len(INFO FOR NODES)')).toBe('2');
    await nodes.pass(15_000);
    expect(await nodes.ask(one, '(INFO FOR NODES).id')).toBe(`['${one.id}']`);
  });
});

describe('One server alone', () => {
  test('lists itself, for users of the root', async () => {
    const world = await World.open();
    const everybody = await world.everybody();
    for (const name of PRINCIPALS) {
      const text = await answer(everybody[name], 'INFO FOR NODES');
      if (!name.startsWith('R')) expect(text).toMatch(/^not_allowed/);
      else
        expect(text).toMatch(
          /^\[\{ address: NONE, current: true, format: 2, id: '[0-9a-f]{16}', since: d'.*', staleness: 0ns, version: /,
        );
    }
    expect(await answer(world.owner, '(INFO FOR NODES).id = (INFO FOR NODES).id')).toBe('true');
    await world.close();
  });

  test('is printed by the command as a table and as JSON', async () => {
    const server = await startTestServer();
    const connection = { endpoint: server.url, user: ROOT.username, authLevel: 'root' } as const;
    const printed = async (json: boolean, pass = ROOT.password) => {
      const output = new PassThrough();
      await runNodes({ ...connection, pass, json }, output);
      return String(output.read());
    };
    expect(await printed(false)).toMatch(/^ id +\| address +\| current \| format \| since/);
    expect(JSON.parse(await printed(true))).toMatchObject([{ current: true, version: VERSION, staleness: '0ns' }]);
    await expect(runNodes({ endpoint: server.url, authLevel: 'root' }, new PassThrough())).rejects.toThrow(
      /not|permission/i,
    );
    await server.close();
  });
});
