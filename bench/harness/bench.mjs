// One run: for each dataset its targets are opened and loaded, answer alike, and are measured in turn.
import { NOTHING } from '../data/nothing.mjs';
import { comparable, demandSame } from './answers.mjs';
import { grouped } from './grouped.mjs';
import { measure } from './rounds.mjs';

/** Repetitions whose answers are compared. */
const COMPARED = 2;

/** Why a target can't run here, if it can't. @param {import('./contract.mjs').Target} target */
export async function missing({ needs = [], lacks }) {
  for (const name of needs) {
    try {
      await import(name);
    } catch (error) {
      return `${name} can't be loaded (${error.code ?? error.message}); npm ci in bench/`;
    }
  }
  return lacks?.();
}

/** @param {import('./contract.mjs').Workload} workload @param {import('./contract.mjs').Target} target */
export const runs = (workload, target) =>
  workload[target.speaks] !== undefined && (workload.only?.includes(target.name) ?? true);

/**
 * @param {object} what
 * @param {readonly import('./contract.mjs').Workload[]} what.workloads
 * @param {readonly import('./contract.mjs').Target[]} what.targets  that can run here
 * @param {number} what.rows
 * @param {import('./rounds.mjs').Effort} what.effort
 * @param {(result: Result) => unknown} what.tell  as soon as a workload is measured
 * @param {(text: string) => unknown} [what.progress]
 *
 * @typedef {object} Result
 * @property {import('./contract.mjs').Workload} workload
 * @property {number} rows
 * @property {import('./contract.mjs').Target[]} targets
 * @property {import('./contract.mjs').Figures[][]} rounds  in the order of the targets
 */
export async function bench({ workloads, targets, rows, effort, tell, progress = () => undefined }) {
  for (const [data, several] of grouped(workloads, ({ data = NOTHING }) => data)) {
    const wanted = targets.filter((target) => several.some((workload) => runs(workload, target)));
    const count = Math.min(rows, data.most ?? rows);
    const opened = new Map();
    try {
      for (const target of wanted) {
        const began = performance.now();
        opened.set(target, await target.open(data, count));
        progress(`${data.name} in ${target.name}: ${((performance.now() - began) / 1e3).toFixed(1)} s`);
      }
      for (const workload of several) {
        const contenders = wanted
          .filter((target) => runs(workload, target))
          .map((target) => contenderOf(workload, target, opened.get(target), count));
        if (contenders.length === 0) continue;
        await compareAnswers(workload, contenders);
        const rounds = await measure(workload, contenders, effort);
        await tell({ workload, rows: count, targets: contenders.map(({ target }) => target), rounds });
      }
    } finally {
      for (const each of opened.values()) await each.close();
    }
  }
}

/** @returns {import('./rounds.mjs').Contender} */
export function contenderOf(workload, target, opened, rows) {
  const context = { rows, record: opened.record };
  const entry = workload[target.speaks];
  const { variables = () => ({}) } = workload;
  const operation =
    typeof entry === 'function'
      ? entry(opened, context)
      : typeof entry === 'string'
        ? opened.statement(entry, (n) => variables(n, context))
        : undefined;
  return { target, opened, operation, context, next: 0, count: 1 };
}

/** @throws when two contenders answer differently */
export async function compareAnswers(workload, contenders) {
  if (contenders.some(({ operation }) => operation === undefined)) return;
  const given = [];
  for (const contender of contenders) {
    const { opened, operation, context, target } = contender;
    await workload.before?.(opened, 0, COMPARED, context);
    const answers = [];
    for (let n = 0; n < COMPARED; n++) {
      const answer = await operation(n);
      answers.push(comparable(workload, opened.answer?.(answer) ?? answer));
    }
    await workload.after?.(opened, context);
    contender.next = COMPARED;
    given.push([target.name, answers]);
  }
  demandSame(workload.name, given);
}
