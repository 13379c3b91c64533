/** The statements that a compiler of expressions runs itself, since they need nothing but a frame. */
import type { Statement } from '../../language/ast.js';

/** The control-flow statements, which don't access the store themselves. */
export type ControlStatement = Extract<
  Statement,
  { kind: 'expression' | 'let' | 'return' | 'throw' | 'for' | 'break' | 'continue' | 'sleep' }
>;
