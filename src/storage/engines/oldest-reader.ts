/**
 * The least number of a transaction in LMDB's table of readers, of which each line has a process, a thread and such a
 * number; `none` if nothing is read.
 */
export function oldestReader(table: string, none = Number.POSITIVE_INFINITY): number {
  let oldest = none;
  for (const [, number] of table.matchAll(/^\s*\d+\s+\S+\s+(\d+)\s*$/gm)) oldest = Math.min(oldest, Number(number));
  return oldest;
}
