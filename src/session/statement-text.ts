/** Texts of statements for logs and spans, which show no data. */
import type { Expression, Literal, Statement } from '../language/ast.js';
import { printStatement } from '../language/print.js';
import { transform } from '../language/visitor.js';

/** The placeholder of a value. */
const HIDDEN: Literal = { kind: 'literal', value: '…' };
/** Collections with more members, and statements with more expressions, aren't looked into. */
const MANY_MEMBERS = 32;
const MANY_EXPRESSIONS = 512;
const LONGEST = 2_048;

/**
 * A statement as text with `'…'` for each literal: no value of a query, no password and no key is in it.
 *
 *     withoutLiterals(statementOf("SELECT * FROM person:7 WHERE name = 'Ann'")) // SELECT * FROM person:⟨…⟩ WHERE name = '…'
 */
export function withoutLiterals(statement: Statement): string {
  let seen = 0;
  const hidden = transform(statement, (node) => (++seen > MANY_EXPRESSIONS ? HIDDEN : hiddenForm(node)));
  const text = printStatement(hidden);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The replacement of an expression; `undefined`: its parts are visited. */
function hiddenForm(node: Expression): Expression | undefined {
  switch (node.kind) {
    case 'literal':
    case 'script':
      return HIDDEN;
    case 'param':
      return node.slot === undefined ? undefined : HIDDEN;
    case 'record-id':
      return node.key.kind === 'key' ? { ...node, key: { kind: 'key', value: HIDDEN } } : undefined;
    case 'array':
    case 'set':
      return node.items.length > MANY_MEMBERS ? HIDDEN : undefined;
    case 'object':
      return node.entries.length > MANY_MEMBERS ? HIDDEN : undefined;
    default:
      return undefined;
  }
}
