/** The statements without effects of their own, for the analyses of what a statement reads or changes. */
import type { Statement } from '../language/ast.js';

/** Statements that only lead through expressions: they read and change nothing by themselves. */
export const CONTROL_STATEMENTS: readonly Statement['kind'][] = [
  'expression',
  'let',
  'return',
  'throw',
  'for',
  'break',
  'continue',
];
