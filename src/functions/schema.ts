import type { FunctionRow } from './contract.js';
import { define } from './define.js';
import { text } from './parameters.js';

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
