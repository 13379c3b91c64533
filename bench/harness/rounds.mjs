// Rounds: every contender in turn, again and again, so that what disturbs the machine disturbs all of them alike.
import { spreadOf } from './statistics.mjs';

/**
 * @typedef {object} Contender  a target with its operation of one workload
 * @property {import('./contract.mjs').Target} target
 * @property {import('./contract.mjs').Opened} opened
 * @property {import('./contract.mjs').Operation | undefined} operation
 * @property {import('./contract.mjs').Context} context
 * @property {number} next  the repetition that comes next
 * @property {number} count  repetitions of a round
 *
 * @typedef {{rounds: number, milliseconds: number, enough: number}} Effort  rounds; what one sample should take; what all of a workload
 *   may take before rounds are left out, though never the first three
 */

/** Answers go here, so that no compiler leaves out what makes them. */
export const sink = { last: undefined };

/** Repeats an operation: `{time, processor}` in nanoseconds, for each thing that it does. */
export async function timed(workload, contender, count = contender.count) {
  const { opened, operation, context } = contender;
  const { atOnce = 1, per = 1 } = workload;
  const from = contender.next;
  const end = from + count;
  contender.next = end;
  await workload.before?.(opened, from, count, context);
  const processor = opened.processor ?? processorTime;
  const used = await processor();
  const began = performance.now();
  let n = from;
  const chain = async () => {
    while (n < end) {
      const given = operation(n++);
      sink.last = typeof given?.then === 'function' ? await given : given;
    }
  };
  await (atOnce === 1 ? chain() : Promise.all(Array.from({ length: atOnce }, chain)));
  const time = performance.now() - began;
  const spent = (await processor()) - used;
  await workload.after?.(opened, context);
  const things = count * per;
  return { time: (time * 1e6) / things, processor: (spent * 1e3) / things };
}

/** Microseconds of this process, all threads. */
async function processorTime() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Finds how many repetitions fill a sample, which warms up, too: what is compiled while it runs needs some hundred milliseconds for that. */
export async function calibrate(workload, contender, milliseconds, warmUp = 8 * milliseconds) {
  const { atOnce = 1, per = 1, most = 1_000_000 } = workload;
  let count = Math.min(atOnce, most);
  for (let spent = 0; spent < warmUp; ) {
    const took = ((await timed(workload, contender, count)).time * count * per) / 1e6;
    spent += took;
    // No leap, since the first repetitions are slower than those to come.
    const wanted = Math.round(count * Math.min(8, milliseconds / Math.max(took, 0.001)));
    count = Math.min(most, Math.max(atOnce, wanted));
  }
  contender.count = count;
}

/**
 * @param {import('./contract.mjs').Workload} workload
 * @param {readonly Contender[]} contenders
 * @param {Effort} effort
 * @returns {Promise<import('./contract.mjs').Figures[][]>} figures of each round, in the order of the contenders
 */
export async function measure(workload, contenders, effort) {
  const sample = workload.sample
    ? ({ opened, operation, context }) => workload.sample(opened, { ...context, operation })
    : (contender) => timed(workload, contender);
  if (!workload.sample) for (const each of contenders) await calibrate(workload, each, effort.milliseconds);
  const rounds = [];
  const began = performance.now();
  const most = Math.min(workload.rounds ?? effort.rounds, effort.rounds);
  while (rounds.length < most && (rounds.length < 3 || performance.now() - began < effort.enough)) {
    const round = contenders.map(() => ({}));
    const order = contenders.keys().toArray?.() ?? [...contenders.keys()];
    // No target always follows the same other one.
    if (rounds.length % 2 === 1) order.reverse();
    for (const at of order) round[at] = await sample(contenders[at]);
    rounds.push(round);
  }
  return rounds;
}

/**
 * The spread of each figure, by target.
 * @param {readonly import('./contract.mjs').Target[]} targets
 * @param {import('./contract.mjs').Figures[][]} rounds
 */
export function summary(targets, rounds) {
  return Object.fromEntries(
    targets.map((target, at) => {
      const names = Object.keys(rounds[0][at]);
      const of = (name) => spreadOf(rounds.map((round) => round[at][name]));
      return [target.name, Object.fromEntries(names.map((name) => [name, of(name)]))];
    }),
  );
}
