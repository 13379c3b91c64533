// The binary operators of the language, as generators draw them.

/** Those of numbers, comparisons and conditions. */
export const BINARY = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '**',
  '=',
  '!=',
  '==',
  '?=',
  '*=',
  '<',
  '<=',
  '>',
  '>=',
  '&&',
  '||',
  'AND',
  'OR',
];

/** Those of what is missing, of lists and of sets. */
export const MEMBERSHIP = [
  '??',
  '?:',
  'IN',
  'NOT IN',
  'INSIDE',
  'CONTAINS',
  'CONTAINSNOT',
  'CONTAINSALL',
  'CONTAINSANY',
  'CONTAINSNONE',
  'ALLINSIDE',
  'ANYINSIDE',
  'NONEINSIDE',
  'INTERSECTS',
  'OUTSIDE',
  'IS',
  'IS NOT',
  '∈',
  '⊆',
  '×',
  '÷',
];
