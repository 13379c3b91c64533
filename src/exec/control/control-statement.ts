import type { Statement } from '../../language/ast.js';

/** The statements that steer others rather than touch the store. */
export type ControlStatement = Extract<
  Statement,
  { kind: 'expression' | 'let' | 'return' | 'throw' | 'for' | 'break' | 'continue' | 'sleep' }
>;
