/** The name that was perhaps meant. */
import { codePoints } from './code-points.js';
import { levenshtein } from './string/edit-distance.js';

/** The nearest of the names by letters that would have to be changed; `undefined` if none is near. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = levenshtein(codePoints(name), codePoints(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}
