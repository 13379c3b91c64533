/** `and`, `or` and `not`. */
import { type GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';
import { join } from '../../execution/select.js';
import type { FilterMember, InputFilter, Translate } from './filter.js';
import { not } from './subject.js';

export const JUNCTIONS = ['and', 'or', 'not'] as const;

/** The junctions of a filter with others of its own kind. */
export function junctions({
  type,
  translate,
}: InputFilter): Readonly<Record<(typeof JUNCTIONS)[number], FilterMember>> {
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
