import { row } from '../row.js';

/** Errors of planning and executing statements. */
export const queryErrors = {
  thrown: row<{ text: string }>({
    kind: 'Thrown',
    text: ({ text }) => `An error occurred: ${text}`,
    rpc: -32006,
  }),
  record_exists: row<{ id: string }>({
    kind: 'AlreadyExists',
    text: ({ id }) => `Database record \`${id}\` already exists`,
    details: ({ id }) => ({ kind: 'Record', details: { id } }),
  }),
  namespace_empty: row({
    kind: 'Validation',
    text: () => 'Specify a namespace to use',
    details: () => ({ kind: 'NamespaceEmpty' }),
    rpc: -32600,
  }),
  database_empty: row({
    kind: 'Validation',
    text: () => 'Specify a database to use',
    details: () => ({ kind: 'DatabaseEmpty' }),
    rpc: -32600,
  }),
} as const;
