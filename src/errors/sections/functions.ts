/** Errors of built-in functions. */
import { row } from '../row.js';

export const functionErrors = {
  /** `reason` is a complete sentence; with or without a period, as in the reference engine. */
  invalid_arguments: row<{ name: string; reason: string; method?: boolean }>({
    kind: 'Validation',
    text: ({ name, reason, method = false }) =>
      `Incorrect arguments for ${method ? 'method' : 'function'} ${name}(). ${reason}`,
  }),
  /** Work done in one step is bounded, so that it doesn't block others. `what` is a function, an operator or a cast. */
  input_too_large: row<{ what: string; limit: number }>({
    kind: 'Validation',
    text: ({ what, limit }) =>
      `The input of ${what} is larger than the limit of ${limit} characters, bytes, elements or fields`,
  }),
  /**
   * For cooperative functions, whose arguments the reference engine checks differently. `got` is the kind of the
   * argument, if given.
   */
  unexpected_argument: row<{ name: string; expected: string; got?: string }>({
    kind: 'Validation',
    text: ({ name, expected, got }) =>
      `Function '${name}' expects ${expected}${got === undefined ? '' : `, got: ${got}`}`,
  }),
  package_functions: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `Silo function '${name}' is not yet supported in the streaming executor`,
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
  int_out_of_range: row({ kind: 'Validation', text: () => 'out of range integral type conversion attempted' }),
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
  too_few_arguments: row<{ name: string; least: number }>({
    kind: 'Validation',
    text: ({ name, least }) => `Invalid query: Index function '${name}' requires at least ${least} arguments`,
  }),
  machine_learning_disabled: row({
    kind: 'Internal',
    text: () => 'Problem with machine learning computation. Machine learning computation is not enabled.',
  }),
  modules_disabled: row<{ name: string }>({
    kind: 'Internal',
    text: ({ name }) => `Module function '${name}' requires the 'surrealism' feature to be enabled`,
  }),
  analyzer_not_found: row<{ name: string }>({
    kind: 'NotFound',
    text: ({ name }) => `Analyzer '${name}' not found: The analyzer '${name}' does not exist`,
    details: ({ name }) => ({ kind: 'Analyzer', details: { name } }),
  }),
  analyzer_result: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `There was a problem running the ${name}() function. The function should return a string.`,
  }),
  analyzer_file_denied: row<{ path: string }>({
    kind: 'NotAllowed',
    text: ({ path }) => `Access to the file '${path}' is not allowed`,
  }),
  analyzer_file: row<{ path: string; reason: string }>({
    kind: 'Validation',
    text: ({ path, reason }) => `The file '${path}' can't be read: ${reason}`,
  }),
  analyzer_lemma: row<{ number: number }>({
    kind: 'Validation',
    text: ({ number }) => `A value can't be analyzed: Expected two terms separated by a tab line ${number}`,
  }),
  too_many_terms: row<{ most: number }>({
    kind: 'Validation',
    text: ({ most }) => `The terms of a text may not exceed ${most} UTF-16 code units together`,
  }),
  search_query: row<{ position: number; reason: string }>({
    kind: 'Validation',
    text: ({ position, reason }) => `Invalid search query at character ${position}: ${reason}`,
  }),
  no_suitable_index: row<{ expression: string }>({
    kind: 'Validation',
    text: ({ expression }) => `There was no suitable index supporting the expression: ${expression}`,
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
  /** HTTP requests are sent once, however often their statement is repeated after conflicts. */
  http_not_repeatable: row<{ reason: string }>({
    kind: 'Query',
    text: ({ reason }) =>
      `The statement has sent HTTP requests and conflicted with another; it can’t be repeated ${reason}`,
  }),
} as const;
