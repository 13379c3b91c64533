/** `string::` functions that say how alike two texts are. */
import { levenshtein } from '../../base/levenshtein.js';
import { float } from '../../value/value.js';
import { invalidArguments } from '../calls/arguments.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { REBUILDS } from '../calls/input-limit.js';
import { text } from '../calls/parameters.js';
import { codePoints } from './code-points.js';

type Characters = readonly number[];

function compares(
  name: string,
  returns: 'int' | 'float',
  description: string,
  measure: (a: Characters, b: Characters) => number,
  aliases?: readonly string[],
): FunctionRow {
  return define(
    name,
    [text('a'), text('b')],
    returns,
    description,
    (a, b) => {
      const result = measure(...charactersOf(name, a, b));
      return returns === 'int' ? result : float(result);
    },
    { ...REBUILDS, ...(aliases && { aliases }) },
  );
}

export const comparisonFunctions: readonly FunctionRow[] = [
  compares(
    'string::distance::damerau_levenshtein',
    'int',
    'Counts the insertions, deletions, replacements and swaps that lead from one text to the other.',
    damerauLevenshtein,
  ),
  compares('string::distance::hamming', 'int', 'Counts the places in which texts of equal length differ.', (a, b) => {
    if (a.length !== b.length) {
      throw invalidArguments('string::distance::hamming', 'Strings must be of equal length.');
    }
    return hammingOfTexts(a, b);
  }),
  compares(
    'string::distance::levenshtein',
    'int',
    'Counts the insertions, deletions and replacements that lead from one text to the other.',
    levenshtein,
  ),
  compares(
    'string::distance::normalized_damerau_levenshtein',
    'float',
    'The Damerau-Levenshtein distance as a similarity from 0 to 1.',
    (a, b) => normalized(damerauLevenshtein(a, b), a, b),
  ),
  compares(
    'string::distance::normalized_levenshtein',
    'float',
    'The Levenshtein distance as a similarity from 0 to 1.',
    (a, b) => normalized(levenshtein(a, b), a, b),
  ),
  compares(
    'string::distance::osa',
    'int',
    'The optimal string alignment: a Damerau-Levenshtein distance that changes no part twice.',
    alignment,
    ['string::distance::osa_distance'],
  ),
  compares(
    'string::similarity::fuzzy',
    'int',
    'Scores how well the second text abbreviates the first; 0 if it doesn’t.',
    fuzzyScore,
  ),
  compares('string::similarity::jaro', 'float', 'The Jaro similarity, from 0 to 1.', jaro),
  compares('string::similarity::jaro_winkler', 'float', 'The Jaro-Winkler similarity, from 0 to 1.', jaroWinkler),
  compares(
    'string::similarity::smithwaterman',
    'int',
    'Scores the best alignment of the second text with the first.',
    fuzzyScore,
  ),
  define(
    'string::similarity::sorensen_dice',
    [text('a'), text('b')],
    'float',
    'The share of neighbouring pairs of characters that both texts have, from 0 to 1.',
    (a, b) => float(sorensenDice(a, b)),
    REBUILDS,
  ),
];

/**
 * The score of a pattern as an abbreviation of a text: all of its characters must occur in order; those at the
 * beginning of the text or of words, and those next to each other, count more, and gaps cost. The scores equal the
 * reference engine's as observed.
 */

const MATCH = 16;
const CONSECUTIVE = 4;
const GAP_START = -3;
const GAP_EXTENSION = -1;
const OTHER_CASE = -2;
/** The score of a match by its position. The first character of the pattern scores one less. */
const BEGINNING_BONUS = 16;
const FIRST_MATCH = -1;
const AFTER_BLANK_BONUS = 8;
const AFTER_SEPARATOR_BONUS = 7;
const CAMEL_BONUS = 6;

const NO_MATCH = Number.NEGATIVE_INFINITY;

/** The score of the best way to find `pattern` in `text`; 0 if there is none. */
function fuzzyScore(text: readonly number[], pattern: readonly number[]): number {
  if (pattern.length === 0 || pattern.length > text.length) return 0;
  const characters = text.map((code) => String.fromCodePoint(code));
  const folded = characters.map((character) => character.toLowerCase());
  const bonuses = characters.map((character, index) => bonusAt(characters[index - 1], character));
  // For each place of the text: the best score with the last character of the pattern so far matched there.
  let before = new Float64Array(text.length);
  let row = new Float64Array(text.length);
  for (let p = 0; p < pattern.length; p++) {
    const wanted = String.fromCodePoint(pattern[p] as number);
    const foldedWanted = wanted.toLowerCase();
    // The best score of the part before that ends at least two places earlier, less the cost of the gap.
    let gapped = NO_MATCH;
    for (let t = 0; t < text.length; t++) {
      if (p > 0 && t > 1)
        gapped = Math.max(gapped + GAP_EXTENSION, (before[t - 2] as number) + GAP_START + GAP_EXTENSION);
      if (folded[t] !== foldedWanted) {
        row[t] = NO_MATCH;
        continue;
      }
      const match = MATCH + (characters[t] === wanted ? 0 : OTHER_CASE);
      const bonus = bonuses[t] as number;
      if (p === 0) row[t] = match + bonus + FIRST_MATCH;
      else row[t] = match + Math.max(adjacent(before, t) + Math.max(bonus, CONSECUTIVE), gapped + bonus);
    }
    [before, row] = [row, before];
  }
  const best = before.reduce((a, b) => Math.max(a, b), NO_MATCH);
  return best === NO_MATCH ? 0 : best;
}

function adjacent(before: Float64Array, index: number): number {
  return index === 0 ? NO_MATCH : (before[index - 1] as number);
}

function bonusAt(previous: string | undefined, character: string): number {
  if (previous === undefined) return BEGINNING_BONUS;
  if (/[ /\\|()[\]{}]/.test(previous)) return AFTER_BLANK_BONUS;
  if (/[!-/:-@[-`{-~]/.test(previous)) return AFTER_SEPARATOR_BONUS;
  return /[A-Z]/.test(character) && !/[A-Z]/.test(previous) ? CAMEL_BONUS : 0;
}

// Distances and similarities of texts, by characters.

/** The algorithms compare each character with each; this many comparisons take some milliseconds. */
const MAX_COMPARISONS = 2 ** 19;

/** Both texts as characters. @throws TesseraError `invalid_arguments` if they are too long to be compared. */
function charactersOf(name: string, a: string, b: string): [a: number[], b: number[]] {
  if (a.length * b.length > MAX_COMPARISONS) throw invalidArguments(name, 'The strings are too long to be compared.');
  return [codePoints(a), codePoints(b)];
}

/** Levenshtein's, and two neighbours may swap places if nothing else happens to them (optimal string alignment). */
function alignment(a: readonly number[], b: readonly number[]): number {
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
function damerauLevenshtein(a: readonly number[], b: readonly number[]): number {
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
function hammingOfTexts(a: readonly number[], b: readonly number[]): number {
  return a.reduce((count, character, index) => count + (character === b[index] ? 0 : 1), 0);
}

/** From 0 (nothing alike) to 1 (equal). */
function normalized(distance: number, a: readonly number[], b: readonly number[]): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - distance / longer;
}

/** Jaro's similarity: shared characters near each other, less those out of order. */
function jaro(a: readonly number[], b: readonly number[]): number {
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
function jaroWinkler(a: readonly number[], b: readonly number[]): number {
  const similarity = jaro(a, b);
  if (similarity <= 0.7) return similarity;
  let prefix = 0;
  while (prefix < 4 && prefix < Math.min(a.length, b.length) && a[prefix] === b[prefix]) prefix++;
  return similarity + 0.1 * prefix * (1 - similarity);
}

/** The share of pairs of neighbouring characters that both texts have (Sørensen and Dice). Blanks don't count. */
function sorensenDice(a: string, b: string): number {
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
