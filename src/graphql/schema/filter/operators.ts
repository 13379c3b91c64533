/** The operators that compare a value as a whole with arguments. */
import { type GraphQLInputType, GraphQLList, GraphQLNonNull } from 'graphql';
import { failure } from '../../../errors/error.js';
import type { BinaryOperator, Expression } from '../../../language/ast.js';
import type { Value } from '../../../value/value.js';
import { join } from '../../execution/select.js';
import type { FilterMember } from './filter.js';
import { call, expressionOf, isMissing, isPresent } from './subject.js';

/** `value` is a param: what was given, or a list of it. */
type Build = (field: Expression, value: Expression) => Expression;

interface Operator {
  readonly takes: 'one' | 'many';
  readonly build: Build;
  /** Translates null. Default: an error. */
  readonly forNull?: (field: Expression) => Expression;
  /** Joins the conditions for several values. Default: OR. */
  readonly join?: '&&';
  /** For an operator with several operands: the condition on the possible values of each. */
  readonly ofEach?: Build;
  /** Its weight in the limit of conditions. Default: 1. */
  readonly weight?: number;
}

function binary(operator: BinaryOperator): Build {
  return (left, right) => ({ kind: 'binary', operator, left, right });
}

/** NONE and NULL are below every number in the total order, but a missing value isn't less than anything. */
function below(operator: '<' | '<='): Build {
  return (field, value) =>
    join('&&', [binary('>')(field, { kind: 'literal', value: null }), binary(operator)(field, value)]);
}

/** Functions of texts fail on everything else. */
function ofText(build: Build): Build {
  return (field, value) => join('&&', [call('type::is_string', field), build(field, value)]);
}

const lowercase = (text: Expression) => call('string::lowercase', text);

function inAnyCase(build: Build): Build {
  return ofText((field, value) => build(lowercase(field), lowercase(value)));
}

const one = (build: Build): Operator => ({ takes: 'one', build });
const many = (build: Build): Operator => ({ takes: 'many', build });

const EQUALITY = {
  eq: { ...one(binary('=')), forNull: isMissing },
  ne: { ...one(binary('!=')), forNull: isPresent, join: '&&' },
  in: many(binary('IN')),
  nin: many(binary('NOT IN')),
} as const satisfies Operators;
const ORDER = {
  gt: one(binary('>')),
  gte: one(binary('>=')),
  lt: one(below('<')),
  lte: one(below('<=')),
};
const TEXT = {
  contains: one(binary('CONTAINS')),
  containsAny: many(binary('CONTAINSANY')),
  startsWith: one(ofText((field, value) => call('string::starts_with', field, value))),
  endsWith: one(ofText((field, value) => call('string::ends_with', field, value))),
  // Hundreds of different ones would have to be compiled again for each record.
  regex: { ...one(ofText((field, value) => call('string::matches', field, value))), weight: 100 },
  ieq: one(inAnyCase(binary('='))),
  iContains: one(inAnyCase(binary('CONTAINS'))),
};
const SPATIAL = {
  inside: one(binary('IN')),
  // A missing value is nowhere, so neither inside nor outside.
  outside: one((field, value) => join('&&', [isPresent(field), binary('OUTSIDE')(field, value)])),
  intersects: one(binary('INTERSECTS')),
  contains: one(binary('CONTAINS')),
};

type Operators = Readonly<Record<string, Operator>>;

/** The operators that fields of a kind have. */
const OPERATORS = {
  plain: EQUALITY,
  ordered: { ...EQUALITY, ...ORDER },
  text: { ...EQUALITY, ...ORDER, ...TEXT },
  geometry: { ...EQUALITY, ...SPATIAL },
} as const satisfies Readonly<Record<string, Operators>>;
export type OperatorKind = keyof typeof OPERATORS;

/** The operators of lists on their values. */
const MEMBERSHIP: Operators = {
  contains: one(binary('CONTAINS')),
  containsAll: { ...many(binary('CONTAINSALL')), ofEach: binary('CONTAINSANY') },
  containsAny: many(binary('CONTAINSANY')),
  containsNone: many(binary('CONTAINSNONE')),
};

/** The operand type of a kind. */
export interface Comparable {
  readonly input: GraphQLInputType;
  /** The values that an argument denotes: usually itself, for an id possibly several. */
  values?(given: unknown): readonly Value[];
}

/** The members of a filter on a value: `eq`, `ne`, `lt`, `in`, … */
export function valueOperators(kind: OperatorKind, comparable: Comparable): Readonly<Record<string, FilterMember>> {
  return members(OPERATORS[kind], comparable);
}

/** `element` is the operand type of the list's elements. */
export function listOperators(element: Comparable): Readonly<Record<string, FilterMember>> {
  return members(MEMBERSHIP, element);
}

function members(operators: Operators, comparable: Comparable): Readonly<Record<string, FilterMember>> {
  return Object.fromEntries(
    Object.entries(operators).map(([name, operator]) => [name, member(name, operator, comparable)]),
  );
}

function member(name: string, operator: Operator, { input, values }: Comparable): FilterMember {
  const meant = (given: unknown): readonly Value[] => values?.(given) ?? [given as Value];
  const { forNull, build, ofEach } = operator;
  return {
    type: operator.takes === 'one' ? input : new GraphQLList(new GraphQLNonNull(input)),
    translate: (given, subject, conditions) => {
      const field = expressionOf(subject);
      const condition = (build: Build, value: Value) => build(field, conditions.params.bind(value));
      if (operator.takes === 'one') {
        const each = meant(given).map((value) => {
          conditions.count(operator.weight);
          return condition(build, value);
        });
        return join(operator.join ?? '||', each);
      }
      const items = given as readonly unknown[];
      // Before anything is made of it: it may be long.
      conditions.count(items.length);
      const groups = items.map(meant);
      return ofEach === undefined || groups.every(({ length }) => length === 1)
        ? condition(build, groups.flat(1))
        : join(
            '&&',
            groups.map((group) => {
              conditions.count(group.length);
              return condition(ofEach, group);
            }),
          );
    },
    forNull: (subject) => {
      if (forNull !== undefined) return forNull(expressionOf(subject));
      throw failure('graphql_argument', { reason: `The operator ${name} needs a value, found null` });
    },
  };
}
