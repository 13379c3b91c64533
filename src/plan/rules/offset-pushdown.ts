/**
 * `SELECT * FROM t LIMIT 100 START 900000`, also by id: the storage passes over keys, so that no record is read that
 * isn't shown. Only for those who may see all records, and for tables whose records are shown as they are stored: what
 * a computed field fails with, or does, belongs to the answer.
 */
import type { Limit } from '../nodes.js';
import type { NodeRule, StatementFacts } from './rule.js';

export const offsetPushdown: NodeRule<'limit'> = {
  name: 'offset-pushdown',
  kind: 'limit',
  rewrite(limit, facts) {
    if (limit.start === undefined || facts.isChecked || facts.isVersioned) return undefined;
    const scan = scanOf(limit);
    if (scan === undefined || !isStored(scan.table, facts)) return undefined;
    return { ...limit, input: scan, skipsKeys: true };
  },
};

/** The scan of a whole table whose rows come as they are wanted: there is nothing left to sort. */
function scanOf({ input }: Limit) {
  if (input.kind === 'table-scan') return input;
  if (input.kind !== 'top-n' || input.input.kind !== 'table-scan') return undefined;
  return input.input.direction === undefined ? undefined : input.input;
}

function isStored(table: string, { catalog }: StatementFacts): boolean {
  return catalog?.tables.get(table)?.fields.every(({ computed }) => computed === undefined) ?? false;
}
