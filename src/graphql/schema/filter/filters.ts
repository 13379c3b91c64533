/**
 * Makes the filters of a schema; equal ones are made once.
 *
 *     {age: {gt: 18}, tags: {contains: "x"}, best: {is: {vip: {eq: true}}}, wrote: {some: {year: {gt: 2000}}}, or: […], not: {…}}
 *
 * Every operator of a field has a second name, with the field's name before it: `{age: {age_gt: 18}}`.
 */

import { SCALARS } from '../../execution/scalars.js';
import type { EdgeDirection } from '../../execution/select.js';
import { Names } from '../names.js';
import { type FilterMember, type FilterMembers, filterOf, type InputFilter, underBothNames } from './filter.js';
import { JUNCTIONS, junctions } from './junctions.js';
import { matchOperators } from './match-operators.js';
import { type Comparable, listOperators, type OperatorKind, valueOperators } from './operators.js';
import { type Collection, existence, quantifiers } from './quantifiers.js';
import {
  DOCUMENT,
  ELEMENT,
  edgesOf,
  elementsOf,
  expressionOf,
  fieldOf,
  isPresent,
  recordBehind,
  recordsBehind,
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
