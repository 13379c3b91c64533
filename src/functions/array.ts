/** `array::*`, joined from its families. */
import { accessFunctions } from './array/access.js';
import { combinationFunctions } from './array/combination.js';
import { generationFunctions } from './array/generation.js';
import { iterationFunctions } from './array/iteration.js';
import { sortingFunctions } from './array/sorting.js';
import type { FunctionRow } from './calls/contract.js';

export const arrayFunctions: readonly FunctionRow[] = [
  ...accessFunctions,
  ...combinationFunctions,
  ...generationFunctions,
  ...iterationFunctions,
  ...sortingFunctions,
];
