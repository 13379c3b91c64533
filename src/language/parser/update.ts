/** UPDATE and UPSERT, whose clauses are the same. */
import type { Update, Upsert } from '../ast.js';
import { dataClause, explainClause, outputClause, targets, timeoutClause, whereClause, withClause } from './clauses.js';
import type { Parser } from './parser.js';

export function update(parser: Parser): Update {
  return { kind: 'update', ...change(parser) };
}

export function upsert(parser: Parser): Upsert {
  return { kind: 'upsert', ...change(parser) };
}

function change(parser: Parser): Omit<Update, 'kind'> {
  parser.advance();
  return {
    only: parser.acceptWord('ONLY'),
    targets: targets(parser),
    ...withClause(parser),
    ...dataClause(parser),
    ...whereClause(parser),
    ...outputClause(parser),
    ...timeoutClause(parser),
    ...explainClause(parser),
  };
}
