/**
 * Makes the filters of a schema; equal ones are made once.
 *
 *     {age: {gt: 18}, tags: {contains: "x"}, best: {is: {vip: {eq: true}}}, wrote: {some: {year: {gt: 2000}}}, or: […], not: {…}}
 *
 * Every operator of a field has a second name, with the field's name before it: `{age: {age_gt: 18}}`.
 */
import { type GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';
import type { Expression, MatchesOperator } from '../../../language/ast.js';
import { SCALARS } from '../../base/scalars.js';
import { matching } from '../../execution/found-columns.js';
import { type EdgeDirection, join } from '../../execution/select.js';
import { Names } from '../names.js';
import {
  type FilterMember,
  type FilterMembers,
  filterOf,
  type InputFilter,
  type Translate,
  underBothNames,
} from './filter.js';
import { type Comparable, listOperators, type OperatorKind, valueOperators } from './operators.js';
import {
  call,
  DOCUMENT,
  ELEMENT,
  edgesOf,
  elementsOf,
  expressionOf,
  fieldOf,
  isPresent,
  not,
  recordBehind,
  recordsBehind,
  type Subject,
} from './subject.js';

/** The filter of the values at a place. */
export type Filterable = ComparedValue | FilteredLink | FilteredList | FilteredObject;

interface Labelled {
  /** For the names of filters: `string`, `array_int`. */
  readonly label: string;
}

export interface ComparedValue extends Labelled, Comparable {
  readonly kind: 'value';
  readonly operators: OperatorKind;
}

export interface FilteredLink extends Labelled, Comparable {
  readonly kind: 'link';
  /** The filter of the records that it leads to, where these are of one table. */
  readonly records?: () => InputFilter;
}

export interface FilteredList extends Labelled {
  readonly kind: 'list';
  readonly element: Filterable;
}

export interface FilteredObject extends Labelled {
  readonly kind: 'object';
  readonly filter: InputFilter;
}

type Kind = Filterable['kind'];
type MembersOf = { readonly [K in Kind]: (of: Extract<Filterable, { kind: K }>, name: string) => FilterMembers };

const COUNT: ComparedValue = { kind: 'value', label: 'int', operators: 'ordered', input: SCALARS.Int };

export class Filters {
  readonly #names: Names;
  readonly #known = new Map<string, InputFilter>();
  readonly #members: Omit<MembersOf, 'object'> = {
    value: (value, name) => underBothNames(name, valueOperators(value.operators, value)),
    link: (link, name) => {
      const records = link.records?.();
      return underBothNames(name, {
        ...valueOperators('plain', link),
        ...(records && { is: behindLink(records) }),
        exists: existence((subject) => recordBehind(subject)),
      });
    },
    list: ({ element }, name) =>
      underBothNames(name, {
        ...(isCompared(element) && listOperators(element)),
        ...this.#quantifiers(this.#elements(element, name)),
      }),
  };

  constructor(names: Names) {
    this.#names = names;
  }

  /** The filter of a field that is called `name` in GraphQL. */
  of(filterable: Filterable, name: string): InputFilter {
    if (filterable.kind === 'object') return filterable.filter;
    const members = this.#members[filterable.kind] as (of: Filterable, name: string) => FilterMembers;
    return this.#once(`${keyOf(filterable)} ${name}`, `${filterable.label}_${name}`, () => members(filterable, name));
  }

  /** The same of a field that has a full-text index. */
  ofSearched(filterable: Filterable, name: string): InputFilter {
    const others = this.of(filterable, name);
    if (filterable.kind !== 'value' && filterable.kind !== 'list') return others;
    const members = this.#members[filterable.kind] as (of: Filterable, name: string) => FilterMembers;
    return this.#once(`searched ${keyOf(filterable)} ${name}`, `searched_${filterable.label}_${name}`, () => {
      const searched = underBothNames(name, matchOperators(name));
      return new Map([...members(filterable, name), ...searched]);
    });
  }

  /** The filter of the edges that a record has in a table, in a field that is called `name` in GraphQL. */
  ofEdges(
    edges: { readonly table: string; readonly direction: EdgeDirection; readonly filter: InputFilter },
    name: string,
  ) {
    const { table, direction, filter } = edges;
    return this.#once(`edges ${direction} ${name} ${table}`, `edges_${name}`, () => {
      const collection: Collection = {
        element: filter,
        at: DOCUMENT,
        matching: (record, condition) => edgesOf(record, edges, condition),
        all: (record) => edgesOf(record, edges),
        exists: (record) => edgesOf(record, edges),
      };
      return underBothNames(name, this.#quantifiers(collection));
    });
  }

  /** The filter of the records of a table: these members, and `and`, `or` and `not`. */
  ofTable(name: string, members: () => FilterMembers): InputFilter {
    return this.#ofFields(name, members, {});
  }

  /** The filter of objects: these members, `and`, `or` and `not`, and `exists`. */
  ofObject(name: string, members: () => FilterMembers): InputFilter {
    return this.#ofFields(name, members, { exists: existence((subject) => isPresent(expressionOf(subject))) });
  }

  #ofFields(name: string, members: () => FilterMembers, more: Readonly<Record<string, FilterMember>>): InputFilter {
    const filter: InputFilter = filterOf(this.#names.claim(`_filter_${name}`), () => {
      const own = new Names([...JUNCTIONS, ...Object.keys(more)]);
      return new Map([
        ...Array.from(members(), ([field, member]): [string, FilterMember] => [own.claim(field), member]),
        ...Object.entries({ ...more, ...junctions(filter) }),
      ]);
    });
    return filter;
  }

  #once(key: string, name: string, members: () => FilterMembers): InputFilter {
    let filter = this.#known.get(key);
    if (filter === undefined) {
      filter = filterOf(this.#names.claim(`_filter_${name}`), members);
      this.#known.set(key, filter);
    }
    return filter;
  }

  #elements(element: Filterable, name: string): Collection {
    const records = element.kind === 'link' ? element.records?.() : undefined;
    const list: Pick<Collection, 'all' | 'exists'> = {
      all: (subject) => elementsOf(subject),
      exists: (subject) => isPresent(expressionOf(subject)),
    };
    return records === undefined
      ? { ...list, element: this.of(element, name), at: ELEMENT, matching: elementsOf }
      : { ...list, element: records, at: DOCUMENT, matching: recordsBehind };
  }

  #quantifiers(collection: Collection): Readonly<Record<string, FilterMember>> {
    return quantifiers(collection, this.of(COUNT, 'count'));
  }
}

/** The member of a filter for a field of the record or object that it is about. */
export function fieldMember(column: string, { type, translate }: InputFilter): FilterMember {
  return {
    type,
    translate: (given, subject, conditions) => translate(given, fieldOf(subject, column), conditions),
  };
}

/** Shared by places with the same filter. Labels aren't unique: an enum may be called `string`. */
function keyOf(filterable: Filterable): string {
  if (filterable.kind === 'list') return `list ${keyOf(filterable.element)}`;
  const { kind, label } = filterable;
  return kind === 'value' ? `${kind} ${label} ${filterable.input}` : `${kind} ${label}`;
}

function isCompared(element: Filterable): element is ComparedValue | FilteredLink {
  return element.kind === 'value' || element.kind === 'link';
}

function behindLink(records: InputFilter): FilterMember {
  return {
    type: records.type,
    translate: (given, subject, conditions) => {
      conditions.count();
      return recordBehind(subject, records.translate(given, DOCUMENT, conditions.nested));
    },
  };
}

// `and`, `or` and `not`.

const JUNCTIONS = ['and', 'or', 'not'] as const;

/** The junctions of a filter with others of its own kind. */
function junctions({ type, translate }: InputFilter): Readonly<Record<(typeof JUNCTIONS)[number], FilterMember>> {
  return {
    and: { type: listOf(type), translate: joined('&&', translate) },
    or: { type: listOf(type), translate: joined('||', translate) },
    not: { type, translate: (...given) => not(translate(...given)) },
  };
}

function listOf(type: GraphQLInputObjectType): GraphQLList<GraphQLNonNull<GraphQLInputObjectType>> {
  return new GraphQLList(new GraphQLNonNull(type));
}

function joined(operator: '&&' | '||', translate: Translate): Translate {
  return (given, subject, conditions) => {
    const items = given as readonly unknown[];
    if (items.length === 0) conditions.countEmpty();
    return join(
      operator,
      items.map((item) => translate(item, subject, conditions)),
    );
  };
}

// Full-text conditions: all words, any of them, or queries with phrases, prefixes and exclusion.

const OPERATORS: Readonly<Record<string, NonNullable<MatchesOperator['operator']>>> = {
  matches: 'AND',
  matchesAny: 'OR',
  matchesQuery: 'QUERY',
};

/** `field` is what GraphQL calls the field that has a full-text index. */
function matchOperators(field: string): Readonly<Record<string, FilterMember>> {
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

// Filters of lists as a whole and of their elements: `some`, `every`, `none`, `count` and `exists`.

/** Something that has elements. */
interface Collection {
  /** The filter of one element, and from where its condition looks at it. */
  readonly element: InputFilter;
  readonly at: Subject;
  /** The list of elements that satisfy a condition. */
  matching(subject: Subject, condition: Expression): Expression;
  /** All that count, as a list. */
  all(subject: Subject): Expression;
  exists(subject: Subject): Expression;
}

/** `count` is the filter of their number. */
function quantifiers(collection: Collection, count: InputFilter): Readonly<Record<string, FilterMember>> {
  const { element, at } = collection;
  const elements =
    (condition: (given: Expression) => Expression): Translate =>
    (given, subject, conditions) => {
      conditions.count();
      return collection.matching(subject, condition(element.translate(given, at, conditions.nested)));
    };
  const any = elements((condition) => condition);
  const anyOther = elements(not);
  return {
    some: { type: element.type, translate: any },
    every: { type: element.type, translate: (...given) => not(anyOther(...given)) },
    none: { type: element.type, translate: (...given) => not(any(...given)) },
    count: {
      type: count.type,
      translate: (given, subject, conditions) => {
        conditions.count();
        const length = call('array::len', collection.all(subject));
        return count.translate(given, { kind: 'idiom', start: length, parts: [] }, conditions);
      },
    },
    exists: existence((subject) => collection.exists(subject)),
  };
}

/** `exists: true`, or `false` for the contrary. */
function existence(exists: (subject: Subject) => Expression): FilterMember {
  return {
    type: SCALARS.Boolean,
    translate: (given, subject, conditions) => {
      conditions.count();
      return given === true ? exists(subject) : not(exists(subject));
    },
  };
}
