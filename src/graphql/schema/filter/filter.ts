/** A filter: an input type whose members are conditions, combined by AND. */
import { GraphQLInputObjectType, type GraphQLInputType } from 'graphql';
import { failure } from '../../../errors/error.js';
import type { Expression } from '../../../language/ast.js';
import type { Conditions } from '../../execution/conditions.js';
import { join } from '../../execution/select.js';
import type { Subject } from './subject.js';

/** Translates a value of a filter to a condition on `subject`. */
export type Translate = (given: unknown, subject: Subject, conditions: Conditions) => Expression;

export interface InputFilter {
  readonly type: GraphQLInputObjectType;
  readonly translate: Translate;
}

export interface FilterMember {
  readonly type: GraphQLInputType;
  /** Isn't given null. */
  readonly translate: Translate;
  /** Translates null. Absent: null is an error, since ignoring it would widen the result. */
  readonly forNull?: (subject: Subject) => Expression;
}

export type FilterMembers = ReadonlyMap<string, FilterMember>;

/** `members` is lazy, since filters refer to each other. */
export function filterOf(name: string, members: () => FilterMembers): InputFilter {
  let known: FilterMembers | undefined;
  const all = () => {
    known ??= members();
    return known;
  };
  return {
    type: new GraphQLInputObjectType({
      name,
      fields: () => Object.fromEntries(Array.from(all(), ([member, { type }]) => [member, { type }])),
    }),
    translate: (given, subject, conditions) => {
      const parts: Expression[] = [];
      for (const [name, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
        const member = all().get(name);
        if (member !== undefined) parts.push(translateMember(name, member, value, subject, conditions));
      }
      if (parts.length === 0) conditions.countEmpty();
      return join('&&', parts);
    },
  };
}

function translateMember(
  name: string,
  { translate, forNull }: FilterMember,
  value: unknown,
  subject: Subject,
  conditions: Conditions,
): Expression {
  if (value !== null) return translate(value, subject, conditions);
  if (forNull === undefined) {
    throw failure('graphql_argument', {
      reason: `The filter "${name}" is null: leave it out, or ask for what is missing with eq or exists`,
    });
  }
  conditions.count();
  return forNull(subject);
}

/** The members under their own names and under those with the field's name before: `gt` and `age_gt`. */
export function underBothNames(field: string, members: Readonly<Record<string, FilterMember>>): FilterMembers {
  return new Map(
    Object.entries(members).flatMap(([own, member]) =>
      [own, `${field}_${own}`].map((name): [string, FilterMember] => [name, member]),
    ),
  );
}
