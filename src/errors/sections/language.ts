import { row } from '../row.js';

/** Errors of reading query text. */
export const languageErrors = {
  /** `what` says what was wrong and shows the place; it comes from `language/source-error.ts`. */
  parse_error: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) => `Parse error: ${what}`,
  }),
  /** Brackets, types, operators or the tree go deeper than the parser's limits let them. */
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
