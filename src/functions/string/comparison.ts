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
import { fuzzyScore } from './fuzzy.js';

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
