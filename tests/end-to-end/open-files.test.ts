/** The limit of open files: clients that hold as many connections as they may leave enough for the server itself. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { cleanUp, ROOT, startServerWith, temporaryFolder } from '../support/server-process.js';

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await cleanUp();
});

const FILES = 300;
const SQL = {
  method: 'POST',
  headers: {
    accept: 'application/json',
    authorization: `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`,
    'surreal-ns': 'test',
    'surreal-db': 'test',
  },
};

it.skipIf(process.platform === 'win32')(
  'serves those who are connected while others take all connections',
  async () => {
    const folder = temporaryFolder();
    const server = await startServerWith(
      [folder, '--user', ROOT.user, '--pass', ROOT.pass, '--allow-scripting', '--audit-log', `${folder}.audit`],
      {},
      ['-n', FILES],
    );
    const { hostname, port } = new URL(server.url);
    const run = async (body: string) => (await fetch(`${server.url}/sql`, { ...SQL, body })).text();
    // This connection is kept open, and used again.
    await run('CREATE t:1');
    for (let count = 0; count < FILES; count++) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket.on('error', () => undefined));
      await once(socket, 'connect');
    }
    await expect.poll(() => server.log()).toContain('ulimit -n');
    expect(await run('CREATE t:2; RETURN function() { return 42; }; SELECT VALUE id FROM t;')).toMatch(
      /42[\s\S]*t:1.*t:2/,
    );
    expect(server.log()).not.toContain('EMFILE');
    // Those that were refused are closed; a new client is served once there is room.
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await fetch(`${server.url}/health`)).status).toBe(200);
  },
);
