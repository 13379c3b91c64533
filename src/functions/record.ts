/** `record::*`: the parts of a record id, and whether the caller may see its record. */
import { andThen } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import { parseRecordId } from '../language/parse.js';
import { isObject, RecordId, type Value } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, record } from './calls/parameters.js';

export const recordFunctions: readonly FunctionRow[] = [
  define(
    'record::exists',
    [record('record')],
    'bool',
    'Whether a record, or any in a range, exists and may be seen.',
    (id, context) =>
      andThen(context.hasTable(id.table), (has) => {
        if (!has) throw failure('table_missing', { name: id.table });
        return context.hasRecord(id);
      }),
    { deterministic: false },
  ),
  define('record::id', [record('record')], 'any', 'The key of a record id.', (id) => id.key, { aliases: ['meta::id'] }),
  define(
    'record::is_edge',
    [any('record')],
    'bool',
    'Whether a record, given by its id or a text, is an edge of the graph.',
    (value, context) => {
      const id = typeof value === 'string' ? parseRecordId(value) : value;
      if (!(id instanceof RecordId)) throw invalidArguments('record::is_edge', 'Expected a record ID');
      return andThen(
        context.readRecord(id),
        (found): Value => isObject(found) && found['in'] instanceof RecordId && found['out'] instanceof RecordId,
      );
    },
    { deterministic: false },
  ),
  define('record::tb', [record('record')], 'string', 'The table of a record id.', (id) => id.table, {
    aliases: ['record::table', 'meta::tb'],
  }),
];
