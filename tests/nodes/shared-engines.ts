/** Databases of two nodes on the engines of stores over a network, in real time. */
import { realEnvironment } from '../../src/env/real.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { SharedNodes } from '../support/shared-nodes.js';

export interface OpenNode {
  readonly database: OpenDatabase;
  /** Selects `test`/`test`. */
  owner(): Promise<Session>;
}

export async function openNodes(
  { nodes }: Pick<SharedNodes, 'nodes'>,
  options: DatabaseOptions | ((node: number) => DatabaseOptions) = {},
): Promise<OpenNode[]> {
  const opened: OpenNode[] = [];
  for (const [node, engine] of nodes.entries()) {
    const own = typeof options === 'function' ? options(node) : options;
    const database = await openDatabase(engine, { environment: realEnvironment, ...own });
    opened.push({
      database,
      owner: async () => {
        const session = database.ownerSession();
        await session.use('test', 'test');
        return session;
      },
    });
  }
  return opened;
}

/** Waits until a condition holds, at most 20 seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not come to that in time');
    await realEnvironment.timers.wait(5);
  }
}
