/** DELETE: `DELETE [FROM] [ONLY] targets [WITH …] [WHERE …] [RETURN …] [TIMEOUT …] [EXPLAIN …]`. */
import type { Delete } from '../ast.js';
import { explainClause, outputClause, targets, timeoutClause, whereClause, withClause } from './clauses.js';
import type { Parser } from './parser.js';

export function deleteStatement(parser: Parser): Delete {
  parser.advance();
  parser.acceptWord('FROM');
  return {
    kind: 'delete',
    only: parser.acceptWord('ONLY'),
    targets: targets(parser),
    ...withClause(parser),
    ...whereClause(parser),
    ...outputClause(parser),
    ...timeoutClause(parser),
    ...explainClause(parser),
  };
}
