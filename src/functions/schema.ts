/** `schema::*`: which tables the selected database has. */
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { text } from './calls/parameters.js';

export const schemaFunctions: readonly FunctionRow[] = [
  define(
    'schema::table::exists',
    [text('table')],
    'bool',
    'Whether the selected database has a table.',
    (name, context) => context.hasTable(name),
    { deterministic: false },
  ),
];
