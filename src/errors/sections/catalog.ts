import { row } from '../row.js';

/** Errors about definitions: what exists already, what doesn't. */
export const catalogErrors = {
  table_missing: row<{ name: string }>({
    kind: 'NotFound',
    text: ({ name }) => `The table '${name}' does not exist`,
    details: ({ name }) => ({ kind: 'Table', details: { name } }),
  }),
} as const;
