/** Servers on one store in PostgreSQL that are in trouble again and again: killed, cut off, or without their database. */
import pg from 'pg';
import { realEnvironment } from '../../src/env/real.js';
import { CuttingProxy, type Moment } from './cutting-proxy.js';
import type { PostgresServer } from './postgres-server.js';
import { type ServerProcess, startServer } from './server-process.js';
import type { HistoryNode } from './statement-histories.js';

/**
 * A server is killed and started again, PostgreSQL is, some of its connections are ended there, the link of the first
 * server is away for a moment, or cut at a moment of a commit.
 */
const TROUBLES = ['server', 'database', 'connections', 'link', 'commit'] as const;
export type Trouble = (typeof TROUBLES)[number];

const MOMENTS = ['before', 'during', 'after', 'silent'] as const satisfies readonly Moment[];
/** Milliseconds for which what is away is away, at the most. */
const LONGEST_AWAY = 400;

export class TroubledServers {
  readonly nodes: HistoryNode[] = [];
  /** How often each trouble was made. */
  readonly troubles = new Map<Trouble, number>();
  readonly #servers: ServerProcess[] = [];
  readonly #addresses: readonly string[];

  private constructor(
    private readonly postgres: PostgresServer,
    private readonly proxy: CuttingProxy,
    schema: string,
  ) {
    const address = postgres.address(schema);
    const throughProxy = `${address.replace(`${postgres.port}`, `${proxy.port}`)}&commit_timeout=1`;
    this.#addresses = [throughProxy, address, address];
  }

  /** Three of them, the first one behind a proxy. */
  static async start(postgres: PostgresServer, schema: string): Promise<TroubledServers> {
    const proxy = await CuttingProxy.start(postgres.port, 'commit_group');
    const servers = new TroubledServers(postgres, proxy, schema);
    for (const [number, address] of servers.#addresses.entries()) {
      const server = await startServer(address);
      servers.#servers.push(server);
      servers.nodes.push({ name: `node ${number}`, url: server.url });
    }
    return servers;
  }

  /**
   * Makes trouble, each kind at least once, until a condition holds. `pause`: the most milliseconds between one and the
   * next; `mortal`: the numbers of the servers that may be killed; `made` is called when all is there again.
   */
  async troubleUntil(
    isEnough: () => boolean,
    {
      random,
      pause,
      mortal = [0, 1, 2],
      made = () => undefined,
    }: {
      readonly random: (below: number) => number;
      readonly pause: number;
      readonly mortal?: readonly number[];
      readonly made?: (kind: Trouble) => Promise<void> | undefined;
    },
  ): Promise<void> {
    const first = [...TROUBLES];
    while (first.length > 0 || !isEnough()) {
      await realEnvironment.timers.wait(random(pause));
      const [drawn] = first.length > 0 ? first.splice(random(first.length), 1) : [TROUBLES[random(TROUBLES.length)]];
      const kind = drawn as Trouble;
      await this.#trouble(kind, random, mortal);
      await made(kind);
    }
  }

  async #trouble(kind: Trouble, random: (below: number) => number, mortal: readonly number[]): Promise<void> {
    this.troubles.set(kind, (this.troubles.get(kind) ?? 0) + 1);
    const away = () => realEnvironment.timers.wait(random(LONGEST_AWAY));
    switch (kind) {
      case 'server':
        return this.#killServer(mortal[random(mortal.length)] as number, away);
      case 'database':
        await this.postgres.kill();
        await away();
        return this.postgres.run();
      case 'connections':
        return this.#endConnections(random(3));
      case 'link':
        this.proxy.refuse();
        await away();
        return this.proxy.accept();
      case 'commit':
        return this.proxy.cutNext(MOMENTS[random(MOMENTS.length)] as Moment);
    }
  }

  async #killServer(number: number, away: () => Promise<void>): Promise<void> {
    const server = this.#servers[number] as ServerProcess;
    const node = this.nodes[number] as HistoryNode;
    await server.stop('SIGKILL');
    await away();
    const next = await this.#startAgain(number);
    this.#servers[number] = next;
    node.url = next.url;
  }

  /** One that ends because its link is cut meanwhile is started once more, as a supervisor does. */
  async #startAgain(number: number): Promise<ServerProcess> {
    const address = this.#addresses[number];
    try {
      return await startServer(address);
    } catch {
      return startServer(address);
    }
  }

  /** Ends a third of those to PostgreSQL, of all servers. */
  async #endConnections(third: number): Promise<void> {
    const client = new pg.Client({ connectionString: this.postgres.address('none').replace(/\?.*/, '') });
    await client.connect();
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND pid % 3 = $1`,
      [third],
    );
    await client.end();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    await this.proxy.close();
  }
}
