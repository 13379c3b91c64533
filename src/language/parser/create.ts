/** CREATE: `CREATE [ONLY] targets [data] [RETURN …] [VERSION …] [TIMEOUT …]`. */
import type { Create } from '../ast.js';
import { dataClause, outputClause, targets, timeoutClause, versionClause } from './clauses.js';
import type { Parser } from './parser.js';

export function create(parser: Parser): Create {
  parser.advance();
  return {
    kind: 'create',
    only: parser.acceptWord('ONLY'),
    targets: targets(parser),
    ...dataClause(parser),
    ...outputClause(parser),
    ...versionClause(parser),
    ...timeoutClause(parser),
  };
}
