import type { DefineSequence, Expression } from '../ast.js';
import { timeoutClause } from '../parser/clauses.js';
import type { Parser } from '../parser/parser.js';
import { mode, permission } from './shared-clauses.js';

export function defineSequence(parser: Parser): DefineSequence {
  const head = mode(parser);
  return {
    kind: 'define-sequence',
    ...head,
    name: parser.definitionName(),
    batch: parser.acceptWord('BATCH') ? parser.expression() : DEFAULT_BATCH,
    start: parser.acceptWord('START') ? parser.expression() : DEFAULT_START,
    ...timeoutClause(parser),
    ...(parser.acceptWord('PERMISSIONS') && { permissions: permission(parser) }),
  };
}

const DEFAULT_BATCH: Expression = { kind: 'literal', value: 1000 };
const DEFAULT_START: Expression = { kind: 'literal', value: 0 };

/** A sequence without clauses. */
export function sequenceNode(name: string): DefineSequence {
  return { kind: 'define-sequence', name, batch: DEFAULT_BATCH, start: DEFAULT_START };
}
