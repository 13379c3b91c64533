/** Many clients at once: nothing is lost, and no client ever gets a conflict. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newClient } from '../support/official-client.js';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';
import { asRoot, FORMATS, RpcSocket, SHOP } from './clients.js';

const CLIENTS = 8;
let server: ServerProcess;
const sockets: RpcSocket[] = [];
beforeAll(async () => {
  server = await startServer();
  for (let index = 0; index < CLIENTS; index++) {
    const socket = await RpcSocket.open(server.rpcUrl, index % 2 === 0 ? FORMATS.JSON : FORMATS.CBOR);
    await socket.ask('signin', ROOT);
    await socket.ask('use', SHOP.namespace, SHOP.database);
    sockets.push(socket);
  }
}, 60_000);
afterAll(async () => {
  for (const socket of sockets) socket.close();
  await cleanUp();
});

/** Work of every client, all at once. */
const atOnce = <T>(work: (socket: RpcSocket, client: number) => Promise<T>) => Promise.all(sockets.map(work));

it('counts every increment of one record', async () => {
  const times = 50;
  await asRoot(server.url, 'CREATE counter:1 SET n = 0', ROOT);
  await atOnce(async (socket) => {
    for (let count = 0; count < times; count++) await socket.query('UPDATE counter:1 SET n += 1');
  });
  expect(await asRoot(server.url, 'SELECT VALUE n FROM ONLY counter:1', ROOT)).toEqual([CLIENTS * times]);
});

it('makes one record when all upsert the same', async () => {
  const statement = 'UPSERT counter:2 SET n = (n ?? 0) + 1';
  await atOnce((socket) => socket.query(statement));
  expect(await asRoot(server.url, 'SELECT * FROM counter:2', ROOT)).toEqual([[{ id: 'counter:2', n: CLIENTS }]]);
});

it('lets one of many have a unique value', async () => {
  await asRoot(server.url, 'DEFINE INDEX name ON member FIELDS name UNIQUE', ROOT);
  const outcomes = await atOnce((socket) =>
    socket.query('CREATE member SET name = "only"').then(
      () => 'made',
      (error: Error) => error.message,
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(1);
  for (const outcome of outcomes) expect(outcome).toMatch(/^made$|already contains/);
  expect(await asRoot(server.url, 'SELECT count() FROM member GROUP ALL', ROOT)).toEqual([[{ count: 1 }]]);
});

it('keeps the total of fifty accounts, at the end and at every moment between', async () => {
  const accounts = 50;
  const opening = 100;
  const transfers = 40;
  await asRoot(
    server.url,
    `FOR $n IN 0..${accounts} { CREATE type::record("account", $n) SET balance = ${opening} }`,
    ROOT,
  );

  let working = true;
  const totals = new Set<unknown>();
  const watch = async (socket: RpcSocket) => {
    while (working) totals.add((await socket.query('math::sum((SELECT VALUE balance FROM account))'))[0]);
  };
  let refused = 0;
  const transfer = async (socket: RpcSocket, client: number) => {
    for (let count = 0; count < transfers; count++) {
      // Few accounts are drawn often, so that transfers meet; some take more than there is.
      const from = (client * 7 + count * count) % accounts;
      const to = (from + 1 + ((client + count) % 5)) % accounts;
      const amount = count % 10 === 0 ? 100_000 : 1 + (count % 30);
      const answer = await socket.call(
        'query',
        `BEGIN;
         UPDATE type::record("account", $from) SET balance -= $amount;
         IF (SELECT VALUE balance FROM ONLY type::record("account", $from)) < 0 { THROW "not enough" };
         UPDATE type::record("account", $to) SET balance += $amount;
         COMMIT;`,
        { from, to, amount },
      );
      const text = JSON.stringify(answer);
      expect(text).not.toContain('onflict');
      if (text.includes('not enough')) refused++;
    }
  };
  const watching = watch(sockets[0] as RpcSocket);
  await Promise.all(sockets.map(transfer));
  working = false;
  await watching;

  expect([...totals]).toEqual([accounts * opening]);
  expect(refused).toBeGreaterThanOrEqual(CLIENTS * (transfers / 10));
  const [balances] = (await asRoot(server.url, 'SELECT VALUE balance FROM account', ROOT)) as [number[]];
  expect(balances).toHaveLength(accounts);
  expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
  expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(accounts * opening);
});

it('lets clients hold transactions over several requests, and asks one of two that conflict to begin again', async () => {
  await asRoot(server.url, 'CREATE stock:1 SET left = 5', ROOT);
  const buy = async () => {
    const client = newClient();
    await client.connect(server.rpcUrl, { reconnect: false, ...SHOP });
    await client.signin({ username: ROOT.user, password: ROOT.pass });
    for (;;) {
      const transaction = await client.beginTransaction();
      try {
        const [left] = await transaction.query<[number]>('SELECT VALUE left FROM ONLY stock:1');
        const sold = left > 0;
        if (sold) await transaction.query('UPDATE stock:1 SET left = $left', { left: left - 1 });
        await transaction.commit();
        await client.close();
        return sold;
      } catch (error) {
        expect(String(error)).toContain('onflict');
      }
    }
  };
  const sold = await Promise.all(Array.from({ length: CLIENTS }, buy));
  expect(sold.filter(Boolean)).toHaveLength(5);
  expect(await asRoot(server.url, 'SELECT VALUE left FROM ONLY stock:1', ROOT)).toEqual([0]);
});

it('undoes a transaction that fails or is cancelled', async () => {
  const socket = sockets[0] as RpcSocket;
  for (const end of ['THROW "no"; COMMIT', 'CANCEL', 'CREATE gone:1; COMMIT', '']) {
    await socket.call('query', `BEGIN; CREATE gone:1; ${end}`);
  }
  expect(await socket.query('CREATE gone:2; DELETE gone:2; SELECT * FROM gone')).toMatchObject([{}, {}, []]);
});
