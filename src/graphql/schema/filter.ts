/**
 * Filters: input types, each with the translation of its values into a condition.
 *
 *     {age: {gt: 18}, name: {startsWith: "A"}, or: [{vip: {eq: true}}, {tags: {contains: "x"}}], not: {…}}
 *
 * Every operator of a field has a second name, with the field's name before it: `{age: {age_gt: 18}}`.
 */
import { GraphQLInputObjectType, type GraphQLInputType, GraphQLList, GraphQLNonNull } from 'graphql';
import { failure } from '../../errors/error.js';
import type { BinaryOperator, Expression } from '../../language/ast.js';
import type { Value } from '../../value/value.js';
import { type Conditions, fieldPath, join } from '../execution/select.js';
import { Names } from './names.js';

/** The condition that a value of a filter stands for. `path` leads to what it is about. */
export type Translate = (given: unknown, path: readonly string[], conditions: Conditions) => Expression;

export interface Filter {
  readonly type: GraphQLInputObjectType;
  readonly translate: Translate;
}

// ─── Operators ───

interface Operator {
  /** Whether it takes one value or a list of them. */
  readonly takes: 'one' | 'many';
  build(field: Expression, value: Expression): Expression;
  /** What it makes of null; an error unless told. */
  readonly forNull?: (field: Expression) => Expression;
}

const NOTHING: Expression = {
  kind: 'array',
  items: [
    { kind: 'literal', value: undefined },
    { kind: 'literal', value: null },
  ],
};

function binary(operator: BinaryOperator): (left: Expression, right: Expression) => Expression {
  return (left, right) => ({ kind: 'binary', operator, left, right });
}

/** NONE and NULL stand below every number in the total order, but what is missing isn't less than anything. */
function below(operator: '<' | '<='): Operator['build'] {
  return (field, value) =>
    join('&&', [binary('>')(field, { kind: 'literal', value: null }), binary(operator)(field, value)]);
}

/** Functions of texts fail on everything else. */
function ofText(path: string): Operator['build'] {
  return (field, value) =>
    join('&&', [
      { kind: 'call', path: 'type::is_string', args: [field] },
      { kind: 'call', path, args: [field, value] },
    ]);
}

const one = (build: Operator['build'], forNull?: (field: Expression) => Expression): Operator => ({
  takes: 'one',
  build,
  ...(forNull && { forNull }),
});
const many = (build: Operator['build']): Operator => ({ takes: 'many', build });

const EQUALITY = {
  eq: one(binary('='), (field) => binary('IN')(field, NOTHING)),
  ne: one(binary('!='), (field) => binary('NOT IN')(field, NOTHING)),
  in: many(binary('IN')),
  nin: many(binary('NOT IN')),
};
const ORDER = {
  gt: one(binary('>')),
  gte: one(binary('>=')),
  lt: one(below('<')),
  lte: one(below('<=')),
};
const TEXT = {
  contains: one(binary('CONTAINS')),
  startsWith: one(ofText('string::starts_with')),
  endsWith: one(ofText('string::ends_with')),
  regex: one(ofText('string::matches')),
};
const MEMBERS = {
  contains: one(binary('CONTAINS')),
  containsAll: many(binary('CONTAINSALL')),
  containsAny: many(binary('CONTAINSANY')),
};

/** The operators that fields of a kind have. */
export const OPERATORS = {
  plain: EQUALITY,
  ordered: { ...EQUALITY, ...ORDER },
  text: { ...EQUALITY, ...ORDER, ...TEXT },
  list: MEMBERS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Operator>>>>;
export type OperatorKind = keyof typeof OPERATORS;

/** What the fields of one kind of value are compared with. */
export interface Comparison {
  /** For the name of the filter's type: `string`, `array_int`. */
  readonly label: string;
  readonly operators: OperatorKind;
  readonly input: GraphQLInputType;
  /** The values that an argument stands for: usually itself, for an id perhaps several. */
  values?(given: unknown): readonly Value[];
}

/** Makes the types of filters; equal ones are made once. */
export class Filters {
  readonly #names: Names;
  readonly #comparisons = new Map<string, Filter>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** The filter of a field that is compared as a whole; `name` is the field's in GraphQL. */
  ofComparison(comparison: Comparison, name: string): Filter {
    const key = `${comparison.label} ${name}`;
    let filter = this.#comparisons.get(key);
    if (filter === undefined) {
      filter = comparisonFilter(this.#names.claim(`_filter_${comparison.label}_${name}`), comparison, name);
      this.#comparisons.set(key, filter);
    }
    return filter;
  }

  /**
   * The filter of a table or of an object: a member for each field that has a filter, and `and`, `or` and `not`.
   * `fields` is asked for late, since tables refer to each other.
   */
  ofObject(
    name: string,
    fields: () => ReadonlyMap<string, { readonly column: string; readonly filter: Filter }>,
  ): Filter {
    let members: ReadonlyMap<string, Translate> | undefined;
    const type = new GraphQLInputObjectType({
      name: this.#names.claim(`_filter_${name}`),
      fields: () => {
        const own = new Names(Object.keys(JUNCTIONS));
        const list = new GraphQLList(new GraphQLNonNull(type));
        const entries = [...fields()].map(([field, each]) => ({ member: own.claim(field), ...each }));
        const translate: Translate = (given, path, conditions) => all(members, given, path, conditions);
        members = new Map([
          ...entries.map(({ member, column, filter }): [string, Translate] => [
            member,
            required(member, (given, path, conditions) => filter.translate(given, [...path, column], conditions)),
          ]),
          ...Object.entries(JUNCTIONS).map(([junction, build]): [string, Translate] => [
            junction,
            required(junction, build(translate)),
          ]),
        ]);
        return {
          ...Object.fromEntries(entries.map(({ member, filter }) => [member, { type: filter.type }])),
          and: { type: list },
          or: { type: list },
          not: { type },
        };
      },
    });
    return {
      type,
      translate: (given, path, conditions) => all(members, given, path, conditions),
    };
  }
}

function comparisonFilter(name: string, { operators, input, values }: Comparison, field: string): Filter {
  const table: Readonly<Record<string, Operator>> = OPERATORS[operators];
  const list = new GraphQLList(new GraphQLNonNull(input));
  const members = Object.entries(table).flatMap(([own, operator]) =>
    [own, `${field}_${own}`].map((member) => ({ member, own, operator })),
  );
  const translations = new Map(
    members.map(({ member, own, operator }): [string, Translate] => [
      member,
      (given, path, conditions) => {
        conditions.count();
        const left = fieldPath(path);
        if (given === null) {
          if (operator.forNull !== undefined) return operator.forNull(left);
          throw failure('graphql_argument', { reason: `The operator ${own} needs a value, found null` });
        }
        if (operator.takes === 'many') {
          const all = (given as readonly unknown[]).flatMap((each) => values?.(each) ?? [each as Value]);
          return operator.build(left, conditions.params.bind(all));
        }
        const meant = values?.(given) ?? [given as Value];
        const conditionsOfMeant = meant.map((value) => operator.build(left, conditions.params.bind(value)));
        // None of several is meant by a denial, any of them by all other operators.
        return join(own === 'ne' ? '&&' : '||', conditionsOfMeant);
      },
    ]),
  );
  const type = new GraphQLInputObjectType({
    name,
    fields: () =>
      Object.fromEntries(
        members.map(({ member, operator }) => [member, { type: operator.takes === 'many' ? list : input }]),
      ),
  });
  return { type, translate: (given, path, conditions) => all(translations, given, path, conditions) };
}

// ─── Junctions ───

const JUNCTIONS = {
  and:
    (translate: Translate): Translate =>
    (given, path, conditions) =>
      join(
        '&&',
        eachOf(given, (item) => translate(item, path, conditions)),
      ),
  or:
    (translate: Translate): Translate =>
    (given, path, conditions) =>
      join(
        '||',
        eachOf(given, (item) => translate(item, path, conditions)),
      ),
  not:
    (translate: Translate): Translate =>
    (given, path, conditions) => ({
      kind: 'unary',
      operator: '!',
      operand: translate(given, path, conditions),
    }),
};

function eachOf(given: unknown, translate: (item: unknown) => Expression): Expression[] {
  return (given as readonly unknown[]).map(translate);
}

/** All members of a filter must hold. */
function all(
  members: ReadonlyMap<string, Translate> | undefined,
  given: unknown,
  path: readonly string[],
  conditions: Conditions,
): Expression {
  const parts: Expression[] = [];
  for (const [name, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    const translate = members?.get(name);
    if (translate !== undefined) parts.push(translate(value, path, conditions));
  }
  return join('&&', parts);
}

/** What is null could mean no condition, or that the field is null: nobody is to get more than was asked for. */
function required(name: string, translate: Translate): Translate {
  return (given, path, conditions) => {
    if (given !== null) return translate(given, path, conditions);
    throw failure('graphql_argument', {
      reason: `The filter "${name}" is null: leave it out, or say {${name}: {eq: null}}`,
    });
  };
}
