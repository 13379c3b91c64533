/** Errors of searches for nearest neighbours. */
import { row } from '../row.js';
import { shown } from './value.js';

const UNSUPPORTED =
  'Invalid query: KNN operators nested in OR/NOT expressions or mixed with unsupported KNN variants are not supported';

export const vectorErrors = {
  nearest_nested: row({ kind: 'Validation', text: () => UNSUPPORTED }),
  /** `<|k|>` names neither a distance nor the length of the search list. */
  nearest_form: row<{ k: number }>({
    kind: 'Validation',
    text: ({ k }) =>
      `${UNSUPPORTED}: write <|${k},EUCLIDEAN|> for an exact search, or <|${k},100|> for one by an HNSW index`,
  }),
  nearest_index_missing: row<{ field: string; k: number; ef: number }>({
    kind: 'Validation',
    text: ({ field, k, ef }) =>
      `Invalid query: <|${k},${ef}|> needs an HNSW index on \`${field}\`, and there is none to serve it: define one, or search exactly by <|${k},EUCLIDEAN|>`,
  }),
  nearest_misplaced: row<{ where: string }>({
    kind: 'Validation',
    text: ({ where }) => `Invalid query: KNN operators are not supported in ${where}, which judges records one by one`,
  }),
  vector_dimension: row<{ found: number; expected: number }>({
    kind: 'Validation',
    text: ({ found, expected }) => `Incorrect vector dimension (${found}). Expected a vector of ${expected} dimension.`,
  }),
  hnsw_option: row<{ index: string; option: string; least: number }>({
    kind: 'Validation',
    text: ({ index, option, least }) => `The index \`${index}\` needs ${option} to be at least ${least}`,
  }),
  vector_component: row<{ component: string; type: string }>({
    kind: 'Validation',
    text: ({ component, type }) => `Cannot convert from '${shown(component)}' to '${type}'`,
  }),
  vector_value: row<{ value: string }>({
    kind: 'Validation',
    text: ({ value }) => `The value cannot be converted to a vector: ${shown(value)}`,
  }),
  /** `reason` names the type and the value. */
  nearest_operand: row<{ reason: string }>({ kind: 'Validation', text: ({ reason }) => reason }),
};
