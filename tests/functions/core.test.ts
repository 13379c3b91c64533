import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  ['count()', '1'],
  ['count([1,0])', '1'],
  ['count({1,2,0})', '2'],
  ['count({})', '0'],
  ['count({a:1})', '1'],
  ["count('x')", '1'],
  ['count([])', '0'],
  ['not(1)', 'false'],
  ['not([])', 'true'],
  ['count(NONE)', '0'],
]);
