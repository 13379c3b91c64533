/**
 * Servers on one store in PostgreSQL under load, of which one is killed, whose database is killed, or whose link to it
 * is cut, late or silent: no acknowledged write is lost, none is done twice, the others go on, and all recovers by
 * itself. For many more of each `KILLS=100 KILLS_SEED=… npx vitest run tests/nodes/kills`.
 */
import { describe, expect, test } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { CuttingProxy, type Moment } from '../support/cutting-proxy.js';
import { anomaliesOf } from '../support/history-checker.js';
import { seeded } from '../support/late-engine.js';
import { postgresOfSuite } from '../support/postgres-of-suite.js';
import { postgresPrograms } from '../support/postgres-server.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { ROOT, type ServerProcess, startServer } from '../support/server-process.js';
import { HistoryClients, type HistoryNode } from '../support/statement-histories.js';

const KILLS = Number(process.env['KILLS'] ?? 2);
const SEED = Number(process.env['KILLS_SEED'] ?? Number(process.hrtime.bigint() % 100_000n));
/**
 * Before all of the request has left the server, when it has, and when its answer has come as far as the wire: one that
 * is drawn, or all of them by turns.
 */
const MOMENTS = ['before', 'during', 'after'] as const satisfies readonly Moment[];
const MOMENTS_OF_KILLS =
  process.env['KILLS'] === undefined && !RUNS_ALL
    ? [MOMENTS[SEED % MOMENTS.length]!]
    : Array.from({ length: Math.max(KILLS, MOMENTS.length) }, (_, at) => MOMENTS[at % MOMENTS.length]!);
/** For starting servers; other waits are shorter. */
const DEADLINE = 120_000 + KILLS * 60_000;
/** A machine that is busy otherwise may take long; how long it was is printed. */
const PATIENCE = { timeout: 60_000, interval: 10 };

// Without PostgreSQL there is no store that several servers share; `.ci/run` installs it.
describe.skipIf(postgresPrograms() === undefined)('Of servers on one store in PostgreSQL', () => {
  const postgres = postgresOfSuite(DEADLINE);
  const random = seeded(SEED);

  test(
    'one is killed, and the others go on without losing anything',
    async () => {
      const address = postgres().address('killed_node');
      const load = await Load.start([address, address, address]);
      for (let kill = 0; kill < KILLS; kill++) {
        await load.acknowledges(load.nodes, 10 + random(20));
        const killed = load.nodes[random(3)]!;
        await load.servers.get(killed)!.stop('SIGKILL');
        await load.goOn(load.nodes.filter((node) => node !== killed));
        await load.restart(killed, address);
      }
      await load.acknowledges(load.nodes);
      await load.end();
    },
    DEADLINE,
  );

  test(
    'one is killed in the middle of a commit, whose outcome is whole or nothing',
    async () => {
      const proxy = await CuttingProxy.start(postgres().port, 'commit_group');
      const address = postgres().address('killed_commit');
      const throughProxy = address.replace(`${postgres().port}`, `${proxy.port}`);
      const load = await Load.start([throughProxy, address]);
      const [killed, other] = load.nodes as [HistoryNode, HistoryNode];
      for (const moment of MOMENTS_OF_KILLS) {
        await load.acknowledges(load.nodes, 5 + random(10));
        const server = load.servers.get(killed)!;
        const cuts = proxy.cuts;
        proxy.instead = () => server.signal('SIGKILL');
        proxy.cutNext(moment);
        await expect.poll(() => proxy.cuts, PATIENCE).toBeGreaterThan(cuts);
        await server.stop('SIGKILL');
        proxy.instead = undefined;
        await load.goOn([other]);
        await load.restart(killed, throughProxy);
      }
      await load.acknowledges(load.nodes);
      await load.end();
      await proxy.close();
    },
    DEADLINE,
  );

  test(
    'all go on when PostgreSQL was killed and is back',
    async () => {
      const address = postgres().address('killed_database');
      const load = await Load.start([address, address]);
      for (let kill = 0; kill < KILLS; kill++) {
        await load.acknowledges(load.nodes, 10 + random(20));
        await postgres().kill();
        for (const { url } of load.nodes) await expect.poll(() => statusOf(url, 'health'), PATIENCE).toBe(503);
        await postgres().run();
        await load.goOn(load.nodes);
        for (const { url } of load.nodes) expect(await statusOf(url, 'health')).toBe(200);
      }
      await load.end();
    },
    DEADLINE,
  );

  test(
    'one whose link is cut, late or silent recovers by itself, and the others go on',
    async () => {
      const proxy = await CuttingProxy.start(postgres().port, 'commit_group');
      const address = postgres().address('cut_link');
      const load = await Load.start([
        `${address.replace(`${postgres().port}`, `${proxy.port}`)}&commit_timeout=1`,
        address,
      ]);
      const [cut, other] = load.nodes as [HistoryNode, HistoryNode];
      const moments: readonly Moment[] = ['before', 'during', 'after', 'silent'];
      for (let kill = 0; kill < KILLS * 2; kill++) {
        const cuts = proxy.cuts;
        proxy.delay = random(2) * random(40);
        proxy.cutNext(moments[random(moments.length)]!);
        await expect.poll(() => proxy.cuts, PATIENCE).toBeGreaterThan(cuts);
        await load.goOn([other]);
        await load.acknowledges([cut]);
      }
      proxy.delay = 0;
      proxy.refuse();
      await load.goOn([other]);
      await expect.poll(() => statusOf(cut.url, 'health'), PATIENCE).toBe(503);
      expect(await statusOf(other.url, 'health')).toBe(200);
      proxy.accept();
      await load.acknowledges([cut]);
      await load.end();
      await proxy.close();
    },
    DEADLINE,
  );
});

/** Clients of servers, at work until `end`. */
class Load {
  readonly servers = new Map<HistoryNode, ServerProcess>();
  readonly #clients: HistoryClients;
  readonly #running: Promise<void>;
  #isOver = false;
  #silence = 0;

  private constructor(
    readonly nodes: readonly HistoryNode[],
    clients: HistoryClients,
  ) {
    this.#clients = clients;
    this.#running = clients.run(() => this.#isOver);
  }

  static async start(addresses: readonly string[]): Promise<Load> {
    const servers: ServerProcess[] = [];
    for (const address of addresses) servers.push(await startServer(address));
    const nodes = servers.map(({ url }, number) => ({ name: `node ${number}`, url }));
    const clients = new HistoryClients(nodes, { seed: SEED, clients: 6, root: ROOT });
    await clients.prepare();
    const load = new Load(nodes, clients);
    for (const [number, node] of nodes.entries()) load.servers.set(node, servers[number]!);
    return load;
  }

  async restart(node: HistoryNode, address: string): Promise<void> {
    const server = await startServer(address);
    this.servers.set(node, server);
    node.url = server.url;
  }

  /**
   * Waits until each of some nodes has acknowledged something, and notes how long that took after what was done before.
   */
  async goOn(nodes: readonly HistoryNode[]): Promise<void> {
    const began = realEnvironment.clock.monotonic();
    await this.acknowledges(nodes);
    this.#silence = Math.max(this.#silence, realEnvironment.clock.monotonic() - began);
  }

  /** Waits until each of some nodes has acknowledged so many more transactions. */
  async acknowledges(nodes: readonly HistoryNode[], more = 1): Promise<void> {
    const count = ({ name }: HistoryNode) => this.#clients.acknowledged.get(name) ?? 0;
    const wanted = nodes.map((node) => count(node) + more);
    const isDone = () => nodes.every((node, at) => count(node) >= wanted[at]!);
    await expect.poll(isDone, PATIENCE).toBe(true);
  }

  /** Judges all that the clients have seen. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await this.#clients.readAll(this.nodes[0]!);
    const { history, failures } = this.#clients;
    const unknown = history.filter(({ outcome }) => outcome === 'unknown').length;
    const seen = `seed ${SEED}, ${history.length} transactions, ${unknown} of unknown outcome, others went on after ${Math.round(this.#silence)} ms at most, failed ${JSON.stringify([...failures])}`;
    console.log(seen);
    expect(anomaliesOf(history), seen).toEqual([]);
    await Promise.all([...this.servers.values()].map((server) => server.stop()));
  }
}

async function statusOf(url: string, path: string): Promise<number> {
  return (await fetch(`${url}/${path}`)).status;
}
