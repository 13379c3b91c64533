// Whether one build is slower than another, beyond the noise of the same run.
//
// Each group of processes is two of the old build and one of the new, which take turns at every workload. How far the two equal ones are apart
// is the noise: the new one is slower when it takes longer than the slower of them, in every group. A process keeps its luck (layout of
// memory, decisions of the compiler) for life, which is why there are several groups, and why what looks slower is measured once more.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { GRAPHQL } from '../workloads/graphql.mjs';
import { WORKLOADS } from '../workloads/index.mjs';
import { INDEXES } from '../workloads/indexes.mjs';
import { PERMISSIONS } from '../workloads/permissions.mjs';
import { RECORDS } from '../workloads/records.mjs';
import { SCANS } from '../workloads/scans.mjs';
import { median, quantile } from './statistics.mjs';

const PROCESS = fileURLToPath(new URL('comparison-process.mjs', import.meta.url));
/**
 * The first look finds what is suspect, the second, with more time for each, what is slower. Multiples of three sweeps, so that each process is
 * as often the first. `settling`: so many samples of each workload are taken before any counts, since what the compiler took for granted while
 * the first ones ran alone changes with the others, and a sample of what waits for the disk has some thirty repetitions: without it code that
 * was only compiled later looked up to 1.6 times as slow.
 */
const FIRST = { groups: 2, settling: 24, sweeps: () => 12 };
const SECOND = { groups: 4, settling: 120, sweeps: (workloads) => Math.max(12, 3 * Math.floor(120 / workloads)) };
const MOST_SWEEPS = 60;
/** So much longer than the slower of two equal builds. */
const LEAST = 1.03;

/** What is asked of each target: of the store on disk what the store has to do with, and nothing that isn't time for each repetition. */
const COMPARED = {
  'tessera:memory': WORKLOADS.filter((workload) => !workload.sample && !PERMISSIONS.includes(workload)),
  'tessera:lmdb': [...RECORDS, ...SCANS.slice(0, 1), ...INDEXES],
  'tessera:record-user': PERMISSIONS,
  // A schema takes too long.
  'tessera:graphql': GRAPHQL.slice(0, 1),
};

/** @typedef {{name: string, ratio: number, noise: number}} Slower */

/**
 * @param {{before: string, now: string}} builds  folders
 * @param {readonly string[]} words  one of which a name must hold
 * @returns {Promise<Slower[]>}
 */
export async function compare(builds, words) {
  const names = Object.entries(COMPARED)
    .flatMap(([target, workloads]) => workloads.map(({ name }) => `${name} (${target})`))
    .filter((name) => words.some((word) => name.includes(word)));
  const first = judge(await measureGroups(builds, names, FIRST));
  const suspected = first.filter(({ isSlower }) => isSlower).map(({ name }) => name);
  print(first);
  if (suspected.length === 0) return [];
  console.log(`once more: ${suspected.join(', ')}`);
  const second = judge(await measureGroups(builds, suspected, SECOND));
  print(second);
  return second.filter(({ isSlower }) => isSlower);
}

/** @returns {Promise<Map<string, {ratio: number, noise: number, least: number}[]>>} of each group */
async function measureGroups(builds, names, { groups, settling, sweeps }) {
  const all = new Map();
  for (let group = 0; group < groups; group++) {
    for (const [name, each] of await measureGroup(builds, names, settling, Math.min(MOST_SWEEPS, sweeps(names.length))))
      all.set(name, [...(all.get(name) ?? []), each]);
  }
  return all;
}

async function measureGroup({ before, now }, names, settling, sweeps) {
  const processes = await Promise.all([before, now, before].map((folder) => start(folder, names)));
  const [{ counts }] = processes;
  const cells = Object.keys(counts).filter((name) => processes.every((each) => name in each.counts));
  const rounds = new Map(cells.map((name) => [name, []]));
  for (const name of cells) {
    for (const each of processes) await each.measure(name, counts[name] * settling);
  }
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const name of cells) {
      const order = processes.map((_, at) => processes[(at + sweep) % processes.length]);
      const round = new Map();
      for (const each of order) round.set(each, (await each.measure(name, counts[name])).processor);
      rounds.get(name).push(round);
    }
  }
  for (const each of processes) each.stop();
  return cells.map((name) => {
    const [a, b, c] = processes.map((each) => undisturbed(rounds.get(name).map((round) => round.get(each))));
    return [name, { ratio: b / Math.sqrt(a * c), noise: Math.max(a / c, c / a), least: b / Math.max(a, c) }];
  });
}

/** What disturbs a sample makes it longer, never shorter. */
const undisturbed = (samples) =>
  quantile(
    samples.toSorted((a, b) => a - b),
    0.1,
  );

async function start(folder, names) {
  const child = fork(PROCESS, [folder, ...names]);
  let waiting;
  const told = () =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
    });
  child.on('message', (message) => waiting.resolve(message));
  child.on('exit', (code) => waiting.reject(new Error(`the process of ${folder} ended with ${code}`)));
  const counts = await told();
  return {
    counts,
    measure: (name, count) => {
      child.send({ name, count });
      return told();
    },
    stop: () => child.kill(),
  };
}

const judge = (groups) =>
  [...groups].map(([name, several]) => ({
    name,
    ratio: median(several.map(({ ratio }) => ratio)),
    noise: median(several.map(({ noise }) => noise)),
    isSlower: several.every(({ least }) => least > LEAST),
  }));

function print(all) {
  for (const { name, ratio, noise } of all) {
    console.log(`${name.padEnd(64)}${ratio.toFixed(2).padStart(6)} ± ${(noise - 1).toFixed(2)}`);
  }
}
