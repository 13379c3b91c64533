/**
 * The fields that records of a table have besides, if it has full-text indexes: how well they match, and where; if it
 * has HNSW indexes: how near they are.
 */
import { GraphQLInputObjectType, GraphQLList, GraphQLNonNull, GraphQLObjectType } from 'graphql';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import { SCALARS } from '../base/scalars.js';
import { fromSource } from '../execution/field-source.js';
import { HIGHLIGHTS, readHighlights, SCORE } from '../execution/found-columns.js';
import type { FieldConfig, FieldConfigs } from './object-fields.js';

const FOUND_FIELDS = { fulltext: ['_score', '_highlights'], hnsw: ['_distance'] } as const;
type SearchKind = keyof typeof FOUND_FIELDS;

/** The names of those that a table has. */
export function foundNames(entry: TableEntry): readonly string[] {
  const kinds = Object.keys(FOUND_FIELDS) as SearchKind[];
  return kinds.flatMap((kind) => (columnsWith(kind, entry).size > 0 ? FOUND_FIELDS[kind] : []));
}

/** The columns of a table that have full-text, or HNSW, indexes of their own. */
export function columnsWith(kind: SearchKind, { indexes }: TableEntry): ReadonlySet<string> {
  const columns = new Set<string>();
  for (const { indexKind, fields } of indexes) {
    const [first, ...others] = fields[0]?.parts ?? [];
    if (indexKind.kind === kind && first?.kind === 'field' && others.length === 0) columns.add(first.name);
  }
  return columns;
}

export function highlightType(): GraphQLObjectType {
  const column = (name: string): FieldConfig['extensions'] => fromSource({ kind: 'column', column: name });
  return new GraphQLObjectType({
    name: '_highlight',
    description: 'The texts of a field that matches a filter, with marks around the words that do.',
    fields: {
      field: { type: new GraphQLNonNull(SCALARS.String), extensions: column('field') },
      texts: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(SCALARS.String))),
        extensions: column('texts'),
      },
    },
  });
}

/** Those of a table with full-text indexes. */
export function foundFields(highlight: GraphQLObjectType): FieldConfigs {
  return {
    _score: {
      type: SCALARS.Float,
      description: 'How well the record matches the full-text conditions of its list.',
      extensions: fromSource({ kind: 'column', column: SCORE }),
    },
    _highlights: {
      type: new GraphQLList(new GraphQLNonNull(highlight)),
      description: 'What matches the full-text conditions of its list.',
      extensions: fromSource({ kind: 'column', column: HIGHLIGHTS, read: readHighlights }),
    },
  };
}

/** The marks around matching words. */
export const MARKS = new GraphQLInputObjectType({
  name: '_marks',
  fields: { before: { type: SCALARS.String }, after: { type: SCALARS.String } },
});
