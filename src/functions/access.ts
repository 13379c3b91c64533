/** `access::*`: what a record has proved at access methods. */
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { record } from './calls/parameters.js';

export const accessFunctions: readonly FunctionRow[] = [
  define(
    'access::identities',
    [record('record')],
    'array',
    'What a record has proved and signs in by, as `{ access, kind, subject, created, used }`, of a passkey also its ' +
      '`name`. A record user sees their own.',
    (id, context) => context.identitiesOf(id),
    { deterministic: false },
  ),
];
