/** `export()` and `import()` of the official client, over every transport and with the engine in process. */
import type { Surreal } from 'surrealdb';
import { Surreal as FirstSurreal } from 'surrealdb-v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../src/server/server.js';
import { newClient } from '../support/official-client.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const address = (scheme: string) => (scheme === 'mem' ? 'mem://' : `${server.url.replace('http', scheme)}/rpc`);

const RULE = `-- ${'-'.repeat(30)}`;
const block = (title: string, text: string) => `${RULE}\n-- ${title}\n${RULE}\n\n${text}\n`;

describe.each(['ws', 'http', 'mem'])('the client over %s', (scheme) => {
  async function connected(database: string): Promise<Surreal> {
    const db = newClient();
    await db.connect(address(scheme), { reconnect: false });
    if (scheme !== 'mem') await db.signin(ROOT);
    await db.use({ namespace: 'test', database: `${database}-${scheme}` });
    return db;
  }

  it('exports what is asked for, as the peer writes it', async () => {
    const db = await connected('exported');
    await db.query(
      `DEFINE FUNCTION fn::foo() { RETURN 'bar' }; CREATE foo:1 SET hello = 'world'; CREATE bar:1 SET hello = 'world'`,
    );
    const head = block('OPTION', 'OPTION IMPORT;\n');
    const functions = block('FUNCTIONS', "DEFINE FUNCTION fn::foo() { RETURN 'bar' } PERMISSIONS FULL;\n");
    const table = (name: string) =>
      block(`TABLE: ${name}`, `DEFINE TABLE ${name} TYPE ANY SCHEMALESS PERMISSIONS NONE;\n\n\n\n`) +
      block(`TABLE DATA: ${name}`, `INSERT [ { hello: 'world', id: ${name}:1 } ];\n`);
    expect(await db.export()).toBe(head + functions + table('bar') + table('foo'));
    expect(await db.export({ tables: ['foo'] })).toBe(head + functions + table('foo'));
    expect(await db.export({ functions: true, tables: false })).toBe(head + functions);
    await db.close();
  });

  it('imports texts and streams', async () => {
    const db = await connected('imported');
    await db.import("OPTION IMPORT; CREATE a:1 SET name = 'ü';");
    const [records] = await db.query<[{ name: string }[]]>('SELECT name FROM a');
    expect(records).toEqual([{ name: 'ü' }]);
    await db.import(new Blob(['CREATE a:2;']).stream());
    const [both] = await db.query<[unknown[]]>('SELECT * FROM a');
    expect(both).toHaveLength(2);
    await expect(db.import('CREATE a:2')).rejects.toThrow('already exists');
    await db.close();
  });
});

it('exports to the first generation of the client', async () => {
  const first = new FirstSurreal();
  await first.connect(address('http'), { versionCheck: false });
  await first.signin(ROOT);
  await first.use({ namespace: 'test', database: 'first' });
  await first.query('CREATE a:1');
  expect(await first.export()).toContain('INSERT [ { id: a:1 } ];');
  await first.close();
});
