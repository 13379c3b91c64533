/**
 * Of three servers on one store in PostgreSQL the one that runs asynchronous events is killed, or stands still, in the middle of one: another goes on,
 * and each event has its effect on the store once.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asRoot } from '../end-to-end/clients.js';
import { ownerOf } from '../support/connection-owner.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { isInTurn } from '../support/runs-all.js';
import { cleanUp, ROOT, type ServerProcess, startServerWith } from '../support/server-process.js';

const EVENTS = 12;
/** The event in the middle of which its server ends; it is answered for those who ask again. */
const HELD = 5;
const DEADLINE = 180_000;
const PATIENCE = { timeout: 60_000, interval: 20 };

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it. In turns with other long tests.
describe.skipIf(postgresPrograms() === undefined || !isInTurn(0))('On one store in PostgreSQL', () => {
  let postgres: PostgresServer;
  let stores = 0;
  /** What events call. */
  let outside: Server;
  /** The numbers of the events that have called, in order. */
  let calls: number[];
  let held: ServerResponse | undefined;
  let servers: ServerProcess[];
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    outside = createServer((request, response) => {
      const number = Number(request.url?.slice(1));
      calls.push(number);
      if (number === HELD && held === undefined) held = response;
      else response.end();
    });
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(async () => {
    calls = [];
    held = undefined;
    servers = [];
    const options = ['--user', ROOT.user, '--pass', ROOT.pass, '--allow-net', '127.0.0.1'];
    const address = postgres.address(`leases_${stores++}`);
    for (let number = 0; number < 3; number++) servers.push(await startServerWith([address, ...options]));
  }, DEADLINE);
  afterEach(cleanUp);
  afterAll(async () => {
    outside.closeAllConnections();
    outside.close();
    await postgres.remove();
  });

  const ask = async ({ url }: ServerProcess, text: string) => (await asRoot(url, text, ROOT)).at(-1);

  /** Has events queued, and waits until the server that runs them is in the middle of one. */
  async function heldInTheMiddle(): Promise<{ readonly holder: ServerProcess; readonly others: ServerProcess[] }> {
    const { port } = outside.address() as AddressInfo;
    await ask(
      servers[0]!,
      `DEFINE TABLE t; DEFINE TABLE log; DEFINE EVENT e ON t ASYNC
        THEN { http::get('http://127.0.0.1:${port}/' + <string> $after.n); CREATE log SET n = $after.n };
       FOR $n IN 0..${EVENTS} { CREATE t SET n = $n }`,
    );
    await expect.poll(() => held, PATIENCE).toBeDefined();
    const pid = ownerOf(
      held!.req.socket,
      servers.map((server) => server.pid),
    );
    const holder = servers.find((server) => server.pid === pid)!;
    expect(await effects(holder)).toEqual([0, 1, 2, 3, 4]);
    return { holder, others: servers.filter((server) => server !== holder) };
  }

  const effects = (server: ServerProcess) => ask(server, 'SELECT VALUE n FROM log ORDER BY n');
  const all = Array.from({ length: EVENTS }, (_, number) => number);

  test(
    'the events of a server that is killed in the middle of one go on at another',
    async () => {
      const { holder, others } = await heldInTheMiddle();
      await holder.stop('SIGKILL');
      await expect.poll(() => effects(others[0]!), PATIENCE).toEqual(all);
      expect(calls.filter((number) => number === HELD).length).toBeGreaterThan(1);
      await ask(others[1]!, `CREATE t SET n = ${EVENTS}`);
      await expect.poll(() => effects(others[0]!), PATIENCE).toEqual([...all, EVENTS]);
    },
    DEADLINE,
  );

  test(
    'a server that stood still until another has its lease changes nothing when it goes on',
    async () => {
      const { holder, others } = await heldInTheMiddle();
      holder.signal('SIGSTOP');
      await expect.poll(() => effects(others[0]!), PATIENCE).toEqual(all);
      held?.end();
      holder.signal('SIGCONT');
      // Once it answers, with what it was in the middle of behind it, all are asked again.
      await expect.poll(() => ask(holder, 'RETURN 1').catch(() => 0), PATIENCE).toBe(1);
      await ask(holder, `CREATE t SET n = ${EVENTS}`);
      await expect.poll(() => effects(holder), PATIENCE).toEqual([...all, EVENTS]);
      expect(calls.filter((number) => number === HELD).length).toBeGreaterThan(1);
    },
    DEADLINE,
  );
});
