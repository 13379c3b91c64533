/** Errors of evaluating expressions and of control flow. Values come in canonical text. */
import { row } from '../row.js';

const internal = <D = void>(text: (detail: D) => string) => row<D>({ kind: 'Internal', text });
const validation = <D = void>(text: (detail: D) => string) => row<D>({ kind: 'Validation', text });

export const expressionErrors = {
  /** Only for what the documentation names as missing. */
  not_supported: row<{ what: string }>({
    kind: 'NotAllowed',
    text: ({ what }) => `${what} is not supported`,
  }),
  /** An error thrown by a script, or the reason why it or its values can't be processed. */
  script_failed: internal<{ reason: string }>(({ reason }) => `Problem with embedded script function. ${reason}`),
  script_stopped: internal<{ milliseconds: number }>(
    ({ milliseconds }) =>
      `Problem with embedded script function. It was stopped after ${milliseconds} ms (--script-time)`,
  ),
  scripts_busy: row<{ retryAfter: number }>({
    kind: 'NotAllowed',
    text: () => 'Too many embedded functions wait for a thread at the moment. Try again later',
    details: ({ retryAfter }) => ({ kind: 'ScriptsBusy', details: { retryAfter } }),
    http: 429,
    retryable: true,
  }),
  scripting_disabled: internal(() => 'Problem with embedded script function. Embedded functions are not enabled.'),

  // Calls.
  not_callable: validation<{ kind: string }>(
    ({ kind }) => `There was a problem running the ANONYMOUS() function. '${kind}' is not a function`,
  ),
  /** No family of functions knows the method at all. */
  method_unknown: validation<{ name: string; kind: string }>(
    ({ name, kind }) => `There was a problem running the ${name}() function. no such method found for the ${kind} type`,
  ),
  closure_argument: validation<{ name: string; type: string }>(
    ({ name, type }) =>
      `Incorrect arguments for function ANONYMOUS(). Expected a value of type '${type}' for argument $${name}`,
  ),
  return_coercion: validation<{ name: string; reason: string }>(
    ({ name, reason }) => `Couldn't coerce return value from function \`${name}\`: ${reason}`,
  ),
  function_not_defined: internal<{ name: string }>(
    ({ name }) => `Function '${name}' not found: The function '${name}' does not exist`,
  ),
  function_forbidden: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `You don't have permission to run the ${name} function`,
    details: ({ name }) => ({ kind: 'Function', details: { name } }),
  }),
  param_forbidden: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `You don't have permission to view the $${name} parameter`,
    details: ({ name }) => ({ kind: 'Param', details: { name } }),
  }),
  sequence_forbidden: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `You don't have permission to draw from the sequence '${name}'`,
    details: ({ name }) => ({ kind: 'Sequence', details: { name } }),
  }),

  // Control flow.
  variable_coercion: validation<{ name: string; reason: string }>(
    ({ name, reason }) => `Tried to set \`$${name}\`, but couldn't coerce value: ${reason}`,
  ),
  not_iterable: validation<{ value: string }>(({ value }) => `Cannot execute statement using value: ${value}`),
  outside_of_loop: validation(
    () => 'Invalid control flow statement, break or continue statement found outside of loop.',
  ),

  // Paths and ranges.
  range_not_int: validation<{ value: string }>(
    ({ value }) => `Expected \`int\` but found \`${value}\` when coercing an element of \`range<int>\``,
  ),
  invalid_slice: validation<{ value: string }>(
    ({ value }) => `Invalid range: Expected \`int\` but found \`${value}\` when coercing an element of \`range<int>\``,
  ),
  mock_too_large: validation(() => 'Mock range exceeds allocation limit'),
  path_not_assignable: validation<{ path: string }>(({ path }) => `Cannot assign to \`${path}\``),
  path_blocked: validation<{ path: string; value: string }>(
    ({ path, value }) => `Cannot assign to \`${path}\`, which leads into '${value}'`,
  ),

  // Recursion.
  recursion_bound_low: validation<{ bound: number }>(
    ({ bound }) => `Found ${bound} for bound but expected at least 1.`,
  ),
  recursion_bound_high: validation<{ bound: number; limit: number }>(
    ({ bound, limit }) => `Found ${bound} for bound but expected ${limit} at most.`,
  ),
  recursion_too_deep: validation<{ limit: number }>(({ limit }) => `Exceeded the idiom recursion limit of ${limit}.`),
  recursion_too_large: validation<{ limit: number }>(
    ({ limit }) => `Exceeded the idiom recursion limit of ${limit} visited records.`,
  ),
  recursion_no_record: validation<{ value: string }>(
    ({ value }) => `Expected a record ID during recursive graph traversal, but found \`${value}\``,
  ),
  recursion_plan_conflict: validation(() => 'Cannot construct a recursion plan when an instruction is provided'),
  repeat_misplaced: validation(
    () => 'Tried to use a `@` repeat recurse symbol in a position where it is not supported',
  ),
} as const;
