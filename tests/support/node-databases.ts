/** Databases over one store, each as a process of its own, for tests of what nodes do together. */

import type { TesseraError } from '../../src/errors/error.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { RemoteEngine } from '../../src/storage/remote/remote-engine.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from './environment.js';
import { fakeNetwork } from './fake-network.js';
import { NodeProcess, pass } from './node-process.js';
import { type SharedNodes, simulatedNodes } from './shared-nodes.js';

export interface DatabaseNode {
  readonly id: string;
  readonly engine: RemoteEngine;
  readonly process: NodeProcess;
  readonly database: OpenDatabase;
  readonly owner: Session;
  readonly reported: TesseraError[];
  /** How often it has pruned the log of commits, which is kept whole here: the simulated one has no retention. */
  readonly prunings: () => number;
}

export class NodeDatabases {
  readonly world = new StubbedEnvironment();
  /** What is on the network, for all nodes; it may be replaced before a node is opened. */
  network = fakeNetwork();
  readonly #nodes: DatabaseNode[] = [];
  #shared: SharedNodes | undefined;

  /** Opens one more node, with `test` / `test` selected by its owner. `ahead` as for a `NodeProcess`. */
  async join(options: DatabaseOptions = {}, ahead = 0n): Promise<DatabaseNode> {
    const { clock, timers } = this.world;
    this.#shared ??= await simulatedNodes({ count: 0, clock, timers });
    const engine = await this.#shared.join();
    let prunings = 0;
    engine.shared.prune = async () => {
      prunings++;
      return false;
    };
    const process = new NodeProcess(this.world, this.network, ahead);
    const reported: TesseraError[] = [];
    const { environment } = process;
    const opened = openDatabase(engine, { ...options, environment, report: (error) => reported.push(error) });
    const database = await this.during(opened);
    const owner = database.ownerSession();
    await this.during(owner.use('test', 'test'));
    const node = { id: engine.shared.node, engine, process, database, owner, reported, prunings: () => prunings };
    this.#nodes.push(node);
    return node;
  }

  /** The last answer of a text, as text. */
  async ask({ owner }: DatabaseNode, text: string): Promise<string> {
    const { outcome } = (await this.during(owner.query(text, objectFrom({})))).at(-1) ?? {};
    if (outcome === undefined) return '';
    return outcome.ok ? toText(outcome.value) : outcome.error.message;
  }

  pass(milliseconds: number): Promise<void> {
    return pass(this.world, milliseconds);
  }

  /** Lets time pass until something is done. */
  async during<T>(work: T | Promise<T>): Promise<T> {
    let isDone = false;
    const done = Promise.resolve(work).finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    while (!isDone) await pass(this.world, 1);
    return done;
  }

  async close(): Promise<void> {
    for (const { process, database } of this.#nodes) {
      process.resume();
      await this.during(database.close());
    }
    await this.#shared?.close();
  }
}
