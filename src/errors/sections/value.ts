import { row } from '../row.js';

/** Errors of the data model: arithmetic, casts, coercions, codecs. Values come in canonical text. */
export const valueErrors = {
  cannot_cast: row<{ type: string; value: string; element?: string }>({
    kind: 'Internal',
    text: ({ type, value, element }) =>
      `Could not cast into \`${type}\` using input \`${value}\`${element === undefined ? '' : ` when coercing an element of \`${element}\``}`,
  }),
} as const;
