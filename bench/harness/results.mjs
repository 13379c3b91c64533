// Results as JSON: what was measured, by workload and rows, with what it was measured on. A run replaces what it measured again and keeps
// the rest.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { judge } from './aims.mjs';
import { summary } from './rounds.mjs';

/**
 * @typedef {object} Measured
 * @property {string} workload
 * @property {number} rows
 * @property {number} rounds
 * @property {string} figure
 * @property {Machine} machine
 * @property {Record<string, Record<string, import('./statistics.mjs').Spread>>} targets
 * @property {import('./aims.mjs').Verdict[]} aims
 *
 * @typedef {{revision: string, node: string, platform: string, cores: number}} Machine
 * @typedef {Record<string, Measured>} Results  by what `named` calls them
 */

/** Rows of a run without `--rows`. */
export const USUAL_ROWS = 100_000;

/** What was measured, in words: the workload, and its rows where they are more than usual. @param {Measured} measured */
export const named = ({ workload, rows }) =>
  rows > USUAL_ROWS ? `${workload}, ${rows.toLocaleString('en')} rows` : workload;

/** @returns {Machine} */
export function machine() {
  const { version, platform, arch } = process;
  return { revision: revision(), node: version, platform: `${platform} ${arch}`, cores: availableParallelism() };
}

function revision() {
  try {
    const cwd = new URL('.', import.meta.url);
    const git = (...words) => execFileSync('git', words, { cwd, encoding: 'utf8' }).trim();
    // What runs, not what is written about it.
    const changed = git('status', '--porcelain', '--', ':/src', ':/bench', ':(exclude,top)bench/results.json');
    return `${git('describe', '--always')}${changed === '' ? '' : '-dirty'}`;
  } catch {
    return 'unknown';
  }
}

/** @param {import('./bench.mjs').Result} result @param {Machine} on @returns {Measured} */
export function measured(result, on) {
  const { workload, rows, targets, rounds } = result;
  return {
    workload: workload.name,
    rows,
    rounds: rounds.length,
    figure: workload.figure ?? 'time',
    machine: on,
    targets: summary(targets, rounds),
    aims: judge(result),
  };
}

/** @param {string | URL} file @returns {Results} */
export function readResults(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** @param {string | URL} file @param {readonly Measured[]} results */
export function addResults(file, results) {
  const all = { ...readResults(file), ...Object.fromEntries(results.map((each) => [named(each), each])) };
  writeFileSync(file, `${JSON.stringify(all, rounded, 1)}\n`);
  return all;
}

/** Four digits are more than any machine repeats. */
const rounded = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
