/** Filters of lists as a whole and of their elements: `some`, `every`, `none`, `count` and `exists`. */
import type { Expression } from '../../../language/ast.js';
import { SCALARS } from '../../execution/scalars.js';
import type { FilterMember, InputFilter, Translate } from './filter.js';
import { call, not, type Subject } from './subject.js';

/** Something that has elements. */
export interface Collection {
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
export function quantifiers(collection: Collection, count: InputFilter): Readonly<Record<string, FilterMember>> {
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
export function existence(exists: (subject: Subject) => Expression): FilterMember {
  return {
    type: SCALARS.Boolean,
    translate: (given, subject, conditions) => {
      conditions.count();
      return given === true ? exists(subject) : not(exists(subject));
    },
  };
}
