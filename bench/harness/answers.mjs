// Answers of different targets as data that can be compared: what each calls a record id, a boolean or a float is written alike.
import { isDeepStrictEqual } from 'node:util';

/** @param {unknown} value */
export function plain(value) {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return Number(value);
  // Sums in another order differ in their last digits.
  if (typeof value === 'number') return Number(value.toPrecision(12));
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  // Record ids, of the official client and of Tessera.
  if ('table' in value) return plain(value.id ?? value.key);
  if ('value' in value && Object.keys(value).length === 1) return plain(value.value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, plain(each)]));
}

/** @param {import('./contract.mjs').Workload} workload @param {unknown} given of a target, already plain */
export function comparable({ answer = (same) => same, unordered = false }, given) {
  const picked = answer(given);
  if (!unordered) return picked;
  return picked.map((row) => JSON.stringify(row)).toSorted();
}

/**
 * @param {string} workload
 * @param {readonly (readonly [target: string, answers: unknown])[]} given
 * @throws when two differ
 */
export function demandSame(workload, given) {
  const [[first, expected], ...others] = given;
  for (const [target, answers] of others) {
    if (isDeepStrictEqual(answers, expected)) continue;
    const shown = (value) => JSON.stringify(value)?.slice(0, 300);
    throw new Error(`${workload}: ${first} answers ${shown(expected)} and ${target} ${shown(answers)}`);
  }
}
