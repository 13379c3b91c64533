/** @typedef {{median: number, low: number, high: number}} Spread  the middle of rounds, and what half of them lie between */

/** @param {readonly number[]} numbers @returns {Spread} */
export function spreadOf(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** @param {readonly number[]} numbers */
export const median = (numbers) => spreadOf(numbers).median;

/** @param {readonly number[]} sorted @param {number} share between neighbours where it doesn't hit one */
export function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const below = Math.floor(at);
  return sorted[below] + (sorted[Math.ceil(at)] - sorted[below]) * (at - below);
}
