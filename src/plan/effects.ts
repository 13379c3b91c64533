/** What a statement may do besides answering. */
import type { Call, Statement } from '../language/ast.js';
import { walk } from '../language/visitor.js';

/** Statements that never change anything themselves; what stands inside them is looked at as well. */
const HARMLESS: ReadonlySet<string> = new Set<Statement['kind']>([
  'expression',
  'let',
  'return',
  'throw',
  'for',
  'break',
  'continue',
  'select',
  'info',
  'show-changes',
  'sleep',
  'explain',
  'explain-permissions',
]);

/**
 * Whether a statement may write, so that it needs a read-write transaction. Functions of users and JavaScript count as writing, since what they do is
 * known only when they are called.
 */
export function mayWrite(statement: Statement): boolean {
  let known = verdicts.get(statement);
  if (known === undefined) {
    known = false;
    walk(statement, {
      statement: (each) => {
        if (!HARMLESS.has(each.kind)) known = true;
      },
      expression: (each) => {
        if (each.kind === 'script' || (each.kind === 'call' && isForeign(each))) known = true;
      },
    });
    verdicts.set(statement, known);
  }
  return known;
}

function isForeign({ path }: Call): boolean {
  return path.startsWith('fn::') || path.startsWith('mod::') || path.startsWith('ml::') || path.startsWith('api::');
}

const verdicts = new WeakMap<Statement, boolean>();
