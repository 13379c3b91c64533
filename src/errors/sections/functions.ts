import { row } from '../row.js';

/** Errors of built-in functions. */
export const functionErrors = {
  /** `reason` is a whole sentence of what is wrong with the arguments; ended or not, as the peer does it. */
  invalid_arguments: row<{ name: string; reason: string }>({
    kind: 'Validation',
    text: ({ name, reason }) => `Incorrect arguments for function ${name}(). ${reason}`,
  }),
  function_missing: row<{ name: string }>({
    kind: 'NotFound',
    text: ({ name }) => `Unknown function '${name}' - not found in function registry`,
  }),
  /** By the rules of the server. */
  function_denied: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `Function '${name}' is not allowed to be executed`,
    details: ({ name }) => ({ kind: 'Function', details: { name } }),
  }),
  method_missing: row<{ name: string; kind: string }>({
    kind: 'Validation',
    text: ({ name, kind }) => `Method '${name}' cannot be called on value of type '${kind}'`,
  }),
  arithmetic_overflow: row<{ call: string }>({
    kind: 'Validation',
    text: ({ call }) => `Failed to compute: "${call}", as the operation results in an arithmetic overflow.`,
  }),
  invalid_datetime_part: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) => `Unable to set datetime to ${what}`,
  }),
  invalid_record_table: row<{ value: string }>({
    kind: 'Validation',
    text: ({ value }) => `Found ${value} for the Record ID but this is not a valid table name`,
  }),
  unimplemented_function: row<{ name: string }>({
    kind: 'Internal',
    text: ({ name }) => `Unimplemented functionality: ${name}() function`,
  }),
  misplaced_function: row<{ name: string; reason: string }>({
    kind: 'Validation',
    text: ({ name, reason }) => `Invalid query: Index function '${name}': ${reason}`,
  }),

  // Requests to other servers.
  url_invalid: row<{ url: string }>({
    kind: 'Validation',
    text: ({ url }) => `The URL \`${url}\` is invalid`,
  }),
  network_target_denied: row<{ target: string }>({
    kind: 'NotAllowed',
    text: ({ target }) => `Access to network target '${target}' is not allowed`,
    details: ({ target }) => ({ kind: 'Target', details: { name: target } }),
  }),
  network_lookup_failed: row({
    kind: 'Internal',
    text: () => 'failed to lookup address information: Name or service not known',
  }),
  http_failed: row<{ reason: string }>({
    kind: 'Internal',
    text: ({ reason }) => `There was an error processing a remote HTTP request: ${reason}`,
  }),
} as const;
