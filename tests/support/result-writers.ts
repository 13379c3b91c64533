/** Writers of rows, links, edges, rules and definitions, each by a server of its own, that go on whatever fails. */
import fc from 'fast-check';
import { realEnvironment } from '../../src/env/real.js';
import { step } from '../properties/results/model.js';
import type { JudgedRequests } from './judged-requests.js';
import { seeded } from './late-engine.js';
import { transfer } from './result-moments.js';
import type { HistoryNode } from './statement-histories.js';

/** Milliseconds between two writes of one, at the most. */
const PAUSE = 60;
const DRAWN_AT_ONCE = 50;

export class ResultWriters {
  /** By outcome. */
  readonly counts = new Map<string, number>();
  readonly failures = new Map<string, number>();
  #runs = 0;

  constructor(
    private readonly requests: JudgedRequests,
    private readonly nodes: readonly HistoryNode[],
    private readonly database: string,
    private readonly seed: number,
  ) {}

  /** So many at each server. */
  async run(each: number, isOver: () => boolean): Promise<void> {
    const numbers = Array.from({ length: each }, (_, number) => number);
    await Promise.all(this.nodes.flatMap((node) => numbers.map(() => this.#write(node, ++this.#runs, isOver))));
  }

  async #write(node: HistoryNode, number: number, isOver: () => boolean): Promise<void> {
    const random = seeded(this.seed * 1_000 + number);
    for (let steps: string[] = []; !isOver(); await realEnvironment.timers.wait(random(PAUSE))) {
      if (steps.length === 0) steps = fc.sample(step, { numRuns: DRAWN_AT_ONCE, seed: random(2 ** 31) });
      const text = random(4) === 0 ? transfer(random) : (steps.pop() as string);
      const { outcome, reason } = await this.requests.run(node.url, this.database, text);
      this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
      if (reason === undefined) continue;
      this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
      // Its server may be away.
      await realEnvironment.timers.wait(PAUSE);
    }
  }
}
