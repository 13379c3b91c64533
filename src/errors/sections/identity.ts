import { row } from '../row.js';

const auth = (kind: string) => () => ({ kind: 'Auth', details: { kind } });

/** Errors of signing in and of being allowed to. Their texts tell nobody which part of a credential was wrong. */
export const identityErrors = {
  invalid_auth: row({
    kind: 'NotAllowed',
    text: () => 'There was a problem with authentication',
    details: auth('InvalidAuth'),
    rpc: -32002,
    http: 401,
  }),
  session_expired: row({
    kind: 'NotAllowed',
    text: () => 'The session has expired',
    details: auth('SessionExpired'),
    rpc: -32000,
    http: 401,
  }),
} as const;
