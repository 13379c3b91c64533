/** How the statements are compiled that read and write the store. Their bodies' parts are bodies of their own. */
import type { Statement } from '../language/ast.js';
import { compileCreate } from './create.js';
import { compileDelete } from './delete.js';
import type { Compiler, Evaluate } from './execution.js';
import { compileInsert } from './insert.js';
import { compileRelate } from './relate.js';
import { compileSelect } from './select.js';
import { compileUpdate } from './update.js';
import { compileUpsert } from './upsert.js';

export const DATA_STATEMENTS: {
  readonly [K in Statement['kind']]?: (statement: Extract<Statement, { kind: K }>, compiler: Compiler) => Evaluate;
} = {
  create: compileCreate,
  delete: compileDelete,
  insert: compileInsert,
  relate: compileRelate,
  select: compileSelect,
  update: compileUpdate,
  upsert: compileUpsert,
};
