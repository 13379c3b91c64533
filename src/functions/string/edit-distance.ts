/** Distances and similarities of texts, by characters. */

import { invalidArguments } from '../calls/arguments.js';
import { codePoints } from './code-points.js';

/** The algorithms compare each character with each; this many comparisons take some milliseconds. */
const MAX_COMPARISONS = 2 ** 19;

/** Both texts as characters. @throws TesseraError `invalid_arguments` if they are too long to be compared. */
export function charactersOf(name: string, a: string, b: string): [a: number[], b: number[]] {
  if (a.length * b.length > MAX_COMPARISONS) throw invalidArguments(name, 'The strings are too long to be compared.');
  return [codePoints(a), codePoints(b)];
}

/** Levenshtein's, and two neighbours may swap places if nothing else happens to them (optimal string alignment). */
export function alignment(a: readonly number[], b: readonly number[]): number {
  let before = new Uint32Array(b.length + 1);
  let above = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  let row = new Uint32Array(b.length + 1);
  for (let i = 0; i < a.length; i++) {
    row[0] = i + 1;
    for (let j = 0; j < b.length; j++) {
      const replaced = (above[j] as number) + (a[i] === b[j] ? 0 : 1);
      let best = Math.min(replaced, (above[j + 1] as number) + 1, (row[j] as number) + 1);
      if (i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j])
        best = Math.min(best, (before[j - 1] as number) + 1);
      row[j + 1] = best;
    }
    [before, above, row] = [above, row, before];
  }
  return above[b.length] as number;
}

/** Levenshtein's, and neighbours may swap places even when others come or go between them (Damerau). */
export function damerauLevenshtein(a: readonly number[], b: readonly number[]): number {
  const width = b.length + 2;
  const far = a.length + b.length;
  // Row and column 0 are a wall that no path comes from.
  const distances = new Uint32Array((a.length + 2) * width);
  distances.fill(far, 0, width);
  for (let i = 0; i <= a.length; i++) {
    distances[(i + 1) * width] = far;
    distances[(i + 1) * width + 1] = i;
  }
  for (let j = 0; j <= b.length; j++) distances[width + j + 1] = j;
  const lastRow = new Map<number, number>();
  for (let i = 1; i <= a.length; i++) {
    let lastColumn = 0;
    for (let j = 1; j <= b.length; j++) {
      const k = lastRow.get(b[j - 1] as number) ?? 0;
      const l = lastColumn;
      const same = a[i - 1] === b[j - 1];
      if (same) lastColumn = j;
      distances[(i + 1) * width + j + 1] = Math.min(
        (distances[i * width + j] as number) + (same ? 0 : 1),
        (distances[(i + 1) * width + j] as number) + 1,
        (distances[i * width + j + 1] as number) + 1,
        (distances[k * width + l] as number) + (i - k - 1) + 1 + (j - l - 1),
      );
    }
    lastRow.set(a[i - 1] as number, i);
  }
  return distances[(a.length + 1) * width + b.length + 1] as number;
}

/** In how many places texts of equal length differ. */
export function hammingOfTexts(a: readonly number[], b: readonly number[]): number {
  return a.reduce((count, character, index) => count + (character === b[index] ? 0 : 1), 0);
}

/** From 0 (nothing alike) to 1 (equal). */
export function normalized(distance: number, a: readonly number[], b: readonly number[]): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - distance / longer;
}

/** Jaro's similarity: shared characters near each other, less those out of order. */
export function jaro(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 && b.length === 0) return 1;
  if (a.length === 0 || b.length === 0) return 0;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const taken = new Uint8Array(b.length);
  const shared: number[] = [];
  for (let i = 0; i < a.length; i++) {
    for (let j = Math.max(0, i - reach); j < Math.min(b.length, i + reach + 1); j++) {
      if (taken[j] || a[i] !== b[j]) continue;
      taken[j] = 1;
      shared.push(a[i] as number);
      break;
    }
  }
  if (shared.length === 0) return 0;
  const others = b.filter((_, index) => taken[index]);
  const transpositions = hammingOfTexts(shared, others) / 2;
  const matches = shared.length;
  return (matches / a.length + matches / b.length + (matches - transpositions) / matches) / 3;
}

/** Jaro's similarity, raised for texts that begin alike. */
export function jaroWinkler(a: readonly number[], b: readonly number[]): number {
  const similarity = jaro(a, b);
  if (similarity <= 0.7) return similarity;
  let prefix = 0;
  while (prefix < 4 && prefix < Math.min(a.length, b.length) && a[prefix] === b[prefix]) prefix++;
  return similarity + 0.1 * prefix * (1 - similarity);
}

/** The share of pairs of neighbouring characters that both texts have (Sørensen and Dice). Blanks don't count. */
export function sorensenDice(a: string, b: string): number {
  const first = a.replace(/\s+/g, '');
  const second = b.replace(/\s+/g, '');
  if (first === second) return 1;
  const pairs = pairsOf(codePoints(first));
  const others = pairsOf(codePoints(second));
  if (pairs.length === 0 || others.length === 0) return 0;
  const counts = new Map<number, number>();
  for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of others) {
    const left = counts.get(pair) ?? 0;
    if (left === 0) continue;
    counts.set(pair, left - 1);
    shared++;
  }
  return (2 * shared) / (pairs.length + others.length);
}

function pairsOf(characters: readonly number[]): number[] {
  return characters.slice(1).map((character, index) => (characters[index] as number) * 0x200000 + character);
}
