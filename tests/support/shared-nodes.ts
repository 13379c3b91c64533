/** Several nodes over one store, as processes of a cluster would be, for tests of what they share. */
import type { Clock, Timers } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { openPostgres } from '../../src/storage/postgres/open.js';
import { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { Lateness, seeded } from './late-engine.js';
import type { PostgresServer } from './postgres-server.js';
import { SimulatedServer, SimulatedStore } from './simulated-store.js';

export interface SharedNodes {
  /** Engines over one store. */
  readonly nodes: readonly RemoteEngine[];
  /** One more, over the same store. */
  join(): Promise<RemoteEngine>;
  close(): Promise<void>;
}

export interface NodesOptions {
  /** Default: 2. */
  readonly count?: number;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

/** Keeps its log, as a store does with rows this young: `SimulatedStore` drops what slow followers haven't read yet. */
class LastingStore extends SimulatedStore {
  override async prune(): Promise<boolean> {
    return false;
  }
}

/** Over an empty store in memory, which loses nothing and answers within a few turns of the event loop. */
export function simulatedNodes(options: NodesOptions = {}): Promise<SharedNodes> {
  const { clock = realEnvironment.clock, timers = realEnvironment.timers } = options;
  const random = seeded(1);
  const server = new SimulatedServer(random, options.clock);
  let nodes = 0;
  return sharedNodes(options, async () => {
    const network = { lateness: new Lateness(3, random), random, reliability: Number.POSITIVE_INFINITY };
    return new RemoteEngine(new LastingStore(server, ++nodes, network), { clock, timers });
  });
}

/** Over the store in a schema of a PostgreSQL server. */
export function postgresNodes(
  server: PostgresServer,
  schema: string,
  { clock, timers, count }: NodesOptions = {},
): Promise<SharedNodes> {
  const environment = { ...(clock && { clock }), ...(timers && { timers }) };
  return sharedNodes({ ...(count && { count }) }, () => openPostgres(server.address(schema), environment));
}

async function sharedNodes({ count = 2 }: NodesOptions, open: () => Promise<RemoteEngine>): Promise<SharedNodes> {
  const nodes: RemoteEngine[] = [];
  const join = async () => {
    const node = await open();
    nodes.push(node);
    return node;
  };
  while (nodes.length < count) await join();
  return {
    nodes,
    join,
    close: async () => {
      for (const node of nodes) await node.close();
    },
  };
}
