/** Full-text conditions: all words, any of them, or queries with phrases, prefixes and exclusion. */
import type { MatchesOperator } from '../../../language/ast.js';
import { matching } from '../../execution/found-columns.js';
import { SCALARS } from '../../execution/scalars.js';
import type { FilterMember } from './filter.js';

const OPERATORS: Readonly<Record<string, NonNullable<MatchesOperator['operator']>>> = {
  matches: 'AND',
  matchesAny: 'OR',
  matchesQuery: 'QUERY',
};

/** `field` is what GraphQL calls the field that has a full-text index. */
export function matchOperators(field: string): Readonly<Record<string, FilterMember>> {
  return Object.fromEntries(
    Object.entries(OPERATORS).map(([name, operator]): [string, FilterMember] => [
      name,
      {
        type: SCALARS.String,
        translate: (given, subject, conditions) => {
          conditions.count();
          return matching(subject, operator, field, String(given), conditions);
        },
      },
    ]),
  );
}
