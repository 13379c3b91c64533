/** The arguments that lists of records have in common: their types, their reading and their limits. */
import type { GraphQLFieldConfigArgumentMap, GraphQLInputObjectType, GraphQLObjectType } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import { SCALARS } from '../base/scalars.js';
import type { Conditions } from '../execution/conditions.js';
import type { ExecutionContext } from '../execution/execution-context.js';
import type { GivenArguments } from '../execution/field-arguments.js';
import type { HighlightMarks } from '../execution/found-columns.js';
import type { InputFilter } from './filter/filter.js';
import { DOCUMENT } from './filter/subject.js';
import { MARKS } from './found-fields.js';

/** Facts about listed records. */
export interface Listed {
  /** Their table as the database calls it. */
  readonly table: string;
  readonly object: GraphQLObjectType;
  readonly filter: InputFilter;
  readonly order: GraphQLInputObjectType;
  /** Whether it has full-text indexes. */
  readonly isSearched: boolean;
}

/** The arguments of a list of records: filter, order, limit, start and, where it is searched, marks. */
export function listArguments(listed: Listed): GraphQLFieldConfigArgumentMap {
  return {
    ...cutArguments('records'),
    order: { type: listed.order },
    ...filterArguments(listed.filter),
    ...marksArguments(listed),
  };
}

export function marksArguments({ isSearched }: Listed): GraphQLFieldConfigArgumentMap {
  const marks = { type: MARKS, description: 'What `_highlights` put around words; default: `<mark>` and `</mark>`.' };
  return isSearched ? { marks } : {};
}

/** Those marks that are given. */
export function readMarks({ marks }: GivenArguments): Partial<HighlightMarks> {
  const given = Object.entries((marks ?? {}) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(given.filter(([, mark]) => typeof mark === 'string'));
}

export function cutArguments(what: string): GraphQLFieldConfigArgumentMap {
  return {
    limit: { type: SCALARS.Int, description: `How many ${what} at most.` },
    start: { type: SCALARS.Int, description: `How many ${what} to leave out before them.` },
  };
}

/** The arguments that are filters, all of which must hold. */
export const FILTER_NAMES = ['filter', 'where'] as const;

export function filterArguments({ type }: InputFilter): GraphQLFieldConfigArgumentMap {
  return {
    filter: { type },
    where: { type, description: 'Another name of `filter`; both together must hold.' },
  };
}

export const VERSION_ARGUMENT: GraphQLFieldConfigArgumentMap = {
  version: { type: SCALARS.datetime, description: 'The records as they were then.' },
};

/** The conditions of the filters among the arguments. */
export function filtersOf(given: GivenArguments, filter: InputFilter, conditions: Conditions): readonly Expression[] {
  return FILTER_NAMES.map((name) => given[name])
    .filter(isGiven)
    .map((each) => filter.translate(each, DOCUMENT, conditions));
}

export interface RowBounds {
  /** Maximum number of rows to read. */
  readonly most: number;
  /** Takes the rows that were found into account. @throws BudgetExceeded, TesseraError `graphql_limit` */
  spend(found: number): void;
}

/**
 * The row limit of a list. One row beyond the maximum reveals an excess; `extra` rows are read besides the requested
 * ones.
 * @throws TesseraError `graphql_limit`
 */
export function boundRows(
  asked: number | undefined,
  weight: number,
  { reads, allowance }: ExecutionContext,
  extra = 0,
): RowBounds {
  const { rows } = allowance.limits;
  if (asked !== undefined && asked > rows) throw allowance.beyond('rows');
  return {
    most: Math.min(asked === undefined ? rows + 1 : asked + extra, reads.rows(weight)),
    spend: (found) => {
      reads.spend(found * weight);
      if (asked === undefined && found > rows) throw allowance.beyond('rows');
    },
  };
}

/** @throws TesseraError `graphql_argument` */
export function readCountArgument(name: string, given: GivenArguments): number | undefined {
  const value = given[name];
  if (!isGiven(value)) return undefined;
  if (typeof value === 'number' && value >= 0) return value;
  throw failure('graphql_argument', { reason: `${name} must be a whole number from 0, got ${value}` });
}

/** Whether an argument has a value other than `null`. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
