import { row } from '../row.js';

/** Errors of reading query text. */
export const languageErrors = {
  /** `what` says what was wrong; the position and the caret are added by `atPosition`. */
  parse_error: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) => `Parse error: ${what}`,
  }),
} as const;
