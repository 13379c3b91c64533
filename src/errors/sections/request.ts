import { row } from '../row.js';

/** Errors of requests as such: frames, methods, parameters, sizes. */
export const requestErrors = {
  internal: row({
    kind: 'Internal',
    text: () => 'There was an internal problem with the request',
    http: 500,
  }),
} as const;
