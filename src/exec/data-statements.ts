/** How the statements are compiled that read and write the store. Their bodies' parts are bodies of their own. */
import { failure } from '../errors/error.js';
import type { Statement } from '../language/ast.js';
import { compileAccess } from './access.js';
import { compileAlter } from './alter.js';
import { compileAlterPlace } from './alter-place.js';
import type { ControlStatement } from './control/control-statement.js';
import { compileCreate } from './create.js';
import { DEFINITIONS } from './define/define.js';
import type { Compiler, Evaluate } from './execution.js';
import { compileExplain, compileExplainable } from './explain.js';
import { compileExplainPermissions } from './explain-permissions.js';
import { compileInfo } from './info.js';
import { compileInsert } from './insert.js';
import { compileKill } from './kill.js';
import { compileKillSessions } from './kill-sessions.js';
import { compileLive } from './live.js';
import { plainly } from './plain-words.js';
import { compileRebuild } from './rebuild.js';
import { compileRelate } from './relate.js';
import { compileRemove } from './remove.js';
import { compileShowChanges } from './show-changes.js';

type DataStatement = Exclude<Statement, ControlStatement>;

export const DATA_STATEMENTS: {
  readonly [K in DataStatement['kind']]: (
    statement: Extract<DataStatement, { readonly kind: K }>,
    compiler: Compiler,
  ) => Evaluate;
} = {
  ...DEFINITIONS,
  access: compileAccess,
  alter: compileAlter,
  'alter-place': compileAlterPlace,
  create: plainly(compileCreate),
  delete: plainly(compileExplainable),
  info: compileInfo,
  insert: plainly(compileInsert),
  rebuild: compileRebuild,
  relate: plainly(compileRelate),
  remove: compileRemove,
  select: compileExplainable,
  update: plainly(compileExplainable),
  upsert: plainly(compileExplainable),
  // The runner of a session carries these out itself; inside other statements they mean nothing.
  begin: outOfPlace,
  cancel: outOfPlace,
  commit: outOfPlace,
  option: outOfPlace,
  use: outOfPlace,
  explain: compileExplain,
  'explain-permissions': compileExplainPermissions,
  kill: compileKill,
  'kill-sessions': compileKillSessions,
  live: plainly(compileLive),
  'show-changes': compileShowChanges,
};

function outOfPlace({ kind }: Statement): Evaluate {
  return () => {
    throw failure('statement_out_of_place', { statement: kind.toUpperCase() });
  };
}
