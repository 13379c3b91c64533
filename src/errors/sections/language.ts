/** Errors of parsing. */
import { row } from '../row.js';

export const languageErrors = {
  /** `what` describes the error and shows its position (`language/source-error.ts`). */
  parse_error: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) => `Parse error: ${what}`,
  }),
  /** Parentheses, types, operators or the tree exceed the parser's limits. */
  query_too_deep: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) => `Parse error: ${what}`,
  }),
  query_too_large: row<{ limit: number; what: string; setting: string }>({
    kind: 'Validation',
    text: ({ limit, what, setting }) => `Parse error: The query has more than ${limit} ${what} (${setting})`,
    http: 413,
  }),
  query_too_long: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `Parse error: The query is longer than ${limit} characters`,
    http: 413,
  }),
} as const;
