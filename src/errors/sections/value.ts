/** Errors of the data model: arithmetic, casts, codecs. Values come in canonical text. */
import { row } from '../row.js';

const MAX_SHOWN = 2000;
/** The part of a value that error texts show. */
export const shown = (text: string) => (text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`);

const operator = (operation: string) =>
  row<{ a: string; b: string }>({
    kind: 'Validation',
    text: ({ a, b }) => `Cannot perform ${operation} with '${shown(a)}' and '${shown(b)}'`,
  });

export const valueErrors = {
  cannot_add: operator('addition'),
  cannot_subtract: operator('subtraction'),
  cannot_multiply: operator('multiplication'),
  cannot_remainder: operator('remainder'),
  cannot_raise: row<{ a: string; b: string }>({
    kind: 'Validation',
    text: ({ a, b }) => `Cannot raise the value '${shown(a)}' with '${shown(b)}'`,
  }),
  cannot_negate: row<{ value: string }>({
    kind: 'Validation',
    text: ({ value }) => `Cannot negate the value '${shown(value)}'`,
  }),
  negative_time: row<{ operation: string }>({
    kind: 'Internal',
    text: ({ operation }) => `Failed to compute: "${operation}", as the operation results in a negative value.`,
  }),
  time_overflow: row<{ operation: string }>({
    kind: 'Internal',
    text: ({ operation }) => `Failed to compute: "${operation}", as the operation results in an arithmetic overflow.`,
  }),
  duration_factor: row<{ what: string }>({
    kind: 'Internal',
    text: ({ what }) => `Cannot multiply a duration with a ${what} number`,
  }),
  /** `reason` names the type and the value (`value/conversion.ts`). */
  cannot_cast: row<{ reason: string }>({
    kind: 'Internal',
    text: ({ reason }) => shown(reason),
  }),
  range_too_large: row<{ range: string }>({
    kind: 'Internal',
    text: ({ range }) =>
      `Casting range \`${shown(range)}\` to an array would create an array larger then the max allocation limit.`,
  }),
  value_too_large: row<{ limit: number }>({
    kind: 'Internal',
    text: ({ limit }) => `The value is, or would become, larger than the limit of ${limit}`,
  }),
  nesting_too_deep: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `The value is nested deeper than the limit of ${limit}`,
  }),
  regex_invalid: row<{ reason: string }>({
    kind: 'Internal',
    text: ({ reason }) => `Invalid regular expression: ${shown(reason)}`,
  }),
  regex_too_costly: row<{ length: number }>({
    kind: 'Validation',
    text: ({ length }) => `The regular expression is too large for a text of ${length} characters`,
  }),
  json_invalid: row<{ what: string; offset: number }>({
    kind: 'Serialization',
    text: ({ what, offset }) => `Invalid JSON: ${what} at character ${offset + 1}`,
    rpc: -32700,
  }),
  cbor_invalid: row<{ what: string }>({
    kind: 'Serialization',
    text: ({ what }) => `Invalid CBOR: ${what}`,
    rpc: -32700,
  }),
  flatbuffers_invalid: row<{ what: string }>({
    kind: 'Serialization',
    text: ({ what }) => `Invalid FlatBuffers: ${what}`,
    rpc: -32700,
  }),
  too_many_values: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) =>
      `The data consists of more than ${limit} values (--max-values; before sign-in --max-guest-values)`,
    http: 413,
  }),
  too_many_keys: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `An object of the data has more than ${limit} keys (--max-object-keys)`,
    http: 413,
  }),
  closure_sent: row({ kind: 'Internal', text: () => 'Closure values cannot be converted to public value' }),
  closure_stored: row({
    kind: 'Internal',
    text: () => 'A user generated conversion error occured: Closures cannot be stored on disk',
  }),
  stored_bytes_invalid: row<{ what: string }>({
    kind: 'Internal',
    text: ({ what }) => `Stored data cannot be read: ${what}`,
    http: 500,
  }),
  patch_invalid: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) =>
      `The JSON Patch contains invalid operations. Failed to parse JSON patch structure: ${shown(what)}`,
  }),
  patch_test_failed: row<{ expected: string; found: string }>({
    kind: 'Validation',
    text: ({ expected, found }) =>
      `Given test operation failed for JSON Patch. Expected \`${shown(expected)}\`, but got \`${shown(found)}\` instead.`,
  }),
} as const;
