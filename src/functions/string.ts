/** `string::*`, joined from its families. */
import type { FunctionRow } from './calls/contract.js';
import { checkFunctions } from './string/checks.js';
import { comparisonFunctions } from './string/comparison.js';
import { textFunctions } from './string/text.js';
import { versionFunctions } from './string/version.js';

export const stringFunctions: readonly FunctionRow[] = [
  ...textFunctions,
  ...checkFunctions,
  ...comparisonFunctions,
  ...versionFunctions,
];
