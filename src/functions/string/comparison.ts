import { levenshtein } from '../../base/levenshtein.js';
import { float } from '../../value/value.js';
import { invalidArguments } from '../calls/arguments.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { REBUILDS } from '../calls/input-limit.js';
import { text } from '../calls/parameters.js';
import {
  alignment,
  charactersOf,
  damerauLevenshtein,
  hammingOfTexts,
  jaro,
  jaroWinkler,
  normalized,
  sorensenDice,
} from './edit-distance.js';

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
